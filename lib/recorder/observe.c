/*
 * When events are noted: in short bursts between experiments, spread over the run, so
 * that phases of the program are seen.  They take a tenth of the time, and none of a
 * run that is over within a second.  They are baselines in all else.  Without
 * experiments (--attach-only) a second of every two is noted.
 */
#include "base/clock.h"
#include "recorder/conductor_parts.h"

enum {
	FIRST_MS = 1000, /* into the run; */
	EVERY_MS = 3000, /* from the end of one to the begin of the next */
	PART = 10,       /* of this time */
	ONLY_MS = 1000,  /* without experiments */
	LOOK_MS = 20,    /* how often it is looked whether there is room for more events */
};

static void burst(struct conductor *c, int64_t length_ns)
{
	int64_t end;

	conductor_switch(c, NULL, 0);
	conductor_drain(c);
	bursts_begin(&c->bursts, now_ns());
	end = c->bursts.began_ns + length_ns;
	conductor_phase(c, PHASE_BURST);
	while (now_ns() < end && !bursts_is_full(&c->bursts))
		if (!conductor_rest(c, now_ns() + LOOK_MS * MS))
			break;
	end = now_ns();
	conductor_phase(c, PHASE_IDLE);
	conductor_drain(c);
	bursts_end(&c->bursts, c->began_ns, end);
	while (bursts_write(&c->bursts))
		conductor_drain(c);
}

void conductor_observe(struct conductor *c)
{
	bool first = c->bursts.last_ns == 0;
	int64_t wait = (first ? FIRST_MS : EVERY_MS) * MS;

	/* Where something is given, threads pause all the time. */
	if (!c->plan->given && now_ns() - (first ? c->began_ns : c->bursts.last_ns) >= wait)
		burst(c, wait / PART);
}

void conductor_observe_only(struct conductor *c)
{
	do {
		burst(c, ONLY_MS * MS);
		conductor_to_normal(c);
	} while (conductor_rest(c, now_ns() + ONLY_MS * MS));
}
