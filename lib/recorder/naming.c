/*
 * naming: regions and places by name (-r, -P).
 *
 * A name is looked for in the program's own modules first.  Only what is in none
 * of them is looked for in the libraries of the system: a program that has a
 * function called `read` means that one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "recorder/regions_parts.h"

struct naming {
	struct regions *r;
	struct mapping *mod;
	size_t found;
	uint64_t *place; /* of regions_locate */
	size_t max;
};

static void found_function(void *arg, uint64_t off, const struct frame *at)
{
	struct naming *n = arg;
	struct region *g;

	(void)off;
	if (!at->function)
		return;
	g = regions_function(n->r, n->mod, at);
	if (g->nranges == 0)
		return;
	n->found++;
	regions_ask(n->r, g);
}

static void found_line(void *arg, uint64_t off, const struct frame *at)
{
	struct naming *n = arg;
	struct region *g = regions_line(n->r, n->mod, off, at);

	if (g->nranges == 0)
		return;
	n->found++;
	regions_ask(n->r, g);
}

static void located_function(void *arg, uint64_t off, const struct frame *at)
{
	struct naming *n = arg;

	(void)at;
	if (n->found < n->max)
		n->place[n->found++] = arena_place(n->mod->id, off);
}

/* A line may have code in several places: its first instruction is where it is come to. */
static void located_line(void *arg, uint64_t off, const struct frame *at)
{
	struct naming *n = arg;
	uint64_t place = arena_place(n->mod->id, off);

	(void)at;
	if (n->max == 0 || (n->found > 0 && n->place[0] <= place))
		return;
	n->place[0] = place;
	n->found = 1;
}

static bool is_new(struct mapping *mod)
{
	return mod->mapped && !mod->searched && !mapping_is_runtime(mod) && mapping_image(mod);
}

/* Calls a function for everything that is called `name`, in modules that have not been searched yet. */
static void look_up(struct naming *n, const char *name, bool own, image_found *function, image_found *at_line)
{
	const char *colon = strrchr(name, ':');
	struct mappings *all = n->r->modules;
	uint64_t line;

	for (size_t i = 0; i < all->n; i++) {
		struct mapping *mod = &all->v[i];

		if (mod->own != own || !is_new(mod))
			continue;
		n->mod = mod;
		if (colon && num_u64(colon + 1, &line)) {
			char *file = xstrndup(name, (size_t)(colon - name));

			image_find_line(mod->image, file, (unsigned)line, mapping_file_in_scope, NULL, at_line, n);
			free(file);
		} else {
			image_find_functions(mod->image, name, function, n);
		}
	}
}

/* ---- classes ----------------------------------------------------------------------------- */

/* ":io" and its like; CLASS_CPU: no such class. */
static enum arena_class class_called(const char *name)
{
	static const struct {
		const char *name;
		enum arena_class class;
	} classes[] = { { ":lock", CLASS_LOCK }, { ":io", CLASS_IO }, { ":sleep", CLASS_SLEEP }, { ":runqueue", CLASS_RUNQUEUE } };

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strcmp(name, classes[i].name) == 0)
			return classes[i].class;
	return CLASS_CPU;
}

/*
 * What allocates and frees memory, by the names that the standards of C and C++
 * and Rust's compiler give it: whoever implements them (libc, jemalloc, tcmalloc,
 * the program itself), in whichever modules.
 */
static const char *const allocators[] = {
	"malloc", "free", "calloc", "realloc", "reallocarray", "memalign", "posix_memalign", "aligned_alloc", "valloc", "pvalloc",
	"cfree", "free_sized", "free_aligned_sized",
	/* operator new, new[]; plain, nothrow, aligned, both */
	"_Znwm", "_ZnwmRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZnwmSt11align_val_tRKSt9nothrow_t",
	"_Znam", "_ZnamRKSt9nothrow_t", "_ZnamSt11align_val_t", "_ZnamSt11align_val_tRKSt9nothrow_t",
	/* operator delete, delete[]; plain, sized, nothrow, aligned, both */
	"_ZdlPv", "_ZdlPvm", "_ZdlPvRKSt9nothrow_t", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t",
	"_ZdlPvSt11align_val_tRKSt9nothrow_t",
	"_ZdaPv", "_ZdaPvm", "_ZdaPvRKSt9nothrow_t", "_ZdaPvSt11align_val_t", "_ZdaPvmSt11align_val_t",
	"_ZdaPvSt11align_val_tRKSt9nothrow_t",
	"__rust_alloc", "__rust_alloc_zeroed", "__rust_realloc", "__rust_dealloc",
};

