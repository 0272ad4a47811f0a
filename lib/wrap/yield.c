/*
 * yield: a thread that looks whether another one has done its part, yields its processor,
 * and looks again.
 *
 * All yields from one place that follow each other at once are one wait.  It begins with
 * the first yield.  Nothing tells when it is over, so the thread stays marked as waiting.  A
 * sample, or the begin of another wait, removes the mark when the last yield is long ago.
 *
 * Which thread ends such a wait is not known.  It is assumed to be one that has paid all its
 * debt.  A thread that yields once in a while, and computes in between, is hardly affected:
 * a yield takes a microsecond, unless another thread gets the processor.
 */
#include "runtime/yield.h"
#include "wrap.h"

/* Between a call that yields and its end. */
struct yield {
	struct wait wait; /* the first yield of a poll */
	const void *site; /* of a later one; NULL: it is none */
	int64_t since_ns; /* from here on a later one has waited */
};

static bool polls_on(const void *site)
{
	return self.yields.site == site && yield_polls();
}

/* Yields in another wait are part of that. */
static void yield_begin(struct yield *y, const void *site)
{
	y->wait.t = NULL;
	y->site = NULL;
	if (!wait_is_watched() || (self.waiting && !self.yields.site))
		return;
	if (polls_on(site)) {
		y->site = site;
		y->since_ns = self.yields.last_ns;
		self.yields.last_ns = INT64_MAX;
	} else {
		wait_begin(&y->wait, CLASS_LOCK, site, false, WAIT_UNKNOWN);
	}
}

static void yield_end(struct yield *y)
{
	if (!self.slot || !arena)
		return;
	if (y->site && self.yields.site) {
		wait_yielded_again(y->since_ns, y->site);
	} else if (y->wait.t) {
		wait_yielded(&y->wait);
		self.waiting = UINTPTR_MAX; /* waits at any depth of the stack */
		self.yields.site = y->wait.site;
		self.yields.began = y->wait.began;
	} else {
		return;
	}
	self.yields.last_ns = now_ns();
}

EXPORT int sched_yield(void)
{
	struct yield y;
	int err;

	yield_begin(&y, SITE);
	err = REAL(sched_yield)();
	yield_end(&y);
	return err;
}

EXPORT void thrd_yield(void)
{
	struct yield y;

	yield_begin(&y, SITE);
	REAL(thrd_yield)();
	yield_end(&y);
}
