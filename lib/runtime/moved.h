/* moved: what was read and written. */
#ifndef ANDWEORC_RUNTIME_MOVED_H
#define ANDWEORC_RUNTIME_MOVED_H

#include "arena.h"

void moved_visit(enum arena_moved kind); /* any: counts one, if the recorder wants this point */

#endif
