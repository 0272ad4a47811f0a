/*
 * whatif: a user's question about a recording (andweorc-analyze --what-if).
 *
 *     hash_bytes=50,main.c:12=30,cpus=4
 *
 * means: what if hash_bytes took half of its time, line 12 of main.c 30 % less, and
 * there were four processors?
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
	const char *text; /* the text of the question; the caller's */
	struct what_if_term *term; /* owned */
	size_t n, cap;
	unsigned cpus; /* 0: as many as the machine has */
};

/* False, with *why set, when the text is not a valid question. */
bool what_if_parse(struct what_if *w, const char *text, const char **why);
void what_if_release(struct what_if *w);

/* The speedup of the region in the question; 0: it is not in the question.  Notes that it was found. */
double what_if_shorter(struct what_if *w, const struct profile_region *region);

/* Prints the answers.  False, after a message, when there are none. */
bool what_if_write(const struct what_if *w, const struct profile *p, FILE *out);

#endif
