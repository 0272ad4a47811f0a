/*
 * automatic: progress points of programs without marks.
 *
 *     :output   bytes written to files, pipes and sockets
 *     :input    bytes read
 *     :replies  answers sent (written to what had been read from before)
 *     :parallel parallel regions of OpenMP that have ended
 *     :mpi      collective calls of MPI that have returned
 *     :kokkos   kernels of Kokkos that have ended
 *     :work     processor time that the program used, in microseconds
 *
 * All but the last one are counted by the runtime (lib/runtime/moved.c).  The first three are used where they advance steadily, the
 * next three only on request.  The last one always advances.  It measures progress if a unit of work takes the same processor time,
 * whatever is sped up.  So it is wrong where threads spin or poll instead of waiting, or do work that the program does not need.
 * In virtual time it is as precise as the samples.
 */
#ifndef ANDWEORC_RECORDER_AUTOMATIC_H
#define ANDWEORC_RECORDER_AUTOMATIC_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arena.h"

struct automatic {
	bool asked;             /* some of them were requested, with -P */
	bool alone;             /* these count finished work, so :work is not needed */
	bool on;                /* windows are about these points */
	bool was_on;            /* state at the begin of this run */
	bool counting;          /* in this run */
	int64_t looked_ns;      /* when they were last looked at */
	unsigned looks;
	unsigned advanced[MOVED_KINDS]; /* looks with progress */
	bool steady[MOVED_KINDS];       /* decided in the first run that was long enough */
	uint64_t last[MOVED_KINDS];     /* visits at the last look */
	bool stalled[MOVED_KINDS];      /* no progress in the last window */
	uint32_t number[MOVED_KINDS];   /* numbers of the points in this run's arena; 0: none */
	uint32_t work;                  /* number of :work */
};

/* Finds what ":output" and the like count; false: no such name. */
bool automatic_kind(const char *name, enum arena_moved *kind);

/* Begins a run, with an empty `arena`. Points that are known to be steady are used from its begin. */
void automatic_new_run(struct automatic *a, struct arena *arena);

/* Begins to count all of them, without a decision yet.  May be called again. */
void automatic_watch(struct automatic *a, struct arena *arena);

/* Have they been observed for long enough to decide?  Call it every 20 ms or so. */
bool automatic_look(struct automatic *a, struct arena *arena, int64_t now_ns);

/* From now on, windows of all runs measure these points. */
void automatic_use(struct automatic *a, struct arena *arena);

/*
 * Removes the points, except those that were requested: the program has marks, or its runs
 * are too short for windows.
 */
void automatic_give_up(struct automatic *a);

/* Is a visit of the point (its number in the arena, from 0) to be expected?  Only for POINT_AUTOMATIC. */
bool automatic_is_live(const struct automatic *a, uint32_t point);

/* Opens, or closes, the window of :work, which needs no visit. */
void automatic_mark(struct automatic *a, struct arena *arena, uint32_t window, bool closing);

/* The names of the points that windows measure, such as ":output, :work".  The caller frees it. */
char *automatic_names(const struct automatic *a);

#endif
