/*
 * simulate_parts: the state of a simulation, and what its files call of each other.  Private to simulate_*.c.
 *
 *     simulate_heap.c        the moments at which actors go on, in order
 *     simulate_processors.c  who runs, and who waits for a processor
 *     simulate_waiting.c     an actor waits, and is woken
 *     simulate_sleep.c       waits for the outside and for the clock
 *     simulate_objects.c     locks, conditions, barriers, tokens, and the work that moves with them
 *     simulate_steps.c       what a step does
 *     simulate_loops.c       event loops handle first what is ready first
 *     simulate.c             the run, from the first moment to the last
 *
 * Each file calls only files above it.  An actor is named by its number i.  Small functions that each step needs are
 * inline: as calls they took a tenth of the time.
 */
#ifndef ANDWEORC_REPLAY_SIMULATE_PARTS_H
#define ANDWEORC_REPLAY_SIMULATE_PARTS_H

#include <math.h>
#include <string.h>

#include "replay/replay_parts.h"

#define INSTANT_NS 0.5 /* stretches that are shorter are over */

/* The state of an actor. */
enum doing { UNBORN, WAITING, SLEEPING, READY, RUNNING, OVER };

/*
 * The phase of its step: it begins; has been woken; has done the step itself, and tests the
 * condition; has been counted.
 */
enum phase { BEGINS, WOKEN, ASKS, WENT };

struct runner {
	uint32_t pos;       /* its next step */
	uint32_t heap;      /* its place in the heap */
	uint32_t processor; /* that it runs on, is in the queue of, or ran on last */
	uint32_t next;      /* in the list that it waits in */
	uint32_t waits_for; /* the step that it waits for, while it is in such a list; or NOBODY */
	uint32_t waits_at;  /* the object, while it is in the list of one; or NOBODY */
	uint32_t generation; /* round of the barrier at which it has arrived */
	uint32_t woken;     /* number of times, for this step */
	uint32_t drawn;     /* number of times that chance decided about its processor */
	bool writes;        /* it is one of the `writers` of a lock */
	uint8_t doing, phase;
	double at;          /* when its moment in the heap is */
	double asleep_since; /* when it last began to wait */
	float awake_ns;     /* processor time since it last slept for ASLEEP_NS */
	double since, left; /* running since, with so much of its stretch left then */
	double slice_end, used;
	double ticked;      /* when it last went on at a tick */
	double frame_end;   /* the last moment that its frames are counted from; 0: none yet */
	float change[REPLICATES];
};

struct processor {
	uint32_t running;     /* the actor, or NOBODY */
	uint32_t first, last; /* actors that wait for it, in order of arrival */
};

/* A list of numbers, in ascending order; see ordered_add. */
struct ordered {
	uint32_t first, last; /* NOBODY: it is empty */
};

struct link {
	uint32_t before, after;
};

/* The state of an object. */
struct place {
	uint32_t owner, depth; /* 1 + actor */
	int32_t have;          /* tokens, or arrivals, or given less consumed, or threads that share a lock */
	uint32_t generation;
	struct ordered given;  /* work that may be taken */
	uint32_t left;         /* its work before that is taken; NOBODY: it has none */
	uint32_t first, last;  /* list of waiting actors, in order of arrival */
	uint32_t writers;      /* that wait for a lock, or have been woken and do not have it yet */
	bool gone;             /* a lock that is not there */
};

/* The state of an event loop. */
struct looping {
	uint32_t end;     /* the step before which the present round ends */
	uint32_t present; /* the present round; NOBODY: none has begun */
	uint32_t left;    /* rounds that have not begun */
	bool waits;       /* for a round to be ready */
	struct ordered asked; /* rounds that it asks for as it waits for the next time */
	struct ordered made; /* rounds that have been made ready, perhaps for a later time, and have not begun */
};

