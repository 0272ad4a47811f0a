/*
 * tree: one side of a step: its sources, as lines, functions and places.
 */
#ifndef ANDWEORC_BENCH_HISTORY_TREE_H
#define ANDWEORC_BENCH_HISTORY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "match/match.h"
#include "source/source.h"

struct line {
	size_t file;
	unsigned number;
	const char *text; /* with blanks */
	size_t len;
	uint64_t hash;
	size_t function;  /* 1 + index; 0 none */
	size_t truth;     /* for a line of base: enum truth, or TRUE + index of the line of head */
	bool changed;     /* its function has another text on the other side, or does not exist there */
	bool edited;      /* true line has another text */
};

enum { UNKNOWN, GONE, TRUE };

struct function {
	char *name, *hash;
	unsigned first, last;
	size_t file;
};

struct file {
	char *path, *text;
	size_t len, first, n; /* lines */
	struct source *source;
};

struct tree {
	struct file *file;
	size_t nfiles, cap_files;
	struct line *line;
	size_t nlines, cap_lines;
	struct function *function;
	size_t nfunctions, cap_functions;
	struct match_place *place; /* of each line */
};

/* Reads step/side. */
struct tree tree_of(const char *step, const char *side);
void tree_release(struct tree *t);

/* The line `number`, from 1; NULL when there is none. */
struct line *tree_line(struct tree *t, const char *path, unsigned long number);

#endif
