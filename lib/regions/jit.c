#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "regions/jit.h"

enum {
	LINE = 4096,         /* bytes; longer ones are cut */
	LIST_MAX = 256 << 20, /* bytes of a list that are read, at most */
};

struct gathering {
	struct jit *jit;
	struct regions *regions;
};

static void gather_place(struct gathering *g, unsigned module, uint64_t off)
{
	g->jit->v = xgrow(g->jit->v, g->jit->n, &g->jit->cap, sizeof *g->jit->v);
	g->jit->v[g->jit->n++] = (struct jit_sample){ .module = module, .off = off };
}

static void gather_leaf(void *arg, unsigned module, uint64_t off, enum arena_class class, uint64_t count)
{
	struct gathering *g = arg;

	if (!mapping_of(g->regions->modules, module)->made)
		return;
	if (class == CLASS_CPU)
		g->regions->made += count;
	gather_place(g, module, off);
}

/* Adds the calls that are not in the log yet. */
static void gather_calls(struct gathering *g)
{
	const struct callers *c = &g->regions->callers;

	for (size_t i = c->nlogged; i < c->ncalls; i++) {
		unsigned module = arena_module_of(c->call[i].place);

		if (mapping_of(g->regions->modules, module)->made)
			gather_place(g, module, arena_offset_of(c->call[i].place));
	}
}

static int by_place(const void *a, const void *b)
{
	const struct jit_sample *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

/* The first sample of the module at or behind off. */
static size_t first_at(const struct jit *jit, unsigned module, uint64_t off)
{
	size_t lo = 0, hi = jit->n;
	struct jit_sample at = { .module = module, .off = off };

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_place(&jit->v[mid], &at) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Opens the list of a process, or NULL. Any user may write to /tmp, so links are not
 * followed, and the call does not block.
 */
static FILE *open_list(const struct mapping *mod)
{
	char name[64];
	struct stat st;
	FILE *f;
	int fd;

	snprintf(name, sizeof(name), "/tmp/perf-%ld.map", (long)mod->maker);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	f = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == mod->maker_uid ? fdopen(fd, "r") : NULL;
	if (!f)
		close(fd);
	return f;
}

static void take_line(struct jit *jit, unsigned module, char *line)
{
	char *end, *name;
	uint64_t lo = strtoull(line, &end, 16), size;

	if (end == line || *end != ' ')
		return;
	name = end + 1;
	size = strtoull(name, &end, 16);
	if (end == name || *end != ' ' || !end[1] || size == 0)
		return;
	name = end + 1;
	for (size_t i = first_at(jit, module, lo); i < jit->n && jit->v[i].module == module && jit->v[i].off - lo < size; i++) {
		free(jit->v[i].name);
		jit->v[i].name = xstrdup(name);
	}
}

static void read_list(struct jit *jit, unsigned module, FILE *f)
{
	char line[LINE];
	size_t read = 0;
	bool whole = true; /* the last line was read completely */

	while (read < LIST_MAX && fgets(line, sizeof(line), f)) {
		size_t len = strlen(line);
		bool begins = whole;

		read += len;
		whole = len > 0 && line[len - 1] == '\n';
		line[strcspn(line, "\n")] = '\0';
		if (begins)
			take_line(jit, module, line);
	}
}

static void count_named(void *arg, unsigned module, uint64_t off, enum arena_class class, uint64_t count)
{
	struct gathering *g = arg;

	if (class == CLASS_CPU && jit_name(g->jit, module, off))
		g->regions->made_named += count;
}

void jit_read(struct jit *jit, struct regions *regions)
{
	struct gathering g = { jit, regions };

	*jit = (struct jit){ 0 };
	regions->made = regions->made_named = 0;
	regions_leaves(regions, gather_leaf, &g);
	gather_calls(&g);
	if (jit->n == 0)
		return;
	qsort(jit->v, jit->n, sizeof *jit->v, by_place);
	for (size_t i = 0; i < regions->modules->n; i++) {
		struct mapping *mod = &regions->modules->v[i];
		FILE *f = mod->made && mod->maker ? open_list(mod) : NULL;

		if (f) {
			read_list(jit, mod->id, f);
			fclose(f);
		}
	}
	regions_leaves(regions, count_named, &g);
}

void jit_release(struct jit *jit)
{
	for (size_t i = 0; i < jit->n; i++)
		free(jit->v[i].name);
	free(jit->v);
}

const char *jit_name(const struct jit *jit, unsigned module, uint64_t off)
{
	size_t i = first_at(jit, module, off);

	return i < jit->n && jit->v[i].module == module && jit->v[i].off == off ? jit->v[i].name : NULL;
}
