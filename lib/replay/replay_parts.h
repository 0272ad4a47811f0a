/*
 * replay_parts: declarations that the files of replay share.  Private to replay.
 *
 *     taken.c     when a thread has taken what it took without a call
 *     batches.c   reads of several messages at once become several reads
 *     frames.c    finds waits for moments that follow the thread
 *     script.c    events become steps
 *     objects.c   finds the kind of each object
 *     causes.c    finds the step that ended each wait
 *     loops.c     finds event loops, which handle first what is ready first
 *     unknown.c   tells which waits without such a step were for threads, and which for any of several things
 *     sections.c  finds sections of locks, in which threads wait for conditions
 *     conditions.c learns the conditions of these waits
 *     moving.c    finds work that any free thread can take
 *     ticks.c     finds timers that tick on while nobody waits
 *     latency.c   times of wake-ups
 *     oversleep.c waits for processors at the end of sleeps
 *     shares.c    shares of stacks in stretches of each kind
 *     sample_time.c how much longer a stretch is because of a sample
 *     awake.c     stretches that are longer because the thread had waited
 *     waits.c     lists waits by both threads
 *     brief.c     finds waits for brief locks
 *     hidden.c    tells how many meetings leave no event
 *     polled.c    bounds gains where threads poll
 *     learn.c     all of this, in order
 *     simulate.c  runs a script; its own files are listed in simulate_parts.h
 *     compare.c   compares two such runs
 *     known.c     corrects results of bursts by shares of the whole run
 *     answer.c    combines the answers of all models
 */
#ifndef ANDWEORC_REPLAY_PARTS_H
#define ANDWEORC_REPLAY_PARTS_H

#include "base/idmap.h"
#include "replay/replay.h"

#define NOBODY UINT32_MAX

enum { REPLICATES = 16 }; /* resampled sets of samples */

/* The event at the end of a stretch of computing. */
enum op {
	OP_PASS,    /* no effect on others */
	OP_VISIT,
	OP_BEGIN,
	OP_END,
	OP_BIRTH,   /* `other`: the thread of the script that starts, or NOBODY */
	OP_STOP,    /* the script is at its end */
	OP_SLEEP,   /* for as long as recorded */
	OP_EDGE,    /* goes on after its causes */
	OP_ANSWER,  /* goes on so long after its cause as recorded, however long of that it waits */
	OP_ARRIVE,  /* at a barrier */
	OP_BARRIER, /* goes on when all have arrived */
	OP_GIVE,    /* a token */
	OP_GRAB,    /* a token, when there is one */
	OP_TAKE,    /* a lock, when it is free */
	OP_LEAVE,   /* a lock; `other`: 1 + the class of the section that ends here, or 0 */
	OP_RESUME,  /* was waiting for a condition already when the burst began */
	OP_WAIT,    /* goes on after its cause, and takes the lock `other` */
	OP_SIGNAL,  /* the condition `object` */
};

/* The end of a wait. */
struct wakeup {
	float ns;       /* its latency: from the end of the cause to going on, without late_ns */
	float slept_ns; /* the time before, from the begin of the wait; 0: not known */
};

