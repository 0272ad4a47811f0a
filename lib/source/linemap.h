/*
 * linemap: maps lines of one tree to lines of another, by a patch between them.
 *
 * The patch is the output of `git diff` (best with -U0 -M; any context, with or
 * without prefixes, with renames and copies) or of `diff -u`.  Paths are as in
 * the patch, without its prefixes: relative to the tree, with '/'.  A file that
 * the patch does not name is the same in both trees.
 */
#ifndef ANDWEORC_SOURCE_LINEMAP_H
#define ANDWEORC_SOURCE_LINEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

/* One stretch of lines that were replaced: old_n lines from old_first on became new_n lines from new_first on. */
struct linemap_block {
	unsigned long old_first, new_first; /* from 1; for an empty side: the line that it is before */
	size_t old_n, new_n;
	uint32_t *partner;  /* partner[i]: 1 + index of the new line that old line i became; 0 none */
	float *similarity;  /* similarity of each pair, 0..1 */
};

struct linemap_file {
	char *old, *new;    /* NULL: not in that tree */
	bool copy;          /* old is still there, or went elsewhere */
	bool opaque;        /* binary, or its part of the patch is broken: nothing is known of its lines */
	struct linemap_block *block; /* in order of lines */
	size_t nblocks, cap_blocks;
};

struct linemap {
	struct linemap_file **file;
	size_t nfiles, cap_files;
	struct map old_at, new_at; /* path -> struct linemap_file */
};

#define LINEMAP_INIT { 0 }

enum linemap_fate {
	LINEMAP_SAME,    /* the line is in both trees, unchanged */
	LINEMAP_EDITED,  /* it was replaced by others */
	LINEMAP_GONE,    /* it is not in the other tree, and was not replaced */
	LINEMAP_UNKNOWN, /* the file changed, in ways that the patch does not show */
};

struct linemap_answer {
	enum linemap_fate fate;
	const char *file;    /* in the other tree (the map's, or the one that was asked for); NULL: there is none */
	unsigned long line;  /* SAME: the line; EDITED: the most likely partner, 0 when none is similar */
	double similarity;   /* similarity of both texts, 0..1; SAME: 1 */
	unsigned long first; /* EDITED: the lines in its place: first .. first + n - 1; GONE: it stood before this one */
	size_t n;
};

void linemap_init(struct linemap *map);
void linemap_release(struct linemap *map);

/*
 * Adds a patch; "-" is standard input.  False, after a message, when it cannot be read
 * or part of it is broken; valid parts can still be used.
 */
bool linemap_read(struct linemap *map, const char *path);

/* The place of line `line` (from 1) of `file` of the old tree in the new one; and the reverse. */
struct linemap_answer linemap_forward(const struct linemap *map, const char *file, unsigned long line);
struct linemap_answer linemap_backward(const struct linemap *map, const char *file, unsigned long line);

#endif
