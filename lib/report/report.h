/*
 * report: an analysis as text for people, and as files for tools: records, JSON, CSV,
 * and a profile of Coz.
 */
#ifndef ANDWEORC_REPORT_REPORT_H
#define ANDWEORC_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/impact.h"

/*
 * At most `top` impacts for each point: the first of the analysis in records and JSON, the first of its own order in the report.
 * REPORT_ALL: all; but a long report ends with the last one that has an effect.
 */
#define REPORT_ALL SIZE_MAX

void impact_write_records(const struct analysis *a, size_t top, FILE *out);
void impact_write_json(const struct analysis *a, size_t top, FILE *out);
void impact_write_csv(const struct analysis *a, size_t top, FILE *out);
void impact_write_coz(const struct analysis *a, size_t top, FILE *out); /* false, after a message, when it cannot be complete */
void impact_write_report(const struct analysis *a, size_t top, bool colour, FILE *out); /* for prose_page() */

/* The terms of the report, explained for people. */
void impact_write_terms(FILE *out);

#endif
