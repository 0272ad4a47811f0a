/* create: threads begin and end. */
#ifndef ANDWEORC_RUNTIME_CREATE_H
#define ANDWEORC_RUNTIME_CREATE_H

#include <pthread.h>

#include "arena.h"

/*
 * any: takes a slot for a thread that is about to be created to run routine(arg), and
 * stores both there.  The new thread must run create_begin(slot), which returns the
 * result of routine.  NULL: create the thread unprofiled.
 */
struct arena_thread *create_prepare(const pthread_attr_t *attr, void *(*routine)(void *), void *arg);
void *create_begin(void *slot);

/* any: call before the calling thread ends by a raw system call. (Ends by libc are noticed.) */
void create_end(void);

/*
 * init: threads that the runtime did not create will be adopted.
 * any: the calling thread is adopted, and gives its slot back as it ends; NULL: it is not any more.  Where the program
 * has so many thread-specific keys that this would allocate memory, the slot is kept.
 */
void create_adopt(void);
void create_adopt_thread(struct arena_thread *slot);

/* any: the key that threads wait for when they join this one. */
uint64_t key_of_thread(pthread_t thread);

#endif
