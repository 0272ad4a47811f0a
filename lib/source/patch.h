/*
 * patch: the reader of unified diffs.
 *
 * Reports, in order, each file that a patch changes and each block of lines that it
 * replaces.  Text between them (a commit message, a mail) is ignored.
 */
#ifndef ANDWEORC_SOURCE_PATCH_H
#define ANDWEORC_SOURCE_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A line, without its LF or CR LF; may hold any byte. */
struct patch_text {
	char *s;
	size_t len;
};

struct patch_block {
	unsigned long old_first, new_first; /* from 1; for an empty side: the line that it is before */
	const struct patch_text *old_line, *new_line;
	size_t old_n, new_n;
};

struct patch_file {
	const char *old, *new; /* without prefixes; NULL: /dev/null */
	bool copy;
	bool binary;
};

struct patch_sink {
	void *arg;
	void (*file)(void *arg, const struct patch_file *file);
	void (*block)(void *arg, const struct patch_block *block); /* a block of the last file */
	void (*broken)(void *arg);                                 /* the last file's lines cannot be known */
};

/* Reads it to the end.  False, after a message that names `path`, when some of it is broken. */
bool patch_read(FILE *in, const char *path, const struct patch_sink *sink);

#endif
