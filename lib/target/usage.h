/*
 * usage: processor time of ended children of this process, and of their children that
 * were waited for.
 */
#ifndef ANDWEORC_TARGET_USAGE_H
#define ANDWEORC_TARGET_USAGE_H

#include <stdint.h>

struct usage {
	int64_t user_ns, system_ns; /* in user mode, and in the kernel */
};

/* The total since this process began. */
struct usage usage_of_children(void);

/* The difference to an earlier total. */
struct usage usage_since(struct usage then);

#endif
