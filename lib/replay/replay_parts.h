/*
 * replay_parts: what the files of replay share.  Nobody else includes it.
 *
 *     script.c    events become steps
 *     objects.c   what kind of thing each object is
 *     causes.c    which step each wait was ended by
 *     sections.c  what waits for condition variables wait for
 *     moving.c    what work is for whoever is free
 *     latency.c   how long a wake-up takes
 *     shares.c    what part each stack has in stretches of each kind
 *     waits.c     who waited for whom
 *     learn.c     all of this, in order
 *     simulate.c  runs a script
 *     compare.c   compares two such runs
 *     known.c     corrects what bursts say by what the whole run says
 *     answer.c    makes one answer of all models'
 */
#ifndef ANDWEORC_REPLAY_PARTS_H
#define ANDWEORC_REPLAY_PARTS_H

#include "base/idmap.h"
#include "replay/replay.h"

#define NOBODY UINT32_MAX

enum { REPLICATES = 16 }; /* resampled sets of samples */

/* The event at the end of a stretch of computing. */
enum op {
	OP_PASS,    /* nothing that others see */
	OP_VISIT,
	OP_BEGIN,
	OP_END,
	OP_BIRTH,   /* `other`: the thread of the script that starts, or NOBODY */
	OP_STOP,    /* the script is at its end */
	OP_SLEEP,   /* for as long as it was */
	OP_EDGE,    /* goes on after its causes */
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

struct step {
	/* Fields that each run needs stand together: with many steps, memory takes most of the time. */
	uint8_t op[2];    /* with the order as recorded; of the monitor model */
	uint8_t kind;     /* enum burst_kind; BURST_KINDS: the end of the script */
	bool exact;       /* the cause is the only one that can have ended the wait */
	float cpu_ns;     /* processor time since the step before */
	uint32_t cell;    /* of shares, of the stretch before */
	uint32_t asks;    /* in the monitor model: then goes on when this condition holds; or NOBODY */
	uint32_t object, other; /* by their index; see enum op */
	uint32_t cause[2]; /* steps, which are done before this one; NOBODY: none */
	uint32_t monitor_other; /* `other` for the monitor model */
	float woken_ns;   /* latency for the monitor model, in which another may be the cause */
	float queued_ns;  /* time without a processor since the step before */
	float waited_ns;
	float latency_ns; /* from the end of the cause to going on */
	float late_ns;    /* and after that, until there was a processor */
	uint32_t latencies; /* which were seen in such places, the number of their list */
	uint32_t site;
	bool counts_work;   /* in the middle of a stretch; see burst_count_work */
	uint32_t wait_cell; /* of a wait for the outside: as `cell`, of what it waits in */
};

enum { RECORDED, MONITOR };

struct actor {
	uint32_t first, end; /* steps; the last is OP_STOP */
	uint32_t id;
	uint32_t birth_site; /* where it was created; 0: not known */
	bool born;    /* in the burst: it starts with a step of another */
	bool matters; /* counting ends where its script does */
};

enum object_kind { OBJECT_LATCH, OBJECT_LOCK, OBJECT_SHARED, OBJECT_CONDITION, OBJECT_BARRIER, OBJECT_TOKENS };

/* By what rule a wait for a condition goes on. */
enum rule {
	RULE_EDGE,     /* it was signalled: nothing better is known */
	RULE_SIGNALS,  /* signals so far, less those consumed, are at least so many */
	RULE_SECTIONS, /* the same with sections of classes that ever signal it */
	RULE_GATHER,   /* all members have come */
};

struct object {
	uint32_t id;
	enum object_kind kind;
	enum rule rule;
	uint32_t members;  /* of a barrier or of those that gather */
	uint32_t lock;     /* of a condition: the lock that goes with it, or NOBODY */
	bool moves;        /* what follows is for whoever takes it */
	int32_t gives, consumes; /* what each signal or section gives, and each that goes on takes away */
};

/* Sections of a lock that begin and end at the same places. */
struct section_class {
	uint32_t lock, from, to;
	uint32_t awaits;       /* the condition that its sections may wait for, or NOBODY */
	uint64_t anchor;       /* the place of the step after which they do */
	uint32_t gives[4];     /* conditions that they signal */
	uint32_t ngives;
};

struct visit {
	double at_ns, weight;
	double computed_ns, taken_ns; /* processor time of all threads until then, as recorded, and what the question took away of it */
	float change[REPLICATES]; /* of at_ns, in resampled sets */
};

struct span {
	double begin_ns, end_ns; /* NAN: not in this run */
	float change[REPLICATES]; /* of its length */
};

/* The result of one script: visits and spans until it stopped. */
struct run {
	double stop_ns;
	float stop_change[REPLICATES];
	struct visit *visit; /* point by point; owned */
	const size_t *first; /* by point; the script's */
	size_t *visits;      /* by point; owned */
	struct span *span;   /* owned */
	size_t nspans;
	double *woke_ns; /* by step: when a wait of which nobody saw the end was over; owned, NULL: not noted */
	size_t forced;
	bool failed;         /* it came to a stop again and again */
};

struct script {
	struct step *step;
	double *at_ns;  /* of each step, as recorded */
	size_t n;
	struct actor *actor;
	size_t nactors;
	uint32_t *actor_of; /* each step */
	int32_t *start;   /* by object: what is there at the begin, tokens or arrivals; 1 + the owner of a lock; what a condition needs */
	unsigned cpus;
	double length_ns;
	size_t visits, spans; /* in the script */
	size_t *first_visit;  /* by point: the number of visits of the points before it */
	uint32_t *span_point; /* by span */
	size_t span_cap;
	uint32_t *turn;       /* steps at which work is taken that moves, by object and in the order as recorded */
	size_t nturns, turn_cap;
	uint32_t *first_turn; /* by object; NULL: none moves */
	struct run recorded;  /* as it really was */
	struct run base[REPLAY_MODELS];
	struct run kept[REPLAY_MODELS]; /* the same, with time without a processor kept */
};

/* The roots of shares. */
enum { SHARES_COMPUTING, SHARES_WAITING, ROOTS };

/* A place in the tree of shares.  Those above come first. */
struct cell {
	uint32_t above; /* NOBODY: it is a root */
	double weight, square; /* of samples; and the sum of squares over stacks */
	double strength;       /* how many samples of its own what is above it counts for */
};

struct sample {
	uint32_t cell, stack;
	bool waiting; /* for the outside */
	float weight;
	uint8_t copies[REPLICATES]; /* in resampled sets */
};

struct scheduler {
	double slice_ns;
	double preempt_ns; /* how much longer one must have run to give way to one that wakes up */
};

struct latencies {
	float *ns;
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
	struct cell *cell;
	size_t ncells, cell_cap;
	struct sample *sample;
	size_t nsamples, sample_cap;
	size_t nstacks;
	double sampled_wait_ns; /* that samples of waits stand for */
	uint32_t *point, *latency_point; /* ids, ascending */
	size_t npoints, nlatency;
	struct latencies *latencies;
	size_t nlatencies, latencies_cap;
	struct scheduler scheduler;
	struct replay_facts facts;
	struct replay_wait *wait;
	size_t nwaits;
	double scarce; /* share of the time in which threads wanted a processor and had none */
	double busy;   /* processors that computed, in the mean; 1 at the least */
	double slowed; /* how many times as long threads take to compute, as others have their processors meanwhile; 1 in a crowd */
	bool whole;    /* the burst holds all phases of the program, each as long as it is */
	bool crowded;  /* that is much, and it is not all others' doing: the scheduler decides, too */
};

/* ---- ids -------------------------------------------------------------------------- */

/* For qsort and bsearch: of ids, and of what begins with one. */
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

/* ---- learning -------------------------------------------------------------------- */

/* An event in the time of the whole burst. */
struct moment {
	int64_t at_ns;
	uint32_t actor;
	uint32_t step;
	const struct burst_event *event;
	bool lets_on; /* lets others go on */
};

/* All events with steps, as they came; those that let others go on before those that go on.  Owned by the caller. */
struct moment *script_moments(const struct burst *b, const struct script *s, size_t *n);

bool script_has_step(enum burst_kind kind); /* samples have none */
uint32_t object_find(const struct replay *r, uint32_t id); /* NOBODY when there is none */
void objects_learn(struct replay *r, const struct burst *burst, size_t n);

void script_learn(struct replay *r, const struct burst *burst, size_t n);
void objects_refine(struct replay *r, struct moment *const *m, const size_t *n);
void causes_learn(struct replay *r, struct script *s, const struct moment *m, size_t n);
void sections_learn(struct replay *r);
void latency_learn(struct replay *r);
float latency_pick(const struct replay *r, uint32_t list, uint64_t random);
void moving_learn(struct replay *r);
void shares_learn(struct replay *r);
void waits_learn(struct replay *r);

/* For each cell the fraction by which its stretches get shorter, and what resampling changes of it.  Both by cell, for the caller to free. */
void shares_ask(const struct replay *r, const double *shorter, float **fraction, float (**change)[REPLICATES]);

/* ---- running --------------------------------------------------------------------- */

/*
 * What nobody recorded, and may be otherwise when the rest is faster.  What is true of the
 * program lies between the extremes.
 */
enum open_question {
	AS_RECORDED,
	/*
	 * Waits of which nobody saw what ended them, and those that ended by time.  Somebody may have
	 * ended them who would have come earlier then, or at the same time as before.
	 */
	WAITS_SHORTER,     /* they are shorter by the same part as the code that is asked about */
	WAITS_FIXED,       /* they end when they ended, so that they are longer for who comes earlier */
	/*
	 * The time from the end of a wait until the thread runs.  A processor that has slept for a shorter
	 * time wakes up faster, above all in a virtual machine.
	 */
	LATENCIES_SHORTER, /* by the same part */
	OPEN_QUESTIONS
};

struct setting {
	enum replay_model model;
	enum open_question open;
	double shorter;                      /* for what is shorter: the part, 0 .. 1 */
	bool notes_ends;                     /* of waits, for later runs with WAITS_FIXED */
	bool kept;                           /* time without a processor is kept as it was recorded: for the check */
	unsigned cpus;                       /* 0: those of the burst */
	const float *fraction;               /* by cell; NULL: 0 */
	const float (*change)[REPLICATES];   /* by cell; NULL: none */
	const struct replay_question *asked; /* for what is outside, and for locks that are gone */
};

void simulate(const struct replay *r, const struct script *s, const struct setting *how, struct run *out);
void run_prepare(const struct replay *r, const struct script *s, struct run *run); /* empty */
void run_release(struct run *run);

/* ---- comparing ------------------------------------------------------------------- */

/* As in struct replay_modelled. */
struct compared {
	size_t count;
	double base_ns, ns, gain, se;
	double by_samples; /* the part of se that comes from which samples were taken; 0 where the run did not carry it */
	double change[REPLICATES]; /* of the gain, in resampled sets */
};

/*
 * run: of each script, by the model; it is compared with the model's base.  NULL: the base with the recording.
 *
 * tie: how the gain changes with the part of all processor time that the question takes away, where that part
 * is known of the whole run: then it does not matter that it differs from one part of a burst to the next.  Else 0.
 */
struct compared compare_visits(const struct replay *r, const struct run *run, enum replay_model model, size_t point, double tie);
struct compared compare_whole(const struct replay *r, const struct run *run, enum replay_model model);
void compare_spans(const struct replay *r, const struct run *run, enum replay_model model, size_t point, struct compared out[REPLAY_WHATS]);

/* Time per visit as recorded; NAN: too few. */
double measured_period(const struct replay *r, size_t point);

/* ---- what the whole run says --------------------------------------------------- */

/* What a question takes away, by the samples of the bursts. */
struct taken_away {
	double part, change[REPLICATES]; /* of all computing */
	double most;      /* of what any stack gives */
	double samples;
	double waited;    /* in waits for the outside, of all threads, by the length of the bursts */
	double length_ns;
};

/* fraction, change: of shares_ask. */
struct taken_away known_taken(const struct replay *r, const double *shorter, const float *fraction, const float (*change)[REPLICATES]);

/* How the gain of the leading model changes with the part that is taken away, as that is by chance. */
double known_tie(const struct replay *r, const struct compared *leader, const struct taken_away *taken);

/* Corrects the gain of each model, and its se; sets e->phases. */
void known_apply(const struct replay *r, struct replay_effect *e, struct compared c[REPLAY_MODELS], const struct taken_away *taken,
		 const struct replay_known *known, enum replay_model leader);

#endif
