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

/* The recorder names code without a symbol by its place in the module, such as libz.so.1+0x1234. */
static bool has_name(const struct context *c, size_t region)
{
	const struct profile_region *r = &c->p->region[c->region[region].place];

	return r->symbol || (r->function && !strstr(r->function, "+0x"));
}

/* The index of the region in the stack, the innermost first; n: it is not there. */
static size_t depth_in(const struct observed_stack *s, size_t region)
{
	size_t i = 0;

	while (i < s->n && s->region[i] != region)
		i++;
	return i;
}

/* Time in each region that is called by the given one, directly or not: inner[0..nregions). */
static void add_inner(const struct observed *o, size_t region, const double *stack_ns, double *inner)
{
	for (size_t i = 0; i < o->nstacks; i++) {
		size_t depth = depth_in(&o->stack[i], region);

		for (size_t k = 0; depth < o->stack[i].n && k < depth; k++)
			inner[o->stack[i].region[k]] += stack_ns[i];
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
static bool is_named_by_caller(const struct context *c, const struct observed *o, size_t region, const double *region_ns, const double *stack_ns)
{
	bool found = false;

	for (size_t k = 0; k < c->nregions && !found; k++) {
		double both = 0;

		if (k == region || c->region[k].place == PROFILE_NONE || !is_function(c, k) || !has_name(c, k))
			continue;
		for (size_t i = 0; i < o->nstacks; i++)
			if (depth_in(&o->stack[i], region) < depth_in(&o->stack[i], k) && depth_in(&o->stack[i], k) < o->stack[i].n)
				both += stack_ns[i];
		found = both > 0 && both >= NEARLY_ALL * region_ns[region] && both >= NEARLY_ALL * region_ns[k];
	}
	return found;
}

bool *wrapper_find(const struct context *c, const struct observed *o, const double *stack_ns)
{
	bool *wrapper = xcalloc(c->nregions + 1, sizeof *wrapper);
	double *inner = xcalloc(c->nregions + 1, sizeof *inner), *region_ns = xcalloc(c->nregions + 1, sizeof *region_ns);

	for (size_t i = 0; i < o->nstacks; i++)
		for (size_t k = 0; k < o->stack[i].n; k++)
			region_ns[o->stack[i].region[k]] += stack_ns[i];
	for (size_t g = 0; g < c->nregions; g++) {
		if (c->region[g].place == PROFILE_NONE || !(region_ns[g] > 0) || !is_function(c, g))
			continue;
		memset(inner, 0, c->nregions * sizeof *inner);
		add_inner(o, g, stack_ns, inner);
		wrapper[g] = is_wrapper(c, g, region_ns, inner) || (!has_name(c, g) && is_named_by_caller(c, o, g, region_ns, stack_ns));
	}
	free(inner);
	free(region_ns);
	return wrapper;
}
