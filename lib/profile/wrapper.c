#include "profile/wrapper.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/context.h"

/* Least share of a wrapper's time in the function that it calls; the same limit as in the recorder. */
static const double NEARLY_ALL = 0.9;

static bool is_function(const struct context *c, size_t region)
{
	const struct profile_region *r = &c->p->region[c->region[region].place];

	return r->scope && !strcmp(r->scope, "function");
}

static bool has_name(const struct context *c, size_t region)
{
	return profile_region_has_name(&c->p->region[c->region[region].place]);
}

/* The index of the region in the stack, the innermost first; n: it is not there. */
static size_t depth_in(const struct observed_stack *s, size_t region)
{
	size_t i = 0;

	while (i < s->n && s->region[i] != region)
		i++;
	return i;
}

/* Time in each region, by place in the context, in stacks of a given one. */
struct beside {
	double *inner; /* owned: called by it, directly or not */
	double *outer; /* owned: calling it */
};

static void add_beside(const struct observed *o, size_t region, const double *stack_ns, struct beside *b)
{
	for (size_t i = 0; i < o->nstacks; i++) {
		const struct observed_stack *s = &o->stack[i];
		size_t depth = depth_in(s, region);

		if (depth == s->n)
			continue;
		for (size_t k = 0; k < depth; k++)
			b->inner[s->region[k]] += stack_ns[i];
		for (size_t k = depth + 1; k < s->n; k++)
			b->outer[s->region[k]] += stack_ns[i];
	}
}

/* `inner`: the time that each has within `region`. */
static bool is_wrapper(const struct context *c, size_t region, const double *region_ns, const double *inner)
{
	for (size_t k = 0; k < c->nregions; k++) {
		if (k == region || c->region[k].place == PROFILE_NONE || !is_function(c, k))
			continue;
		if (inner[k] >= NEARLY_ALL * region_ns[region] && inner[k] > 0 && (has_name(c, k) || !has_name(c, region)))
			return true;
	}
	return false;
}

/* If a function without a name does all the work of one with a name, the latter is kept. */
static bool is_named_by_caller(const struct context *c, size_t region, const double *region_ns, const double *outer)
{
	for (size_t k = 0; k < c->nregions; k++) {
		if (k == region || c->region[k].place == PROFILE_NONE || !is_function(c, k) || !has_name(c, k))
			continue;
		if (outer[k] > 0 && outer[k] >= NEARLY_ALL * region_ns[region] && outer[k] >= NEARLY_ALL * region_ns[k])
			return true;
	}
	return false;
}

bool *wrapper_find(const struct context *c, const struct observed *o, const bool *asked, const double *stack_ns)
{
	bool *wrapper = xcalloc(c->nregions + 1, sizeof *wrapper);
	double *region_ns = xcalloc(c->nregions + 1, sizeof *region_ns);
	struct beside b = { .inner = xcalloc(c->nregions + 1, sizeof *b.inner), .outer = xcalloc(c->nregions + 1, sizeof *b.outer) };

	for (size_t i = 0; i < o->nstacks; i++)
		for (size_t k = 0; k < o->stack[i].n; k++)
			region_ns[o->stack[i].region[k]] += stack_ns[i];
	for (size_t g = 0; g < c->nregions; g++) {
		if (!asked[g] || c->region[g].place == PROFILE_NONE || !(region_ns[g] > 0) || !is_function(c, g))
			continue;
		memset(b.inner, 0, c->nregions * sizeof *b.inner);
		memset(b.outer, 0, c->nregions * sizeof *b.outer);
		add_beside(o, g, stack_ns, &b);
		wrapper[g] = is_wrapper(c, g, region_ns, b.inner) || (!has_name(c, g) && is_named_by_caller(c, g, region_ns, b.outer));
	}
	free(b.inner);
	free(b.outer);
	free(region_ns);
	return wrapper;
}
