/*
 * attach: what a recorder asks of the runtime in a process that was started without it.
 *
 * The recorder loads the runtime into the process, and then lets threads of it make
 * calls of attach_call, one thread at a time (lib/recorder/inject.h).  Whatever such a
 * thread was doing, it goes on with afterwards; it may have been anywhere, inside malloc
 * too.  So all but ATTACH_BEGIN and ATTACH_END is async-signal-safe; these two are called in
 * a thread that is neither in the dynamic linker nor in an allocator.
 *
 *     detached -> ATTACH_BEGIN -> ATTACH_THREAD, in each -> attached
 *     attached -> ATTACH_PREPARE -> ATTACH_LEAVE, in each thread -> ATTACH_END -> detached
 *
 * The library stays loaded, for threads may be inside of its functions; detached, nothing
 * leads to them but what stays redirected for good (getauxval, which <andweorc.h> asks).
 */
#ifndef ANDWEORC_RUNTIME_ATTACH_H
#define ANDWEORC_RUNTIME_ATTACH_H

#include <stdint.h>

/* The runtime's getauxval answers the address of attach_call for this type. */
#define ATTACH_AUXV 0x616e6474ul

enum attach_operation {
	ATTACH_BEGIN,   /* joins the arena called `name`, and calls of libc's functions come to us */
	ATTACH_THREAD,  /* the calling thread is sampled from now on; nothing if it is already */
	ATTACH_DRAIN,   /* samples that wait for the calling thread are thrown away */
	ATTACH_PREPARE, /* threads that begin from now on are not */
	ATTACH_LEAVE,   /* the calling thread is not sampled any more */
	ATTACH_END,     /* all threads have left: what we have taken is given back, and calls go to libc again */
};

/* What is answered. */
enum attach_answer {
	ATTACH_DONE,
	ATTACH_BUSY,      /* the thread is inside the runtime just now: let it go on, and ask again */
	ATTACH_PRELOADED, /* the process was started with the runtime */
	ATTACH_NO_ARENA,  /* it cannot be opened from within the process */
	ATTACH_NO_ROOM,   /* no entry, or no slot, or none that could be mapped */
	ATTACH_NO_SAMPLER, /* the thread is observed, but not sampled */
	ATTACH_FOREIGN,   /* this libc is not glibc, or the process is in Valgrind */
	ATTACH_ANSWERS
};

/* Lies in memory of the process that the recorder has taken. */
struct attach_request {
	uint64_t operation; /* enum attach_operation */
	char name[64];      /* of the arena, as AW_ENV_ARENA has it */
	uint64_t sp;        /* of the calling thread, before it was made to call; */
	uint64_t stack_lo;  /* the lowest address of the mapping that this points into */
	uint64_t mask;      /* address of a word: signals that the thread will have blocked when it goes on, as the kernel has sets */
	uint64_t marks;     /* address of words of <andweorc.h>'s that say whether anybody is there, */
	uint64_t nmarks;    /* so many: ATTACH_BEGIN makes them ask again, ATTACH_END no more */
};

/* In the runtime alone.  Returns enum attach_answer. */
long attach_call(struct attach_request *r);

#endif