struct step {
	/* Fields that each run needs stand together: with many steps, memory takes most of the time. */
	uint8_t op[2];    /* operation in the models with the recorded order; in the monitor model */
	uint8_t kind;     /* enum burst_kind; BURST_KINDS: the end of the script */
	bool exact;       /* the cause is the only one that can have ended the wait */
	bool shares;      /* takes a lock together with others that share it */
	uint16_t processor; /* that the thread was on after it, a number of `processors`; or NOWHERE */
	bool unseen;      /* a token that nobody was seen to give */
	bool for_any;     /* a wait for any of several things */
	bool taken;       /* without a call, at an uncertain time; see taken.c */
	bool any;         /* such a wait, which the outside ended; see unknown.c */
	bool unsignalled; /* a wait for what may have come true before, without a signal; see unsignalled.c */
	bool by_thread;   /* a wait with an unknown end; but a thread has ended it */
	float cpu_ns;     /* processor time since the step before */
	float awake_ns;   /* the same, if the thread had not waited before; see awake.c */
	uint32_t cell;    /* cell of shares of the stretch before */
	uint32_t asks;    /* in the monitor model: goes on when this condition holds; or NOBODY */
	uint32_t object, other; /* by their index; see enum op */
	uint32_t cause[2]; /* steps, which are done before this one; NOBODY: none */
	uint32_t monitor_other; /* `other` for the monitor model */
	struct wakeup woken; /* for the monitor model, in which another may be the cause */
	float queued_ns;  /* time without a processor since the step before */
	float waited_ns;
	float kernel_ns;  /* for a wait for the outside: the part of waited_ns that was processor time */
	struct wakeup wakeup; /* as recorded */
	float late_ns;    /* after its latency, the time until a processor was free */
	uint32_t latencies; /* number of the list of latencies at such places */
	uint32_t site;
	float answer_ns;    /* the time from what was asked for to the answer, or until it was seen; 0: its cause tells.  See taken.c */
	float frame_ns;     /* it waits until so long after its last such moment, or until now; 0: it does not.  See frames.c */
	uint32_t stall;     /* 1 + the number of a stall, of which an UNLOCK changes the count, or that a sleep belongs to; 0: none.  See stalls.c */
	uint32_t ticks;     /* 1 + the timer for which it waits; 0: none, or not one of struct ticks */
	bool counts_work;   /* in the middle of a stretch; see burst_count_work */
	uint32_t wait_cell; /* for a wait for the outside: the cell of its place */
};

enum { RECORDED, MONITOR };
enum { NOWHERE = UINT16_MAX };

/*
 * If processors were idle for less, the kernel has moved threads to them.  So where threads were tells little, and nothing
 * is to be learned of how rarely idle processors take threads.
 */
#define IDLED_LEAST 0.01

/*
 * Did a wait for a moment of the clock, or for a tick, find it over?  Then it took no longer than its call, which is up
 * to 20 us in a virtual machine, and twice that where others want the processor.
 */
static inline bool came_late(int64_t waited_ns)
{
	return waited_ns < 40000;
}

static inline bool step_came_late(const struct step *s)
{
	return came_late((int64_t)s->waited_ns);
}

static inline bool step_is_for_outside(const struct step *s)
{
	return s->kind == BURST_OUTSIDE || s->kind == BURST_ANSWERED;
}

/*
 * A thread may compute more slowly for so long after a wait, if that was longer than ASLEEP_NS; see awake.c.  3 ms and 20 ms
 * predict alike.
 */
#define AWAKE_NS  1e6F
#define ASLEEP_NS 2e4F

/* A timer whose ticks do not wait for the thread that waits for them. */
struct ticks {
	double period_ns, phase_ns; /* there is a tick at the phase, and after each period */
};

struct actor {
	uint32_t first, end; /* steps; the last is OP_STOP */
	uint32_t id;
	uint32_t birth_site; /* where it was created; 0: not known */
	uint32_t loop; /* 1 + its place among the loops; 0: it is none */
	bool born;    /* it was created in the burst: it starts with a step of another thread */
	bool matters; /* counting ends where its script does */
};

enum object_kind { OBJECT_LATCH, OBJECT_LOCK, OBJECT_SHARED, OBJECT_CONDITION, OBJECT_BARRIER, OBJECT_TOKENS };

/* What makes a round of an event loop ready, or gives work.  The first member of these structs; see script_list_by_step. */
struct made_by {
	uint32_t step; /* NOBODY: not known, or before the burst */
	uint32_t same; /* the next round, or other work, that the same step makes; or NOBODY */
};

/* An event loop. */
struct loop {
	uint32_t actor;
	uint32_t first, n; /* rounds */
	uint32_t pending;  /* the most rounds that had a cause, and had not begun, at a time */
};

/* A round of an event loop: the handling of one thing that is ready. */
struct round {
	struct made_by cause; /* NOBODY: not known */
	uint32_t loop;
	uint32_t first; /* the step at the end of its wait */
	bool asked;     /* the loop asks for it as it waits for the next time */
};

/* Work that a thread takes at an object: the steps from there to the next such step of that thread. */
struct work {
	struct made_by giver; /* NOBODY: it was there when the burst began */
	uint32_t object;
	uint32_t first; /* the step that takes it */
};

