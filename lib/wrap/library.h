/*
 * library: functions of libraries that only some programs have, and some load with a
 * plugin: MPI, liburing, OpenMP.
 *
 * Context: the first call of such a function from a place, never a handler.
 */
#ifndef ANDWEORC_WRAP_LIBRARY_H
#define ANDWEORC_WRAP_LIBRARY_H

#include <stdatomic.h>

/* What the code at `site` would find by that name without us; NULL: nothing. */
void *library_look_up(const char *name, const void *site);

/*
 * The function of that name which the code at `site` would call without us; NULL: there is none.
 * *known is NULL at first, and remembers it.  A library that a function was found in is never unloaded.
 */
void *library_find(void *_Atomic *known, const char *name, const void *site);

/* Keeps the library that has this function from being unloaded. */
void library_keep(const void *function);

#endif
