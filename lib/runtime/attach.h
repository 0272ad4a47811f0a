/*
 * attach: what a recorder asks of the runtime in a process that was started without it.
 *
 * The recorder loads the runtime into the process.  Then threads of the process call
 * attach_call, one at a time (lib/target/inject.h).  Such a thread was interrupted at any
 * place, such as inside malloc, and goes on there afterwards.  So all operations but
 * ATTACH_BEGIN and ATTACH_END are async-signal-safe.  Those two are called in a thread that
 * is neither in the dynamic linker nor in an allocator.
 *
 *     detached -> ATTACH_BEGIN -> ATTACH_THREAD, in each -> attached
 *     attached -> ATTACH_PREPARE -> ATTACH_LEAVE, in each thread -> ATTACH_END -> detached
 *
 * The library stays loaded, because threads may still be in its functions.  After
 * ATTACH_END no new call comes to it, except for getauxval, which stays redirected:
 * <andweorc.h> calls it.
 */
#ifndef ANDWEORC_RUNTIME_ATTACH_H
#define ANDWEORC_RUNTIME_ATTACH_H

#include <stdint.h>

/* The runtime's getauxval returns the address of attach_call for this type. */
#define ATTACH_AUXV 0x616e6474ul

/*
 * The signal of timers that sample, where perf is refused.  The tenth from the top: libraries that take real-time signals begin
 * at either end.
 */
#define ATTACH_TIMER_SIGNAL (SIGRTMAX - 10)

enum attach_operation {
	ATTACH_BEGIN,   /* joins the arena `name`, and redirects calls of libc's functions to the runtime */
	ATTACH_THREAD,  /* samples the calling thread from now on; does nothing if it is sampled already */
	ATTACH_DRAIN,   /* throws pending samples of the calling thread away */
	ATTACH_PREPARE, /* threads that begin from now on are not sampled */
	ATTACH_LEAVE,   /* stops sampling the calling thread */
	ATTACH_END,     /* after all threads have left: frees everything, and lets calls go to libc again */
};

/* Answers. */
enum attach_answer {
	ATTACH_DONE,
	ATTACH_BUSY,      /* the thread is in the runtime's code now: let it go on, and ask again */
	ATTACH_PRELOADED, /* the process was started with the runtime */
	ATTACH_NO_ARENA,  /* the process cannot open the arena */
	ATTACH_NO_ROOM,   /* the arena has no free entry or slot, or the process cannot map it */
	ATTACH_NO_SAMPLER, /* the thread is observed, but not sampled */
	ATTACH_FOREIGN,   /* its libc is not glibc, or it runs in Valgrind */
	ATTACH_ANSWERS
};

/* It is in memory of the process that the recorder has mapped there. */
struct attach_request {
	uint64_t operation; /* enum attach_operation */
	char name[64];      /* of the arena, as AW_ENV_ARENA has it */
	uint64_t sp;        /* stack pointer of the calling thread before the call */
	uint64_t stack_lo;  /* lowest address of the mapping that it points into */
	uint64_t mask;      /* address of a word: the blocked signals with which the thread goes on; bit n - 1 for signal n */
	uint64_t marks;     /* address of an array of addresses: words of <andweorc.h> that say whether there is a recorder */
	uint64_t nmarks;    /* its length.  ATTACH_BEGIN makes <andweorc.h> look again, ATTACH_END makes it stop */
};

/* Only in the runtime.  Returns an enum attach_answer. */
long attach_call(struct attach_request *r);

#endif
