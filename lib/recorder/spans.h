/*
 * spans: lengths of spans in a window, from outside the target.
 *
 * The runtime keeps histograms for each thread; those of a window are the difference of
 * two looks.  If ends cannot be matched with begins, the mean length follows from the
 * number of open spans, by Little's law.  The integral of that number is exact if the
 * times of begins and ends are known.  For counters of coz.h, only the counts are
 * known, so the recorder must look often.
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

/* A moment: the numbers of begins and ends until then, and the sums of their times. */
struct span_edge {
	int64_t virtual_ns; /* virtual time of a thread without debt */
	uint64_t begins, begins_ns, ends, ends_ns;
};

/* The number of open spans over virtual time, by repeated looks. */
struct span_flow {
	bool on;              /* looks are needed */
	int64_t open;         /* number at the last look */
	int64_t looked_ns;    /* virtual time of the last look */
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

void spans_init(struct spans *s, struct arena *arena); /* may be called again, for a new run */
void spans_release(struct spans *s);

/* Number of begins of a point (0..) by all threads, in this run; and number of ends with a known begin. */
uint64_t spans_begins(const struct spans *s, uint32_t point);
uint64_t spans_measured(const struct spans *s, uint32_t point);

/*
 * Looks at the open spans.  Returns the time of the next look, in ns after `now_ns`; 0:
 * no look is needed.
 */
int64_t spans_look(struct spans *s, int64_t now_ns);

/* Call when a window opens, and when it closes. */
void spans_open(struct spans *s, int64_t now_ns);
void spans_close(struct spans *s, int64_t now_ns);

/* Mean number of open spans in the window; below 0 where it is not needed. */
double spans_in_flight(const struct spans *s, uint32_t point);

/* Adds the record of the point for the window that ends now; none when no span was measured. */
void spans_log(struct spans *s, uint32_t point, uint64_t experiment, struct buf *b);

/*
 * For a latency point, sets the visits and the time that analyze uses for this window:
 * spans and their lengths.  Leaves them unchanged where these are not known.  Call it
 * after spans_log.
 */
void spans_as_visits(const struct spans *s, uint32_t point, double *count, double *time_ns);

#endif
