/*
 * Experiments can be stopped and started by the program (ANDWEORC_STOP, ANDWEORC_START)
 * and by signals to the recorder, for example to exclude warm-up and shutdown.  While
 * they are stopped, nothing is sped up, no events are noted, and samples are dropped.
 * That time does not count, neither for -d nor on the clock of the log.
 *
 * A window in which experiments are stopped is dropped, and repeated later.  This file
 * keeps the state; conductor.c waits while they are stopped.
 */
#include "base/clock.h"
#include "recorder/conductor_parts.h"

static struct arena *controlled;               /* the arena of the current run */
static volatile sig_atomic_t asked, asked_stop; /* a request while there was no run */

void conductor_control(bool stop)
{
	if (!controlled) {
		asked_stop = stop;
		asked = 1;
		return;
	}
	if (arena_control(controlled, stop, now_ns()))
		atomic_fetch_add(&controlled->news, 1);
}

void conductor_control_begin(struct conductor *c)
{
	c->control = atomic_load(&c->arena->control);
	c->held = (c->control & 1) != 0;
	c->held_from_ns = c->began_ns;
	c->held_ns = 0;
	c->visits_before = 0;
	c->going_from_ns = c->began_ns;
	c->rates[0] = c->rates[1] = (struct rates){ .at_ns = c->began_ns };
	controlled = c->arena;
	if (asked) {
		asked = 0;
		conductor_control(asked_stop);
	}
}

void conductor_control_end(void)
{
	controlled = NULL;
}

int64_t conductor_going_ns(const struct conductor *c, int64_t at)
{
	return (c->held && c->held_from_ns < at ? c->held_from_ns : at) - c->began_ns - c->held_ns;
}

bool conductor_was_started(const struct conductor *c)
{
	/* The word counts changes.  It begins at 1 if experiments are stopped at first. */
	return atomic_load(&c->arena->control) != 1;
}

int64_t conductor_until(const struct conductor *c)
{
	return c->plan->until_ns ? c->plan->until_ns + c->held_ns + (c->held ? now_ns() - c->held_from_ns : 0) : 0;
}

bool conductor_is_interrupted(const struct conductor *c)
{
	return c->ready && !c->whole.on && atomic_load_explicit(&c->arena->control, memory_order_acquire) != c->control;
}

bool conductor_drops_samples(const struct conductor *c)
{
	/* In a burst all samples are needed: events refer to them by their order. */
	return c->held || (!c->bursts.on && conductor_is_interrupted(c) && (atomic_load(&c->arena->control) & 1));
}
