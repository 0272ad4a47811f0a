/*
 * status: a line on the terminal with the progress of the recording and its first
 * results.
 */
#ifndef ANDWEORC_RECORDER_STATUS_H
#define ANDWEORC_RECORDER_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/evidence.h"
#include "regions/regions.h"

struct status {
	bool shown; /* standard error is a terminal */
	int64_t began_ns;
	int64_t drawn_ns;
};

void status_init(struct status *s, int64_t now_ns);

/* Draws the line again when it is old enough. */
void status_draw(struct status *s, int64_t now_ns, uint64_t windows, struct regions *regions,
		 const struct evidence *evidence);

/* Takes the line away. */
void status_clear(struct status *s);

#endif
