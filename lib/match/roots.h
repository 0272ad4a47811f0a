/*
 * roots: the directories in which base and head were built, by the names of their files.
 *
 * A compiler's name for a file depends on its working directory.  Below the tree's own
 * directory, names are the same in both trees, and in a patch.
 */
#ifndef ANDWEORC_MATCH_ROOTS_H
#define ANDWEORC_MATCH_ROOTS_H

#include "base/map.h"

/* The trees that base and head were built from; "" not known. */
struct roots {
	char *base, *head; /* owned; without '/' at the end, but for "/" itself */
};

/*
 * Finds them: the rest of the files' paths without the tail that base and head have in
 * common, or that a patch uses.  old_paths and new_paths are the patch's (keys;
 * relative), NULL when there is none.
 */
struct roots roots_find(const struct map *base_files, const struct map *head_files, const struct map *old_paths,
			const struct map *new_paths);
void roots_release(struct roots *roots);

/* The path in the tree; the path itself when it is not under root. */
const char *roots_path(const char *file, const char *root);

#endif
