/*
 * automatic: progress of a program that marks none.
 *
 *     :output   bytes written to files, pipes and sockets
 *     :input    bytes read
 *     :replies  answers sent (written to what had been read from before)
 *     :parallel parallel regions of OpenMP that have ended
 *     :mpi      collective calls of MPI that have returned
 *     :kokkos   kernels of Kokkos that have ended
 *     :work     processor time that the program used, in microseconds
 *
 * All but the last one are counted by the runtime (lib/runtime/moved.c).  The first
 * three are used where they advance steadily, the next three where they are asked
 * for.  The last one always advances.  It is progress as far as a unit of work takes
 * the same processor time, whatever is sped up: not where threads spin or poll
 * instead of waiting, and not where one thread works on something that nobody wants.
 * In virtual time it is as precise as the samples.
 */
#ifndef ANDWEORC_RECORDER_AUTOMATIC_H
#define ANDWEORC_RECORDER_AUTOMATIC_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arena.h"

struct automatic {
	bool asked;             /* for some of them, with -P */
	bool alone;             /* these count finished work: :work would only stand beside them */
	bool on;                /* windows are about these points */
	bool was_on;            /* as this run began */
	bool counting;          /* in this run */
	int64_t looked_ns;      /* when they were last looked at */
	unsigned looks;
	unsigned advanced[MOVED_KINDS]; /* in so many looks */
	bool steady[MOVED_KINDS];       /* decided in the first run that was long enough */
	uint64_t last[MOVED_KINDS];     /* visits as they were last looked at */
	bool stalled[MOVED_KINDS];      /* nothing has moved in the last window */
	uint32_t number[MOVED_KINDS];   /* of the points in this run's arena; 0: none */
	uint32_t work;                  /* the same of :work */
};

/* What ":output" and the like count; false: no such name. */
bool automatic_kind(const char *name, enum arena_moved *kind);

/* A new run: `arena` is empty.  Points that are known to be steady are there from its begin. */
void automatic_new_run(struct automatic *a, struct arena *arena);

/* Counts what moves, from now on; nothing is decided yet.  May be called again. */
void automatic_watch(struct automatic *a, struct arena *arena);

/* Has it been looked for long enough to decide?  To be called every 20 ms or so. */
bool automatic_look(struct automatic *a, struct arena *arena, int64_t now_ns);

/* Windows are about these points from now on, in all runs. */
void automatic_use(struct automatic *a, struct arena *arena);

/* There are no such points any more, unless they were asked for: the program has marks, or runs that are too short for windows. */
void automatic_give_up(struct automatic *a);

/* Is it worth waiting for the point (its number in the arena, from 0) to be visited?  Only for POINT_AUTOMATIC. */
bool automatic_is_live(const struct automatic *a, uint32_t point);

/* The window opens, or closes: :work needs no visit for that. */
void automatic_mark(struct automatic *a, struct arena *arena, uint32_t window, bool closing);

/* ":output, :work": what windows are about.  The caller frees it. */
char *automatic_names(const struct automatic *a);

#endif
