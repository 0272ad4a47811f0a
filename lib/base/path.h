/*
 * path: parts of the names of files.
 */
#ifndef ANDWEORC_BASE_PATH_H
#define ANDWEORC_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* What stands behind the last '/'. */
const char *path_name(const char *path);

/* How long the tail is, of whole components, that both have; 0: their last components differ. */
size_t path_common_tail(const char *a, const char *b);

/*
 * For sorting by the last components first.  Of all paths, those beside one have
 * the longest tail in common with it, and those that have some tail stand together.
 */
int path_order_by_tail(const char *a, const char *b);

/* Is it source of the program itself, by its name?  Headers of the system, libraries' sources and the Rust standard library are not. */
bool path_is_own_source(const char *file);

#endif
