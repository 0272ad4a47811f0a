/*
 * replay: how long the same work would have taken, had some of the code been faster.
 *
 * A recorded burst is run again in a simulation.  A thread computes, and then does
 * what it did: takes a lock, waits for another, passes a progress point.  With a
 * question, each stretch of computing is shorter by the share that the questioned
 * stacks have in stretches of its kind.  The answer is a ratio of two such runs, with
 * and without the question, so that what both have in common cancels.
 *
 *     struct replay *r = replay_learn(burst, nbursts, nstacks);
 *     double *shorter = ...;              half of what stack 3 takes: shorter[3] = 0.5
 *     struct replay_question q = { .shorter = shorter };
 *     struct replay_answer a;
 *
 *     replay_ask(r, &q, &a);
 *     for (size_t i = 0; i < a.n; i++)
 *             if (a.effect[i].what == REPLAY_PERIOD)
 *                     ... a.effect[i].gain, a.effect[i].se ...
 *     replay_answer_release(&a);
 *     replay_free(r);
 *
 * Three models answer side by side.  None of them is right for each program, and the
 * disagreement between them is a measure of doubt.
 *
 * Where programs wait for what nobody recorded, what they waited for is learned, or else
 * stays as recorded; replay_facts says how often.  What no recording tells, no model
 * knows: caches and memory, and code that decides by time.
 *
 * To learn and to ask 40 questions of 150,000 events takes half a second and some 100
 * bytes an event.
 *
 * Pure: no input, no output, no state but what the caller holds.  The same bursts and
 * the same question give the same answer to the last bit.
 */
#ifndef ANDWEORC_REPLAY_REPLAY_H
#define ANDWEORC_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/burst.h"

enum replay_model {
	REPLAY_STRICT,    /* who came after whom stays as recorded; processors are not scarce, and time without one is kept as it was */
	REPLAY_SIMULATED, /* who came after whom stays; threads share the processors there are */
	REPLAY_MONITOR,   /* whoever comes first gets a lock; waits end when what they waited for holds, as far as that was learned */
	REPLAY_MODELS
};

/* All that was learned from the bursts of one run. */
struct replay;

/*
 * Learns from burst[0..n), which are of one run: ids, objects, sites, points and stacks
 * mean the same in each.  The caller keeps the bursts, which are not needed afterwards.
 * Numbers of stacks above nstacks are taken for 0, which no question is about.  Any
 * content is accepted; what makes no sense is left out, and counted in replay_facts.
 */
struct replay *replay_learn(const struct burst *burst, size_t n, size_t nstacks);
void replay_free(struct replay *r);

/* How good the recording and the models of it are. */
struct replay_facts {
	size_t events;  /* without samples */
	size_t samples;
	size_t threads; /* that did something, of all bursts together */
	double length_ns;
	/*
	 * The check: simulated time for the work, with no question and with time without a
	 * processor as it was recorded, over the time that it took.
	 * It is 1 for a perfect model; NAN where nothing could be counted.
	 */
	double check[REPLAY_MODELS];
	size_t locks, shared, conditions, barriers, tokens, latches; /* objects, by what they were learned to be */
	size_t counted;   /* conditions that go on by a learned count */
	size_t gathered;  /* conditions that go on when all of a group have come */
	size_t unexplained; /* waits that no event of the bursts ended */
	double unexplained_ns;
	size_t timeouts;  /* waits for threads that ended by time: who looks again then may go on because of anybody */
	double timeouts_ns;
	double clock_ns;  /* waits until a moment of the clock */
	size_t cut;       /* locks that were held, waits that were under way when a burst began */
	size_t forced;    /* times that the monitor model had come to a stop, and one thread was let go on */
};

void replay_facts(const struct replay *r, struct replay_facts *out);

/* A place where threads wait for something outside, and what becomes of these waits. */
struct replay_outside {
	uint32_t site;
	double factor; /* of their length, >= 0 */
};

/*
 * What a question takes away in the whole run, as far as samples tell.  A burst of a second
 * has a thousand samples, and sees one phase of the program; samples are taken all the time.
 */
