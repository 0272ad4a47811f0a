/*
 * num: parses numbers, completely or not at all.
 *
 * Each function takes the whole string (no leading blank, no sign where the
 * type has none, no rest) and returns false, leaving *out alone, when it is not
 * exactly one number of the type.  The locale never matters.
 */
#ifndef ANDWEORC_BASE_NUM_H
#define ANDWEORC_BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

bool num_u64(const char *s, uint64_t *out);  /* decimal, or 0x and hexadecimal digits */
bool num_i64(const char *s, int64_t *out);   /* decimal, optional '-' */
bool num_real(const char *s, double *out);   /* finite decimal fraction, optional exponent; no "inf", "nan", hex */

/* Writes x with the fewest digits from which num_real reads the same double ("0.25").  `out` has room for 32. */
void num_format_real(char out[32], double x);

/* x with six significant digits: more would be noise, and differ with the compiler. */
double num_round(double x);

#endif
