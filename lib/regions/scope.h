/*
 * scope: which code may be regions (--only, --exclude, --only-function, --exclude-function).
 *
 * A pattern of files is that of a shell.  It matches the path of a source file or a module,
 * or the end of the path after a '/'.  A star matches a '/', too, so that the name of a
 * folder, a '/' and a star are all that lies below it.  With ":LINE" behind it, it matches
 * that line of such files, and no module.
 *
 * A pattern of functions is a name, or a glob of names, as called.h has them.
 */
#ifndef ANDWEORC_REGIONS_SCOPE_H
#define ANDWEORC_REGIONS_SCOPE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "binary/called.h"

enum { SCOPE_ANY_LINE = -1 };

struct patterns {
	struct pattern {
		char *text; /* the pattern as the user wrote it; owned */
		char *path; /* without the line; owned */
		int line;   /* 0: all lines */
	} *v;               /* owned; v[0..n) */
	size_t n, cap;
	bool lines;         /* one of them has a line */
};

struct function_patterns {
	struct called_name *v; /* owned, and so are the texts; v[0..n) */
	size_t n, cap;
};

/* All zero: everything is in scope. */
struct scope {
	struct patterns only, exclude;
	struct function_patterns only_functions, exclude_functions;
};

void patterns_add(struct patterns *p, const char *pattern);
void function_patterns_add(struct function_patterns *p, const char *pattern);

/*
 * Does one of them match that line of the file?  For line 0, and for a module, only
 * patterns without a line match; for SCOPE_ANY_LINE, those with a line, too.
 */
bool patterns_match(const struct patterns *p, const char *path, int line);

/* Does one of them match the function with this linkage name, or source name? */
bool function_patterns_match(const struct function_patterns *p, const char *function);

/* The patterns as options of a command line, with blanks between them; "default": there are none. */
void scope_write(const struct scope *s, struct buf *out);

void scope_release(struct scope *s);

#endif
