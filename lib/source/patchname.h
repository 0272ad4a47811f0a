/*
 * patchname: the names of a file in the header of its part of a patch.
 */
#ifndef ANDWEORC_SOURCE_PATCHNAME_H
#define ANDWEORC_SOURCE_PATCHNAME_H

#include <stdbool.h>

/* What the header said; strings are owned, unquoted, NULL: not said. */
struct patch_names {
	char *git;             /* what follows "diff --git ", as it stands */
	char *minus, *plus;    /* of "---" and "+++"; prefixes included */
	char *from, *to;       /* of a rename or a copy; without prefixes */
	bool copy, binary, added, deleted;
	char *old, *new;       /* patch_names_finish */
};

void patch_names_clear(struct patch_names *names);

/* Takes a line of the header; one that holds nothing of interest is passed over. */
void patch_names_add(struct patch_names *names, const char *line);

/* Both names, without prefixes; NULL where the file is not there.  They live until patch_names_clear. */
void patch_names_finish(struct patch_names *names, const char **old, const char **new);

#endif
