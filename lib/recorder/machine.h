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
	uint32_t changes;   /* of the set of processes: foreign_ns is known only where it has not changed */
	bool foreign_known;
};

/* A quantity over all windows. */
struct usual {
	double *v; /* owned; v[0..n), sorted */
	size_t n, cap;
};

struct machine {
	struct usual taken;  /* the share of the processors that others had */
	struct usual waited; /* the share of the time that some thread waited for a processor */
};

void machine_release(struct machine *m);

/* Since the machine was started. */
struct machine_use machine_now(struct processes *p);

/* Between two moments. */
struct machine_use machine_since(struct machine_use now, struct machine_use before);

/*
 * A disturbed window is logged, but set aside: one in which others used the
 * processors, or threads that could run waited for one.  The latter is also how
 * a scheduler shows that has put two threads on one processor for a while and
 * left the other idle.  What goes on all the time (a busy neighbour, more threads
 * than processors) goes on in all windows alike: only more than usual disturbs.
 */
bool machine_is_disturbed(struct machine *m, const struct machine_use *use, int64_t wall_ns);

#endif