/* The rule by which a wait for a condition ends. */
enum rule {
	RULE_EDGE,     /* by a signal: no better rule is known */
	RULE_SIGNALS,  /* signals so far, less those consumed, are at least so many */
	RULE_SECTIONS, /* the same with sections of classes that ever signal it */
	RULE_GATHER,   /* all members have come */
};

struct object {
	uint32_t id;
	enum object_kind kind;
	enum rule rule;
	uint32_t members;  /* size of a barrier or of a group */
	uint32_t lock;     /* for a condition: its lock, or NOBODY */
	bool moves;        /* what follows is work for whoever acquires it */
	bool several;      /* more than one thread acquires it */
	bool excludes;     /* a shared lock that some take alone: a read-write lock, */
	bool writers_first; /* of which nobody takes a share while such an actor waits; see writers.c */
	uint32_t nap_ns;   /* threads that wait for it look each time after so long whether they may go on; 0: they are woken.  See naps.c */
	int32_t gives, consumes; /* amount that each signal or section gives, and that each ended wait consumes */
};

/* Sections of a lock that begin and end at the same places. */
struct section_class {
	uint32_t lock, from, to;
	size_t n;              /* sections of this class */
	uint32_t awaits;       /* the condition that its sections may wait for, or NOBODY */
	uint64_t anchor;       /* the place of the step after which they do */
	uint32_t gives[4];     /* conditions that they signal */
	uint32_t ngives;
};

struct visit {
	double at_ns, weight;
	double computed_ns, taken_ns; /* processor time of all threads until then, as recorded, and the part of it that the question removes */
	float change[REPLICATES]; /* changes of at_ns in resampled sets */
};

struct span {
	double begin_ns, end_ns; /* NAN: not in this run */
	float change[REPLICATES]; /* changes of its length in resampled sets */
};

/*
 * Facts that are not recorded, and may change when other code is faster.  The truth lies
 * between two extreme assumptions.  The last one has an effect in one direction only, so it also moves the gain.
 */
enum open_question {
	AS_RECORDED,
	/*
	 * Waits with an unknown end, and those that timed out.  A thread may have ended them that
	 * would come earlier then, or at the same time as before.
	 */
	WAITS_SHORTER,     /* they are shorter by the same part as the code in question */
	WAITS_FIXED,       /* they end at the recorded time, so that they are longer for a thread that comes earlier; so do waits for ticks */
	LATENCIES_RECORDED, /* latencies do not depend on how long the thread slept; see actor_latency in simulate_waiting.c */
	COMPUTES_AWAKE, /* a thread that does not wait computes faster than it did after its waits; see awake.c */
	OPEN_QUESTIONS
};

/* The result of one script: visits and spans until it stopped. */
struct run {
	double stop_ns;
	enum open_question open; /* what was assumed in it */
	double spared_ns;    /* time by which stretches would have been shorter with that, all together */
	double idled_ns;     /* time in which processors were idle while actors waited for others, all together */
	float stop_change[REPLICATES];
	struct visit *visit; /* point by point; owned */
	const size_t *first; /* by point; the script's */
	size_t *visits;      /* by point; owned */
	struct span *span;   /* owned */
	size_t nspans;
	double *woke_ns; /* by step: when a wait with an unknown end was over; owned, NULL: not noted */
	size_t forced;
	bool failed;         /* it had too many deadlocks */
};

struct script {
	struct step *step;
	double *at_ns;  /* end of each step, as recorded */
	size_t n;
	struct actor *actor;
	size_t nactors;
	uint32_t *actor_of; /* each step */
	int32_t *start;   /* by object, at the begin: tokens or arrivals; 1 + the owner of a lock; the need of a condition */
	unsigned cpus;
	double length_ns;
	size_t visits, spans; /* in the script */
	size_t *first_visit;  /* by point: the number of visits of the points before it */
	uint32_t *span_point; /* by span */
	size_t span_cap;
	struct work *work;    /* that moves, by object and in the recorded order */
	size_t nwork, work_cap;
	uint32_t *gives_work; /* by step: the first work that it gives, or NOBODY; NULL: no work moves */
	struct ticks *ticks;
	size_t nticks, ticks_cap;
	struct loop *loop;
	size_t nloops, loops_cap;
	struct round *round;
	size_t nrounds, rounds_cap;
	uint32_t *makes_ready; /* by step: the first round that it makes ready, or NOBODY; NULL: there are no loops */
	struct run recorded;  /* the recording as a run */
	struct run base[REPLAY_MODELS];
	struct run assumed[OPEN_QUESTIONS]; /* bases of MAIN_MODEL, with each other assumption */
	struct run kept[REPLAY_MODELS]; /* like base, but time without a processor is kept as it was recorded */
};

