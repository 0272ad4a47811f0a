/*
 * control: the program says when experiments are to be made: not while it warms up,
 * nor while it tears down.
 *
 * Only a word of the arena changes here.  The conductor is woken, drops the window
 * that is on, and lets everybody run.
 */
#include "runtime.h"

void control_experiments(int on)
{
	if (arena && arena_control(arena, !on, now_ns()))
		process_news();
}

int control_is_recorded(void)
{
	return arena && now_ns() < atomic_load_explicit(&arena->expires_ns, memory_order_relaxed);
}
