/* moved: automatic progress points: what was read and written. */
#ifndef ANDWEORC_RUNTIME_MOVED_H
#define ANDWEORC_RUNTIME_MOVED_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

enum { NO_FD = -1 };

/* any: counts n bytes that have been read from descriptor `in` and written to `out` (NO_FD: none); n < 0: nothing. */
void moved_count(int in, int out, int64_t n, bool stream);

void moved_visit(enum arena_moved kind); /* any: counts one, if the recorder wants this point */

#endif
