/*
 * futex: the system call by which threads wait in Rust's standard library, in libstdc++
 * and in many programs.
 *
 * A futex is a word that one thread changes and another one waits on:
 *
 *     waker:  word = 1; FUTEX_WAKE          waiter:  while (!word) FUTEX_WAIT
 *
 * The waker pays its debt before it wakes, but the store came earlier.  A waiter that
 * already sleeps is woken at the right virtual time.  A waiter that arrives between the
 * store and the wake does not wait, and goes on too early by the waker's debt: at most
 * the credit of one sampling period.  EAGAIN means this case, or that the word was
 * changed earlier; the wait then acquires the last wake that is known.
 */
#include <linux/futex.h>

#include "syscall.h"
#include "wrap.h"

enum { OP_LOCK_PI2 = 13 }; /* newer than many headers */

struct waitv {
	uint64_t val, uaddr;
	uint32_t flags, reserved;
};

static uint64_t key_at(long address)
{
	return key_of_address((const void *)address);
}

/* ---- waiters that are moved ---------------------------------------------------------- */

enum { MOVES = 64 }; /* a power of two */

/*
 * FUTEX_REQUEUE moves waiters to another word, whose wake then ends their wait.  This
 * direct-mapped table tells to which word.  A thread that finds no entry acquires the
 * word that it waited on.
 */
static struct {
	_Atomic uint64_t from, to;
} moved[MOVES];

static void note_requeue(uint64_t from, uint64_t to)
{
	unsigned i = from >> 40 & (MOVES - 1);

	atomic_store_explicit(&moved[i].to, to, memory_order_relaxed);
	/* Pairs with the acquire below. */
	atomic_store_explicit(&moved[i].from, from, memory_order_release);
}

/* 0: not moved, as far as is known. */
static uint64_t moved_to(uint64_t from)
{
	unsigned i = from >> 40 & (MOVES - 1);

	if (atomic_load_explicit(&moved[i].from, memory_order_acquire) != from)
		return 0;
	return atomic_load_explicit(&moved[i].to, memory_order_relaxed);
}

/* ---- the operations ------------------------------------------------------------------ */

static bool is_plain_wait(const struct call *c)
{
	int op = (int)c->b & FUTEX_CMD_MASK;

	return c->n == SYS_futex && (op == FUTEX_WAIT || (op == FUTEX_WAIT_BITSET && (uint32_t)c->f == FUTEX_BITSET_MATCH_ANY));
}

/* Waits on the word `at`. more: the second word of the operation, or 0. */
static long wait_on(const struct call *c, long at, long more)
{
	struct wait w;
	struct timespec t;
	struct call again = *c;
	uint64_t key;
	int64_t ns;
	long result;

	if (!wait_is_watched())
		return call_make(c);
	wait_begin(&w, CLASS_LOCK, c->site, false, WAIT_UNKNOWN);
	result = call_make(c);
	while (result != 0 && errno == ETIMEDOUT && is_plain_wait(c) && wait_once_more(&w, &t, &ns)) {
		t = timespec_of(ns);
		again.b = (c->b & FUTEX_PRIVATE_FLAG) | FUTEX_WAIT;
		again.d = (long)&t;
		result = call_make(&again);
		wait_extended(&w);
	}
	if (result == 0 || errno == EAGAIN) {
		key = key_at(at);
		wait_by_peer2(&w, key, more ? key_at(more) : moved_to(key));
	} else {
		wait_outside(&w);
	}
	return result;
}

/* more: the second word, whose waiters are woken or to which waiters are moved, or 0. */
static long wake(const struct call *c, long at, long more)
{
	if (wait_is_accounted()) {
		sync_release(key_at(at), c->site);
		if (more)
			pay_and_release(key_at(more));
	}
	return call_make(c);
}

static long requeue(const struct call *c, long from, long to)
{
	if (wait_is_accounted())
		note_requeue(key_at(from), key_at(to));
	return wake(c, from, to);
}

long call_futex(const struct call *c)
{
	long result;

	switch ((int)c->b & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return wait_on(c, c->a, 0);
	case FUTEX_LOCK_PI:
	case OP_LOCK_PI2:
		if (wait_is_accounted())
			sync_before_lock(c->site);
		return wait_on(c, c->a, 0);
	case FUTEX_WAIT_REQUEUE_PI:
		return wait_on(c, c->a, c->e);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		return wake(c, c->a, 0);
	case FUTEX_UNLOCK_PI: /* the kernel hands the lock over: until then the thread has it */
		sync_unlock(key_at(c->a), c->site);
		return call_make(c);
	case FUTEX_WAKE_OP:
		return wake(c, c->a, c->e);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
		return requeue(c, c->a, c->e);
	case FUTEX_TRYLOCK_PI:
		result = call_make(c);
		if (result == 0)
			sync_lock(key_at(c->a), c->site);
		return result;
	default:
		return call_make(c);
	}
}

/* A wait on many words: the result tells which one was woken. */
long call_futex_waitv(const struct call *c)
{
	const struct waitv *v = (const struct waitv *)c->a;
	struct wait w;
	long result;

	if (!wait_is_watched())
		return call_make(c);
	wait_begin(&w, CLASS_LOCK, c->site, false, WAIT_UNKNOWN);
	result = call_make(c);
	if (result >= 0 || errno == EAGAIN)
		wait_by_peer(&w, key_at((long)v[result > 0 ? result : 0].uaddr));
	else
		wait_outside(&w);
	return result;
}

long call_futex_wait(const struct call *c)
{
	return wait_on(c, c->a, 0);
}

long call_futex_wake(const struct call *c)
{
	return wake(c, c->a, 0);
}

long call_futex_requeue(const struct call *c)
{
	const struct waitv *v = (const struct waitv *)c->a;

	return v ? requeue(c, (long)v[0].uaddr, (long)v[1].uaddr) : call_make(c);
}
