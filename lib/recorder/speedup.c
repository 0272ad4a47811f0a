/*
 * Sets the speedup: of one region in some windows (the one that is tried), and with
 * --given of another one in all windows, baselines included.  And the period of the samples
 * by which threads are credited for it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "format/record.h"
#include "recorder/conductor_parts.h"

enum {
	DENSER = 4,          /* where threads yield, samples come so many times as often */
	DENSEST_NS = 250000, /* the shortest period for which that is done */
};

static double fraction(unsigned pct)
{
	return pct / 100.0;
}

/* The given regions; the caller frees the array. */
static size_t given_regions(const struct conductor *c, struct region ***out)
{
	size_t n = 0;

	*out = xcalloc(c->regions->n + 1, sizeof(**out));
	for (size_t i = 0; i < c->regions->n; i++)
		if (c->regions->v[i]->given)
			(*out)[n++] = c->regions->v[i];
	return n;
}

/*
 * With speedups s of the region and g of the given region, time in the first is
 * multiplied by 1 - s, time in the second by 1 - g, and time in both by (1 - s) (1 -
 * g).  Returns the largest saving, which the runtime multiplies by each place's weight.
 */
static uint32_t set_weights(struct arena *a, double s, double g)
{
	double most = 1 - (1 - s) * (1 - g), saved[4] = { 0, s, g, most };

	for (unsigned i = 0; i < 4; i++)
		atomic_store_explicit(&a->weights[i], most > 0 ? (uint32_t)lround(saved[i] / most * 65536) : 0, memory_order_relaxed);
	/*
	 * Baselines have no speedup, but the runtime must account in them as in all other
	 * windows.  That takes time where threads meet often; if baselines did not have
	 * this cost, regions would seem to do harm.
	 */
	return most > 0 ? (uint32_t)(most * 65536) : 1;
}

/*
 * A thread that waits by yielding goes on because of another one, but no wrapper sees which.  The
 * other one is credited for its work at its next sample.  Until then this thread does not know of
 * that credit, and later it pays for it, although it came after the work.  The error grows with
 * the time between samples.  So they come four times as often; one of four is kept.
 *
 * The mean error of experiments at 1 and at 0.25 ms, of three recordings each: a pipeline of
 * oneTBB 6.6 and 2.5 points, t/workload/yieldbar 2.4 and 0.9, locks of parking_lot 4.2 and 3.4,
 * loops of oneTBB 1.6 and 1.0, channels of crossbeam 2.3 and 2.3, loops of rayon 1.8 and 3.0.
 * Programs whose threads do not yield gain nothing, and take 3 to 8 % longer.
 */
void conductor_set_period(struct conductor *c)
{
	uint64_t part = c->arena->period_ns / DENSEST_NS;

	if (!c->observing.denser || atomic_load(&c->arena->sampler) != SAMPLER_PERF || part < 1)
		part = 1;
	if (part > DENSER)
		part = DENSER;
	atomic_store_explicit(&c->arena->clock.period_ns, c->arena->period_ns / part, memory_order_relaxed);
}

void conductor_switch(struct conductor *c, struct region *region, unsigned pct)
{
	struct arena *a = c->arena;
	uint32_t next = !(atomic_load(&a->target) & 1), key = region ? region->id : 0;
	struct region **given;
	size_t ngiven = given_regions(c, &given);

	atomic_store(&a->clock.speedup, 0);
	regions_target(&region, region ? 1 : 0, &a->targets[next]);
	regions_target(given, ngiven, &a->givens[next]);
	free(given);
	/* The credit of segments depends on the level only where there are two weights. */
	atomic_store_explicit(&a->clock.region, ngiven ? key << 7 | pct : key, memory_order_relaxed);
	c->speedup = set_weights(a, fraction(pct), ngiven ? fraction(c->plan->given_pct) : 0);
	atomic_store_explicit(&a->clock.queueing, a->targets[next].class == CLASS_RUNQUEUE, memory_order_relaxed);
	atomic_store_explicit(&a->target, next, memory_order_release);
	conductor_set_period(c);
	atomic_store(&a->clock.floor_ns, vclock_owed(&a->clock));
	atomic_store(&a->clock.began_ns, now_ns());
	atomic_store(&a->expires_ns, now_ns() + ARENA_ALIVE_NS);
	/* 28 bits of window numbers suffice for a year; 0 means none. */
	c->window = (c->window + 1) & 0x0fffffff;
	/* Pairs with the acquire of visitors, as each change of the phase does. */
	atomic_store_explicit(&a->clock.window_word, window_word(c->window, PHASE_IDLE), memory_order_release);
	atomic_store(&a->clock.speedup, c->speedup);
}

void conductor_phase(struct conductor *c, uint32_t phase)
{
	/* Pairs with the acquire of visitors: they see the switch that came before. */
	atomic_store_explicit(&c->arena->clock.window_word, window_word(c->window, phase), memory_order_release);
}

void conductor_to_normal(struct conductor *c)
{
	conductor_switch(c, NULL, 0);
	atomic_store(&c->arena->clock.speedup, 0);
}

void conductor_know_given(struct conductor *c)
{
	struct region **given;
	size_t n = given_regions(c, &given);

	for (size_t i = 0; i < n; i++)
		journal_know(c->journal, given[i]);
	free(given);
}

void conductor_log_given(const struct conductor *c, struct buf *b)
{
	struct buf ids = BUF_INIT;
	struct region **given;
	size_t n = given_regions(c, &given);

	for (size_t i = 0; i < n; i++)
		buf_addf(&ids, "%s%u", i ? "," : "", given[i]->id);
	record_str(b, "given", n ? ids.s : "-");
	record_u64(b, "given_pct", c->plan->given_pct);
	buf_release(&ids);
	free(given);
}
