/*
 * scope: which code may be regions (--only, --exclude).
 *
 * A pattern is that of a shell.  It matches the path of a source file or a module, or the
 * end of the path after a '/'.  A star matches a '/', too, so that the name of a folder, a
 * '/' and a star are all that lies below it.
 */
#ifndef ANDWEORC_RECORDER_SCOPE_H
#define ANDWEORC_RECORDER_SCOPE_H

#include <stdbool.h>
#include <stddef.h>

struct patterns {
	char **v; /* owned; v[0..n) */
	size_t n, cap;
};

/* All zero: everything is in scope. */
struct scope {
	struct patterns only, exclude;
};

void patterns_add(struct patterns *p, const char *pattern);

/* Does one of them match the path? */
bool patterns_match(const struct patterns *p, const char *path);

void scope_release(struct scope *s);

#endif
