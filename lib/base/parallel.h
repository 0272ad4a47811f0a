/*
 * parallel: independent pieces of work, on all processors.
 */
#ifndef ANDWEORC_BASE_PARALLEL_H
#define ANDWEORC_BASE_PARALLEL_H

#include <stddef.h>

/* The number of processors that this process may use, and programs that it starts; at least 1. */
unsigned parallel_processors(void);

/*
 * Calls work(arg, i) once for each i < n, in any order, by as many threads as there are such
 * processors.  Returns when all of it is done.  The calls must not depend on each
 * other.  If no thread can be created, the caller does all of the work.
 */
void parallel_for(size_t n, void (*work)(void *arg, size_t i), void *arg);

#endif
