/*
 * spans: lengths of spans in a window, from outside the target.
 *
 * What the runtime has measured is in histograms of threads, of which a window is
 * the difference of two looks.  Where it cannot match ends with begins (counters
 * of coz.h, ends in another thread), the mean length follows from how many are
 * open at a time, by Little's law; for that the recorder must look often.
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

/* How many are open, over virtual time. */
struct span_flow {
	bool on;              /* ends are not matched with begins */
	int64_t open;         /* at the last look, */
	int64_t looked_ns;    /* which was then, in virtual time */
	double open_ns, all_ns; /* integrals since the window opened: of the number, and of time */
};

struct spans {
	struct arena *arena;
	struct span_sum *before[ARENA_POINTS]; /* owned; as the window opened.  NULL: not yet a latency point */
	struct span_flow flow[ARENA_POINTS];
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

/* A window opens. */
void spans_open(struct spans *s, int64_t now_ns);

/* Mean number of spans that were open since then; below 0 where it is not needed. */
double spans_in_flight(const struct spans *s, uint32_t point);

/* Adds the record of the point for the window that ends now; none when no span was measured. */
void spans_log(struct spans *s, uint32_t point, uint64_t experiment, struct buf *b);

#endif
