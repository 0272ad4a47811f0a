/*
 * observed: results from the bursts of a log, by replay.
 *
 * A context gathers the `burst`, `stack`, `events` and `point` records of each of its
 * runs.  When it closes, each run is learned, and replayed for each region and speedup.
 * The results are added to the profile, and the events are freed.  So memory is bounded
 * by the bursts of one context.
 */
#ifndef ANDWEORC_PROFILE_OBSERVED_H
#define ANDWEORC_PROFILE_OBSERVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/map.h"
#include "format/record.h"
#include "replay/burst.h"

struct context;

/* The regions that a stack is charged to, by their places in the context. */
struct observed_stack {
	size_t *region; /* owned */
	size_t n;
};

struct observed_point {
	uint32_t id;
	char *name; /* owned */
};

/* The bursts of one run. */
struct observed {
	size_t run;               /* its place in the context */
	struct idmap burst_at;    /* by id */
	struct burst *burst;      /* owned */
	size_t nbursts, cap_bursts;
	struct observed_stack *stack; /* owned; of stack number n at [n - 1] */
	size_t nstacks, cap_stacks;
	struct observed_point *point; /* owned */
	size_t npoints, cap_points;
	struct idmap place_at;    /* by id: places of events in the program */
	size_t *place;            /* 1 + index in place_words; owned */
	size_t nplaces, cap_places;
	struct map place_words;   /* texts, each possibly of several places */
};

/* Part of loading (load.h). */
void load_burst(struct context *c, struct record *rec);
void load_stack(struct context *c, struct record *rec);
void load_events(struct context *c, struct record *rec);
void load_point_name(struct context *c, struct record *rec);
void load_place(struct context *c, struct record *rec);

/* Is the stack charged to the region, by its place in the context? */
static inline bool observed_is_charged(const struct observed_stack *s, size_t region)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->region[i] == region)
			return true;
	return false;
}

/* Frees what is in `o`. */
void observed_release(struct observed *o);

/* Part of closing a context, when runs and regions have their places in the profile (observed_ask.c). */
void observed_close(struct context *c);

#endif
