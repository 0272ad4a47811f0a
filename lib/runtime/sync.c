/*
 * sync: sync operations that are over at once; those that can block are in wait.c.
 *
 * What a wrapper says, what a burst notes of it (lib/event.h), and what it does to the
 * clock (lib/vclock) have one verb:
 *
 *	sync_release   BURST_RELEASE   pays; vclock_release
 *	sync_unlock    BURST_UNLOCK    vclock_release.  One that has a lock does not pay: others would queue for it
 *	sync_acquire   BURST_ACQUIRE   vclock_acquire
 *	sync_lock      BURST_LOCK      vclock_lock, of a lock that was free; sync_before_lock has paid
 */
#include "wrap.h"

void account_up_to_here(const void *site)
{
	int64_t now;

	if (!window_speedup())
		return;
	now = now_ns();
	offcpu_look();
	if (!vclock_settle(&self.clock, now))
		vclock_begin_segment(&self.clock, site, now);
	vclock_keep_processor(&self.clock, moment_at(now));
}

/*
 * An operation that is over at once: `account` is what it does to the clock.  It returns the
 * time, which is read as seldom as can be.  Some programs do this hundreds of times in a
 * millisecond, and what that costs makes all that they do count for less.
 */
static void pass_object(enum burst_kind kind, uint64_t key, const void *site, int64_t (*account)(uint64_t key, int64_t now))
{
	struct arena_thread *t;
	int64_t now;
	bool goes_on;

	if (!wait_is_accounted())
		return;
	t = self.slot;
	runtime_enter();
	now = now_ns();
	if (event_on())
		event_note(t, kind, now, 0, key, 0, site);
	offcpu_look();
	goes_on = vclock_settle(&self.clock, now);
	now = account(key, now);
	credit_deferred();
	/* It may have been preempted since it settled. */
	if (offcpu_look())
		now = now_ns();
	if (!goes_on)
		vclock_begin_segment(&self.clock, site, now);
	vclock_keep_processor(&self.clock, moment_at(now));
	runtime_leave();
}

static int64_t release_object(uint64_t key, int64_t now)
{
	pay(VCLOCK_LEAST_DEBT_NS, PAUSE_BUSY);
	now = now_ns();
	vclock_release(&self.clock, key, now);
	return now;
}

static int64_t release_lock(uint64_t key, int64_t now)
{
	vclock_release(&self.clock, key, now);
	return now;
}

static int64_t acquire(uint64_t key, int64_t now)
{
	vclock_acquire(&self.clock, key, now);
	return now;
}

static int64_t acquire_lock(uint64_t key, int64_t now)
{
	vclock_lock(&self.clock, key, now);
	return now;
}

void pay_and_release(uint64_t key)
{
	runtime_enter();
	release_object(key, 0);
	runtime_leave();
}

void sync_release(uint64_t key, const void *site)
{
	pass_object(BURST_RELEASE, key, site, release_object);
}

void sync_acquire(uint64_t key, const void *site)
{
	pass_object(BURST_ACQUIRE, key, site, acquire);
}

void sync_unlock(uint64_t key, const void *site)
{
	pass_object(BURST_UNLOCK, key, site, release_lock);
}

void sync_lock(uint64_t key, const void *site)
{
	pass_object(BURST_LOCK, key, site, acquire_lock);
}

void sync_before_lock(const void *site)
{
	runtime_enter();
	/* Mostly nothing is owed, and what the thread has done is credited when it has the lock. */
	if (pay_is_due_before_lock()) {
		account_up_to_here(site);
		pay_before_lock();
		vclock_keep_processor(&self.clock, moment_now());
	}
	runtime_leave();
}