struct replay_known {
	double part;      /* of the processor time, 0 .. 1; */
	double samples;   /* that tell it, > 0 */
	double waited_ns; /* of the time in waits for the outside, of all threads together, >= 0; NAN: not known; */
	double length_ns; /* of the run, > 0 */
	double period_ns; /* a blocked sample stands for so much of a wait */
	bool alone;       /* there was one thread all the time: less work, or a shorter wait, is as much less time; */
	double busy;      /* and 0 .. 1 of its time it computed, or had no processor, which less work makes shorter, too */
};

/* A hypothesis.  All zeros: everything as it was. */
struct replay_question {
	const double *shorter; /* [0..nstacks]: the fraction by which the time in a stack, by its number, gets shorter, 0 to 1; NULL: none */
	const struct replay_known *known; /* the part that `shorter` takes away in all; NULL: the samples of the bursts are all there is */
	const struct replay_outside *outside;
	size_t noutside;
	const uint32_t *without; /* locks that are not there */
	size_t nwithout;
	unsigned cpus; /* processors; 0: as many as there were.  Changes nothing in the strict model */
};

/* The quantity that an effect is about. */
enum replay_what {
	REPLAY_PERIOD, /* time per visit of a progress point */
	REPLAY_WHOLE,  /* time for all of the work.  Only for bursts that hold the whole run */
	REPLAY_MEAN,   /* length of the spans of a latency point, their mean and percentiles */
	REPLAY_P50,
	REPLAY_P95,
	REPLAY_P99,
	REPLAY_WHATS
};

struct replay_modelled {
	double base_ns; /* the model's own, without the question; NAN: could not be counted */
	double ns;      /* with it.  Over the same visits or spans as base_ns */
	double gain;    /* 1 - ns / base_ns: the part that is saved; negative when it takes longer */
	double se;      /* of the gain, by chance alone: which samples were taken, which work came in the burst */
	double weight;  /* in the combined gain */
	double check;   /* what speaks most against the model: its time over the measured one, by the two ways to compare them; 1 is perfect */
};

struct replay_effect {
	enum replay_what what;
	uint32_t point;      /* as in the events; 0 for the whole */
	size_t count;        /* visits or spans in the recording */
	double measured_ns;  /* in the recording; NAN: fewer than two */
	struct replay_modelled model[REPLAY_MODELS];
	double gain;         /* of all models together, weighed by their checks; NAN: none could count */
	double chance;       /* its standard error by chance */
	double doubt;        /* the spread of the models around it, by their weights; more where one that is believed could not answer */
	double open;         /* how far it depends on what nobody recorded: see enum open_question in replay_parts.h */
	double misfit;       /* its standard error because no model gives the measured time: the unexplained part of the time may be that of the region */
	double phases;       /* its standard error because the bursts saw other phases than there are, where that is known */
	double se;           /* of all of these, and of what no model knows */
	double trust;        /* 0 .. 1: whether the checks hold, of the models that are right mostly */
};

struct replay_answer {
	struct replay_effect *effect; /* owned; periods by point, the whole, spans by point and what.  The same order for each question */
	size_t n;
};

/* Answers.  `q` may be NULL: nothing changes, and each gain is 0. */
void replay_ask(const struct replay *r, const struct replay_question *q, struct replay_answer *out);
void replay_answer_release(struct replay_answer *a);

/* Who waited for whom: all waits of a thread at one site that were ended by what one other thread did at another. */
struct replay_wait {
	uint32_t thread;    /* that waited, by its id in the bursts */
	uint32_t freer;     /* that ended it; 0: not known */
	uint32_t site;      /* of the wait */
	uint32_t freed_by;  /* site of the release, unlock or signal; 0: not known */
	enum burst_kind kind; /* of the wait: ACQUIRE, WAIT, or OUTSIDE */
	size_t count;
	double ns;          /* together */
};

/* The waits of all bursts, longest first.  Owned by the replay. */
const struct replay_wait *replay_waits(const struct replay *r, size_t *n);

#endif
