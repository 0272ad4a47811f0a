/*
 * live: the modules and stacks of a process that runs.
 *
 * What is mapped is read once, when it is opened; for modules that come later it is opened
 * again.  A stack can be walked while its thread is stopped by the calling thread, which
 * traces it.  Nothing here stops or changes anything, prints, or asks a server for
 * debugging information.
 */
#ifndef ANDWEORC_BINARY_LIVE_H
#define ANDWEORC_BINARY_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct live;

/* NULL: what is mapped cannot be read. */
struct live *live_open(pid_t pid);
void live_close(struct live *l); /* NULL is allowed */

/* One frame of a stack.  Texts live as long as `l`. */
struct live_frame {
	uint64_t pc;
	const char *file;     /* path of the module; NULL: in none */
	const char *function; /* the symbol; NULL: unknown */
	bool interrupted;     /* by a signal's handler, which is the frame before; or the innermost one */
};

/*
 * Calls fn for each frame of the thread's stack, the innermost one first, until it returns
 * false.  False: the stack could not be followed to its end.
 */
bool live_stack(struct live *l, pid_t tid, bool (*fn)(void *arg, const struct live_frame *f), void *arg);

/* The address of a function in the module whose file is called `file` (without directories); 0: there is none. */
uint64_t live_function(struct live *l, const char *file, const char *function);

/*
 * Code that lies around these functions (NULL-terminated), in the same module: from the end of the nearest other
 * function with a name to the begin of the next.  Functions without names that belong to them are there.  False: none is
 * there.
 */
bool live_around(struct live *l, const char *file, const char *const *functions, uint64_t *lo, uint64_t *hi);

/*
 * Addresses of all objects of four bytes whose names hold one of these texts (NULL-terminated).  The caller frees *out.
 * Returns how many.
 */
size_t live_words(struct live *l, const char *const *texts, uint64_t **out);

#endif
