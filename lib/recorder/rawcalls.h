/*
 * rawcalls: where a program sets signal handlers past libc.
 */
#ifndef ANDWEORC_RECORDER_RAWCALLS_H
#define ANDWEORC_RECORDER_RAWCALLS_H

#include "runtime/arena.h"

/*
 * Looks for system calls in the code of the file itself, and notes in `at` those that
 * may set a handler; none, where there are too many to watch them, or the file is
 * no program of this architecture.
 */
void rawcalls_find(const char *path, struct arena_rawcalls *at);

#endif
