/*
 * words: the wording of a report, common to all outputs for people.
 *
 * Each function appends text without markup.  Names in the report are cleaned of
 * invisible characters and control sequences, and shortened.  The writer of each output
 * escapes them for its language.
 */
#ifndef ANDWEORC_DIFF_WORDS_H
#define ANDWEORC_DIFF_WORDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "diff/report.h"

/* A name out of a report, at most `columns` wide, for the caller to free. */
char *words_name(const char *text, size_t columns);

/* "-4.1 % [-5.6, -2.6]", or "+5.7 %" where there is no interval. */
void words_change(struct buf *b, double value, double lo, double hi, const char *unit);

/* REAL_BASE_NS or REAL_HEAD_NS: "28.1 ms"; "about 0" where it is negative, and may as well be 0; "unknown". */
void words_time(struct buf *b, const struct row *row, enum row_real ns);

/* The same of a row's change, in per cent. */
void words_pct(struct buf *b, const struct row *row, const char *unit);

/* For a point "slower", "likely faster", "cannot tell yet" and so on; for a region "costs more" and the like. */
const char *words_verdict(const struct row *row);

/*
 * Why a change is no regression, as in "not seen before, so no alarm"; empty without a
 * reason, or without a change.
 */
void words_calm(struct buf *b, const struct row *row, const char *separator);

/* "5 blocks with base and head side by side, 5 + 5 runs" */
void words_design(struct buf *b, const struct row *row);

/* "1.9 %", "more than 100 %": the smallest change that could have been found, which must be known. */
void words_mde(struct buf *b, const struct row *row);

/* "about 8 blocks would tell"; empty when no more are needed. */
void words_needed(struct buf *b, const struct row *row, const char *separator);

/* "1 region costs more, 2 cost less, 11 unchanged, 3 inconclusive": of the point's regions. */
void words_counts(struct buf *b, const struct report *r, const char *point);

/* "same place", "work.c:8 in base, matched by moved, confidence 0.95": how the two regions were matched. */
void words_match(struct buf *b, const struct row *row);

/* Is the row worth a line of its own? */
bool words_is_news(const struct row *row);

#endif
