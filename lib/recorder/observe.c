/*
 * When events are noted: for a second at a time, between experiments, spread over the
 * run, so that phases of the program are seen.  Shorter bursts are no use: in a
 * pipeline it takes a while until a faster stage has filled the queue behind it.  They
 * take a tenth of the time, and are baselines in all else.  Without experiments
 * (--attach-only) a second of every two is noted.
 */
#include "base/clock.h"
#include "recorder/conductor_parts.h"

enum {
	LENGTH_MS = 1000,
	FIRST_MS = 1000, /* into the run; */
	EVERY_MS = 9000, /* from the end of one to the begin of the next */
	REST_MS = 2000,  /* is left for experiments after one, at the least */
	LOOK_MS = 20,    /* how often it is looked whether there is room for more events */
};

static void burst(struct conductor *c, int64_t length_ns)
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
	end = now_ns();
	conductor_phase(c, PHASE_IDLE);
	conductor_drain(c);
	others = machine_since(machine_now(&c->processes), others);
	bursts_end(&c->bursts, c->began_ns, end, &others);
	while (bursts_write(&c->bursts))
		conductor_drain(c);
}

void conductor_observe(struct conductor *c)
{
	int64_t now = now_ns(), last = c->bursts.last_ns ? c->bursts.last_ns : c->began_ns;
	bool due = now - last >= (c->bursts.last_ns ? EVERY_MS : FIRST_MS) * MS;

	/* Where something is given, threads pause all the time. */
	if (!due || c->plan->given || (c->plan->until_ns && c->plan->until_ns - now < (LENGTH_MS + REST_MS) * MS))
		return;
	burst(c, LENGTH_MS * MS);
}

void conductor_observe_only(struct conductor *c)
{
	do {
		burst(c, LENGTH_MS * MS);
		conductor_to_normal(c);
	} while (conductor_rest(c, now_ns() + LENGTH_MS * MS));
}
