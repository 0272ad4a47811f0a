/* sample: what a sample is credited to. */
#ifndef ANDWEORC_RUNTIME_SAMPLE_H
#define ANDWEORC_RUNTIME_SAMPLE_H

#include "stack.h"
#include "thread.h"

/*
 * In the handler: accounts for that processor time of the thread.  The context (a
 * ucontext_t) is where the signal has interrupted the thread.  `time` is not on the stack,
 * which may be small.
 */
void sample_take(const void *context, const struct sample_time *time);

/* any: samples that hit a call of the program that can wait are kept only if it did not.  Has one hit the call that the thread is in? */
bool sample_hit_wait(void);
void sample_was_work(struct arena_thread *t); /* the call did not wait */

/* any: keeps a sample of the calling thread. */
void sample_keep(struct arena_thread *t, const struct stack *stack, uint32_t class, uint32_t weight);

/* any: a random number, never 0. */
uint64_t sample_random(void);

#endif
