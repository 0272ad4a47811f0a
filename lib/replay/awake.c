/*
 * awake: how long threads would compute if they had not waited before.
 *
 * A processor that was idle may compute more slowly at first: it saves power, its caches are cold, or a hypervisor gives it
 * another place.  When code gets faster, threads wait less, and so compute faster, too.  The producer of t/workload/queue
 * waits for 0.36 ms and then takes 0.60 to 0.77 ms for the same work, in different seconds (in a virtual machine with
 * other guests beside it); without such waits, it takes 0.59 ms.
 *
 * Of the stretches of a kind that follow a wait, the fastest quarter tells how long they take without it.  Nothing
 * tells whether the others are more work.  So this is an open question: see COMPUTES_AWAKE.
 *
 * Of 470 values of 82 programs (20 s), 16 intervals of replay missed the truth, and 14 do; the mean error was 1.95, and
 * is 1.92.  Of 400 values of another day: 21 and 18, 2.18 and 2.15.  semaphore, consume at 50 %: 37.2 (36.3 to 38.0), and 40.0
 * (34.4 to 45.5) now; really 41.1.  The fastest tenth instead of the fastest quarter does as well.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "replay/replay_parts.h"

enum { STRETCHES_LEAST = 20 }; /* a kind with fewer of them tells nothing */

#define FAST_PART   0.25 /* of the stretches of a kind */
#define SLOWER_MOST 1.35 /* longer ones are more work: the same work takes up to 1.3 times as long after a wait */

/* A stretch of computing after a wait. */
struct stretch {
	uint32_t kind; /* its cell of shares */
	float cpu_ns;
	struct step *first, *last;
};

static int by_kind_and_time(const void *va, const void *vb)
{
	const struct stretch *a = va, *b = vb;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->cpu_ns > b->cpu_ns) - (a->cpu_ns < b->cpu_ns);
}

/* Of the steps of its stretch, only the last one can wait. */
static size_t add_stretches(const struct replay *r, const struct script *s, const struct actor *a, struct stretch *out)
{
	float awake_ns = AWAKE_NS, cpu_ns;
	size_t n = 0;

	for (uint32_t i = a->first, last; i < a->end; i = last + 1) {
		last = stretch_end(s, i, a->end, &cpu_ns);
		if (awake_ns < AWAKE_NS)
			out[n++] = (struct stretch){ shares_kind(r, s->step[last].cell), cpu_ns, &s->step[i], &s->step[last] };
		awake_ns = s->step[last].waited_ns > ASLEEP_NS ? 0 : awake_ns + cpu_ns;
	}
	return n;
}

/* v: the stretches of a kind, shortest first. */
static void set_awake(const struct stretch *v, size_t n)
{
	double fast = (double)v[(size_t)(FAST_PART * (double)n)].cpu_ns, sum = 0;
	size_t alike = 0;
	float part;

	while (alike < n && (double)v[alike].cpu_ns <= fast * SLOWER_MOST)
		sum += (double)v[alike++].cpu_ns;
	part = sum > 0 ? (float)fmin(1, fast * (double)alike / sum) : 1;
	for (size_t i = 0; i < alike; i++)
		for (struct step *s = v[i].first; s <= v[i].last; s++)
			s->awake_ns = s->cpu_ns * part;
}

void awake_learn(struct replay *r)
{
	struct stretch *v;
	size_t all = 0, n = 0;

	for (size_t b = 0; b < r->nscripts; b++)
		all += r->script[b].n;
	v = xcalloc(all + 1, sizeof(*v));
	for (size_t b = 0; b < r->nscripts; b++) {
		struct script *s = &r->script[b];

		for (size_t i = 0; i < s->n; i++)
			s->step[i].awake_ns = s->step[i].cpu_ns;
		for (size_t t = 0; t < s->nactors; t++)
			n += add_stretches(r, s, &s->actor[t], v + n);
	}
	qsort(v, n, sizeof(*v), by_kind_and_time);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && v[end].kind == v[i].kind;)
			end++;
		if (end - i >= STRETCHES_LEAST)
			set_awake(v + i, end - i);
	}
	free(v);
}
