/*
 * machine: the use of the processors by others during a window.
 */
#ifndef ANDWEORC_RECORDER_MACHINE_H
#define ANDWEORC_RECORDER_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/processes.h"

/*
 * Time that the hypervisor took away (steal), and time that other programs than the
 * target and the recorder used.  /proc/stat counts in ticks of 10 ms: coarse, but
 * independent of the outcome of a window.
 */
struct machine_use {
	int64_t stolen_ns;
	int64_t foreign_ns;
	int64_t waited_ns;  /* time with some runnable thread without a processor (pressure stall information) */
	int64_t queued_ns;  /* a lower bound on the time that runnable threads of the target had no processor, summed over threads */
	uint32_t unaccounted; /* as in struct processes: foreign_ns between two moments is 0 if it has changed */
};

enum { MACHINE_FIRST = 4 }; /* first windows, which are judged only when there are more to compare them with */

/* A quantity over all windows. */
struct usual {
	double *v; /* owned; v[0..n), sorted */
	size_t n, cap;
	double first[MACHINE_FIRST]; /* the same, in the order of windows */
};

struct machine {
	struct usual taken;  /* share of the processors that others used */
	struct usual waited; /* share of the time in which some thread waited for a processor */
};

void machine_release(struct machine *m);

/* Totals since the machine was started. */
struct machine_use machine_now(struct processes *p);

/* Between two moments. */
struct machine_use machine_since(struct machine_use now, struct machine_use before);

enum machine_verdict {
	MACHINE_USUAL,
	MACHINE_DISTURBED,
	MACHINE_UNKNOWN, /* one of the first windows: call machine_first later */
};

/*
 * Judges a window.  A disturbed one is logged, but set aside: others used the
 * processors in it.  A busy neighbour is the same in all windows.  So only a window that
 * differs from the others is disturbed.
 */
enum machine_verdict machine_judge(struct machine *m, const struct machine_use *use, int64_t wall_ns);

/*
 * The verdict on the k-th window (from 0) by all windows so far; MACHINE_UNKNOWN: there are
 * still too few, or the window is not one of the first.
 */
enum machine_verdict machine_first(const struct machine *m, size_t k);

/* The usual share of the processors that others used, over all windows; 0 without windows. */
double machine_usually_taken(const struct machine *m);

/* The usual share of the time in which any thread of the machine waited for a processor; 0 without windows. */
double machine_usually_waited(const struct machine *m);

#endif