struct sim {
	const struct replay *replay;
	const struct script *script;
	const struct setting *how;
	struct run *run;
	struct runner *runner;
	struct place *place;
	uint32_t *heap;
	uint32_t *followers; /* by the actor that did the step in the recording: the first actor waiting for a step of it */
	bool *done;          /* by step */
	double *when;        /* by step, when it was done; NULL: no step needs that */
	struct looping *looping; /* by loop; NULL: there is none, or the order is as recorded */
	int64_t *stalled;    /* by stall: its count */
	bool *begun;         /* by round */
	double *ready;       /* by round: since when it is ready, or from when on; INFINITY: not known yet */
	struct link *rounds; /* by round */
	bool *given, *taken; /* by work */
	struct link *works;  /* by work */
	size_t nheap;
	struct processor *processor;
	uint32_t cpus, idle; /* processors, and those of them that nobody runs on */
	size_t queued;       /* actors that wait for a processor */
	unsigned model;     /* RECORDED or MONITOR */
	bool preempts;      /* see struct replay */
	bool stays;         /* as in REPLAY_STAYING */
	double takes;       /* see struct replay */
	double now;
	double computed_ns, taken_ns; /* as in struct visit */
	uint32_t cause;     /* the actor that acts now */
	bool stopped;
};

static inline const struct step *step_of(const struct sim *m, uint32_t i)
{
	return &m->script->step[m->runner[i].pos];
}

static inline size_t number_of(const struct sim *m, const struct step *s)
{
	return (size_t)(s - m->script->step);
}

static inline void change_copy(struct sim *m, uint32_t to, uint32_t from)
{
	if (m->how->change && to != from && from != NOBODY)
		memcpy(m->runner[to].change, m->runner[from].change, sizeof(m->runner[to].change));
}

/* Simple enough for compilers to vectorise. */
static inline void change_shift(float *restrict change, const float *restrict by, float ns)
{
	for (size_t k = 0; k < REPLICATES; k++)
		change[k] -= ns * by[k];
}

/* ---- numbers in order ------------------------------------------------------------------ */

/* Most are added at the end, or near it. */
static inline void ordered_add(struct ordered *o, struct link *link, uint32_t number)
{
	uint32_t before = o->last, after;

	while (before != NOBODY && before > number)
		before = link[before].before;
	after = before == NOBODY ? o->first : link[before].after;
	link[number] = (struct link){ before, after };
	*(before == NOBODY ? &o->first : &link[before].after) = number;
	*(after == NOBODY ? &o->last : &link[after].before) = number;
}

static inline void ordered_remove(struct ordered *o, struct link *link, uint32_t number)
{
	struct link l = link[number];

	*(l.before == NOBODY ? &o->first : &link[l.before].after) = l.after;
	*(l.after == NOBODY ? &o->last : &link[l.after].before) = l.before;
}

/* ---- simulate_heap.c --------------------------------------------------------------------- */

/* Puts the moment of the actor there, or moves it. */
void moment_put(struct sim *m, uint32_t i, double at);
/* It has none from now on. */
void moment_drop(struct sim *m, uint32_t i);

/* ---- simulate_processors.c ----------------------------------------------------------------- */

/* The actor is ready: it runs, or waits for a processor. */
void processor_ask(struct sim *m, uint32_t i);
/* The running actor begins a stretch: on its processor, or, if threads stay, on that of the recording. */
void processor_go_on(struct sim *m, uint32_t i);
/* Is the actor on the processor of the recording, whichever is free? */
bool processor_is_recorded(const struct sim *m, uint32_t i);
/* Counts what the running actor has computed until now. */
static inline void processor_account(struct sim *m, uint32_t i)
{
	struct runner *r = &m->runner[i];
	double ran = m->now - r->since;

	r->left = r->left > ran ? r->left - ran : 0;
	r->used += ran;
	r->since = m->now;
}

/* The running actor stops to run; the next one that waits for the processor does. */
void processor_leave(struct sim *m, uint32_t i);
/* The slice of the running actor is over: another one runs. */
void processor_next_slice(struct sim *m, uint32_t i);

/* ---- simulate_waiting.c --------------------------------------------------------------------- */

