/*
 * inject: makes threads of another process call a function, one thread at a time.
 *
 * A thread is stopped wherever it is.  It then runs a piece of code that we have put into
 * the process: this makes the call on a stack of our own, with all signals blocked, and
 * leads the thread back to where it was, with every register as it was.  The piece needs
 * nobody for that: should we be killed at any moment, the thread goes on by itself.  (Calls
 * of the kernel that the thread was in are then made again; a sleep begins anew.  While we
 * live, a call goes on exactly where it was, as after a stop.)
 *
 * Nothing of the thread's own stack is touched.  No other thread is stopped.
 *
 * What is left in the process when the memory has been given back: a private copy of one
 * page of code, as it was.  Linux on x86-64 alone.
 */
#ifndef ANDWEORC_RECORDER_INJECT_H
#define ANDWEORC_RECORDER_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

enum {
	INJECT_ROOM = 128,       /* bytes of code where nothing else is: at the end of a page */
	INJECT_XSTATE = 12288,   /* bytes, at most, of all vector registers */
	INJECT_SCRATCH = 12288,  /* bytes for arguments */
};

struct injection {
	pid_t pid;
	int memory;        /* /proc/PID/mem; -1: not begun */
	uint64_t room;     /* INJECT_ROOM bytes for the code that takes memory, */
	uint64_t region;   /* which is this; 0: none.  May be one of an earlier injection into the process */
	bool strayed;      /* a thread may be in `room` still */
};

/* A thread that is stopped by us. */
struct held {
	pid_t tid;
	struct user_regs_struct regs; /* as it was, and as it is to go on */
	uint64_t mask;  /* signals that it has blocked as it goes on, as the kernel has sets */
	bool in_call;   /* it was in a call of the kernel's */
	bool blocked;   /* all its signals are, after a call */
	bool in_kernel; /* just now, in one that we have made it make */
	size_t xstate_bytes;
	unsigned char xstate[INJECT_XSTATE]; /* its vector registers */
};

enum held_how {
	HELD,
	HELD_GONE,    /* the thread has ended */
	HELD_NOT,     /* it does not stop just now, or where no call can be made; try again */
	HELD_REFUSED, /* we may not: errno */
};

/* False, with a reason for people in *why (static storage): it cannot be done in this process. */
bool inject_begin(struct injection *j, pid_t pid, const char **why);
void inject_end(struct injection *j); /* one that has not been begun is allowed */

/* Stops the thread.  Anything but HELD: it goes on. */
enum held_how inject_hold(struct injection *j, struct held *h, pid_t tid);

/* It goes on as if nothing had been. */
void inject_let_go(struct injection *j, struct held *h);

/*
 * Takes and gives back the memory in the process that calls need.  false: the process
 * does not let us (errno), or the thread does not answer.
 */
bool inject_take(struct injection *j, struct held *h);
bool inject_give_back(struct injection *j, struct held *h);

/* Room for arguments there: its address, and how to write and read. */
uint64_t inject_scratch(const struct injection *j);

/* Address of a word there: while a call is made, the signals that its thread will have blocked as it goes on. */
uint64_t inject_mask(const struct injection *j);

bool inject_write(const struct injection *j, uint64_t to, const void *from, size_t n);
bool inject_read(const struct injection *j, uint64_t from, void *to, size_t n);

/*
 * Does one of these signals (as the kernel has sets) wait for the held thread, after a call, to come as soon as it goes
 * on?  It would end the call of the kernel's that it goes on with.
 */
bool inject_has_pending(const struct injection *j, const struct held *h, uint64_t signals);

enum injected {
	INJECTED,       /* done; *result is what was returned */
	INJECTED_STUCK, /* the call waits for something for too long */
	INJECTED_FAULT, /* the call crashed, and was broken off; the thread is held, as it was */
	INJECTED_GONE,  /* the thread, or the process, has ended meanwhile */
};

/*
 * The held thread calls function(a, b); it stays held.  INJECTED_STUCK: with `breakable`,
 * which is for calls that wait for a lock and hold none, the call was broken off, and the
 * thread is held; without, the thread is not ours any more, and goes on by itself when the
 * call returns.
 */
enum injected inject_call(struct injection *j, struct held *h, uint64_t function, uint64_t a, uint64_t b, bool breakable,
			  uint64_t *result);

#endif
