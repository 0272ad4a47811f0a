/*
 * block: see block.h.
 *
 * Spinning that is not declared cannot be seen: such a thread looks as busy as one that
 * works.  All threads pay their debt at each sample, so it goes on too early by at most
 * the credit of one sampling period.  A region that is such a spin is predicted to be
 * worth nothing, which is right: it is credited, but the thread that ends the spin is
 * delayed by as much.
 */
#include "block.h"
#include "event_log.h"
#include "object_key.h"
#include "sync.h"
#include "wait.h"

/* The wait that the calling thread has declared, and its depth: declarations nest, and the outermost counts. */
static TLS struct wait declared;
static TLS unsigned declarations;

void block_begin(const void *site)
{
	if (declarations++ > 0)
		return;
	wait_begin(&declared, CLASS_LOCK, site, false, WAIT_UNKNOWN);
	if (declared.t)
		self.waiting = UINTPTR_MAX; /* counts as a wait at any depth of the stack */
}

void block_end(int woken)
{
	if (declarations == 0 || --declarations > 0)
		return;
	/* No thread releases this key.  The waker is assumed to have paid all its debt. */
	if (woken)
		wait_by_peer(&declared, key_of(KEY_WOKEN, 0, 0));
	else
		wait_outside(&declared);
}

void block_catch_up(const void *site)
{
	sync_release(key_of(KEY_CAUGHT_UP, 0, 0), site);
	/* Replay assumes that all such waits end because of the thread that did this last. */
	if (unlikely(arena != NULL) && self_slot() && event_on()) {
		runtime_enter();
		event_note(self.slot, BURST_RELEASE, now_ns(), 0, key_of(KEY_WOKEN, 0, 0), 0, site);
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
