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
#include "recorder/machine.h"
#include "recorder/orphans.h"
#include "recorder/points.h"
#include "recorder/processes.h"
#include "recorder/quota.h"
#include "recorder/schedule.h"
#include "recorder/status.h"
#include "regions/mapping.h"
#include "regions/regions.h"
#include "runtime/arena.h"
#include "target/usage.h"

struct plan {
	const unsigned *levels;  /* percent, without 0; borrowed */
	size_t nlevels;
	size_t baselines;        /* factor for the number of baselines */
	char *const *names;      /* names from -r; borrowed */
	size_t nnames;
	size_t max_regions;
	double min_share;        /* least share of samples of a region that was not named */
	int64_t window_ns;       /* least length of a window */
	int64_t settle_ns;       /* shortest time between a switch and its window */
	int64_t wait_ns;         /* time since the begin of a run, before anything is measured */
	int64_t until_ns;        /* end of the time for experiments, on CLOCK_MONOTONIC; 0: until the target ends */
	bool whole_runs;         /* each run is to be one experiment, if no point is visited; see whole_runs.h */
	bool attach_only;        /* sample, but perform no experiment */
	bool attached;           /* to a process that is not ours to end; its status is nobody's business */
	bool start_paused;       /* each run begins with experiments stopped; see control.c */
	bool adaptive;           /* windows go where they are needed; see adapt.h */
	const char *given;       /* the region that is faster in all windows; NULL: none; borrowed */
	unsigned given_pct;
	double until;            /* the recording ends at this half width of leaders' intervals, of the slope; 0: no such end */
	uint64_t runs;           /* most runs that will be made; 0: as many as there is time for */
	int64_t duration_ns;     /* time for all of them; 0: for one run */
	const volatile sig_atomic_t *stop; /* becomes non-zero when we are asked to end */
};

/* A program without points; see whole_runs.h. */
struct whole {
	bool on;
	bool observed;           /* this run is no experiment: its events are noted */
	int status;              /* status of a run that went well */
	struct region *region;   /* region of this run; NULL: a baseline */
	unsigned pct;
	struct machine_use others; /* state when it began */
};

/* Times of bursts, over all runs; see observe.c. */
struct observing {
	unsigned run;            /* the last run that had time for experiments */
	bool brief;              /* that time is so short that the run has one burst, which is still to come */
	int64_t next_ns;         /* earliest time of the next burst of a long run; 0: there has been none */
	int64_t noted_ns;        /* time in bursts */
	int64_t earlier_ns;      /* the same in all earlier runs */
	int64_t room_ns;         /* how much of a short run fits into the logs; 0: all of it, as far as is known */
	bool denser;             /* samples come more often; see conductor_set_period */
	struct schedule random;
};

/* The visits of all points at a moment. */
struct rates {
	int64_t at_ns;
	uint64_t visits[ARENA_POINTS];
};

struct conductor {
	struct arena *arena;
	struct journal *journal;
	struct mappings *modules;
	struct regions *regions;
	struct schedule *schedule;
	struct status *status;   /* NULL: no status line */
	const struct plan *plan;

	unsigned run;            /* 1.. */
	pid_t pid;
	int pidfd;               /* of a process that we are attached to; else -1 */
	struct processes processes;
	struct orphans orphans;
	volatile sig_atomic_t alone; /* 1: the command has ended, and the run goes on with its remaining processes */
	int64_t leftover_ns;      /* time of the next look at them */
	uint32_t news;           /* arena->news at the last look */
	uint32_t unknown_code;   /* arena->unknown_code at the last look */
	int64_t look_ns;         /* earliest time of the next look at that */
	bool ticking;            /* some thread has waited in a region, so waits are credited while they last */
	struct points points;
	enum naming *name_found; /* owned; how well plan->names are known, over all runs */
	enum naming given_found; /* the same for plan->given */
	bool refused;            /* a name was not found, so the recording is refused; see absent.h */
	bool named_in_vain;      /* names that were not found for a while have been reported */
	int64_t began_ns;        /* start of the run */
	uint32_t control;        /* arena->control at the last look */
	bool held;               /* experiments are stopped now */
	int64_t held_from_ns;    /* since when they are stopped */
	int64_t held_ns;         /* how long they were stopped before that, in this run */
	int64_t stopped_ns;      /* how long they were stopped in the whole run, when that has ended */
	int64_t going_from_ns;   /* when they were last started; the start of the run, if they were never stopped */
	uint64_t visits_before;  /* visits until then of the most visited point */
	struct rates rates[2];   /* visits of all points some seconds ago, and later: how often each is visited of late */
	uint32_t speedup;        /* the speedup that was told to the runtime */
	uint32_t window;         /* number of the last window; never 0 while one is on */
	uint64_t block;

	/* The current block.  If a run ends in the middle of it, the next run continues it. */
	struct trial *trials;    /* owned */
	size_t ntrials, next_trial;
	bool repeated;           /* the next trial is a repetition of a disturbed one */
	struct region **picked;  /* the regions that trial.region is an index of; owned */
	struct adapt adapt;      /* results so far; its levels are set by the command */
	bool enough;             /* all intervals are narrow enough */
	struct usage before;     /* processor time of children when the run began */
	struct quota quota;      /* of the command */
	int64_t ran_ns;          /* length of the run, without stopped_ns */
	int64_t last_run_ns;     /* length of the last run that ended by itself; 0: none has */
	uint64_t experiments;    /* id of the last window, over all runs */
	uint64_t windows;        /* windows in this run */
	uint64_t disturbed;      /* windows of this run that were set aside */
	struct machine machine;
	struct bursts bursts;
	struct observing observing;
	struct whole whole;
	int wait_status;         /* exit status of the command, once it has ended */
	int64_t ended_ns;        /* when the command ended */
	bool waiting;            /* plan->wait_ns is not over: samples are not counted */
	bool ready;              /* the runtime has reported in */
	bool ended;              /* the command has ended, and is reaped */
	bool over;               /* the run has ended: the command, and those of its remaining processes that matter */
	bool stopped;            /* the command was ended because the time was used up */
	bool cut;                /* its remaining processes were ended because the time was used up */
};

/* Frees all memory of the conductor. */
void conductor_release(struct conductor *c);

/* Prepares a run, in an empty arena.  Call it before the launch. */
void conductor_prepare(struct conductor *c);

/* The time in this run during which experiments were on, until `at`. Times of a run in the log are on this clock. */
int64_t conductor_going_ns(const struct conductor *c, int64_t at);

/* For a run that has ended: were experiments ever on, even for a time too short to be noticed? */
bool conductor_was_started(const struct conductor *c);

/*
 * Starts or stops experiments, for the user.  Called in a signal handler.  Takes effect in
 * the next run, if none is on.
 */
void conductor_control(bool stop);

/*
 * Begins a run: waits until the runtime has reported in from the target `pid` or from a
 * process that it has started, or all of them have ended.
 */
void conductor_meet(struct conductor *c, unsigned run, pid_t pid);

/*
 * Conducts the run until the target (with its remaining processes, see orphans.h) has
 * ended or the time is used up; then ends it (SIGTERM, two seconds later SIGKILL).
 * Writes its records, `end` included.
 */
void conduct(struct conductor *c);

#endif
