/*
 * bursts: stretches of a run in which every event is noted, for replay.
 *
 * In a burst nothing is sped up.  Each thread notes its events (lib/runtime/event_log.c) in
 * a log of the arena.  After the burst they are written as the records `burst`,
 * `stack`, `place` and `events` of andweorc(5).  Threads, objects and places are
 * numbered by the recorder.
 */
#ifndef ANDWEORC_RECORDER_BURSTS_H
#define ANDWEORC_RECORDER_BURSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/map.h"
#include "recorder/journal.h"
#include "recorder/machine.h"
#include "recorder/processes.h"
#include "regions/regions.h"
#include "runtime/arena.h"

struct burst_sample {
	uint32_t stack;  /* 0: the stack of a thread that waited for others, or for a processor */
	uint32_t cpu_ns; /* 0: a sample of a wait */
};

/* The samples of a slot in a burst, by their index in its ring. */
struct burst_samples {
	uint32_t first;
	struct burst_sample *v; /* owned */
	size_t n, cap;
	bool was_there;         /* state of the slot when the burst began */
};

/* A thread in a burst: a part of the log of its slot. */
struct burst_life {
	const struct arena_event *event; /* event[0..n); the program may still write there.  NULL: the thread was sampled, but noted nothing */
	uint32_t n;
	uint32_t slot;
	uint32_t id; /* number in the records */
};

struct bursts {
	struct arena *arena;
	struct journal *journal;
	struct regions *regions;
	const struct processes *processes;
	unsigned run;
	uint64_t id;            /* number of the last burst, over all runs */
	bool on;
	int64_t began_ns;
	int64_t length_ns;
	int64_t polled_ns;      /* the time for which all threads together waited by yielding, in the part of the burst that is written */
	struct burst_life *life; /* owned; threads of the last burst, written up to `written` */
	size_t nlives, lives_cap, written;
	struct idmap threads, objects, places; /* numbers of this run */
	size_t nthreads, nobjects, nplaces;
	struct map stacks;      /* numbers of stacks in this run, by the regions that they are charged to */
	struct burst_samples samples[ARENA_THREADS];
};

void bursts_init(struct bursts *b, struct arena *arena, struct journal *journal, struct regions *regions,
		 const struct processes *processes, unsigned run);

/* Call before the next run, and after the last one.  `id` is kept. */
void bursts_release(struct bursts *b);

/*
 * Begins a burst.  Call it before the phase becomes PHASE_BURST. The next sample that is
 * fetched from each slot is its first.
 */
void bursts_begin(struct bursts *b, int64_t began_ns);

/* Adds a sample of the slot, after regions_sample has charged it. */
void bursts_sample(struct bursts *b, uint32_t slot, uint32_t place, const struct arena_sample *s);

/* Is a log full? */
bool bursts_is_full(const struct bursts *b);

/*
 * Ends the burst, after all samples were fetched.  `others`: the use of processors since bursts_begin.  `whole`:
 * the burst was to hold the whole run, if there was room.  start_ns: its begin, on the clock of the log.
 */
void bursts_end(struct bursts *b, int64_t start_ns, int64_t ended_ns, bool whole, const struct machine_use *others);

/*
 * Writes the events of one thread; call it until it returns false.  Fetch samples between
 * calls, as the program goes on.
 */
bool bursts_write(struct bursts *b);

#endif
