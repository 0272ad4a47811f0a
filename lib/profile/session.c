/*
 * session: finds runs that were planned together.  A program without progress points is
 * run repeatedly, and the recorder's plan continues from run to run: block 2 follows
 * block 1, and only runs of one plan can be compared block by block.
 *
 * All runs under one header are one plan, but a log may be split into pieces with one
 * run each.  So a plan is recognised by fields of its runs: host, command, seed, and
 * blocks that do not begin again.
 */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* The last run with one host, command and seed. */
struct plan {
	size_t session;
	uint64_t block;
};

static char *plan_key(const struct profile_run *r)
{
	return xasprintf("%llu\t%s\t%s", (unsigned long long)r->seed, r->host ? r->host : "", r->command ? r->command : "");
}

/* The first block of each run. */
static uint64_t *first_blocks(const struct profile *p)
{
	uint64_t *block = xcalloc(p->nruns + 1, sizeof *block);

	for (size_t i = 0; i < p->nruns; i++)
		block[i] = UINT64_MAX;
	for (size_t i = 0; i < p->nwindows; i++) {
		const struct profile_window *w = &p->window[i];

		if (w->block < block[w->run])
			block[w->run] = w->block;
	}
	return block;
}

void profile_find_sessions(struct profile *p)
{
	uint64_t *block = first_blocks(p);
	struct map plans = MAP_INIT;

	for (size_t i = 0; i < p->nruns; i++) {
		struct profile_run *r = &p->run[i];
		char *key = plan_key(r);
		void **place = map_at(&plans, key);
		struct plan *plan = *place;

		free(key);
		if (!plan) {
			*place = plan = xcalloc(1, sizeof *plan);
			*plan = (struct plan){ .session = i };
		}
		/* a run without windows belongs to the plan of the run before */
		if (block[i] == UINT64_MAX) {
			r->session = plan->session;
			continue;
		}
		if (block[i] < plan->block)
			plan->session = i;
		plan->block = block[i];
		r->session = plan->session;
	}
	for (size_t i = 0; i < plans.n; i++)
		free(plans.entry[i].value);
	map_release(&plans);
	free(block);
}
