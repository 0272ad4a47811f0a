/*
 * whatif: a question that the user asks of a recording (andweorc-analyze --what-if).
 *
 *     hash_bytes=50,main.c:12=30,cpus=4
 *
 * is: hash_bytes takes half of the time, line 12 of main.c 30 % less, and there are
 * four processors.
 */
#ifndef ANDWEORC_PROFILE_WHATIF_H
#define ANDWEORC_PROFILE_WHATIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct profile;
struct profile_region;

struct what_if_term {
	char *name; /* owned: function, symbol, or FILE:LINE */
	double s;   /* 0 .. 1 */
	bool found; /* a region of that name has samples in bursts */
};

struct what_if {
	const char *text; /* as it was asked; the caller's */
	struct what_if_term *term; /* owned */
	size_t n, cap;
	unsigned cpus; /* 0: as many as there are */
};

/* False, with *why set, when the text is none. */
bool what_if_parse(struct what_if *w, const char *text, const char **why);
void what_if_release(struct what_if *w);

/* By how much less time the region takes; 0 when it is not asked about.  Notes that it is found. */
double what_if_shorter(struct what_if *w, const struct profile_region *region);

/* The answers, for people.  False, after a message, when there are none. */
bool what_if_write(const struct what_if *w, const struct profile *p, FILE *out);

#endif
