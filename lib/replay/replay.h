/*
 * replay: the time that the same work would have taken with faster code.
 *
 * A recorded burst is run again in a simulation.  A thread computes, and then repeats
 * its recorded operation: it takes a lock, waits for another thread, visits a progress
 * point.  With a question, each stretch of computing is shorter by the share of the
 * stacks in question in stretches of its kind.  The answer is a ratio of two such runs,
 * with and without the question, so that errors common to both cancel.
 *
 *     struct replay *r = replay_learn(burst, nbursts, nstacks, nbursts);
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
 * Three models answer the question.  None of them is right for all programs, and their
 * disagreement is a measure of the error.
 *
 * The conditions of waits are not recorded.  They are learned, or else stay as recorded;
 * replay_facts counts both.  No model includes effects that are not recorded: caches and
 * memory, and code that depends on time.
 *
 * To learn and to ask 40 questions of 150,000 events takes half a second and some 100
 * bytes an event.  With more threads than processors, there are more models and open
 * questions: 50 questions of 137,000 events of pigz take 7 s of processor time.  Questions
 * do not depend on each other, and may be asked by several threads at the same time.
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
	REPLAY_SIMULATED, /* the order of threads stays as recorded */
	REPLAY_MONITOR,   /* the first thread that comes gets a lock; waits end when their condition holds, as far as that was learned */
	REPLAY_STAYING,   /* the same, but each thread is on the processor of the recording, busy or not; needs more threads than processors */
	REPLAY_MODELS
};

/* All that was learned from the bursts of one run. */
struct replay;

/*
 * Learns from burst[0..n), which are of one run: ids, objects, sites, points and stacks
 * mean the same in each.  The caller keeps the bursts, which are not needed afterwards.
 * Numbers of stacks above nstacks count as 0, which is in no question.  Any content is
 * accepted; invalid events are left out, and counted in replay_facts.
 * all: the number of bursts in all runs whose answers will be averaged, n at least.  If there are many, each is simulated in fewer orders
 * of its threads.
 */
struct replay *replay_learn(const struct burst *burst, size_t n, size_t nstacks, size_t all);
void replay_free(struct replay *r);

/* The quality of the recording and of its models. */
struct replay_facts {
	size_t events;  /* without samples */
	size_t samples;
	size_t threads; /* threads with events, of all bursts together */
	double length_ns;
	/*
	 * The check: simulated time for the work, with no question and with time without a
	 * processor as it was recorded, over the time that it took.
	 * It is 1 for a perfect model; NAN where nothing could be counted.
	 */
	double check[REPLAY_MODELS];
	size_t locks, shared, conditions, barriers, tokens, latches; /* number of objects, by learned kind */
	size_t counted;   /* conditions whose waits end by a learned count */
	size_t gathered;  /* conditions whose waits end when all of a group have come */
	size_t unexplained; /* waits that no event of the bursts ended */
	double unexplained_ns;
	size_t timeouts;  /* waits for threads that timed out: the next look may succeed because of any thread */
	double timeouts_ns;
	double clock_ns;  /* waits until a moment of the clock */
	double frames_ns; /* the part of these until the end of a frame, see frames.c */
	double brief;     /* part of the time that threads compute or wait for locks: in waits of several times as long as the lock is held */
	double hidden;    /* part of the threads' rounds in which they may have met others without an event, 0 to 1; see hidden.c */
	size_t cut;       /* locks that were held, waits that were under way when a burst began */
	size_t forced;    /* deadlocks of the monitor model, each resolved by letting one thread go on */
};

void replay_facts(const struct replay *r, struct replay_facts *out);

/* A place where threads wait for the outside, and the change of these waits. */
struct replay_outside {
	uint32_t site;
	double factor; /* factor of their length, >= 0 */
};

/*
 * The time that a question removes in the whole run, by samples.  A burst of a second has a
 * few hundred samples, and sees one phase of the program; samples are taken in the whole run.
 */