/* What these leave their work to by a jump, where the allocator is linked into the program: by its own names. */
static const char *const allocator_parts[] = { "je_*", "_rjem_*", "mi_*", "_mi_*", "tcmalloc::*" };

static bool defines(struct mapping *mod, const char *function)
{
	struct range *ranges;
	size_t n = image_function_ranges(mod->image, function, &ranges);

	free(ranges);
	return n > 0;
}

/* Is it a library for that and nothing else?  (libc, and what stands in for it, copies memory too.) */
static bool is_allocator(struct mapping *mod)
{
	return !mod->own && defines(mod, "malloc") && defines(mod, "free") && !defines(mod, "memcpy") && !defines(mod, "strlen") &&
	       !defines(mod, "memset");
}

/* Function ranges as places: those of a class lie in several modules. */
static size_t add_code(struct region *g, struct mapping *mod, const char *function)
{
	struct range *ranges;
	size_t n = image_function_ranges(mod->image, function, &ranges);

	for (size_t i = 0; i < n; i++) {
		ranges[i].lo = arena_place(mod->id, ranges[i].lo);
		ranges[i].hi = arena_place(mod->id, ranges[i].hi);
	}
	regions_widen(g, ranges, n);
	free(ranges);
	return n;
}

struct parts {
	struct region *region;
	struct mapping *mod;
};

static void found_part(void *arg, uint64_t off, const struct frame *at)
{
	struct parts *p = arg;

	(void)off;
	if (at->function)
		add_code(p->region, p->mod, at->function);
}

static size_t add_allocator(struct region *g, struct mapping *mod)
{
	struct range whole = { arena_place(mod->id, 0), arena_place(mod->id + 1, 0) };
	struct parts parts = { g, mod };
	size_t found = 0;

	/* Its functions leave each other by jumps: some of what it does has none of these names on the stack. */
	if (is_allocator(mod)) {
		regions_widen(g, &whole, 1);
		return 1;
	}
	for (size_t k = 0; k < sizeof(allocators) / sizeof(allocators[0]); k++)
		found += add_code(g, mod, allocators[k]);
	if (mod->own && (defines(mod, "malloc") || defines(mod, "_rjem_malloc") || defines(mod, "mi_malloc")))
		for (size_t k = 0; k < sizeof(allocator_parts) / sizeof(allocator_parts[0]); k++)
			image_find_functions(mod->image, allocator_parts[k], found_part, &parts);
	return found;
}

static size_t name_allocators(struct regions *r)
{
	struct region *g = regions_class(r, ":alloc", CLASS_CPU);
	size_t found = 0;

	for (size_t i = 0; i < r->modules->n; i++)
		if (is_new(&r->modules->v[i]))
			found += add_allocator(g, &r->modules->v[i]);
	if (found)
		regions_ask(r, g);
	return found;
}

/* ---- regions and places -------------------------------------------------------------------- */

size_t regions_name(struct regions *r, const char *name, bool known)
{
	struct naming n = { .r = r };

	if (class_called(name) != CLASS_CPU) {
		regions_ask(r, regions_class(r, name, class_called(name)));
		return 1;
	}
	if (strcmp(name, ":alloc") == 0)
		return name_allocators(r);
	look_up(&n, name, true, found_function, found_line);
	if (n.found == 0 && !known)
		look_up(&n, name, false, found_function, found_line);
	return n.found;
}

size_t regions_locate(struct regions *r, const char *name, uint64_t *place, size_t max)
{
	struct naming n = { .r = r, .place = place, .max = max };

	look_up(&n, name, true, located_function, located_line);
	if (n.found == 0)
		look_up(&n, name, false, located_function, located_line);
	return n.found;
}
