/*
 * machine: what others did to our processors during a window.
 */
#ifndef ANDWEORC_RECORDER_MACHINE_H
#define ANDWEORC_RECORDER_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/processes.h"

/*
 * Time that the hypervisor gave away, and time that programs other than the
 * target and us were running.  /proc/stat counts in ticks of 10 ms; evidence from
 * outside the outcome, if coarse.
 */
struct machine_use {
	int64_t stolen_ns;
	int64_t foreign_ns;
	int64_t waited_ns;  /* during which some thread was ready to run and had no processor (pressure stall information) */
	int64_t queued_ns;  /* during which threads of the target were ready and had none; the sum of threads, at the least */
	uint32_t changes;   /* of the set of processes: foreign_ns is known only where it has not changed */
	bool foreign_known;
};

enum { MACHINE_FIRST = 4 }; /* windows that are judged when there are more to compare them with */

/* A quantity over all windows. */
struct usual {
	double *v; /* owned; v[0..n), sorted */
	size_t n, cap;
	double first[MACHINE_FIRST]; /* in the order of windows */
};

struct machine {
	struct usual taken;  /* the share of the processors that others had */
	struct usual waited; /* the share of the time that some thread waited for a processor */
	double wall_ns;      /* length of the last window */
};

void machine_release(struct machine *m);

/* That the recorder may use, and so the target as it begins. */
unsigned machine_processors(void);

/* Since the machine was started. */
struct machine_use machine_now(struct processes *p);

/* Between two moments. */
struct machine_use machine_since(struct machine_use now, struct machine_use before);

enum machine_verdict {
	MACHINE_USUAL,
	MACHINE_DISTURBED,
	MACHINE_UNKNOWN, /* one of the first windows: ask machine_first later */
};

/*
 * Judges a window.  A disturbed one is logged, but set aside: others used the
 * processors in it, or threads that could run waited for one.  They also wait when
 * the scheduler puts two of them on one processor and leaves another one idle.  A
 * busy neighbour, or more threads than processors, is the same in all windows.  So
 * only a window that differs from the others is disturbed.
 */
enum machine_verdict machine_judge(struct machine *m, const struct machine_use *use, int64_t wall_ns);

/* The verdict on the k-th window (from 0) by all windows so far; MACHINE_UNKNOWN: still too few, or none of the first. */
enum machine_verdict machine_first(const struct machine *m, size_t k);

/* The share of the processors that others usually had, over all windows; 0 when there were none. */
double machine_usually_taken(const struct machine *m);

/* The share of the time in which some thread of the machine, ours or not, usually waited for a processor; 0 when there were no windows. */
double machine_usually_waited(const struct machine *m);

#endif
