/*
 * bursts: stretches of a run in which every event is noted, for replay.
 *
 * In a burst nothing is sped up.  The threads note what they do to each other
 * (lib/runtime/event.c), each into a log of the arena; when the burst is over, it
 * is written as the records `burst`, `stack`, `place` and `events` of andweorc(5).
 * Threads, objects and places are numbered by the recorder.
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
#include "recorder/regions.h"
#include "runtime/arena.h"

struct burst_sample {
	uint32_t stack;  /* 0: that of a thread that waited for others, or for a processor */
	uint32_t cpu_ns; /* 0: of a wait */
};

/* A slot's samples in a burst, by their place in its ring. */
struct burst_samples {
	uint32_t first;
	struct burst_sample *v; /* owned */
	size_t n, cap;
	bool was_there;         /* the slot, as the burst began */
};

/* A thread in a burst: a part of the log of its slot. */
struct burst_life {
	const struct arena_event *event; /* event[0..n); the program may still write there.  NULL: it was sampled, and noted nothing */
	uint32_t n;
	uint32_t slot;
	uint32_t id; /* in the records */
};

struct bursts {
	struct arena *arena;
	struct journal *journal;
	struct regions *regions;
	const struct processes *processes;
	unsigned run;
	uint64_t id;            /* of the last burst, over all runs */
	bool on;
	int64_t began_ns;
	int64_t length_ns;
	struct burst_life *life; /* owned; of the burst that is over, written up to `written` */
	size_t nlives, lives_cap, written;
	struct idmap threads, objects, places; /* numbers of this run */
	size_t nthreads, nobjects, nplaces;
	struct map stacks;      /* by the regions that they are charged to; values: their number, of this run */
	struct burst_samples samples[ARENA_THREADS];
};

void bursts_init(struct bursts *b, struct arena *arena, struct journal *journal, struct regions *regions,
		 const struct processes *processes, unsigned run);

/* Before the next run, and after the last one.  `id` goes on. */
void bursts_release(struct bursts *b);

/* Before the phase is PHASE_BURST: begins a burst.  Of each slot the sample that is fetched next is its first. */
void bursts_begin(struct bursts *b, int64_t began_ns);

/* A sample of the slot has been fetched, and regions_sample has charged it. */
void bursts_sample(struct bursts *b, uint32_t slot, uint32_t place, const struct arena_sample *s);

/* Is there no room for more events? */
bool bursts_is_full(const struct bursts *b);

/*
 * After it, with all samples fetched; `others` is of the time since bursts_begin.  `whole`: it held all of the run,
 * if there was room.  start_ns: of it, on the clock of the log.
 */
void bursts_end(struct bursts *b, int64_t start_ns, int64_t ended_ns, bool whole, const struct machine_use *others);

/* Writes what one thread noted; until it returns false.  Meanwhile others take samples, which want to be fetched. */
bool bursts_write(struct bursts *b);

#endif
