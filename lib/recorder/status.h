/*
 * status: how far the recording is, on a terminal; and what it seems to find.
 */
#ifndef ANDWEORC_RECORDER_STATUS_H
#define ANDWEORC_RECORDER_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/causal.h"
#include "recorder/regions.h"

/* One window, as the estimator takes it, and whose it is. */
struct status_obs {
	struct causal_obs obs;
	const struct region *region; /* NULL: a baseline */
};

struct status {
	bool shown;          /* standard error is a terminal */
	int64_t began_ns;
	int64_t drawn_ns;
	struct status_obs *v; /* owned; windows of the first point */
	size_t n, cap;
};

void status_init(struct status *s, int64_t now_ns);
void status_release(struct status *s);

/* A window of the first progress point was measured. */
void status_window(struct status *s, const struct region *region, const struct causal_obs *obs);

/* Draws the line again when it is old enough. */
void status_draw(struct status *s, int64_t now_ns, uint64_t windows, struct regions *regions);

/* Takes the line away. */
void status_clear(struct status *s);

#endif
