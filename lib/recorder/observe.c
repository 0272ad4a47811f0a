/*
 * When events are noted: in a long burst at first, and in short ones every few
 * seconds, so that phases of the program are seen.  They are baselines in all else.
 * Without experiments (--attach-only) a second of every two is noted.
 */
#include "base/clock.h"
#include "recorder/conductor_parts.h"

enum {
	FIRST_MS = 1000,
	LATER_MS = 300,
	EVERY_MS = 4000,
	PART = 10,    /* of the time for experiments, the first one takes no more than a tenth */
	LOOK_MS = 20, /* how often it is looked whether there is room for more events */
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
}

void conductor_observe(struct conductor *c)
{
	int64_t now = now_ns(), most = c->plan->until_ns ? (c->plan->until_ns - now) / PART : FIRST_MS * MS;

	if (!c->bursts.last_ns)
		burst(c, most < FIRST_MS * MS ? most : FIRST_MS * MS);
	else if (now - c->bursts.last_ns >= EVERY_MS * MS)
		burst(c, LATER_MS * MS);
}

void conductor_observe_only(struct conductor *c)
{
	do {
		burst(c, FIRST_MS * MS);
		conductor_to_normal(c);
	} while (conductor_rest(c, now_ns() + FIRST_MS * MS));
}
