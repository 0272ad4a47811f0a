/*
 * switched: has a thread given up its processor since a moment?
 *
 *     told = switched_watch();
 *     n = REAL(read)(fd, buf, size);
 *     ran = told && !switched();
 *
 * A call that blocks gives it up; one that does not is work of the kernel, however long it
 * takes.  It is told by an area that the thread shares with the kernel (rseq, Linux 4.18,
 * which glibc registers from 2.35 on): there a thread names a critical section, and when it
 * runs again after a switch outside of that section, the kernel has removed the name.  Ours
 * is a section that no thread is ever in.  To set and look costs no system call.  Not all
 * kernels do that, see switched.c.
 *
 * A signal that is handled meanwhile removes the name as well.
 *
 * A thread that lets another one go on may be preempted by it inside the call.  Then it has
 * not waited, but was ready to run all the time.  The kernel counts the switches that a
 * thread makes by itself, because it waits (getrusage(2)).  It is asked after a switch in a call,
 * and after each other wait, so that the next answer is about one call alone.
 */
#ifndef ANDWEORC_RUNTIME_SWITCHED_H
#define ANDWEORC_RUNTIME_SWITCHED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Part of the kernel's struct rseq. */
struct rseq_area {
	uint32_t processor_before;
	_Atomic int32_t processor; /* negative: it is not registered */
	_Atomic uint64_t section;
};

/* The kernel's struct rseq_cs. */
struct rseq_section {
	_Alignas(32) uint32_t version;
	uint32_t flags;
	uint64_t begin, length, abort;
};

extern const struct rseq_section no_section;
extern intptr_t switched_area; /* from the thread's pointer to its area; 0: nothing is told */

/* init: looks whether switches are told; once for all processes of the recording, by three sleeps of 50 us. */
void switched_init(void);

static inline struct rseq_area *switched_of_thread(void)
{
#if defined(__x86_64__)
	uintptr_t thread;

	__asm__("movq %%fs:0, %0" : "=r"(thread));
#elif defined(__aarch64__)
	uintptr_t thread;

	__asm__("mrs %0, tpidr_el0" : "=r"(thread));
#endif
	return (struct rseq_area *)(thread + (uintptr_t)switched_area);
}

/* any: begins to watch the calling thread.  False: switches are not told. */
static inline bool switched_watch(void)
{
	struct rseq_area *a = switched_of_thread();

	if (!switched_area || atomic_load_explicit(&a->processor, memory_order_relaxed) < 0)
		return false;
	atomic_store_explicit(&a->section, (uintptr_t)&no_section, memory_order_relaxed);
	return true;
}

/*
 * any: has the calling thread given up its processor by itself since the last time that this was called?  True also when it is
 * not known.  So call it after each wait.  It takes 0.2 us.
 */
bool switched_by_itself(void);

/* any: since then, may the thread have given up its processor? */
static inline bool switched(void)
{
	return atomic_load_explicit(&switched_of_thread()->section, memory_order_relaxed) != (uintptr_t)&no_section;
}

#endif
