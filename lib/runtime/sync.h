/* sync: sync operations that are over at once. */
#ifndef ANDWEORC_RUNTIME_SYNC_H
#define ANDWEORC_RUNTIME_SYNC_H

#include <stdint.h>

/* any: the thread is about to let another go on.  Call it before the real call.  Pays. */
void sync_release(uint64_t key, const void *site);

/* any: the same for a timer that the thread is about to set, to end once, after ns.  Returns the ns to which to set it instead. */
int64_t sync_set_timer(uint64_t key, int64_t ns, const void *site);

/*
 * any: the same for a lock that the thread holds, or a signal to threads that will take
 * that lock.  Does not pay: see sync.c.
 */
void sync_unlock(uint64_t key, const void *site);

/* any: the same for a lock that threads may share, and that this one has had alone. */
void sync_unlock_unshared(uint64_t key, const void *site);

/* any: the thread is about to try to take a lock.  Pays. */
void sync_before_lock(const void *site);

/* any: the thread has taken a lock that was free.  Call it after the real call. */
void sync_lock(uint64_t key, const void *site);
void sync_lock_shared(uint64_t key, const void *site); /* with others, as a reader does */

/* any: the thread has acquired `key`, which is not a lock, without a wait.  Call it after the real call. */
void sync_acquire(uint64_t key, const void *site);

/*
 * any: the thread has acquired `key` in memory that it shares with the kernel, at some time since its last wait for any of
 * several things; or the outside has done what a release of `key` had asked for.
 */
void sync_taken(uint64_t key, const void *site);
void sync_answered(uint64_t key);

/* any: credits the thread for its work, and pays, as before a release.  Nobody waits for it. */
void sync_catch_up(const void *site);

/* any: pays, and releases `key`, as a part of another operation. */
void pay_and_release(uint64_t key);

/*
 * any: credits the thread for its work up to now, and begins a new segment at `site`.  Call it between runtime_enter and runtime_leave.
 */
void account_up_to_here(const void *site);

#endif
