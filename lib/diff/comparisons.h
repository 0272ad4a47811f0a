/*
 * comparisons: compares two analyses, and makes their report.
 */
#ifndef ANDWEORC_DIFF_COMPARISONS_H
#define ANDWEORC_DIFF_COMPARISONS_H

#include <stdbool.h>

#include "diff/report.h"
#include "diff/side.h"
#include "match/match.h"
#include "source/linemap.h"

/* The default margin of andweorc-diff. */
enum { COMPARISONS_MARGIN_PCT = 2 };

struct comparisons_options {
	const char *point;         /* only this one; NULL: all */
	double margin_pct;         /* as part of the base's period, > 0 */
	double region_margin_pct;  /* the same for regions, which are measured less exactly; 0: as for points */
	bool within_run;           /* too few runs may be judged by the noise inside them */
	const struct linemap *map; /* from base's lines to head's; NULL: none */
};

/* A region in both. */
struct pair {
	const struct side_region *base, *head;
	const struct replicates *base_runs, *head_runs; /* which slope is compared: over all speedups, or up to the knee */
	enum match_kind kind;
	double confidence;
	struct comparison cost, slope;
	double q;
	enum change change;
	size_t shift; /* number of the cost shift that it is part of; 0 none */
};

/* A region in one of them. */
struct lone {
	const struct side_region *region;
	bool matters; /* it is a bottleneck here, and the other side would have found it */
	size_t shift;
};

/* A point in both, with its regions. */
struct point_pair {
	const struct side_point *base, *head;
	double untried_pct[2]; /* of base, of head: the greatest code without an experiment */
	size_t recorded;       /* runs of the side with fewer, with or without data */
	struct comparison period;
	double q, base_ns;  /* base_ns: period of the base */
	enum change change;
	struct pair *pair;  /* owned */
	size_t npairs;
	struct lone *lone[2]; /* of base, of head: regions in no pair; owned */
	size_t nlone[2];
};

struct comparisons {
	struct point_pair *point; /* by name */
	size_t n;
};

/* Compares all points that both sides have; release the result. */
void comparisons_init(struct comparisons *c, const struct side *base, const struct side *head, const struct comparisons_options *o);
void comparisons_release(struct comparisons *c);

/* Part of comparisons_init: finds cost that moved from one region to another. */
void comparisons_find_shifts(struct point_pair *p);

/* Parses a margin from a command line; false when it is invalid. */
bool comparisons_read_margin(const char *text, double *pct);

/* The margin of regions. */
double comparisons_region_margin_pct(const struct comparisons_options *o);

/* The rule for the regions of a point, in ns, and for the point itself, in logarithms. */
struct change_rule comparisons_region_rule(const struct point_pair *p, const struct comparisons_options *o);
struct change_rule comparisons_point_rule(const struct comparisons_options *o);

/* False, after a message, when the two have no point in common. */
bool comparisons_report(struct report *r, const struct side *base, const struct side *head, const struct comparisons_options *o);

#endif
