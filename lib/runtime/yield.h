/* yield: a thread that polls, and yields its processor in between; see lib/wrap/yield.c. */
#ifndef ANDWEORC_RUNTIME_YIELD_H
#define ANDWEORC_RUNTIME_YIELD_H

#include "moment.h"
#include "thread.h"

/* A thread that yields again within this time has only looked whether it may go on. */
enum { YIELD_AGAIN_NS = 5000 };

/* any: does the calling thread no longer poll, although it is marked so? */
static inline bool yield_is_over(void)
{
	return unlikely(self.yields.site != NULL) && self.yields.last_ns != INT64_MAX && now_ns() - self.yields.last_ns > YIELD_AGAIN_NS;
}

/* any: has the calling thread yielded just now? */
static inline bool yield_polls(void)
{
	return unlikely(self.yields.site != NULL) && !yield_is_over();
}

/* any: the calling thread does not poll any longer. */
static inline void yield_no_more(void)
{
	if (unlikely(self.yields.site != NULL)) {
		self.yields.site = NULL;
		self.waiting = 0;
	}
}

#endif
