/*
 * usage: processor time of the children of this process that have ended, and of
 * theirs that have been waited for.
 */
#ifndef ANDWEORC_RECORDER_USAGE_H
#define ANDWEORC_RECORDER_USAGE_H

#include <stdint.h>

struct usage {
	int64_t user_ns, system_ns; /* in its own code, and in the kernel */
};

/* All of them since this process began. */
struct usage usage_of_children(void);

/* The same since then. */
struct usage usage_since(struct usage then);

#endif
