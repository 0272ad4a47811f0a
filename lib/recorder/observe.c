/*
 * observe: bursts, of a second each, between experiments.  Shorter bursts tell less,
 * since a faster stage of a pipeline needs time to fill the queue behind it.  Bursts take
 * a fourth of the time, and have no speedup.  Without experiments (--attach-only) a second
 * of every two is noted.
 *
 * With a tenth of the time, the half width of the leading lines of pzip and sort, in 10 and
 * 20 s, was 0.10 to 0.30 (slope); with a fourth it is 0.05 to 0.11.
 *
 * Where threads often wait for processors, bursts take half of the time: experiments tell less there (combine.c).
 * The slopes of seven lines of pzip, 20 s, in the median of all lines of three recordings, and at most: +-0.06 and +-0.18 with a
 * fourth, +-0.04 and +-0.15 with a half.  For 25 programs of t/workload, half of the time makes intervals narrower by
 * a sixth in the median, and predictions are as near.  In programs with fewer threads than processors (openssl), and
 * in short runs (pigz), it makes intervals wider.
 *
 * A run that has less than four seconds (-d 3, or -n 5 -d 20) has one burst, of at most half
 * of them.  The few experiments of such a time say nothing alone: of 50 programs, none had an
 * answer after a second.
 *
 * A program may have phases, and bursts must see each of them in proportion to its
 * length.  So the time between two bursts is random.  Of runs that are too short for
 * that, one in four is noted as a whole, or, if that is too much for the logs, a random
 * part of it.  (sort, 1.3 s a run: with all bursts at the begin of a run, sorting was
 * predicted at 1.00 (0.90 to 1.03), and reading and merging at 0.)
 */
#include "base/clock.h"
#include "recorder/caveats.h"
#include "recorder/conductor_parts.h"

/*
 * If all threads together wait by yielding for more than this part of a burst, samples come more often from then on; see
 * conductor_set_period.  Of 74 programs, eight have 0.08 to 1.24, the others 0.03 at most.
 */
#define POLLED 0.05

enum {
	LENGTH_MS = 1000,
	FIRST_MS = 1000, /* time in the run before the first burst */
	EVERY_MS = 3000, /* mean time from the end of a burst to the begin of the next */
	CROWD_EVERY_MS = 1000, /* the same where threads often wait for processors */
	REST_MS = 2000,  /* least time for experiments after a burst */
	SHORT_MS = 3000, /* a run without room for a burst and for experiments */
	LOOK_MS = 20,    /* time between looks whether a log is full */
};

/* `whole`: the burst begins with the run. */
static void burst(struct conductor *c, int64_t length_ns, bool whole)
{
	struct machine_use others;
	int64_t end;

	conductor_switch(c, NULL, 0);
	conductor_drain(c);
	others = machine_now(&c->processes);
	bursts_begin(&c->bursts, now_ns());
	end = c->bursts.began_ns + length_ns;
	conductor_phase(c, PHASE_BURST);
	while (now_ns() < end && !bursts_is_full(&c->bursts))
		if (!conductor_rest(c, now_ns() + LOOK_MS * MS))
			break;
	/* A stop of experiments ends the burst at that moment. */
	end = conductor_is_interrupted(c) ? atomic_load(&c->arena->control_ns) : now_ns();
	conductor_phase(c, PHASE_IDLE);
	conductor_drain(c);
	others = machine_since(machine_now(&c->processes), others);
	bursts_end(&c->bursts, conductor_going_ns(c, c->bursts.began_ns), end, whole && conductor_over(c) && c->held_ns == 0, &others);
	if (c->bursts.length_ns > 0)
		c->observing.noted_ns += c->bursts.length_ns;
	while (bursts_write(&c->bursts))
		conductor_drain(c);
	c->observing.denser |= c->bursts.length_ns > 0 && (double)c->bursts.polled_ns > POLLED * (double)c->bursts.length_ns;
}

static double uniform(struct conductor *c)
{
	return (double)(schedule_random(&c->observing.random) >> 11) / 9007199254740992.0;
}

/* The time that is left; INT64_MAX: the recording has no limit. */
static int64_t left_ns(const struct conductor *c)
{
	return c->plan->until_ns ? conductor_until(c) - now_ns() : INT64_MAX;
}

/* Is there time for experiments after it?  With a given region, threads pause all the time. */
static bool may_observe(const struct conductor *c, int64_t length_ns)
{
	return !c->plan->given && left_ns(c) - length_ns >= REST_MS * MS;
}

/* A requested number of runs (-n) counts runs with experiments. */
static bool runs_are_short(const struct conductor *c)
{
	return !c->plan->runs && c->last_run_ns && c->last_run_ns < SHORT_MS * MS;
}

bool conductor_run_is_due(const struct conductor *c)
{
	const struct observing *o = &c->observing;

	return !c->plan->attach_only && !c->plan->wait_ns && runs_are_short(c) && may_observe(c, c->last_run_ns) &&
	       o->noted_ns / LENGTH_MS * (EVERY_MS + LENGTH_MS) <= o->earlier_ns;
}

void conductor_observe_run(struct conductor *c)
{
	struct observing *o = &c->observing;
	int64_t spare = o->room_ns ? c->last_run_ns - o->room_ns : 0;

	if (spare > 0 && !conductor_rest(c, now_ns() + (int64_t)(uniform(c) * (double)spare)))
		return;
	burst(c, SHORT_MS * MS, !o->room_ns);
	o->room_ns = bursts_is_full(&c->bursts) ? c->bursts.length_ns : 0;
	/* There are no experiments in the rest of the run, either. */
	if (c->bursts.length_ns < c->last_run_ns)
		o->noted_ns += c->last_run_ns - c->bursts.length_ns;
}

/*
 * The time for this run has just begun.  If it will be over before the first burst could be, there is one of at most half of
 * that time, somewhere in its first half.
 */
static void plan_run(struct conductor *c)
{
	struct observing *o = &c->observing;
	int64_t left = left_ns(c), spare = left / 2 - LENGTH_MS * MS;

	o->run = c->run;
	o->brief = left < (FIRST_MS + LENGTH_MS + REST_MS) * MS;
	if (o->brief)
		o->next_ns = now_ns() + (spare > 0 ? (int64_t)(uniform(c) * (double)spare) : 0);
	else if (!o->next_ns)
		o->next_ns = c->going_from_ns + FIRST_MS * MS;
}

void conductor_observe(struct conductor *c)
{
	struct observing *o = &c->observing;
	int64_t length = LENGTH_MS * MS;

	if (o->run != c->run)
		plan_run(c);
	if (o->brief && left_ns(c) / 2 < length)
		length = left_ns(c) / 2;
	if (c->plan->given || runs_are_short(c) || now_ns() < o->next_ns || !(o->brief || may_observe(c, length)))
		return;
	burst(c, length, false);
	o->brief = false;
	o->next_ns = now_ns() + (int64_t)((0.5 + uniform(c)) * (caveats_is_crowded(c) ? CROWD_EVERY_MS : EVERY_MS) * MS);
}

void conductor_observe_only(struct conductor *c)
{
	do {
		burst(c, LENGTH_MS * MS, false);
		conductor_to_normal(c);
	} while (conductor_rest(c, now_ns() + LENGTH_MS * MS));
}
