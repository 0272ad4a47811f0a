/*
 * inject: makes threads of another process call a function, one thread at a time.
 *
 * A thread is stopped wherever it is.  Then it runs a piece of code that we have written
 * into the process.  This code calls the function on a stack of its own, with all signals
 * blocked, and jumps back to where the thread was, with its former registers.  It needs no
 * help for that: if we are killed, the thread goes on by itself.  In that case an interrupted
 * system call is made again, and a sleep begins again.  If we live, the system call goes on,
 * as after any stop.
 *
 * One thing cannot be helped: if we are killed in the microseconds between the stop of a
 * thread and our next step, a call that is never restarted after a stop (signal(7): epoll_wait
 * and others) fails with EINTR.  So it did in 6 of 850 recordings of 16 blocked threads that
 * were killed while they attached.
 *
 * The thread's own stack is not changed.  No other thread is stopped.
 *
 * In the end the memory is unmapped.  One page of the process's code stays a private copy,
 * with its former content.  Only for Linux on x86-64.
 */
#ifndef ANDWEORC_TARGET_INJECT_H
#define ANDWEORC_TARGET_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

enum {
	INJECT_ROOM = 128,       /* bytes of unused code, at the end of a page */
	INJECT_XSTATE = 12288,   /* bytes, at most, of all vector registers */
	INJECT_SCRATCH = 12288,  /* bytes for arguments */
};

struct injection {
	pid_t pid;
	int memory;        /* /proc/PID/mem; -1: not begun */
	uint64_t room;     /* address of INJECT_ROOM bytes for code that maps memory, */
	uint64_t region;   /* and the address of that memory; 0: none.  It may be from an earlier injection */
	bool strayed;      /* a thread may still be in `room` */
};

/* A thread that we have stopped. */
struct held {
	pid_t tid;
	struct user_regs_struct regs; /* its registers, with which it goes on */
	uint64_t mask;  /* its blocked signals when it goes on; bit n - 1 for signal n */
	bool in_call;   /* it was stopped in a system call */
	bool blocked;   /* all its signals are blocked now, after a call */
	bool in_kernel; /* it is now in a system call that we made it enter */
	size_t xstate_bytes;
	unsigned char xstate[INJECT_XSTATE]; /* its vector registers */
};

enum held_how {
	HELD,
	HELD_GONE,    /* the thread has ended */
	HELD_NOT,     /* it has not stopped, or has stopped where it cannot make a call; try again */
	HELD_REFUSED, /* we may not stop it: see errno */
};

/* False if it cannot be done in this process; *why is the reason, for people, in static storage.  NULL: the kernel forbids it. */
bool inject_begin(struct injection *j, pid_t pid, const char **why);
void inject_end(struct injection *j); /* also for one that has not begun */

/* Stops the thread.  Unless the result is HELD, the thread goes on. */
enum held_how inject_hold(struct injection *j, struct held *h, pid_t tid);

/* Lets the thread go on where it was. */
void inject_let_go(struct injection *j, struct held *h);

/*
 * Map and unmap the memory that calls need, in the process.  False: the system call has
 * failed (errno), or the thread did not make it in time.
 */
bool inject_take(struct injection *j, struct held *h);
bool inject_give_back(struct injection *j, struct held *h);

/* The address of room for arguments in that memory. */
uint64_t inject_scratch(const struct injection *j);

/* The address of a word there: the blocked signals with which the thread goes on after a call.  The call may change it. */
uint64_t inject_mask(const struct injection *j);

/* Write and read memory of the process.  False: not all of it. */
bool inject_write(const struct injection *j, uint64_t to, const void *from, size_t n);
bool inject_read(const struct injection *j, uint64_t from, void *to, size_t n);

/*
 * Is one of these signals (bit n - 1 for signal n) pending for the held thread?  When the
 * thread goes on, it would interrupt the system call that goes on then.
 */
bool inject_has_pending(const struct injection *j, const struct held *h, uint64_t signals);

enum injected {
	INJECTED,       /* done; *result is what was returned */
	INJECTED_STUCK, /* the call has not returned in time */
	INJECTED_FAULT, /* the call crashed and was given up; the thread is held, with its former registers */
	INJECTED_GONE,  /* the thread, or the process, has ended */
};

/*
 * The held thread calls function(a, b), and stays held.  `breakable`: the function may be
 * given up while it waits for a lock, because it holds none.  With INJECTED_STUCK, a
 * breakable call was given up, and the thread is held.  Any other call goes on, without us:
 * when it returns, the thread goes back by itself.
 */
enum injected inject_call(struct injection *j, struct held *h, uint64_t function, uint64_t a, uint64_t b, bool breakable,
			  uint64_t *result);

#endif
