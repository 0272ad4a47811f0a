/*
 * lock_owner: locks that one thread uses alone.
 *
 * Many locks are there for threads that never come: those of a stream, of a connection,
 * of an allocator.  Such a lock lets nobody go on, so it is neither accounted for nor
 * noted as an event.  That matters where locks are taken by the million: accounting takes
 * 60 ns for each operation, and a log is full of such events after some milliseconds.
 *
 * When another thread comes, it misses what the owner did last, once.  An entry knows the
 * last lock of its place in the table.  Of two locks at one place, nobody owns either.
 */
#include "lock_owner.h"
#include "runtime/thread.h"
#include "wrap.h"

enum { PLACES = 1024 };

static struct entry {
	_Atomic(const volatile void *) lock;
	_Atomic(const struct self *) by; /* NULL: nobody may own it yet */
	atomic_uint left;                /* uses until it is the thread's own */
} table[PLACES];

static struct entry *entry_of(const volatile void *lock)
{
	return &table[((uintptr_t)lock * 0x9e3779b97f4a7c15u) >> 54];
}

static bool is_of(const struct entry *e, const volatile void *lock, const struct self *by)
{
	return atomic_load_explicit(&e->lock, memory_order_relaxed) == lock &&
	       atomic_load_explicit(&e->by, memory_order_relaxed) == by;
}

static void restart(struct entry *e, const volatile void *lock, const struct self *by, unsigned left)
{
	atomic_store_explicit(&e->left, left, memory_order_relaxed);
	atomic_store_explicit(&e->lock, lock, memory_order_relaxed);
	atomic_store_explicit(&e->by, by, memory_order_relaxed);
}

bool lock_note_owner(const volatile void *lock, unsigned first)
{
	struct entry *e = entry_of(lock);
	bool known = atomic_load_explicit(&e->lock, memory_order_relaxed) == lock;
	unsigned left;

	if (!is_of(e, lock, &self)) {
		restart(e, lock, &self, known ? LOCK_ALONE : first);
		return !known && first == 0;
	}
	left = atomic_load_explicit(&e->left, memory_order_relaxed);
	/* Uses by other processes are not seen. */
	if (left == 1 && key_is_shared(lock))
		return false;
	if (left > 0)
		atomic_store_explicit(&e->left, --left, memory_order_relaxed);
	return left == 0;
}

bool lock_is_own(const volatile void *lock)
{
	const struct entry *e = entry_of(lock);

	return is_of(e, lock, &self) && atomic_load_explicit(&e->left, memory_order_relaxed) == 0;
}

void lock_share(const volatile void *lock)
{
	restart(entry_of(lock), lock, NULL, LOCK_ALONE);
}
