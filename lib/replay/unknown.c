/*
 * unknown: which of the waits with an unknown end were ended by a thread.
 *
 * Nothing tells what ended such a wait: a thread that did so unseen, or the outside.  In
 * the second case the wait ends at the same moment, however fast the program is.  One such
 * wait in a hundred is enough to take all that a thread gains.  So it matters which of them
 * may be of that kind.
 *
 * If threads are known to have ended most of the waits at the same place, threads ended the
 * rest, too.  Without this, t/workload/renderer, shading, was 28 (4 to 52), and is 28 (22 to 35); 30.2 is right.
 */
#include "replay/replay_parts.h"

#include <stdlib.h>

#include "base/alloc.h"

/* The waits at a place, in ns. */
struct ends {
	double known_ns, unknown_ns;
};

static bool has_unknown_end(const struct step *s)
{
	return s->op[RECORDED] == OP_SLEEP && s->kind != BURST_OUTSIDE && s->kind != BURST_CLOCK && s->waited_ns > 0;
}

static bool is_for_threads(const struct step *s)
{
	return burst_is_about_object(s->kind) && s->waited_ns > 0;
}

static void count_ends(const struct script *s, struct idmap *site, struct ends *ends)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct step *step = &s->step[i];

		if (has_unknown_end(step))
			ends[idmap_number(site, step->site)].unknown_ns += (double)step->waited_ns;
		else if (is_for_threads(step))
			ends[idmap_number(site, step->site)].known_ns += (double)step->waited_ns;
	}
}

static size_t count_sites(const struct replay *r, struct idmap *site)
{
	for (size_t b = 0; b < r->nscripts; b++)
		for (size_t i = 0; i < r->script[b].n; i++)
			idmap_number(site, r->script[b].step[i].site);
	return site->n;
}

void unknown_learn(struct replay *r)
{
	struct idmap site = { 0 };
	struct ends *ends = xcalloc(count_sites(r, &site) + 1, sizeof(*ends));

	for (size_t b = 0; b < r->nscripts; b++)
		count_ends(&r->script[b], &site, ends);
	for (size_t b = 0; b < r->nscripts; b++) {
		for (size_t i = 0; i < r->script[b].n; i++) {
			struct step *s = &r->script[b].step[i];
			const struct ends *e = &ends[idmap_number(&site, s->site)];

			if (!has_unknown_end(s))
				continue;
			s->by_thread = s->kind != BURST_TIMEOUT && e->known_ns > e->unknown_ns;
			if (!s->by_thread)
				r->fixed_ns += (double)s->waited_ns;
		}
	}
	free(ends);
	idmap_release(&site);
}
