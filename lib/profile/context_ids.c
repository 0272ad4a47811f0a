/* context_ids: finds the runs, regions and windows of a context by their ids. */
#include "profile/context.h"

#include "base/alloc.h"

size_t context_run(struct context *c, uint64_t id)
{
	size_t at = idmap_at(&c->run_at, id, c->nruns);

	if (at == c->nruns) {
		c->run = xgrow(c->run, c->nruns, &c->cap_runs, sizeof *c->run);
		c->run[c->nruns++] = (struct context_run){ .defined = false };
	}
	return at;
}

size_t context_region(struct context *c, uint64_t id)
{
	size_t at = idmap_at(&c->region_at, id, c->nregions);

	if (at == c->nregions) {
		c->region = xgrow(c->region, c->nregions, &c->cap_regions, sizeof *c->region);
		c->region[c->nregions++] = (struct context_region){ .defined = false };
	}
	return at;
}

size_t context_window(struct context *c, uint64_t id)
{
	size_t at = idmap_at(&c->window_at, id, c->nwindows);

	if (at == c->nwindows) {
		c->window = xgrow(c->window, c->nwindows, &c->cap_windows, sizeof *c->window);
		c->window[c->nwindows++] = (struct context_window){ .defined = false };
	}
	return at;
}
