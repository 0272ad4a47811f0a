/*
 * latency: what a window says of a latency point.  Part of loading a context.
 *
 * The estimator knows visits and the time that they took.  Of a latency point that
 * is the ends of its spans and the sum of their lengths: then the period is the mean
 * length, and slopes, curves and costs are those of latency.
 */
#ifndef ANDWEORC_PROFILE_LATENCY_H
#define ANDWEORC_PROFILE_LATENCY_H

#include "profile/context.h"

/* Of a `latency` record. */
struct context_spans {
	size_t window, point; /* of the context; of the profile */
	uint64_t count, crossing;
	double virtual_ns;
	size_t first, n; /* of context.bucket */
};

/* Of a `visits` record of kind latency. */
struct context_ends {
	size_t at;           /* in context.visits */
	double in_flight_ns; /* NAN: not there */
};

/*
 * Replaces visits of latency points by spans: those that were measured; where most
 * were not, their mean by Little's law; where there is neither, ends remain ends.
 * Notes which it was.
 */
void latency_join(struct context *c);

/* Adds the histograms to the profile's.  Windows and regions have their places. */
void latency_keep(struct context *c);

#endif
