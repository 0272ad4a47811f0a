/*
 * waits: lists waits by the waiting thread, the thread that ended them, and both
 * places.
 */
#include "replay/replay_parts.h"

#include <stdlib.h>

#include "base/alloc.h"

static int longest_first(const void *va, const void *vb)
{
	const struct replay_wait *a = va, *b = vb;

	if (a->ns < b->ns || a->ns > b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

/* By its id in the bursts. */
static uint32_t thread_of(const struct script *s, uint32_t step)
{
	return s->actor[s->actor_of[step]].id;
}

void waits_learn(struct replay *r)
{
	struct idmap keys = { 0 };
	size_t cap = 0;

	for (size_t b = 0; b < r->nscripts; b++) {
		for (size_t i = 0; i < r->script[b].n; i++) {
			const struct step *s = &r->script[b].step[i];
			uint32_t by = s->cause[0] != NOBODY ? s->cause[0] : s->cause[1];
			bool is_freed = by != NOBODY && s->op[RECORDED] == OP_EDGE;
			struct replay_wait w = {
				.thread = thread_of(&r->script[b], (uint32_t)i), .freer = is_freed ? thread_of(&r->script[b], by) : 0,
				.site = s->site, .freed_by = is_freed ? r->script[b].step[by].site : 0, .kind = (enum burst_kind)s->kind,
			};
			size_t k;

			if (s->waited_ns <= 0)
				continue;
			k = idmap_number(&keys, keys_mix(keys_mix(keys_mix(w.thread, w.freer), keys_mix(w.site, w.freed_by)), w.kind));
			if (k == r->nwaits) {
				r->wait = xgrow(r->wait, r->nwaits, &cap, sizeof(*r->wait));
				r->wait[r->nwaits++] = w;
			}
			r->wait[k].count++;
			r->wait[k].ns += (double)s->waited_ns;
		}
	}
	if (r->nwaits)
		qsort(r->wait, r->nwaits, sizeof(*r->wait), longest_first);
	idmap_release(&keys);
}

const struct replay_wait *replay_waits(const struct replay *r, size_t *n)
{
	*n = r->nwaits;
	return r->wait;
}