struct replay_known {
	double part;      /* share of the processor time, 0 .. 1 */
	double samples;   /* samples that it is from, > 0 */
	double shorter;   /* by how much the code gets shorter, 0 .. 1: the bursts may hold no sample of it */
	double waited_ns; /* time in waits for the outside, of all threads together, >= 0; NAN: unknown */
	double length_ns; /* length of the run, > 0 */
	double period_ns; /* time of a wait that a blocked sample stands for */
	bool alone;       /* there was always one thread: then less work, or a shorter wait, saves as much time */
	double busy;      /* if alone: share of its time that it computes, or waits for a processor, 0 .. 1; less work shortens both */
};

/* A hypothesis.  All zeros: everything as it was. */
struct replay_question {
	const double *shorter; /* [0..nstacks]: the fraction by which the time in a stack, by its number, gets shorter, 0 to 1; NULL: none */
	const struct replay_known *known; /* the part that `shorter` removes in the whole run; NULL: known from bursts only */
	const struct replay_outside *outside;
	size_t noutside;
	const uint32_t *without; /* locks that are removed */
	size_t nwithout;
	unsigned cpus; /* processors; 0: as in the recording. */
	double sooner; /* moments of the clock that threads wait for come sooner by this part, 0 .. 1 */
};

/* The quantity of an effect. */
enum replay_what {
	REPLAY_PERIOD, /* time per visit of a progress point */
	REPLAY_WHOLE,  /* time for all of the work.  Only for bursts that contain the whole run */
	REPLAY_MEAN,   /* length of the spans of a latency point, their mean and percentiles */
	REPLAY_P50,
	REPLAY_P95,
	REPLAY_P99,
	REPLAY_WHATS
};

struct replay_modelled {
	double base_ns; /* the model's own value, without the question; NAN: unknown */
	double ns;      /* with it.  Over the same visits or spans as base_ns */
	double gain;    /* 1 - ns / base_ns: the part that is saved; negative when it takes longer */
	double se;      /* standard error of the gain, by chance alone: the choice of samples, and of the work in the burst */
	double weight;  /* weight in the combined gain */
	double check;   /* the worse of two checks: its time over the measured one; 1 is perfect */
};

/* The model with the greatest weight. */
static inline enum replay_model replay_leader(const struct replay_modelled model[REPLAY_MODELS])
{
	enum replay_model leader = 0;

	for (enum replay_model k = 1; k < REPLAY_MODELS; k++)
		if (model[k].weight > model[leader].weight)
			leader = k;
	return leader;
}

struct replay_effect {
	enum replay_what what;
	uint32_t point;      /* as in the events; 0 for the whole */
	size_t count;        /* visits or spans in the recording */
	double measured_ns;  /* in the recording; NAN: fewer than two */
	struct replay_modelled model[REPLAY_MODELS];
	double gain;         /* gain of all models together, weighted by their checks; NAN: unknown */
	double chance;       /* its standard error by chance */
	double doubt;        /* the spread of the models around it, by their weights */
	double open;         /* its standard error by assumptions about unrecorded facts: see enum open_question in replay_parts.h */
	double misfit;       /* its standard error because no model gives the measured time: the unexplained part of the time may be that of the region */
	double hidden;       /* its standard error because threads may have met others unseen: see struct replay_facts */
	double phases;       /* its standard error because the bursts saw other phases than there are, where that is known */
	double se;           /* standard error by all of these, and by effects that are in no model */
	double trust;        /* 0 .. 1: do the checks of the mostly right models hold? */
};

struct replay_answer {
	struct replay_effect *effect; /* owned; periods by point, the whole, spans by point and what.  The same order for each question */
	size_t n;
};

/* Answers a question.  `q` may be NULL: nothing changes, and each gain is 0. */
void replay_ask(const struct replay *r, const struct replay_question *q, struct replay_answer *out);
void replay_answer_release(struct replay_answer *a);

/* All waits of a thread at one site that were ended by one other thread at another site. */
struct replay_wait {
	uint32_t thread;    /* the waiting thread, by its id in the bursts */
	uint32_t freer;     /* the thread that ended it; 0: unknown */
	uint32_t site;      /* of the wait */
	uint32_t freed_by;  /* site of the release, unlock or signal; 0: not known */
	enum burst_kind kind; /* kind of the wait: ACQUIRE, WAIT, or OUTSIDE */
	size_t count;
	double ns;          /* together */
};

/* The waits of all bursts, longest first.  Owned by the replay. */
const struct replay_wait *replay_waits(const struct replay *r, size_t *n);

#endif
