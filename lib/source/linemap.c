#include "source/linemap.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "source/patch.h"
#include "source/similar.h"

void linemap_init(struct linemap *map)
{
	*map = (struct linemap)LINEMAP_INIT;
}

void linemap_release(struct linemap *map)
{
	for (size_t i = 0; i < map->nfiles; i++) {
		struct linemap_file *f = map->file[i];

		for (size_t k = 0; k < f->nblocks; k++) {
			free(f->block[k].partner);
			free(f->block[k].similarity);
		}
		free(f->block);
		free(f->old);
		free(f->new);
		free(f);
	}
	free(map->file);
	map_release(&map->old_at);
	map_release(&map->new_at);
	linemap_init(map);
}

/* ---- reading -------------------------------------------------------------- */

static char *copy_of(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static void add_file(void *arg, const struct patch_file *file)
{
	struct linemap *map = arg;
	struct linemap_file *f = xcalloc(1, sizeof *f);

	map->file = xgrow(map->file, map->nfiles, &map->cap_files, sizeof *map->file);
	map->file[map->nfiles++] = f;
	f->old = copy_of(file->old);
	f->new = copy_of(file->new);
	f->copy = file->copy;
	f->opaque = file->binary;
	/* A file that became a link is there twice, deleted and made: the first one stays. */
	if (f->old && !f->copy && !*map_at(&map->old_at, f->old))
		*map_at(&map->old_at, f->old) = f;
	if (f->new && !*map_at(&map->new_at, f->new))
		*map_at(&map->new_at, f->new) = f;
}

static void add_block(void *arg, const struct patch_block *b)
{
	struct linemap *map = arg;
	struct linemap_file *f = map->nfiles ? map->file[map->nfiles - 1] : NULL;
	struct linemap_block *to;

	if (!f)
		return;
	f->block = xgrow(f->block, f->nblocks, &f->cap_blocks, sizeof *f->block);
	to = &f->block[f->nblocks++];
	*to = (struct linemap_block){ .old_first = b->old_first, .new_first = b->new_first, .old_n = b->old_n, .new_n = b->new_n };
	if (b->old_n == 0 || b->new_n == 0)
		return;
	to->partner = xcalloc(b->old_n, sizeof *to->partner);
	to->similarity = xcalloc(b->old_n, sizeof *to->similarity);
	similar_align(b->old_line, b->old_n, b->new_line, b->new_n, to->partner, to->similarity);
}

static void set_opaque(void *arg)
{
	struct linemap *map = arg;

	if (map->nfiles)
		map->file[map->nfiles - 1]->opaque = true;
}

bool linemap_read(struct linemap *map, const char *path)
{
	FILE *in = file_open(path);
	bool ok;

	if (!in)
		return false;
	ok = patch_read(in, file_label(path), &(struct patch_sink){ map, add_file, add_block, set_opaque });
	file_close(in);
	return ok;
}

/* ---- asking --------------------------------------------------------------- */

/* A block as one side sees it. */
struct view {
	unsigned long first, other_first;
	size_t n, other_n;
};

static struct view view(const struct linemap_block *b, bool forward)
{
	if (forward)
		return (struct view){ b->old_first, b->new_first, b->old_n, b->new_n };
	return (struct view){ b->new_first, b->old_first, b->new_n, b->old_n };
}

/* How many blocks end before the line or at it. */
static size_t blocks_before(const struct linemap_file *f, unsigned long line, bool forward)
{
	size_t lo = 0, hi = f->nblocks;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct view v = view(&f->block[mid], forward);

		if (v.first + v.n <= line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The partner of the block's line i (from 0, on the asking side) on the other side.  False: none. */
static bool partner(const struct linemap_block *b, size_t i, bool forward, size_t *other, double *similarity)
{
	size_t old = forward ? i : 0;

	if (!b->partner)
		return false;
	while (!forward && old < b->old_n && b->partner[old] != i + 1)
		old++;
	if (old == b->old_n || !b->partner[old])
		return false;
	*other = forward ? b->partner[old] - 1 : old;
	*similarity = (double)b->similarity[old];
	return true;
}

/* For a line that the block replaces. */
static struct linemap_answer ask_block(const struct linemap_block *b, const char *file, unsigned long line, bool forward)
{
	struct view v = view(b, forward);
	struct linemap_answer a = { .fate = v.other_n ? LINEMAP_EDITED : LINEMAP_GONE, .file = file, .first = v.other_first,
				    .n = v.other_n };
	size_t other;

	if (partner(b, line - v.first, forward, &other, &a.similarity))
		a.line = v.other_first + other;
	return a;
}

static struct linemap_answer ask_file(const struct linemap_file *f, const char *file, unsigned long line, bool forward)
{
	struct linemap_answer a = { LINEMAP_SAME, file, line, 1, line, 1 };
	struct view v;
	size_t before;

	if (!f)
		return a;
	a.file = forward ? f->new : f->old;
	if (!a.file)
		return (struct linemap_answer){ .fate = LINEMAP_GONE };
	if (f->opaque)
		return (struct linemap_answer){ .fate = LINEMAP_UNKNOWN, .file = a.file };
	before = blocks_before(f, line, forward);
	if (before < f->nblocks && view(&f->block[before], forward).first <= line)
		return ask_block(&f->block[before], a.file, line, forward);
	if (before > 0) {
		v = view(&f->block[before - 1], forward);
		a.line = line - (v.first + v.n) + (v.other_first + v.other_n);
		a.first = a.line;
	}
	return a;
}

struct linemap_answer linemap_forward(const struct linemap *map, const char *file, unsigned long line)
{
	return ask_file(map_get(&map->old_at, file), file, line, true);
}

struct linemap_answer linemap_backward(const struct linemap *map, const char *file, unsigned long line)
{
	return ask_file(map_get(&map->new_at, file), file, line, false);
}
