/* clock: the time, for measuring durations. */
#ifndef ANDWEORC_BASE_CLOCK_H
#define ANDWEORC_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define MS 1000000ll /* in ns */

/* CLOCK_MONOTONIC, ns: the clock of the arena, too. */
static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

#endif
