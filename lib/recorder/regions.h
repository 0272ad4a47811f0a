/*
 * regions: what may be sped up, and which samples belong to it.
 *
 * A region is a line or a function.  Regions come into being by name (-r) or by
 * samples.  In line mode a sample is charged to the line of its innermost frame in
 * scope, in function mode to every function in scope on its stack.  Where it has
 * no such frame, it is charged to functions by what is known of the code; see
 * regions_fallback.c.
 */
#ifndef ANDWEORC_RECORDER_REGIONS_H
#define ANDWEORC_RECORDER_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "recorder/callers.h"
#include "recorder/mapping.h"
#include "runtime/arena.h"

enum region_scope { REGION_LINE, REGION_FUNCTION, REGION_CLASS, REGION_PATH };

struct region {
	unsigned id;              /* 1.., as in the log */
	enum region_scope scope;
	unsigned module;          /* id; 0 for a class; of a call path, that of what it ends in */
	bool nameless;            /* a function that only the unwind table knows; `function` is "FILE+0xOFFSET" */
	enum arena_class class;   /* of REGION_CLASS: how its threads wait, CLASS_CPU: by ranges; else CLASS_CPU */
	struct region_path *path; /* of a call path; see regions_path.c; owned */
	char *function;           /* linkage name, of a call path all of it as it was asked for; owned; NULL for a line whose function is unknown */
	char *file;               /* owned; NULL for a function without debug information */
	unsigned line;
	struct range *ranges;     /* module-relative; of a class: places; sorted, merged; owned */
	size_t nranges;
	struct range *calls;      /* of a function: the calls that it is entered by; see binary/calls.h; owned */
	size_t ncalls;
	bool has_calls;           /* they have been looked for */
	bool only_part;           /* but for a call path alone: no sample is charged because of that */
	struct range *stand_ins;  /* places of the runtime's code that the program calls instead; see regions_stand_in.c; owned */
	size_t nstand_ins;
	size_t logged_ranges;     /* as many as the log knows of */
	bool logged;              /* a record has been written: from then on each run says how many samples were in it */
	bool named;               /* asked for with -r */
	bool given;               /* with --given: never tried, but faster in all windows */
	uint64_t samples;         /* of this run, on a processor */
	uint64_t all_samples;     /* of all runs */
	uint64_t blocked;         /* of this run, while waiting; in periods of the sampler */
	uint64_t all_blocked;
	uint64_t stamp;           /* number of the last sample counted: recursion counts once */
	struct region *callee;    /* of a function: the region that it most often was in by a call; NULL: none */
	uint64_t through;         /* how many samples more by that call than in any other way; see regions_pick.c */
	uint64_t voted;           /* number of the last sample that this is known of */
};

struct place; /* what is known of one address; see regions_sample.c */

enum { REGIONS_CHARGED = 64 };

struct regions {
	enum region_scope mode;
	struct mappings *modules;
	bool giving;              /* what is asked for is given */
	bool only_named;          /* names have been given: nothing else is experimented with, though they may be found late (plugins) */
	struct region **v;        /* owned; v[0..n), by id */
	size_t n, cap;
	struct map by_name;       /* "module:file:line" or "module:function" -> struct region */
	size_t npaths;            /* regions that are call paths */
	unsigned asked;           /* grows when there are more regions that were asked for */
	struct place *places;     /* open addressing */
	size_t nplaces, places_cap;
	struct callers callers;   /* the chains of calls that samples came by */
	uint64_t samples;         /* of this run, on a processor */
	uint64_t all_samples;     /* of all runs */
	uint64_t blocked;         /* of this run, while waiting; in periods of the sampler */
	uint64_t all_blocked;
	uint64_t made;            /* of this run, on a processor in code that the program made as it ran; see jit.h */
	uint64_t made_named;      /* of these, in functions with names */
	uint64_t taken;           /* samples of either kind, of all runs */
	struct map said;          /* about names; values are not used */
	struct region *charged[REGIONS_CHARGED]; /* what the last sample was charged to; more than that are left out */
	size_t ncharged;
	bool passed_more;         /* mapping_pass was called: publish */
	bool coarse;              /* by regions_coarsen */
	bool fell_back;           /* functions became regions, as there were no lines; see regions_fallback.c */
};

