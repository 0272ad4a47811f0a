/*
 * sysv: semaphores and message queues of System V.
 *
 * A semaphore has a key, made of its set and its number there.  An operation that adds to it
 * is a release, and one that takes from it, or waits for 0, ends because of another
 * thread.  Of a call with several operations, the first of the latter kind tells for what it
 * waits.  The kernel does all of them at once, so what such a call adds is released when it
 * is over.
 *
 * A message queue is a channel (channel.h): a sender brings data, and a receiver makes
 * room.
 *
 * Context: any.
 */
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "fd_wait.h"
#include "wrap.h"

/* Tells the calls of message queues from those of descriptors, which have lower numbers. */
enum { QUEUES = 1 << 30 };

/* ---- semaphores --------------------------------------------------------------------- */

static uint64_t key_of_number(int set, const struct sembuf *op)
{
	return key_of(KEY_SYSV_SEMAPHORE, (uint64_t)set, op->sem_num);
}

static void release_added(int set, const struct sembuf *ops, size_t n, const void *site)
{
	for (size_t i = 0; i < n && wait_is_accounted(); i++)
		if (ops[i].sem_op > 0)
			sync_release(key_of_number(set, &ops[i]), site);
}

/* The first of the operations that may wait; NULL: none. */
static const struct sembuf *first_wait(const struct sembuf *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ops[i].sem_op <= 0)
			return &ops[i];
	return NULL;
}

/* The body of a wrapper. */
#define OPERATE(set, ops, n, call)                                                                                           \
	do {                                                                                                                 \
		const struct sembuf *awaits;                                                                                 \
		struct wait w;                                                                                               \
		int err;                                                                                                     \
		if (!wait_is_watched() || !(ops))                                                                            \
			return call;                                                                                         \
		awaits = first_wait(ops, n);                                                                                 \
		if (!awaits) {                                                                                               \
			release_added(set, ops, n, SITE);                                                                    \
			return call;                                                                                         \
		}                                                                                                            \
		wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);                                                       \
		err = call;                                                                                                  \
		wait_ended(&w, err == 0, key_of_number(set, awaits));                                                        \
		if (err == 0)                                                                                                \
			release_added(set, ops, n, SITE);                                                                    \
		return err;                                                                                                  \
	} while (0)

EXPORT int semop(int set, struct sembuf *ops, size_t n)
{
	OPERATE(set, ops, n, REAL(semop)(set, ops, n));
}

EXPORT int semtimedop(int set, struct sembuf *ops, size_t n, const struct timespec *within)
{
	if (!REAL(semtimedop)) {
		errno = ENOSYS;
		return -1;
	}
	OPERATE(set, ops, n, real.semtimedop(set, ops, n, within));
}

/* ---- message queues ------------------------------------------------------------------ */

static uint64_t key_of_queue(int queue)
{
	return key_of(KEY_SYSV_QUEUE, (uint64_t)queue, 0);
}

EXPORT int msgsnd(int queue, const void *message, size_t n, int flags)
{
	QUEUE(queue | QUEUES, key_of_queue(queue), false, REAL(msgsnd)(queue, message, n, flags));
}

EXPORT ssize_t msgrcv(int queue, void *message, size_t room, long type, int flags)
{
	QUEUE(queue | QUEUES, key_of_queue(queue), true, REAL(msgrcv)(queue, message, room, type, flags));
}
