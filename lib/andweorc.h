/*
 * andweorc.h: progress points for the causal profiler andweorc, and locks that it
 * cannot see.
 *
 * Header only: include it, mark where a unit of work is done, and link nothing.
 *
 *     #include <andweorc.h>
 *     ...
 *     ANDWEORC_PROGRESS("block");        // one more block is finished
 *
 * or mark the begin and the end of something whose length matters:
 *
 *     ANDWEORC_BEGIN("request");
 *     ...
 *     ANDWEORC_END("request");
 *
 * Threads that wait for each other by functions of libc, or by futexes through
 * syscall(2), are seen.  A lock that spins on an atomic variable is not; if it matters,
 * declare its waits:
 *
 *     if (!try(lock)) {                     release(lock):
 *             ANDWEORC_PRE_BLOCK();                 ANDWEORC_CATCH_UP();
 *             while (!try(lock))                    store(lock, 0);
 *                     pause();
 *             ANDWEORC_POST_BLOCK(1);
 *     }
 *
 * A program can exclude its warm-up and its shutdown from the measurement:
 *
 *     ANDWEORC_START();                  // experiments, from here on
 *     ...
 *     ANDWEORC_STOP();
 *
 * Not profiled, a visit is one load and one predictable branch (the first visit
 * of each place asks once whether a profiler is there).  Under andweorc-record
 * a visit counts in memory of its own thread.  The same holds for the others.
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

/* The functions of the runtime.  `size` is that of the runtime's struct: members are only ever added at the end. */
struct andweorc_api {
	unsigned long size;
	int (*point)(const char *name); /* number of the point called `name`, > 0; -1 when there is no room */
	void (*visit)(int point);       /* the calling thread passed the point once */
	void (*pre_block)(void);
	void (*post_block)(int woken);
	void (*catch_up)(void);
	int (*span)(const char *name);  /* as point, for a latency point */
	void (*begin)(int point);
	void (*end)(int point);
	void (*begin_id)(int point, unsigned long id);
	void (*end_id)(int point, unsigned long id);
	void (*experiments)(int on);
	int (*is_recorded)(void);
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

/* The functions for waits, or NULL without a runtime, or with one that is older than this header. */
static inline const struct andweorc_api *andweorc_blocks(void)
{
	int saved = errno;
	const struct andweorc_api *api = (const struct andweorc_api *)getauxval(ANDWEORC_AUXV);

	errno = saved;
	return api && (const char *)api + api->size >= (const char *)(&api->catch_up + 1) ? api : (const struct andweorc_api *)0;
}

/* The number of the latency point called `name`; -1 as above, and when the runtime is older than this header. */
static inline int andweorc_span(const char *name)
{
	int saved = errno;
	const struct andweorc_api *api = (const struct andweorc_api *)getauxval(ANDWEORC_AUXV);

	errno = saved;
	return api && (const char *)api + api->size >= (const char *)(&api->end_id + 1) ? api->span(name) : -1;
}

static inline const struct andweorc_api *andweorc_spans(void)
{
	return (const struct andweorc_api *)getauxval(ANDWEORC_AUXV);
}

/* The functions for experiments, or NULL without a runtime, or with one that is older than this header. */
static inline const struct andweorc_api *andweorc_control(void)
{
	int saved = errno;
	const struct andweorc_api *api = (const struct andweorc_api *)getauxval(ANDWEORC_AUXV);

	errno = saved;
	return api && (const char *)api + api->size >= (const char *)(&api->is_recorded + 1) ? api : (const struct andweorc_api *)0;
}

static inline void andweorc_experiments(int on)
{
	const struct andweorc_api *api = andweorc_control();

	if (api)
		api->experiments(on);
}

static inline int andweorc_is_recorded(void)
{
	const struct andweorc_api *api = andweorc_control();

	return api ? api->is_recorded() : 0;
}

#ifdef __cplusplus
}
#endif

