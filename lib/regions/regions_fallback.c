/*
 * regions_fallback: regions of programs without line information, such as installed
 * ones.
 *
 * A sample without a line of the program's own on its stack is charged to each function
 * on its stack instead, so that a region is a function with all its callees.  Functions
 * are found, for each module, by
 *
 *     1. a symbol: of .symtab, or of .dynsym in a stripped file (exported functions,
 *        such as libz's `deflate`)
 *     2. an entry of the unwind table, which has no name: `pigz+0x3a40`
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "binary/symbols.h"
#include "regions/regions_parts.h"

bool regions_is_root(const char *function)
{
	static const char *const root[] = { "main", "_start", "_init", "_fini" };

	for (size_t i = 0; i < sizeof(root) / sizeof(root[0]); i++)
		if (strcmp(function, root[i]) == 0)
			return true;
	return strncmp(function, "__libc_start", 12) == 0;
}

static struct region *by_extent(struct regions *r, struct mapping *mod, uint64_t off)
{
	struct range extent;
	struct region *g;
	char *name;

	if (!image_extent(mod->image, off, &extent))
		return NULL;
	name = mapping_offset_name(mod, extent.lo);
	g = regions_nameless(r, mod, name, &extent);
	free(name);
	return g;
}

enum { ALIASES = 16 };

/* The public name of a function: read, for which libc also has __read and __GI___libc_read.  NULL: none. */
static const char *name_at(struct image *img, uint64_t off)
{
	const char *alias[ALIASES], *name = image_symbol(img, off);
	size_t n = name && name[0] == '_' ? image_aliases(img, off, alias, ALIASES) : 0;

	for (size_t i = 0; i < n && i < ALIASES; i++)
		if (alias[i][0] != '_')
			return alias[i];
	return name;
}

struct region *regions_fallback(struct regions *r, struct mapping *mod, uint64_t off)
{
	struct frame at = { .function = name_at(mod->image, off) };
	struct region *g;

	if (!at.function)
		return by_extent(r, mod, off);
	if (regions_is_root(at.function))
		return NULL;
	g = regions_function(r, mod, &at);
	return g->nranges > 0 ? g : NULL;
}

struct region *regions_stood_in(struct regions *r, struct mapping *runtime, uint64_t off)
{
	const char *symbol = mapping_image(runtime) ? image_symbol(runtime->image, off) : NULL;
	char *name = symbol ? xstrndup(symbol, symbol_base(symbol)) : NULL;
	struct region *g = NULL;

	for (size_t i = 0; i < r->modules->n && name && regions_is_stood_in_for(name) && !g; i++) {
		struct mapping *mod = &r->modules->v[i];
		struct range *ranges = NULL;

		if (mod->mapped && mapping_is_libc(mod) && mapping_image(mod) && image_function_ranges(mod->image, name, &ranges) > 0)
			g = regions_fallback(r, mod, ranges[0].lo);
		free(ranges);
	}
	free(name);
	return g;
}
