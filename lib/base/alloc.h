/*
 * alloc: allocation that does not fail.
 *
 * Each function returns memory that the caller owns and releases with free(3),
 * or ends the process with status 2 and "out of memory".  Never used by the
 * runtime (lib/runtime), which does not allocate at all.
 */
#ifndef ANDWEORC_BASE_ALLOC_H
#define ANDWEORC_BASE_ALLOC_H

#include <stddef.h>

/* Linked under names of our own: libiberty has its functions of these names.  Its headers go before this one. */
#define xcalloc   aw_xcalloc
#define xrealloc  aw_xrealloc
#define xstrdup   aw_xstrdup
#define xstrndup  aw_xstrndup
#define xasprintf aw_xasprintf

void *xcalloc(size_t count, size_t size);            /* zeroed */
void *xrealloc(void *old, size_t count, size_t size); /* count * size bytes, overflow checked */
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * From now on, memory that is freed stays in the process.  This is for programs that
 * allocate and free megabytes again and again.  Otherwise the system zeroes each page anew.
 * analyze takes 0.7 times as long with it for a recording of pigz, and 0.4 times for one of xz.
 */
void alloc_keep_freed(void);

/*
 * Makes room for one more element behind `used` of them, doubling `*cap`:
 *     v = xgrow(v, n, &cap, sizeof *v); v[n++] = x;
 */
void *xgrow(void *array, size_t used, size_t *cap, size_t size);

#endif