/* The roots of shares. */
enum { SHARES_COMPUTING, SHARES_WAITING, ROOTS };

struct sample {
	uint32_t cell, stack;
	bool waiting; /* for the outside */
	float weight;
	float passed; /* of its stretch: first ns, then a part, 0 .. 1; negative: unknown */
	uint8_t copies[REPLICATES]; /* in resampled sets */
};

/* A thread sleeps while a count is high, see stalls.c. */
struct stall {
	uint32_t lock, raised_at, lowered_at; /* ids of the recording; the places unlock it */
	int32_t raise, lower; /* by so much these places change the count */
	int32_t need;         /* from this count on it sleeps; it is 0 as the burst begins */
	float length_ns;      /* of such a sleep, mostly */
};

#define STALL_LOWERS (1u << 31) /* in `stall` of an UNLOCK: it lowers the count; else it raises it */

struct latencies {
	struct wakeup *v;
	size_t n, cap;
	float most_ns; /* 0: no limit */
};

struct replay {
	struct object *object;
	size_t nobjects;
	struct section_class *section_class;
	size_t nclasses, class_cap;
	struct script *script;
	size_t nscripts;
	uint32_t *above; /* by cell of the tree of shares: the one above it, which has a smaller number; NOBODY: it is a root */
	size_t ncells, cell_cap;
	struct sample *sample;
	size_t nsamples, sample_cap;
	size_t nstacks;
	double alike;           /* so many samples tell no more than one, because they are in step with the program; >= 1 */
	double missed;          /* share of the time, without a sample for the same reason, 0 .. 1 */
	size_t nwaiting;        /* samples of waits, */
	double sampled_wait_ns; /* and the time that they stand for */
	uint32_t *point, *latency_point; /* ids, ascending */
	size_t npoints, nlatency;
	struct stall *stall; /* of all bursts */
	size_t nstalls, stall_cap;
	struct latencies *latencies;
	size_t nlatencies, latencies_cap;
	bool more_threads; /* than processors, in some script */
	unsigned realizations; /* of each script; see realizations.c */
	struct idmap processors; /* that threads were on; none: not recorded */
	double takes[REPLAY_MODELS]; /* in the model, the chance that an idle processor takes a thread that waits for another one, 0 .. 1 */
	bool preempts[REPLAY_MODELS]; /* in the model, a thread that has run for longer gives way to one that wakes up */
	struct replay_facts facts;
	struct replay_wait *wait;
	size_t nwaits;
	double left_idle[REPLAY_MODELS]; /* the part of `idled` that is not in the model */
	bool answers;    /* the outside has answered what it was asked for */
	double any_ns;   /* of waits for any of several things, those that the outside ended; and of unsignalled ones */
	double fixed_ns; /* of waits with an unknown end, those that the outside may have ended */
	double scarce; /* share of the time in which threads wanted a processor and had none */
	/*
	 * With more threads than processors, or in a crowd: for how long processors may have been idle while
	 * threads waited for others, at the most; over the time of all computing.
	 */
	double idled;
	double busy;   /* mean number of busy processors, at least 1 */
	double slowed; /* factor by which computing takes longer because of other programs; 1 in a crowd */
	bool whole;    /* the burst contains all phases of the program, in their true proportion */
	bool crowded;  /* much time without a processor, not only because of other programs: the scheduler matters, too */
};

/* For a wait between two looks of which the thread naps: the time from look to look, ns.  0: it is woken. */
static inline uint32_t nap_of(const struct replay *r, const struct step *s)
{
	return burst_is_about_object(s->kind) && s->object != NOBODY ? r->object[s->object].nap_ns : 0;
}