void actor_sleep(struct sim *m, uint32_t i, double ns);
/* The time from the end of its wait for the step until it goes on, ns. */
double actor_latency(struct sim *m, uint32_t i, const struct step *s);
/* It goes on after its latency. */
void actor_wake(struct sim *m, uint32_t i);
/* Joins the list of the object. */
void actor_wait_at(struct sim *m, uint32_t object, uint32_t i);
/* Wakes the first in the list.  False: there is none. */
bool place_wake_first(struct sim *m, struct place *p);
/* True: the actor must wait for one of the first n causes of its step, and is in the list of that cause. */
bool actor_follows(struct sim *m, uint32_t i, const struct step *s, size_t n);
/* A step that `by` did in the recording is done: wakes actors that wait for it. */
void followers_wake(struct sim *m, uint32_t by);

/* ---- simulate_sleep.c.  do_*: true when the step is done, false when the actor waits -------- */

bool do_sleep(struct sim *m, uint32_t i, const struct step *s);
bool do_answer(struct sim *m, uint32_t i, const struct step *s);
/* How long it sleeps, in ns, without the time until a processor is free. */
double sleep_ns(struct sim *m, uint32_t i, const struct step *s);

/* The step changes the count of its stall. */
void sleep_count(struct sim *m, const struct step *s);
/* The time from the cause to the answer, ns; may be negative. */
double sleep_answer_ns(const struct sim *m, const struct step *s);
/* The part of a wait for the outside that the question leaves, 0 .. 1. */
double sleep_outside_rest(const struct sim *m, const struct step *s);

/* ---- simulate_objects.c ------------------------------------------------------------------------ */

/* Objects as they are when the script begins, without the locks that the question removes. */
void places_prepare(struct sim *m);
bool do_edge(struct sim *m, uint32_t i, const struct step *s, size_t ncauses);
bool do_wait(struct sim *m, uint32_t i, const struct step *s);
bool do_barrier(struct sim *m, uint32_t i, const struct step *s);
bool do_grab(struct sim *m, uint32_t i, const struct step *s);
bool do_take(struct sim *m, uint32_t i, const struct step *s);
void do_leave(struct sim *m, uint32_t i, const struct step *s);
void do_arrive(struct sim *m, uint32_t i, const struct step *s);
void do_give(struct sim *m, uint32_t i, const struct step *s);
void do_signal(struct sim *m, uint32_t i, const struct step *s);
/* After the step itself: true if the condition that it asks for holds.  Else it waits, without the lock. */
bool condition_check(struct sim *m, uint32_t i, const struct step *s);
/* Where work moves: the actor goes on with the first work of the recording that is given and not taken. */
void work_take(struct sim *m, uint32_t i, uint32_t object);
/* A waiting actor leaves the list that it waits in, without having been woken. */
void actor_unlink(struct sim *m, uint32_t i);

/* ---- simulate_steps.c ---------------------------------------------------------------------------- */

/* Does the step: true when it is done, false when the actor waits, or is over. */
bool do_step(struct sim *m, uint32_t i, const struct step *s);
/* Begins the computing before the actor's next step. */
void stretch_begin(struct sim *m, uint32_t i);
/* The actor does the last steps of `a`: the run may end with them. */
void counting_end(struct sim *m, uint32_t i, const struct actor *a);

/* ---- simulate_loops.c ------------------------------------------------------------------------------ */

void loops_prepare(struct sim *m);
void loops_release(struct sim *m);
/* The event loop that the actor is; NULL: none, or its order stays as recorded. */
static inline struct looping *loop_of(const struct sim *m, uint32_t i)
{
	return m->looping && m->script->actor[i].loop ? &m->looping[m->script->actor[i].loop - 1] : NULL;
}

/* Is the actor at the end of a round, and are others left?  l may be NULL. */
bool loop_ends_round(const struct sim *m, uint32_t i, struct looping *l);
/* The loop has done a round.  True: it goes on with one that is ready; false: it waits for one. */
bool loop_next_round(struct sim *m, uint32_t i, struct looping *l);
/* After a deadlock: the round that was the next one in the recording is ready. */
void loop_force_round(struct sim *m, uint32_t i, struct looping *l);
/* The cause of the round is done; or its cause is not known, and the round before is over. */
void round_make_ready(struct sim *m, uint32_t round);

#endif
