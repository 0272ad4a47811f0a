/*
 * points: progress points, from outside the target.
 *
 * The runtime counts most visits, and opens and closes windows there.  Two kinds of
 * points need the recorder: places in code (-P), which it looks up, and counters that
 * the program itself increments (coz.h), which the runtime does not see.
 *
 * A place is counted in one of two ways.  The runtime counts calls of a library's
 * function from other modules (POINT_CALL); that takes little time, and no permission.
 * Any other place gets a breakpoint of the processor (POINT_BREAK), which is given up
 * when it costs too much.  If no other module calls a library's function for a while,
 * it may be called only inside its library, which the runtime does not see.  Then it
 * gets breakpoints, too, which count until another module calls it.
 */
#ifndef ANDWEORC_RECORDER_POINTS_H
#define ANDWEORC_RECORDER_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/automatic.h"
#include "recorder/journal.h"
#include "recorder/spans.h"
#include "regions/regions.h"
#include "runtime/arena.h"

/* A place that was asked for with -P. */
struct wanted_point {
	const char *name;    /* borrowed */
	const char *symbol;  /* the function of LIBRARY!FUNCTION and the like, inside `name` */
	size_t library;      /* length of the library's name; 0: there is none */
	bool found;          /* found in some run */
	bool placed;         /* found in this run */
	bool refused;        /* the reason has been reported */
	bool hot;            /* given up in this run or an earlier one */
	int point;           /* number; 0: not placed in this run */
	struct arena_call *call; /* the call by which it is counted; NULL: by breakpoints */
	bool backed;         /* counted by breakpoints, too, if they were not refused */
	struct spot at[ARENA_BREAKS]; /* its places: at[0..nat), if there is room for all */
	size_t nat;
	uint64_t visits;     /* visits at the last look */
	int64_t looked_ns;   /* time of that look; 0: never */
};

struct points {
	struct arena *arena;
	struct journal *journal;
	struct regions *regions;
	unsigned run;
	struct wanted_point *wanted; /* owned; wanted[0..nwanted) */
	size_t nwanted;
	uint64_t before[ARENA_POINTS]; /* counters when the current phase began */
	struct spans spans;            /* their begins, for latency points */
	struct automatic automatic;
};

void points_init(struct points *p, struct arena *arena, struct journal *journal, struct regions *regions, char *const *names,
		 size_t n);
void points_release(struct points *p);
void points_new_run(struct points *p, struct arena *arena, unsigned run);

/* Tells the runtime which names may be functions of libraries.  Call it before the target is started. */
void points_prepare(struct points *p, struct arena *arena);

/*
 * Looks the places up in modules that have not been searched yet.  Threads set the
 * breakpoints at their next samples.
 */
void points_place(struct points *p);

/* Gives up places that are executed too often.  Call it several times a second. */
void points_cool(struct points *p, int64_t now_ns);

/* Visits of a point (0..) by all threads, in this run. */
uint64_t points_visits(const struct points *p, uint32_t point);

/* Visits of the most visited point, of those that the program or the user has marked. */
uint64_t points_most_visits(const struct points *p);

/* Can the point still be visited?  (A place that was given up cannot.) */
bool points_is_live(const struct points *p, uint32_t point);

/* The next visit of each counter opens (closes) its part of the window. */
void points_expect(struct points *p);

/*
 * Reads the counters, and opens or closes the window for those that have changed.  True
 * when some have not changed: call it again soon.
 */
bool points_look(struct points *p, uint32_t window, bool closing);

/* One record for each point, at the end of a run. */
void points_log(struct points *p);

#endif
