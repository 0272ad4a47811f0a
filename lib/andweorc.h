/*
 * andweorc.h: progress points for the causal profiler andweorc.
 *
 * Header only: include it, say where a unit of work is done, and link nothing.
 *
 *     #include <andweorc.h>
 *     ...
 *     ANDWEORC_PROGRESS("block");        // one more block is finished
 *
 * Not profiled, a visit is one load and one predictable branch (the first visit
 * of each place asks once whether a profiler is there).  Under andweorc-record
 * a visit counts in memory of its own thread.
 *
 * How the runtime is found: getauxval(3) answers 0 for a type that the kernel
 * does not know; the preloaded runtime answers ANDWEORC_AUXV itself.  Weak
 * symbols would need no libc function, but linkers settle them to 0 for good in
 * programs that are not position-independent; dlsym would need -ldl.
 *
 * The name must be a string literal (or live as long as the process).  Any
 * thread may visit, from C or C++, also in a shared object.  Not for signal
 * handlers.
 *
 * This file may be copied into any program.  SPDX-License-Identifier: 0BSD
 */
#ifndef ANDWEORC_H
#define ANDWEORC_H

#include <errno.h>
#include <sys/auxv.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ANDWEORC_AUXV 0x616e6477ul /* "andw" */

/* What the runtime offers.  `size` is that of the runtime's struct: members are only ever added at the end. */
struct andweorc_api {
	unsigned long size;
	int (*point)(const char *name); /* number of the point called `name`, > 0; -1 when there is no room */
	void (*visit)(int point);       /* the calling thread passed the point once */
};

/* The number of the point called `name`, or -1 when the program is not being profiled. */
static inline int andweorc_point(const char *name)
{
	int saved = errno;
	const struct andweorc_api *api = (const struct andweorc_api *)getauxval(ANDWEORC_AUXV);

	errno = saved;
	return api ? api->point(name) : -1;
}

static inline void andweorc_visit(int point)
{
	((const struct andweorc_api *)getauxval(ANDWEORC_AUXV))->visit(point);
}

#ifdef __cplusplus
}
#endif

/* One unit of work is done: a visit of the throughput point called `name`. */
#define ANDWEORC_PROGRESS(name)                                                                                              \
	do {                                                                                                                 \
		static int andweorc_number; /* 0: not asked yet */                                                           \
		int andweorc_n = __atomic_load_n(&andweorc_number, __ATOMIC_RELAXED);                                        \
		if (__builtin_expect(andweorc_n >= 0, 0)) {                                                                  \
			if (andweorc_n == 0) {                                                                               \
				andweorc_n = andweorc_point(name);                                                           \
				__atomic_store_n(&andweorc_number, andweorc_n, __ATOMIC_RELAXED);                            \
			}                                                                                                    \
			if (andweorc_n > 0)                                                                                  \
				andweorc_visit(andweorc_n);                                                                  \
		}                                                                                                            \
	} while (0)

#endif
