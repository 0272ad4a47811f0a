/* lock_owner: locks that one thread uses alone. */
#ifndef ANDWEORC_WRAP_LOCK_OWNER_H
#define ANDWEORC_WRAP_LOCK_OWNER_H

#include <stdbool.h>

enum {
	LOCK_ALONE = 1000, /* uses.  With fewer, a thread that comes now and then, such as a thief of tasks, would be missed */
};

/*
 * any: the calling thread takes the lock.  Returns whether it is the thread's own: it has used the
 * lock LOCK_ALONE times in a row, or `first` times since the lock was first seen.  Until another
 * thread takes the lock, lock_is_own says the same.
 */
bool lock_note_owner(const volatile void *lock, unsigned first);

/* any: is the lock the calling thread's own? */
bool lock_is_own(const volatile void *lock);

/* any: from now on the lock is nobody's own, until a thread has used it LOCK_ALONE times in a row. */
void lock_share(const volatile void *lock);

#endif
