/*
 * latency: the data of a window about a latency point.  Part of loading a context.
 *
 * The estimator works on visits and their time.  For a latency point, these are the
 * ends of its spans and the sum of their lengths.  Then the period is the mean length,
 * and slopes, curves and costs are those of latency.
 */
#ifndef ANDWEORC_PROFILE_LATENCY_H
#define ANDWEORC_PROFILE_LATENCY_H

#include "profile/context.h"

/* The data of a `latency` record. */
struct context_spans {
	size_t window, point; /* places in the context, and in the profile */
	uint64_t count, crossing;
	double virtual_ns;
	size_t first, n; /* range of context.bucket */
};

/* The data of a `visits` record of kind latency. */
struct context_ends {
	size_t at;           /* in context.visits */
	double in_flight_ns; /* NAN: not there */
};

/*
 * Replaces visits of latency points by spans: by measured ones; if most were not
 * measured, by their mean by Little's law; without either, ends stay ends.  Notes which
 * one was used.
 */
void latency_join(struct context *c);

/* Adds the histograms to the profile's.  Windows and regions have their places. */
void latency_keep(struct context *c);

#endif