/* ---- ids -------------------------------------------------------------------------- */

/* For qsort and bsearch: compares ids, and structs that begin with one. */
static inline int ids_ascending(const void *va, const void *vb)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return (a > b) - (a < b);
}

/* A key of two numbers, or of a key and one more.  (The finalizer of splitmix64.) */
static inline uint64_t keys_mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static inline size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- learning -------------------------------------------------------------------- */

/* An event in the time of the whole burst. */
struct moment {
	int64_t at_ns;
	uint32_t actor;
	uint32_t step;
	const struct burst_event *event;
	bool lets_on; /* lets others go on */
};

/* All events with steps, in order of time; at equal times, releases before acquires.  Owned by the caller. */
struct moment *script_moments(const struct burst *b, const struct script *s, size_t *n);

uint32_t object_find(const struct replay *r, uint32_t id); /* NOBODY when there is none */
void objects_learn(struct replay *r, const struct burst *burst, size_t n);
int event_takes_lock(const struct replay *r, const struct burst_event *e); /* 1: it takes one; -1: it lets one go */
enum { TAKEN_EVENT = 1 }; /* in `other` of an answer that taken_place has moved; the rest is the time since it was asked for, ns */
void taken_place(const struct replay *r, struct burst *b, size_t n); /* moves events of bursts */
/* These change events of a burst, and add some.  They return the number of those. */
size_t batches_spread(const struct replay *r, struct burst *b);
size_t frames_find(struct burst *b); /* the end of a frame is a CLOCK whose `other` is the frame's length, ns */
size_t stalls_find(struct replay *r, struct burst *b); /* `other` of OUTSIDE and UNLOCK is what struct step has in `stall` */
void script_learn(struct replay *r, const struct burst *burst, size_t n);
/*
 * For each step, the number of the first item that it makes, or NOBODY; sets `same` of the items.  An item has `size` bytes, and
 * begins with a struct made_by.  The caller frees the list.
 */
uint32_t *script_list_by_step(const struct script *s, void *items, size_t n, size_t size);
void objects_refine(struct replay *r, struct moment *const *m, const size_t *n);
void writers_learn(struct replay *r, struct moment *const *m, const size_t *n);
void causes_learn(struct replay *r, struct script *s, const struct moment *m, size_t n);
void loops_learn(struct replay *r);
void unknown_learn(struct replay *r);
void conditions_learn(struct replay *r);
void unsignalled_learn(struct replay *r);
void ticks_learn(struct replay *r);
void latency_learn(struct replay *r);
void oversleep_learn(struct replay *r);
struct wakeup latency_pick(const struct replay *r, uint32_t list, uint64_t random);
uint32_t step_takes(const struct step *s); /* in the monitor model: the object at which it takes one of what is given there, or NOBODY */
void moving_learn(struct replay *r);
void shares_learn(struct replay *r);
void awake_learn(struct replay *r);
void waits_learn(struct replay *r);
double brief_waits(const struct replay *r); /* see struct replay_facts */
double hidden_part(const struct replay *r); /* see there, too */

/* How often threads did what.  All zeros at first. */
struct deeds {
	struct idmap deed, thread;
	size_t *done, *rounds; /* by deed; by thread: the most of its deeds; owned */
	size_t done_cap, rounds_cap;
};

void deeds_count(struct deeds *d, uint32_t thread, const struct step *s);
double deeds_done(const struct deeds *d, uint32_t thread, const struct step *s); /* how often the thread did the same; 0: not counted */
double deeds_rounds(const struct deeds *d, uint32_t thread); /* how often it did what it did most often */
void deeds_release(struct deeds *d);

struct sample_time;

struct sample_time *sample_time_begin(void);
/* Adds a stretch of that kind and length, with so many samples in it. */
void sample_time_add(struct sample_time *t, uint64_t kind, double ns, unsigned samples);
/* By how much a sample makes its stretch longer, ns; 0: unknown.  Releases t. */
float sample_time_end(struct sample_time *t);

/* The first step from i on that is not in the middle of its stretch, before `end`; and the time of the stretch up to there. */
uint32_t stretch_end(const struct script *s, uint32_t i, uint32_t end, float *cpu_ns);

