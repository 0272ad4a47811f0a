/*
 * path: parts of the names of files.
 */
#ifndef ANDWEORC_BASE_PATH_H
#define ANDWEORC_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* The part behind the last '/'. */
const char *path_name(const char *path);

/* The length of the common tail of whole components; 0: their last components differ. */
size_t path_common_tail(const char *a, const char *b);

/*
 * Compares by the last components first.  In this order, the neighbours of a path have
 * the longest tail in common with it, and all paths with one tail are adjacent.
 */
int path_order_by_tail(const char *a, const char *b);

/*
 * Is the file, by its name, source of the program itself?  Headers of the system,
 * libraries' sources and the Rust standard library are not.
 */
bool path_is_own_source(const char *file);

#endif
