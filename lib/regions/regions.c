/* regions: creates regions, and keeps the list of them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "regions/regions_parts.h"

void regions_init(struct regions *r, enum region_scope mode, struct mappings *modules)
{
	memset(r, 0, sizeof(*r));
	r->mode = mode;
	r->modules = modules;
}

void regions_release(struct regions *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i]->function);
		free(r->v[i]->file);
		free(r->v[i]->ranges);
		free(r->v[i]->calls);
		free(r->v[i]->stand_ins);
		regions_path_free(r->v[i]->path);
		free(r->v[i]);
	}
	free(r->v);
	free(r->places);
	callers_release(&r->callers);
	map_release(&r->by_name);
	map_release(&r->said);
}

bool regions_need_stacks(const struct regions *r)
{
	return r->mode == REGION_FUNCTION || r->only_named || r->fell_back;
}

static struct region *make_region(struct regions *r, enum region_scope scope, const struct mapping *mod, const struct frame *at)
{
	char *key = scope == REGION_LINE ? xasprintf("%u:%s:%u", mod->id, at->file, at->line) :
					   xasprintf("%u:%s", mod->id, at->function);
	void **slot = map_at(&r->by_name, key);
	struct region *g = *slot;

	free(key);
	if (g)
		return g;
	g = *slot = xcalloc(1, sizeof(*g));
	g->scope = scope;
	g->module = mod->id;
	g->function = at->function ? xstrdup(at->function) : NULL;
	g->file = at->file ? xstrdup(at->file) : NULL;
	g->line = at->line;
	r->v = xgrow(r->v, r->n, &r->cap, sizeof(struct region *));
	r->v[r->n++] = g;
	g->id = (unsigned)r->n;
	return g;
}

struct region *regions_line(struct regions *r, struct mapping *mod, uint64_t off, const struct frame *at)
{
	struct region *g = make_region(r, REGION_LINE, mod, at);
	struct range *ranges;
	size_t n;

	if (!regions_covers(g, off)) {
		n = image_line_ranges(mod->image, off, at->file, at->line, mapping_file_in_scope, mod, &ranges);
		regions_widen(g, ranges, n);
		free(ranges);
	}
	return g;
}

struct region *regions_function(struct regions *r, struct mapping *mod, const struct frame *at)
{
	struct region *g = make_region(r, REGION_FUNCTION, mod, at);
	struct range *ranges;
	size_t n;

	if (g->nranges == 0) {
		n = image_function_ranges(mod->image, at->function, &ranges);
		regions_widen(g, ranges, n);
		free(ranges);
		regions_stand_in(r, g, mod);
	}
	return g;
}

struct region *regions_nameless(struct regions *r, struct mapping *mod, const char *name, const struct range *extent)
{
	struct frame at = { .function = name };
	struct region *g = make_region(r, REGION_FUNCTION, mod, &at);

	g->nameless = true;
	regions_widen(g, extent, 1);
	return g;
}

struct region *regions_class(struct regions *r, const char *name, enum arena_class class)
{
	static const struct mapping no_module = { 0 };
	struct frame at = { .function = name };
	struct region *g = make_region(r, REGION_CLASS, &no_module, &at);

	g->class = class;
	return g;
}

struct region *regions_path(struct regions *r, const char *name)
{
	static const struct mapping no_module = { 0 };
	struct frame at = { .function = name };

	return make_region(r, REGION_PATH, &no_module, &at);
}

void regions_ask(struct regions *r, struct region *g)
{
	if (r->giving)
		g->given = true;
	else
		g->named = true;
	r->asked++;
}
