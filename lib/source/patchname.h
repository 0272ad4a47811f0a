/*
 * patchname: the names of a file in the header of its part of a patch.
 */
#ifndef ANDWEORC_SOURCE_PATCHNAME_H
#define ANDWEORC_SOURCE_PATCHNAME_H

#include <stdbool.h>

/* The names in the header; strings are owned, unquoted, NULL: missing. */
struct patch_names {
	char *git;             /* what follows "diff --git ", as it stands */
	char *minus, *plus;    /* names of "---" and "+++"; with prefixes */
	char *from, *to;       /* names of a rename or a copy; without prefixes */
	bool copy, binary, added, deleted;
	char *old, *new;       /* patch_names_finish */
};

void patch_names_clear(struct patch_names *names);

/* Reads a line of the header; lines without a name are ignored. */
void patch_names_add(struct patch_names *names, const char *line);

/* Both names, without prefixes; NULL where the file is not there.  They live until patch_names_clear. */
void patch_names_finish(struct patch_names *names, const char **old, const char **new);

#endif
