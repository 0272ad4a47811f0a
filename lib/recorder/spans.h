/*
 * spans: lengths of spans in a window, from outside the target.
 *
 * What the runtime has measured is in histograms of threads, of which a window is
 * the difference of two looks.  Where it cannot match ends with begins, the mean
 * length follows from how many are open at a time, by Little's law.  That number
 * has an exact integral where the times of begins and ends are known; for counters
 * of coz.h, where nothing is known but the count, the recorder must look often.
 */
#ifndef ANDWEORC_RECORDER_SPANS_H
#define ANDWEORC_RECORDER_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "runtime/arena.h"

/* Lengths of the spans of a point that have ended, by all threads. */
struct span_sum {
	uint64_t measured, crossing;
	int64_t virtual_ns;
	uint64_t bucket[BUCKETS];
};

/* A moment: how many had begun and ended by then, and the sums of when. */
struct span_edge {
	int64_t virtual_ns; /* of a thread that owes nothing */
	uint64_t begins, begins_ns, ends, ends_ns;
};

/* How many are open, over virtual time, by looking. */
struct span_flow {
	bool on;              /* there is no other way */
	int64_t open;         /* at the last look, */
	int64_t looked_ns;    /* which was then, in virtual time */
	double open_ns, all_ns; /* integrals since the window opened: of the number, and of time */
};

struct spans {
	struct arena *arena;
	struct span_sum *before[ARENA_POINTS]; /* owned; as the window opened.  NULL: not yet a latency point */
	struct span_edge opened[ARENA_POINTS], closed[ARENA_POINTS];
	struct span_flow flow[ARENA_POINTS];
	struct {
		uint64_t count;
		int64_t virtual_ns;
	} last[ARENA_POINTS]; /* what spans_log has said of the window */
	uint64_t random;
};

void spans_init(struct spans *s, struct arena *arena); /* also of an s that was in use, for a new run */
void spans_release(struct spans *s);

/* Begins of a point (0..) by all threads, in this run; and ends whose begin is known. */
uint64_t spans_begins(const struct spans *s, uint32_t point);
uint64_t spans_measured(const struct spans *s, uint32_t point);

/*
 * Looks at what is open.  Returns when that is to be done again, in ns after
 * `now_ns`; 0: whenever it is convenient.
 */
int64_t spans_look(struct spans *s, int64_t now_ns);

/* A window opens, and closes. */
void spans_open(struct spans *s, int64_t now_ns);
void spans_close(struct spans *s, int64_t now_ns);

/* Mean number of spans that were open in between; below 0 where it is not needed. */
double spans_in_flight(const struct spans *s, uint32_t point);

/* Adds the record of the point for the window that ends now; none when no span was measured. */
void spans_log(struct spans *s, uint32_t point, uint64_t experiment, struct buf *b);

/*
 * What analyze takes for visits and their time in this window, of a latency point: spans
 * and their lengths.  Left alone where these are not known.  After spans_log.
 */
void spans_as_visits(const struct spans *s, uint32_t point, double *count, double *time_ns);

#endif
