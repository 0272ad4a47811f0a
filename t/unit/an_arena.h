/* an_arena: an arena of a unit test's own.  It is large, and nearly all of it a hole. */
#ifndef ANDWEORC_UNIT_AN_ARENA_H
#define ANDWEORC_UNIT_AN_ARENA_H

#include "runtime/arena.h"

/* The caller unmaps it, sizeof(struct arena) bytes. */
static struct arena *an_arena(void)
{
	struct arena *a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_true(a != MAP_FAILED);
	return a;
}

#endif
