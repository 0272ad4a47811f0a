/*
 * live: the modules and stacks of a running process.
 *
 * Modules are read once, by live_open; to see later ones, open it again.  The stack of a
 * thread can be walked while the calling thread traces it and has stopped it.  This module
 * does not stop or change the process, prints nothing, and asks no server for debug
 * information.
 */
#ifndef ANDWEORC_BINARY_LIVE_H
#define ANDWEORC_BINARY_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct live;

/* NULL: its modules cannot be read. */
struct live *live_open(pid_t pid);
void live_close(struct live *l); /* NULL is allowed */

/* One frame of a stack.  Texts live as long as `l`. */
struct live_frame {
	uint64_t pc;
	const char *file;     /* path of the module; NULL: in none */
	const char *function; /* the symbol; NULL: unknown */
	bool interrupted;     /* a signal handler, the frame before, has interrupted it; also true for the innermost frame */
};

/*
 * Calls fn for each frame of the thread's stack, the innermost one first, until it returns
 * false.  False: the stack could not be followed to its end.
 */
bool live_stack(struct live *l, pid_t tid, bool (*fn)(void *arg, const struct live_frame *f), void *arg);

/* The address of a function in the module whose file is called `file` (without directories); 0: there is none. */
uint64_t live_function(struct live *l, const char *file, const char *function);

/*
 * Sets [*lo, *hi) to code of the module that contains these functions (NULL-terminated), and
 * functions without a name next to them: from the end of the last named function before
 * them to the start of the first one after them.  False: the module has none of them.
 */
bool live_around(struct live *l, const char *file, const char *const *functions, uint64_t *lo, uint64_t *hi);

/*
 * Sets *out to the addresses of all objects of four bytes whose names contain one of these
 * texts (NULL-terminated).  The caller frees *out.  Returns their number.
 */
size_t live_words(struct live *l, const char *const *texts, uint64_t **out);

#endif
