/*
 * replayed: programs of world.h that are measured, recorded as bursts, and asked about by lib/replay.
 *
 * With REPLAY_TABLE in the environment, print_row() prints truth and each model's answer.
 */
#ifndef ANDWEORC_TEST_REPLAYED_H
#define ANDWEORC_TEST_REPLAYED_H

#include "unit.h"

#include <math.h>

#include "replay/join.h"
#include "replay/replay.h"
#include "world.h"

#define CLOSE 0.022 /* a second has some 250 samples for each processor */

struct program {
	const char *name;
	void (*body)(void *);
	unsigned cpus, regions;
	bool spans;     /* what is asked for is their mean length */
	enum noted queues;
	double within;  /* the combined gain is so near to the truth */
	bool stays, deep; /* as in struct world */
};

static double leaves, drowsy; /* as in struct world, for all programs */

static double measured(const struct program *p, const double *smaller, uint64_t seed)
{
	const struct settings set = { .cpus = p->cpus, .seed = seed, .smaller = smaller, .end = 10.1 * S, .stays = p->stays, .deep = p->deep,
				      .leaves = leaves, .drowsy = drowsy };

	world_run(p->body, NULL, &set, NULL);
	return p->spans ? w.spans_ns / (double)w.spans : (w.last - w.first) / (double)(w.visits - 1);
}

enum { SEEDS = 2 };

static double truth(const struct program *p, uint32_t region, double s, const double base[SEEDS])
{
	double smaller[REGIONS] = { 0 }, sum = 0;

	smaller[region] = s;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		sum += 1 - measured(p, smaller, seed) / base[seed];
	return sum / SEEDS;
}

/* The truth for one question. */
static inline double truth_of(const struct program *p, uint32_t region, double s)
{
	double base[SEEDS];

	for (uint64_t seed = 0; seed < SEEDS; seed++)
		base[seed] = measured(p, NULL, seed);
	return truth(p, region, s, base);
}

static inline struct replay *recorded(const struct program *p, double length, uint64_t seed)
{
	struct burst burst[2] = { 0 };
	struct replay *r;

	for (size_t i = 0; i < 2; i++) {
		const struct settings set = {
			.cpus = p->cpus, .seed = seed, .queues = p->queues, .stays = p->stays, .deep = p->deep, .leaves = leaves, .drowsy = drowsy,
			.begin = 0.3 * S + (double)i * S, .length = length / 2, .end = 0.3 * S + (double)i * S + length / 2,
		};

		world_run(p->body, NULL, &set, &burst[i]);
		join_waits(&burst[i]);
	}
	r = replay_learn(burst, 2, REGIONS - 1, 2);
	for (size_t i = 0; i < 2; i++)
		burst_release(&burst[i]);
	return r;
}

/* As asked, of the period, with what is known of the whole run. */
static inline struct replay_effect asked_knowing(const struct replay *r, uint32_t region, double s, const struct replay_known *known)
{
	double shorter[REGIONS] = { 0 };
	const struct replay_question q = { .shorter = shorter, .known = known };
	struct replay_answer a;
	struct replay_effect found = { 0 };

	shorter[region] = s;
	replay_ask(r, &q, &a);
	for (size_t i = 0; i < a.n; i++)
		if (a.effect[i].what == REPLAY_PERIOD)
			found = a.effect[i];
	replay_answer_release(&a);
	return found;
}

static inline struct replay_effect asked(const struct replay *r, const struct program *p, uint32_t region, double s)
{
	double shorter[REGIONS] = { 0 };
	const struct replay_question q = { .shorter = shorter };
	struct replay_answer a;
	struct replay_effect found = { 0 };

	shorter[region] = s;
	replay_ask(r, &q, &a);
	for (size_t i = 0; i < a.n; i++)
		if (a.effect[i].what == (p->spans ? REPLAY_MEAN : REPLAY_PERIOD))
			found = a.effect[i];
	replay_answer_release(&a);
	return found;
}

static inline void print_row(const struct program *p, uint32_t region, double s, double really, const struct replay_effect *e)
{
	if (!getenv("REPLAY_TABLE"))
		return;
	printf("# %-12s %u %3.0f %%  %5.1f | %5.1f %5.1f %5.1f | %5.1f +- %.1f (chance %.1f, doubt %.1f)\n", p->name, region, s * 100, really * 100,
	       e->model[REPLAY_SIMULATED].gain * 100, e->model[REPLAY_MONITOR].gain * 100, e->model[REPLAY_STAYING].gain * 100,
	       e->gain * 100, e->se * 196, e->chance * 100, e->doubt * 100);
}

/* The gain by the models together. */
static inline double answered(const struct replay *r, const struct replay_question *q)
{
	struct replay_answer a;
	double gain = NAN;

	replay_ask(r, q, &a);
	for (size_t i = 0; i < a.n; i++)
		if (a.effect[i].what == REPLAY_PERIOD)
			gain = a.effect[i].gain;
	replay_answer_release(&a);
	return gain;
}

static inline void near(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%g instead of %g", got, want);
}

#endif