/* One unit of work is done: a visit of the throughput point called `name`. */
#define ANDWEORC_PROGRESS(name) ANDWEORC_PASS(andweorc_point(name), andweorc_visit(andweorc_n))

/*
 * A span of the latency point called `name` begins, and ends.  andweorc measures the
 * mean length of spans, and the length of the longest ones.
 *
 * An end belongs to the last begin of the same thread.  If a span ends in another
 * thread, or if several spans are open in one thread, give each a number: id is an
 * integer that no other open span of the point in the process has (a descriptor, an
 * address that was cast).
 */
#define ANDWEORC_BEGIN(name) ANDWEORC_PASS(andweorc_span(name), andweorc_spans()->begin(andweorc_n))
#define ANDWEORC_END(name) ANDWEORC_PASS(andweorc_span(name), andweorc_spans()->end(andweorc_n))
#define ANDWEORC_BEGIN_ID(name, id)                                                                                          \
	ANDWEORC_PASS(andweorc_span(name), andweorc_spans()->begin_id(andweorc_n, (unsigned long)(id)))
#define ANDWEORC_END_ID(name, id)                                                                                            \
	ANDWEORC_PASS(andweorc_span(name), andweorc_spans()->end_id(andweorc_n, (unsigned long)(id)))

#define ANDWEORC_PASS(ask, tell)                                                                                             \
	do {                                                                                                                 \
		static int andweorc_number; /* 0: not asked yet */                                                           \
		int andweorc_n = __atomic_load_n(&andweorc_number, __ATOMIC_RELAXED);                                        \
		if (__builtin_expect(andweorc_n >= 0, 0)) {                                                                  \
			if (andweorc_n == 0) {                                                                               \
				andweorc_n = ask;                                                                            \
				__atomic_store_n(&andweorc_number, andweorc_n, __ATOMIC_RELAXED);                            \
			}                                                                                                    \
			if (andweorc_n > 0)                                                                                  \
				tell;                                                                                        \
		}                                                                                                            \
	} while (0)

/*
 * The calling thread is going to wait for another thread (not for a device, nor for
 * time to pass); its time until ANDWEORC_POST_BLOCK is not work.  Pairs nest: the
 * outermost counts.
 */
#define ANDWEORC_PRE_BLOCK() ANDWEORC_TELL(pre_block())

/*
 * The wait is over.  woken: 1, another thread has ended it, after its own
 * ANDWEORC_CATCH_UP; 0, the wait was given up.
 */
#define ANDWEORC_POST_BLOCK(woken) ANDWEORC_TELL(post_block(woken))

/* The calling thread is about to let another one go on. */
#define ANDWEORC_CATCH_UP() ANDWEORC_TELL(catch_up())

#define ANDWEORC_TELL(call)                                                                                                  \
	do {                                                                                                                 \
		static int andweorc_state; /* 0: not looked up yet; -1: no runtime; 1: there is one */                       \
		int andweorc_s = __atomic_load_n(&andweorc_state, __ATOMIC_RELAXED);                                         \
		if (__builtin_expect(andweorc_s >= 0, 0)) {                                                                  \
			if (andweorc_s == 0) {                                                                               \
				andweorc_s = andweorc_blocks() ? 1 : -1;                                                     \
				__atomic_store_n(&andweorc_state, andweorc_s, __ATOMIC_RELAXED);                             \
			}                                                                                                    \
			if (andweorc_s > 0)                                                                                  \
				andweorc_blocks()->call;                                                                     \
		}                                                                                                            \
	} while (0)

/*
 * Starts experiments, or stops them.  Any thread may call these, even in a signal handler;
 * the last call counts, for all processes of the recording.  Experiments are on when a
 * program begins, unless it is recorded with --start-paused.
 */
#define ANDWEORC_START() andweorc_experiments(1)
#define ANDWEORC_STOP() andweorc_experiments(0)

/* 1: the program is being recorded; else 0. */
#define ANDWEORC_IS_RECORDED() andweorc_is_recorded()

#endif
