/*
 * identity: names without what changes from one build to the next.
 */
#ifndef ANDWEORC_DIFF_IDENTITY_H
#define ANDWEORC_DIFF_IDENTITY_H

#include <stddef.h>

#include "base/map.h"

/*
 * The name of a function, by its linkage name `symbol` and its name for people
 * `function` (either may be NULL, or both), without the suffixes of clones and
 * parts, the hashes that Rust and LLVM add, and the numbers of lambdas and
 * closures, which change when another one is written before them.  Template
 * arguments and parameters stay: they tell functions apart.  Owned by the
 * caller; NULL when both are.
 */
char *identity_function(const char *symbol, const char *function);

/* How much of an identity is the name alone: its length without parameters at its end, qualifiers behind them included. */
size_t identity_name(const char *identity);

/* The trees that base and head were built from; "" not known. */
struct identity_roots {
	char *base, *head; /* owned; without '/' at the end */
};

/*
 * Finds them: what is left of the files' paths when what base and head have in
 * common, or what a patch calls them, is taken off their ends.  old_paths and
 * new_paths are the patch's (keys; relative), NULL when there is none.
 */
struct identity_roots identity_find_roots(const struct map *base_files, const struct map *head_files,
					  const struct map *old_paths, const struct map *new_paths);
void identity_roots_release(struct identity_roots *roots);

/* The path in the tree; the path itself when it is not under root. */
const char *identity_path(const char *file, const char *root);

#endif
