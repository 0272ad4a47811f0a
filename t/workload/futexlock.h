/*
 * futexlock: a lock made of an atomic word, which calls the kernel only to wait and to wake.  No wrapper but that of
 * syscall(2) sees it.
 */
#ifndef FUTEXLOCK_H
#define FUTEXLOCK_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static inline void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Of a lock that is 0: free, 1: taken, 2: taken, and threads may wait. */
static inline bool futexlock_try(_Atomic uint32_t *lock)
{
	uint32_t free = 0;

	return atomic_compare_exchange_strong(lock, &free, 1);
}

static inline void futexlock_take(_Atomic uint32_t *lock)
{
	if (futexlock_try(lock))
		return;
	while (atomic_exchange(lock, 2) != 0)
		futex_wait(lock, 2);
}

static inline void futexlock_leave(_Atomic uint32_t *lock)
{
	if (atomic_exchange(lock, 0) == 2)
		futex_wake(lock);
}

#endif
