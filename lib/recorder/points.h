/*
 * points: progress points, from outside the target.
 *
 * Most visits are seen by the runtime, which opens and closes windows where they
 * happen.  Two kinds need the recorder: places in code (-P), which it looks up,
 * and counters that the program itself adds to (coz.h), where nothing happens
 * that the runtime could see.
 *
 * A place is counted in one of two ways.  Calls of a function of a library, from
 * another module, are counted by the runtime as they are made (POINT_CALL): that
 * costs little, and needs nothing.  All else is a breakpoint of the processor
 * (POINT_BREAK), which is given up when it costs too much.  A function that nobody
 * calls for a while may be called by its own library alone, where it cannot be
 * seen: it gets breakpoints, too, which count until another module calls it.
 */
#ifndef ANDWEORC_RECORDER_POINTS_H
#define ANDWEORC_RECORDER_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/automatic.h"
#include "recorder/journal.h"
#include "recorder/regions.h"
#include "recorder/spans.h"
#include "runtime/arena.h"

/* A place that was asked for with -P. */
struct wanted_point {
	const char *name;    /* borrowed */
	const char *symbol;  /* of FUNCTION, LIBRARY!FUNCTION and so on: the function, inside of name */
	size_t library;      /* length of the library's name; 0: there is none */
	bool found;          /* in some run */
	bool placed;         /* in this run */
	bool refused;        /* and why has been said */
	bool hot;            /* was given up in this run or an earlier one */
	int point;           /* number; 0: not placed in this run */
	struct arena_call *call; /* by which it is counted; NULL: by breakpoints */
	bool backed;         /* and by breakpoints, if they could be had */
	struct spot at[ARENA_BREAKS]; /* where it is: at[0..nat), if there is room for all */
	size_t nat;
	uint64_t visits;     /* as they were last looked at, */
	int64_t looked_ns;   /* then; 0: never */
};

struct points {
	struct arena *arena;
	struct journal *journal;
	struct regions *regions;
	unsigned run;
	struct wanted_point *wanted; /* owned; wanted[0..nwanted) */
	size_t nwanted;
	uint64_t before[ARENA_POINTS]; /* counters, as the phase that is on began */
	struct spans spans;            /* of latency points */
	struct automatic automatic;
};

void points_init(struct points *p, struct arena *arena, struct journal *journal, struct regions *regions, char *const *names,
		 size_t n);
void points_release(struct points *p);
void points_new_run(struct points *p, struct arena *arena, unsigned run);

/* Before the target is started: tells the runtime which names may be those of functions of libraries. */
void points_prepare(struct points *p, struct arena *arena);

/* Looks the places up in modules that have not been searched yet.  Threads watch them from their next sample on. */
void points_place(struct points *p);

/* Gives up places that are come to too often.  To be called several times a second. */
void points_cool(struct points *p, int64_t now_ns);

/* Visits of a point (0..) by all threads, in this run. */
uint64_t points_visits(const struct points *p, uint32_t point);

/* Visits of the point that is visited most, of those that the program or the user has marked. */
uint64_t points_most_visits(const struct points *p);

/* Can the point still be visited?  (A place that was given up cannot.) */
bool points_is_live(const struct points *p, uint32_t point);

/* The next visit of each counter opens (closes) its part of the window. */
void points_expect(struct points *p);

/*
 * Looks at the counters, and opens or closes for those that have changed.  True
 * when there are some that have not: look again, soon.
 */
bool points_look(struct points *p, uint32_t window, bool closing);

/* One record for each point, at the end of a run. */
void points_log(struct points *p);

#endif
