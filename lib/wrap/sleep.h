/* sleep: for callers that bypass the functions of libc. */
#ifndef ANDWEORC_WRAP_SLEEP_H
#define ANDWEORC_WRAP_SLEEP_H

#include <time.h>

#include "runtime/wait.h"

/* any: around a sleep; clock, flags and time as clock_nanosleep(2) has them. */
void sleep_begin(struct wait *w, clockid_t clock, int flags, const struct timespec *t, const void *site);
void sleep_end(struct wait *w, int flags);

#endif
