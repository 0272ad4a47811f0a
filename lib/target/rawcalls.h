/*
 * rawcalls: finds system calls in a program that set signal handlers past libc.
 */
#ifndef ANDWEORC_TARGET_RAWCALLS_H
#define ANDWEORC_TARGET_RAWCALLS_H

#include "runtime/arena.h"

/*
 * Searches the code of the file for system calls, and notes in `at` those that may set
 * a handler.  Notes none if there are too many to watch, or if the file is no program
 * of this architecture.
 */
void rawcalls_find(const char *path, struct arena_rawcalls *at);

#endif
