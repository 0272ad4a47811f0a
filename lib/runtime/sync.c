/*
 * sync: sync operations that are over at once; those that can block are in wait.c.
 *
 * Each operation has one verb: for the wrapper's call, for the event in a burst
 * (lib/event.h), and for the rule of the clock (lib/vclock):
 *
 *	sync_release   BURST_RELEASE   pays; vclock_release
 *	sync_unlock    BURST_UNLOCK    vclock_release.  A lock holder does not pay: others would queue for the lock
 *	sync_acquire   BURST_ACQUIRE   vclock_acquire
 *	sync_lock      BURST_LOCK      vclock_lock, of a lock that was free; sync_before_lock has paid
 *
 * For a lock that threads may share, sync_lock_shared and sync_unlock_unshared have rules of
 * their own, and the same events.
 */
#include "event_log.h"
#include "offcpu.h"
#include "pay.h"
#include "sample.h"
#include "sync.h"
#include "wait.h"
#include "yield.h"

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
 * An operation that is over at once.  `account` applies its rule to the clock.  It returns the
 * time, so that it is read only once: some programs do hundreds of such operations in a
 * millisecond, and the added time lowers the share of everything else.
 */
static void pass_noted(unsigned kind, const void *noted_site, uint64_t key, const void *site, int64_t (*account)(uint64_t key, int64_t now))
{
	int64_t now;
	bool goes_on;

	if (!wait_is_accounted())
		return;
	runtime_enter();
	now = now_ns();
	if (event_on())
		event_note(self.slot, kind, now, 0, key, 0, noted_site);
	offcpu_look();
	goes_on = vclock_settle(&self.clock, now);
	now = account(key, now);
	/* The thread may have been preempted since it settled. */
	if (offcpu_look())
		now = now_ns();
	if (!goes_on)
		vclock_begin_segment(&self.clock, site, now);
	vclock_keep_processor(&self.clock, moment_at(now));
	runtime_leave();
}

static void pass_object(enum burst_kind kind, uint64_t key, const void *site, int64_t (*account)(uint64_t key, int64_t now))
{
	pass_noted(kind, site, key, site, account);
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

static int64_t release_unshared(uint64_t key, int64_t now)
{
	vclock_release_unshared(&self.clock, key, now);
	return now;
}

static int64_t acquire_key(uint64_t key, int64_t now)
{
	vclock_acquire(&self.clock, key, now);
	return now;
}

static int64_t acquire_lock(uint64_t key, int64_t now)
{
	if (yield_polls())
		vclock_wait_by_peer(&self.clock, &self.yields.began, key, 0, moment_at(now));
	else
		vclock_lock(&self.clock, key, now);
	return now;
}

static int64_t share_lock(uint64_t key, int64_t now)
{
	if (yield_polls())
		vclock_wait_to_share(&self.clock, &self.yields.began, key, moment_at(now));
	else
		vclock_lock_shared(&self.clock, key, now);
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

void sync_catch_up(const void *site)
{
	if (!wait_is_accounted())
		return;
	runtime_enter();
	account_up_to_here(site);
	pay(VCLOCK_LEAST_DEBT_NS, PAUSE_BUSY);
	vclock_keep_processor(&self.clock, moment_now());
	runtime_leave();
}

int64_t sync_set_timer(uint64_t key, int64_t ns, const void *site)
{
	sync_release(key, site);
	if (!wait_is_accounted())
		return ns;
	runtime_enter();
	ns = vclock_set_timer(&self.clock, key, ns, now_ns());
	runtime_leave();
	return ns;
}

void sync_acquire(uint64_t key, const void *site)
{
	pass_object(BURST_ACQUIRE, key, site, acquire_key);
}

void sync_taken(uint64_t key, const void *site)
{
	pass_noted(BURST_ACQUIRE | BURST_ANY, NULL, key, site, acquire_key);
}

void sync_answered(uint64_t key)
{
	if (!wait_is_accounted() || !event_on())
		return;
	runtime_enter();
	event_note(self.slot, BURST_ANSWERED | BURST_ANY, now_ns(), 0, key, 0, NULL);
	runtime_leave();
}

void sync_unlock(uint64_t key, const void *site)
{
	pass_object(BURST_UNLOCK, key, site, release_lock);
}

void sync_unlock_unshared(uint64_t key, const void *site)
{
	pass_object(BURST_UNLOCK, key, site, release_unshared);
}

void sync_lock_shared(uint64_t key, const void *site)
{
	pass_object(BURST_LOCK, key, site, share_lock);
}

void sync_lock(uint64_t key, const void *site)
{
	pass_object(BURST_LOCK, key, site, acquire_lock);
}

void sync_before_lock(const void *site)
{
	runtime_enter();
	/* Mostly the thread owes nothing; then its work is credited after it has taken the lock. */
	if (pay_is_due_before_lock()) {
		account_up_to_here(site);
		pay_before_lock();
		vclock_keep_processor(&self.clock, moment_now());
	}
	runtime_leave();
}
