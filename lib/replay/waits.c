/*
 * Who waited for whom, and where.
 */
#include "replay/replay_parts.h"

#include <stdlib.h>

#include "base/alloc.h"

static int longest_first(const void *va, const void *vb)
{
	const struct replay_wait *a = va, *b = vb;

	if (a->ns < b->ns || a->ns > b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->site > b->site) - (a->site < b->site);
}

void waits_learn(struct replay *r)
{
	struct idmap keys = { 0 };
	size_t cap = 0;

	for (size_t b = 0; b < r->nscripts; b++) {
		for (size_t i = 0; i < r->script[b].n; i++) {
			const struct step *s = &r->script[b].step[i];
			uint32_t by = s->cause[0] != NOBODY ? s->cause[0] : s->cause[1];
			uint32_t freed_by = by != NOBODY && s->op[RECORDED] != OP_SLEEP ? r->script[b].step[by].site : 0, k;

			if (s->waited_ns <= 0)
				continue;
			k = (uint32_t)idmap_number(&keys, keys_mix(keys_mix(s->site, freed_by), s->kind));
			if (k == r->nwaits) {
				r->wait = xgrow(r->wait, r->nwaits, &cap, sizeof(*r->wait));
				r->wait[r->nwaits++] = (struct replay_wait){ .site = s->site, .freed_by = freed_by, .kind = (enum burst_kind)s->kind };
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
