/*
 * The ABI of a program compiled with coz.h: it looks up functions of the profiler by
 * name, and increments the counters that it gets.  Used where coz.h itself is not
 * installed; it has the newer macros too.
 */
#ifndef COZLIKE_H
#define COZLIKE_H

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct cozlike_counter {
	size_t count;
	size_t backoff;
};

static inline void cozlike_find(void *function, const char *name)
{
	void *p = dlsym(RTLD_DEFAULT, name);

	memcpy(function, &p, sizeof(p));
}

static inline struct cozlike_counter *cozlike_counter(int type, const char *name)
{
	struct cozlike_counter *(*get)(int, const char *);

	cozlike_find(&get, "_coz_get_counter");
	return get ? get(type, name) : NULL;
}

#define COZLIKE_COUNT(type, name)                                                            \
	do {                                                                                 \
		static struct cozlike_counter *counter_;                                     \
		static unsigned char asked_;                                                 \
		if (!asked_) {                                                               \
			counter_ = cozlike_counter(type, name);                              \
			asked_ = 1;                                                          \
		}                                                                            \
		if (counter_)                                                                \
			__atomic_add_fetch(&counter_->count, 1, __ATOMIC_RELAXED);           \
	} while (0)

#define COZ_PROGRESS_NAMED(name) COZLIKE_COUNT(1, name)
#define COZ_BEGIN(name)          COZLIKE_COUNT(2, name)
#define COZ_END(name)            COZLIKE_COUNT(3, name)

static inline void cozlike_call(const char *name)
{
	void (*f)(void);

	cozlike_find(&f, name);
	if (f)
		f();
}

static inline void cozlike_post_block(int woken)
{
	void (*f)(int);

	cozlike_find(&f, "_coz_post_block");
	if (f)
		f(woken);
}

#define COZ_PRE_BLOCK         cozlike_call("_coz_pre_block")
#define COZ_POST_BLOCK(woken) cozlike_post_block(woken)
#define COZ_CATCH_UP          cozlike_call("_coz_catch_up")

#endif
