/*
 * conductor: performs the experiments of one run, from outside the target.
 */
#ifndef ANDWEORC_RECORDER_CONDUCTOR_H
#define ANDWEORC_RECORDER_CONDUCTOR_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "recorder/adapt.h"
#include "recorder/bursts.h"
#include "recorder/journal.h"
#include "recorder/orphans.h"
#include "recorder/machine.h"
#include "recorder/mapping.h"
#include "recorder/points.h"
#include "recorder/processes.h"
#include "recorder/regions.h"
#include "recorder/schedule.h"
#include "recorder/status.h"
#include "recorder/usage.h"
#include "runtime/arena.h"

struct plan {
	const unsigned *levels;  /* percent, without 0; borrowed */
	size_t nlevels;
	size_t baselines;        /* so many times the baselines that are usual */
	char *const *names;      /* -r; borrowed */
	size_t nnames;
	size_t max_regions;
	double min_share;        /* of samples, for a region that was not named */
	int64_t window_ns;       /* least length of a window */
	int64_t settle_ns;       /* at the least, between a switch and its window */
	int64_t wait_ns;         /* since its begin, before anything of a run is measured */
	int64_t until_ns;        /* end of the time for experiments, on CLOCK_MONOTONIC; 0: until the target ends */
	bool whole_runs;         /* each run is to be one experiment, if no point is visited; see whole_runs.h */
	bool attach_only;        /* sample, but perform no experiment */
	bool attached;           /* to a process that is not ours to end; its status is nobody's business */
	bool start_paused;       /* each run begins with experiments stopped; see control.c */
	bool adaptive;           /* windows go where they are needed; see adapt.h */
	const char *given;       /* what is faster in all windows; NULL: nothing; borrowed */
	unsigned given_pct;
	double until;            /* half width of leaders' intervals that is enough, of the slope; 0: no end by that */
	uint64_t runs;           /* that will be made at the most; 0: as many as there is time for */
	int64_t duration_ns;     /* of all of them; 0: of one run */
	const volatile sig_atomic_t *stop; /* becomes non-zero when we are asked to end */
};

/* A program without points; see whole_runs.h. */
struct whole {
	bool on;
	bool observed;           /* this run is no experiment: its events are noted */
	int status;              /* of a run that went well */
	struct region *region;   /* of this run; NULL: a baseline */
	unsigned pct;
	struct machine_use others; /* as it began */
};

/* When events are noted, over all runs; see observe.c. */
struct observing {
	int64_t next_ns;         /* the next burst of a long run, not before; 0: there has been none */
	int64_t noted_ns;        /* in bursts */
	int64_t earlier_ns;      /* in all runs but this one */
	int64_t room_ns;         /* what of a short run goes into the logs; 0: all of it, as far as is known */
	struct schedule random;
};

struct conductor {
	struct arena *arena;
	struct journal *journal;
	struct mappings *modules;
	struct regions *regions;
	struct schedule *schedule;
	struct status *status;   /* NULL: tells nobody how far it is */
	const struct plan *plan;

	unsigned run;            /* 1.. */
	pid_t pid;
	int pidfd;               /* of a process that we are attached to; else -1 */
	struct processes processes;
	struct orphans orphans;
	volatile sig_atomic_t alone; /* 1: the command has ended, and the run goes on with what it has left behind */
	int64_t leftover_ns;      /* when it is to be looked at again */
	uint32_t news;           /* arena->news as it was last attended to */
	uint32_t unknown_code;   /* the same of arena->unknown_code, */
	int64_t look_ns;         /* which is not looked at before this */
	bool ticking;            /* some thread has waited in a region: such waits are credited as they last */
	struct points points;
	enum naming *name_found; /* owned; of plan->names, in any run */
	enum naming given_found; /* plan->given, in any run */
	bool refused;            /* a name is nowhere: the recording ends before it begins; see absent.h */
	bool named_in_vain;      /* a name was nowhere for a while, and that has been said */
	int64_t began_ns;        /* start of the run */
	uint32_t control;        /* arena->control, as far as it has been attended to */
	bool held;               /* experiments are stopped just now, */
	int64_t held_from_ns;    /* since then, */
	int64_t held_ns;         /* and for so long before that, in this run */
	int64_t stopped_ns;      /* all that, as the run has ended */
	int64_t going_from_ns;   /* when they were last started; the start of the run, if they never were stopped */
	uint64_t visits_before;  /* of the point that was visited most until then */
	uint32_t speedup;        /* that the runtime was told */
	uint32_t window;         /* number of the last window; never 0 while one is on */
	uint64_t block;

	/* The block that is on.  A run that ends in the middle of it is continued by the next. */
	struct trial *trials;    /* owned */
	size_t ntrials, next_trial;
	bool repeated;           /* the trial that is next has been done before, and was disturbed */
	struct region **picked;  /* what trial.region counts in; owned */
	struct adapt adapt;      /* what is known by now; its levels are set by whoever makes the conductor */
	bool enough;             /* all that was to be found out has been */
	struct usage before;     /* what children had used as the run began */
	int64_t ran_ns;          /* how long the run took, without stopped_ns */
	int64_t last_run_ns;     /* how long the last run took to end by itself; 0: none has */
	uint64_t experiments;    /* id of the last one, over all runs */
	uint64_t windows;        /* in this run */
	uint64_t disturbed;      /* of these, set aside */
	struct machine machine;
	struct bursts bursts;
	struct observing observing;
	struct whole whole;
	int wait_status;         /* of the command, once it has ended, */
	int64_t ended_ns;        /* and when that was */
	bool waiting;            /* for plan->wait_ns to be over: samples are not counted */
	bool ready;              /* the runtime has reported in */
	bool ended;              /* the command has, and is reaped */
	bool over;               /* the run is: so has what it left behind, as far as it matters */
	bool stopped;            /* the time was used up: we ended the command */
	bool cut;                /* or what it had left behind */
};

/* Frees what the runs have left. */
void conductor_release(struct conductor *c);

/* Before a run is launched, in an empty arena. */
void conductor_prepare(struct conductor *c);

/* How long of this run experiments were on, until `at`: the clock that times of a run in the log are on. */
int64_t conductor_going_ns(const struct conductor *c, int64_t at);

/* Of a run that has ended: were experiments on at any time, if only for less than it took to see that? */
bool conductor_was_started(const struct conductor *c);

/* In a signal handler: the user starts experiments, or stops them.  For the next run, if none is on. */
void conductor_control(bool stop);

/*
 * Begins a run: waits until the runtime has reported in from the target `pid` or
 * from something that it has started, or all of that has ended.
 */
void conductor_meet(struct conductor *c, unsigned run, pid_t pid);

/*
 * Conducts the run until the target ends (with what it has left behind, see
 * orphans.h) or the time is used up; in the latter case ends it (SIGTERM, two
 * seconds later SIGKILL).  Writes its records, `end` included.
 */
void conduct(struct conductor *c);

#endif
