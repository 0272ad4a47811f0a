/*
 * control: the program starts and stops experiments, for example to exclude its warm-up
 * and its shutdown.
 *
 * Only a word of the arena changes here.  The conductor wakes up, drops the current
 * window, and lets all threads run.
 */
#include "control.h"
#include "moment.h"
#include "process.h"

void control_experiments(int on)
{
	if (arena && arena_control(arena, !on, now_ns()))
		process_news();
}

int control_is_recorded(void)
{
	return arena && arena_is_conducted(arena, now_ns());
}
