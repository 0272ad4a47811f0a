/* stack: whose code is running. */
#ifndef ANDWEORC_RUNTIME_STACK_H
#define ANDWEORC_RUNTIME_STACK_H

#include "arena.h"
#include "unwind.h"

struct stack {
	uint32_t n;
	bool hit;     /* in the region that is tried */
	bool given;   /* in the region that is faster in all windows (--given) */
	bool in_runtime; /* its innermost frame is in the runtime */
	bool decided; /* a frame in the program's own code has been seen */
	uint32_t weight; /* see arena_weight */
	uint64_t place[ARENA_FRAMES];
};

/* any: the modules of this process that the conductor has published; *n is 0 until it has. */
const struct unwind_module *stack_modules(uint32_t *n);

/* any: walks the stack from the frame of c. */
void stack_walk(struct stack *s, struct unwind_cursor *c);

/* any: the same for a wait of that class, which may itself be the region. */
void stack_walk_wait(struct stack *s, struct unwind_cursor *c, uint32_t class);

#endif
