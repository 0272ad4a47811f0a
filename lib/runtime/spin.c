/*
 * spin: locks that are waited for without a system call: pthread's spin locks, and
 * those of the program's own making, as far as it declares them
 * (ANDWEORC_PRE_BLOCK, ANDWEORC_POST_BLOCK and ANDWEORC_CATCH_UP of andweorc.h).
 *
 * What is not declared cannot be seen: a thread that spins looks as busy as one
 * that works.  As all threads pay what they owe at each of their samples, it goes on
 * too early by no more than is credited in one sampling period; and a region that
 * is such a spin is worth nothing, as it should be: it is credited, but the thread
 * that ends the spin is delayed by as much.
 */
#include "wrap.h"

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
	struct wait w;
	int err;

	if (!wait_is_watched())
		return REAL(pthread_spin_lock)(l);
	object_before_lock(SITE);
	if (REAL(pthread_spin_trylock)(l) == 0) {
		object_lock(l, SITE);
		return 0;
	}
	wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);
	err = REAL(pthread_spin_lock)(l);
	wait_by_peer(&w, key_of_address(l));
	return err;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
	int err = REAL(pthread_spin_trylock)(l);

	if (err == 0)
		object_lock(l, SITE);
	return err;
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
	object_unlock(l, SITE);
	return REAL(pthread_spin_unlock)(l);
}

/* ---- the program's own ----------------------------------------------------------- */

/* The wait that the calling thread has declared, and how often: they nest, the outermost counts. */
static TLS struct wait declared;
static TLS unsigned declarations;

void block_begin(const void *site)
{
	if (declarations++ > 0)
		return;
	wait_begin(&declared, CLASS_LOCK, site, false, WAIT_UNKNOWN);
	if (declared.t)
		self.waiting = UINTPTR_MAX; /* the wait is on wherever the stack is */
}

void block_end(int woken)
{
	if (declarations == 0 || --declarations > 0)
		return;
	/* A key that nobody ever releases: whoever it was is taken to have paid all. */
	if (woken)
		wait_by_peer(&declared, key_of('b', 0, 0));
	else
		wait_outside(&declared);
}

void block_catch_up(const void *site)
{
	sync_release(key_of('B', 0, 0), site);
	/* Replay knows no better than that all who wait go on because of the thread that did this last. */
	if (unlikely(arena != NULL) && self_slot() && event_on()) {
		runtime_enter();
		event_note(self.slot, BURST_RELEASE, now_ns(), 0, key_of('b', 0, 0), 0, site);
		runtime_leave();
	}
}

void block_begin_here(void)
{
	block_begin(SITE);
}

void block_catch_up_here(void)
{
	block_catch_up(SITE);
}