void regions_init(struct regions *r, enum region_scope mode, struct mappings *modules);
void regions_release(struct regions *r);

/* Forgets the counts of samples, for the next run. */
void regions_new_run(struct regions *r);

/* Counts one sample of the target. */
void regions_sample(struct regions *r, const struct arena_sample *s);

/* How well a name is known; the better one wins. */
enum naming {
	NAMED_NOWHERE,
	NAMED_ELSEWHERE, /* in part (called.h), of a library of the system */
	NAMED_OUTSIDE, /* in part, of code in the program's own modules that came with the compiler (templates) */
	NAMED_LIBRARY, /* in full, of a library of the system */
	NAMED_INSIDE,  /* closures, inside of what is called so in part */
	NAMED_PART,    /* in part, of the program's own code */
	NAMED_FULL,    /* in full, of the program's own modules; of classes too */
};

/*
 * Makes regions of everything that `name` stands for: FUNCTION, FILE:LINE, a glob
 * of functions, a class, or a call path of functions and lines, "a;b;c".  Looks in modules that have not been searched yet, and
 * takes what is called so best, if that is no worse than what is known by now.
 * Libraries of the system are searched for what is not `known`.  Says once which
 * functions there are, when there are several and the name is no glob.  Returns how
 * well the name is known now.
 */
enum naming regions_name(struct regions *r, const char *name, enum naming known);

/* The linkage name of the function that a call path ends in, the first if there are several; NULL: it ends in a line. */
const char *regions_path_leaf(const struct region *g);

/* Why the text is no call path that could be asked for; NULL: it is one, or none at all. */
const char *regions_bad_path(const char *name);

/* The part of a call path that nothing is called so far, as text that the caller frees; a copy of `name` when that is no path. */
char *regions_missing(struct regions *r, const char *name);
/* Where a progress point is. */
struct spot {
	uint64_t place;
	uint64_t semaphore; /* of a probe, the place of what must be raised for it (struct probe); 0: nothing */
};

/* The length of LIBRARY in LIBRARY!FUNCTION; 0: there is none. */
size_t regions_library(const char *name);

/*
 * What `name` (as above, with LIBRARY! in front of it or not, or a probe, PROVIDER:PROBE) stands for, for progress
 * points: where a function begins, the first instruction of a line, each place of
 * a probe.  At most max are stored; returns how many there are.
 */
size_t regions_locate(struct regions *r, const char *name, struct spot *spot, size_t max);

/*
 * The regions to experiment with: the named ones, or, without any, those with
 * the most samples (at least min_share of all), at most max; in the order of
 * their names.  Returns how many; the array is the caller's.
 */
size_t regions_pick(struct regions *r, size_t max, double min_share, struct region **out);

/* Are samples charged to functions that are further out on their stacks, too, not to the innermost line alone? */
bool regions_need_stacks(const struct regions *r);

/* The greatest share that a region has of all samples; 0: there are none. */
double regions_greatest_share(const struct regions *r);

/*
 * From now on regions are functions, not lines, as no line has enough samples.  What
 * was sampled before is forgotten: functions were not counted.  False when they are
 * functions already.
 */
bool regions_coarsen(struct regions *r);

/* Describes regions[0..n) as one to the runtime; without any, nothing is in it. */
void regions_target(struct region *const *regions, size_t n, struct arena_target *target);

/* Calls fn for each address that was sampled in this run (as the innermost frame), with its count, and for each class. */
void regions_leaves(struct regions *r,
		    void (*fn)(void *arg, unsigned module, uint64_t off, enum arena_class class, uint64_t count), void *arg);

#endif