/* The cell of all stretches between the same two places as those of the cell of a step. */
uint32_t shares_kind(const struct replay *r, uint32_t cell);

/*
 * For each cell the fraction by which its stretches get shorter, and its changes in
 * resampled sets.  The caller frees both.
 */
void shares_ask(const struct replay *r, const double *shorter, float **fraction, float (**change)[REPLICATES]);

/* ---- running --------------------------------------------------------------------- */

struct setting {
	enum replay_model model;
	enum open_question open;
	uint32_t realization;                /* 0: the first one; see realizations.c */
	double shorter;                      /* for shorter waits: the part, 0 .. 1 */
	bool notes_ends;                     /* notes the ends of waits, for later runs with WAITS_FIXED */
	bool kept;                           /* time without a processor is kept as it was recorded: for the check */
	unsigned cpus;                       /* 0: those of the burst */
	const float *fraction;               /* by cell; NULL: 0 */
	const float (*change)[REPLICATES];   /* by cell; NULL: none */
	const struct replay_question *asked; /* for waits for the outside, and for removed locks */
};

/* How many realizations of each burst are simulated, if the answers are averaged over so many bursts. */
unsigned realizations_of(size_t bursts);
/* One realization. */
void simulate_once(const struct replay *r, const struct script *s, const struct setting *how, struct run *out);
/* The mean of several realizations, where these differ. */
void simulate(const struct replay *r, const struct script *s, const struct setting *how, struct run *out);
void run_prepare(const struct replay *r, const struct script *s, struct run *run); /* empty */
void run_release(struct run *run);

/*
 * The model whose runs tell the chance of samples, and the range of open questions, for all
 * models: the one that is right most often.
 */
#define MAIN_MODEL REPLAY_MONITOR

/* The answer of another model is NAN, and its weight 0. */
static inline bool replay_has_model(const struct replay *r, enum replay_model model)
{
	return model != REPLAY_STAYING || (r->processors.n && r->idled > IDLED_LEAST);
}

/* ---- comparing ------------------------------------------------------------------- */

/* As in struct replay_modelled. */
struct compared {
	size_t count;
	double base_ns, ns, gain, se;
	double by_samples; /* the part of se from the choice of samples; 0 if the run did not carry it */
	double change[REPLICATES]; /* changes of the gain in resampled sets */
};

/*
 * run: the run of each script by the model, which is compared with the model's base.  NULL: compares the base
 * with the recording.
 *
 * known: is the part of all processor time that the question removes known for the whole run?  Then it does not matter
 * that parts of a burst differ by it, which would be taken for chance.  `openssl speed` hashes blocks of six sizes, one
 * after the other (EVIDENCE.md, "What each rule is worth").
 */
struct compared compare_visits(const struct replay *r, const struct run *run, enum replay_model model, size_t point, bool known);
struct compared compare_whole(const struct replay *r, const struct run *run, enum replay_model model);
void compare_spans(const struct replay *r, const struct run *run, enum replay_model model, size_t point, struct compared out[REPLAY_WHATS]);

/* Time per visit as recorded; NAN: too few. */
double measured_period(const struct replay *r, size_t point);

/*
 * The least gain of the program that a thread which polls may allow, if all others wait for it;
 * INFINITY: no thread polls.  fraction: of shares_ask.
 */
double polled_bound(const struct replay *r, const float *fraction);

/* ---- shares of the whole run --------------------------------------------------- */

/* The time that a question removes, by the samples of the bursts. */
struct taken_away {
	double part, change[REPLICATES]; /* part of all computing */
	double most;      /* the largest speedup of any stack */
	double samples;
	double missed;    /* share of the time that samples did not meet */
	double waited;    /* part in waits for the outside, of all threads, relative to the length of the bursts */
	double length_ns;
};

/* fraction, change: of shares_ask. */
struct taken_away known_taken(const struct replay *r, const double *shorter, const float *fraction, const float (*change)[REPLICATES]);

/* Corrects the gain of each model, and its se; sets e->phases. */
void known_apply(const struct replay *r, struct replay_effect *e, struct compared c[REPLAY_MODELS], const struct taken_away *taken,
		 const struct replay_known *known);

#endif
