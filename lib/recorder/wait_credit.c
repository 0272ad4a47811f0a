/*
 * A waiting thread takes its credit itself when it wakes (wait.c of the runtime).  But
 * it cannot make the others pay during the wait, so the conductor does.  For a wait in
 * the region that began at `since`, with base = min(D, G) then, the others owe
 *
 *     base + s * (now - since)
 *
 * at the time `now`. Raising G to that is idempotent, so no lock is needed: a tick may
 * be late or missing.  If it reads an entry that is being replaced, `since` has
 * changed, and the tick does nothing.
 */
#include "recorder/wait_credit.h"
#include "target/shared.h"

/*
 * Is the wait in the region?  In line mode, its frames end with the one that is charged.  For a call path that ends in
 * a line, the line may be at any frame inside of its callers; this is inexact only for waits that last over a switch.
 */
static bool is_in(const struct arena_target *t, const struct arena_sample *at)
{
	uint32_t left = t->path;

	if (t->class != CLASS_CPU)
		return t->class == at->class;
	if (left) {
		for (uint32_t i = 0; i < at->nframes && i < ARENA_FRAMES && left; i++)
			left = arena_path_left(t->link, t->nlinks, left, at->place[i]);
		return left == 0;
	}
	for (uint32_t i = 0; i < at->nframes && i < ARENA_FRAMES; i++)
		if (t->nranges && arena_in_ranges(t->range, t->nranges, at->place[i]))
			return true;
	return false;
}

/* The delay that the others owe for this wait.  False: the wait is over, or not in the region. */
static bool owed(const struct arena *a, const struct arena_thread *t, int64_t now, int64_t *owe)
{
	const struct arena_wait *w = &t->wait;
	int64_t since = atomic_load_explicit(&w->since, memory_order_acquire), began = atomic_load(&a->clock.began_ns);
	int64_t base = atomic_load_explicit(&w->base, memory_order_relaxed);
	int64_t until = atomic_load_explicit(&w->until, memory_order_relaxed);
	double s = vclock_speedup(&a->clock) / 65536.;
	uint32_t weight;

	if (since == 0 || !w->outside)
		return false;
	if (since >= began) {
		weight = w->at.hit ? w->weight : 0;
	} else {
		/* The wait began before this window: it counts from the begin of the window, at the floor. */
		uint32_t index = atomic_load(&a->target) & 1;

		weight = arena_weight(a, is_in(&a->targets[index], &w->at), is_in(&a->givens[index], &w->at));
		base = atomic_load(&a->clock.floor_ns);
	}
	/* Pairs with the release of the thread: all fields read in between belong to this wait. */
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(&w->since, memory_order_relaxed) != since)
		return false;
	if (since < began)
		since = began;
	if (until != INT64_MAX)
		now = now + ARENA_AHEAD_NS < until ? now + ARENA_AHEAD_NS : until;
	*owe = base + (now > since ? (int64_t)((double)(now - since) * s * weight / 65536) : 0);
	return weight != 0;
}

bool wait_credit(struct arena *a, int64_t now_ns)
{
	uint32_t n = shared_threads(a);
	bool any = false;
	int64_t owe;

	if (vclock_speedup(&a->clock) == 0)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!atomic_load_explicit(&a->waits[i], memory_order_relaxed) || !owed(a, shared_thread(a, i), now_ns, &owe))
			continue;
		vclock_raise(&a->clock, owe);
		any = true;
	}
	return any;
}
