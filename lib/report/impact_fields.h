/*
 * impact_fields: the content of an analysis, key by key, in the format's order.  Both
 * outputs for tools, records and JSON, are made from it, each by a writer of its own.
 */
#ifndef ANDWEORC_REPORT_IMPACT_FIELDS_H
#define ANDWEORC_REPORT_IMPACT_FIELDS_H

#include "analysis/impact.h"

/* One record, or one object of JSON. */
struct impact_writer {
	void (*real)(void *to, const char *key, double x); /* x is finite, and rounded */
	void (*count)(void *to, const char *key, uint64_t x);
	void (*text)(void *to, const char *key, const char *value);
	void (*names)(void *to, const char *key, const char *const *names, size_t n);
	bool whole; /* also writes fields that only andweorc-diff needs: the code, and the run */
	void *to;
};

/* Unknown values are left out: numbers that are not finite, texts that are NULL. */
void impact_put_real(const struct impact_writer *w, const char *key, double x);
void impact_put_text(const struct impact_writer *w, const char *key, const char *value);
void impact_put_count(const struct impact_writer *w, const char *key, uint64_t x);

void impact_run_fields(const struct impact_writer *w, const struct profile_run *r);
void impact_warning_fields(const struct impact_writer *w, const struct profile_warning *warning);
void impact_coverage_fields(const struct impact_writer *w, const struct impact_coverage *c);
void impact_untried_fields(const struct impact_writer *w, const struct impact_coverage *c, size_t i);
void impact_point_fields(const struct impact_writer *w, const struct impact_point *p);
void impact_region_fields(const struct impact_writer *w, const struct analysis *a, const struct impact *im);
void impact_level_fields(const struct impact_writer *w, const struct impact *im, const struct causal_level *level);

#endif
