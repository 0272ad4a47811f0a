/*
 * regions: code that can be sped up, and the samples in it.
 *
 * A region is a line or a function.  Regions are created by name (-r) or by samples.
 * In line mode a sample is charged to the line of its innermost frame in scope, in
 * function mode to every function in scope on its stack.  A sample without such a frame
 * is charged to functions; see regions_fallback.c.
 */
#ifndef ANDWEORC_REGIONS_REGIONS_H
#define ANDWEORC_REGIONS_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "regions/callers.h"
#include "regions/mapping.h"
#include "runtime/arena.h"

enum region_scope { REGION_LINE, REGION_FUNCTION, REGION_CLASS, REGION_PATH };

struct region {
	unsigned id;              /* 1.., as in the log */
	enum region_scope scope;
	unsigned module;          /* id; 0 for a class; for a call path, the module of its last element */
	bool nameless;            /* a function that only the unwind table knows; `function` is "FILE+0xOFFSET" */
	bool is_main;             /* the nameless function that libc calls first: tried only if there is nothing else */
	enum arena_class class;   /* for REGION_CLASS: how its threads wait; CLASS_CPU: the class is given by ranges */
	struct region_path *path; /* for a call path; see regions_path.c; owned */
	char *function;           /* linkage name; for a call path, the whole path as requested; owned; NULL for a line whose function is unknown */
	char *file;               /* owned; NULL for a function without debug information */
	unsigned line;
	struct range *ranges;     /* module-relative; for a class: places; sorted, merged; owned */
	size_t nranges;
	struct range *calls;      /* for a function: the calls that enter it; see binary/calls.h; owned */
	size_t ncalls;
	bool has_calls;           /* those calls have been looked for */
	bool only_part;           /* requested only as an element of a call path: samples are not charged because of that */
	struct range *stand_ins;  /* places of the wrapper that the program calls instead; see regions_stand_in.c; owned */
	size_t nstand_ins;
	size_t logged_ranges;     /* number of ranges that are in the log */
	bool logged;              /* its record has been written: from then on each run reports its samples */
	bool named;               /* asked for with -r */
	bool given;               /* given with --given: never tried, but faster in all windows */
	uint64_t samples;         /* samples of this run, on a processor */
	uint64_t all_samples;     /* samples of all runs */
	uint64_t blocked;         /* samples of this run, while waiting; in periods of the sampler */
	uint64_t all_blocked;
	uint64_t stamp;           /* number of the last sample that was counted: recursion counts once */
	struct region *callee;    /* for a function: the region that it has called in most samples; NULL: none */
	uint64_t through;         /* the vote's count for that callee; see regions_pick.c */
	uint64_t voted;           /* number of the last sample in the vote */
};

struct place; /* cached facts about one address; see regions_sample.c */

enum { REGIONS_CHARGED = 64 };

struct regions {
	enum region_scope mode;
	struct mappings *modules;
	bool giving;              /* names are now requested by --given */
	bool only_named;          /* regions are requested by name: no others are tried, even if those are found late (plugins) */
	struct region **v;        /* owned; v[0..n), by id */
	size_t n, cap;
	struct map by_name;       /* "module:file:line" or "module:function" -> struct region */
	size_t npaths;            /* regions that are call paths */
	unsigned asked;           /* grows when there is another requested region */
	struct place *places;     /* open addressing */
	size_t nplaces, places_cap;
	struct callers callers;   /* the chains of calls of samples */
	uint64_t samples;         /* samples of this run, on a processor */
	uint64_t all_samples;     /* samples of all runs */
	uint64_t blocked;         /* samples of this run, while waiting; in periods of the sampler */
	uint64_t all_blocked;     /* of all runs, without waits for peers and for processors, which no region is charged with */
	uint64_t made;            /* samples of this run in generated code, on a processor; see jit.h */
	uint64_t made_named;      /* the part of those in functions with names */
	uint64_t taken;           /* all samples, on a processor and waiting, of all runs */
	struct map said;          /* messages about names that were printed; values are not used */
	struct region *charged[REGIONS_CHARGED]; /* regions that the last sample was charged to; further ones are left out */
	size_t ncharged;
	bool passed_more;         /* mapping_pass was called, so the result must be published */
	bool coarse;              /* set by regions_coarsen */
	bool fell_back;           /* functions became regions because there were no lines; see regions_fallback.c */
};

void regions_init(struct regions *r, enum region_scope mode, struct mappings *modules);
void regions_release(struct regions *r);

/* Forgets the counts of samples, for the next run. */
void regions_new_run(struct regions *r);

/* Counts one sample of the target. */
void regions_sample(struct regions *r, const struct arena_sample *s);

/* How well a name matches; a better match wins. */
enum naming {
	NAMED_NOWHERE,
	NAMED_ELSEWHERE, /* part of a name (called.h), in a library of the system */
	NAMED_OUTSIDE, /* part of a name, in code that came with the compiler (templates), in the program's own modules */
	NAMED_LIBRARY, /* full name, in a library of the system */
	NAMED_INSIDE,  /* closures inside a function of which it is part of the name */
	NAMED_PART,    /* part of a name, in the program's own code */
	NAMED_FULL,    /* full name, in the program's own modules; also a class */
};

/*
 * Makes regions of everything that `name` stands for: FUNCTION, FILE:LINE, a glob of functions, a class, or a call path of
 * functions and lines, "a;b;c".  Searches modules that have not been searched yet, and takes the best matches, unless they are
 * worse than those `known` before.  Searches libraries of the system only if none is known.  If several functions match and the
 * name is no glob, lists them once.  Returns how well the name matches now.
 */
enum naming regions_name(struct regions *r, const char *name, enum naming known);

/*
 * The linkage name of the last function of a call path, the first if there are several;
 * NULL: the path ends in a line.
 */
const char *regions_path_leaf(const struct region *g);

/* Why the text is an invalid call path; NULL: it is a valid one, or no call path. */
const char *regions_bad_path(const char *name);

/*
 * The first element of a call path that was not found so far, as text that the caller
 * frees; a copy of `name` when that is no path.
 */
char *regions_missing(struct regions *r, const char *name);
/* The place of a progress point. */
struct spot {
	uint64_t place;
	uint64_t semaphore; /* for a probe, the place of its semaphore (struct probe); 0: none */
};

/* The length of LIBRARY in LIBRARY!FUNCTION; 0: there is none. */
size_t regions_library(const char *name);

/*
 * Finds the places of a progress point by name (as above, optionally with LIBRARY! in front, or a probe,
 * PROVIDER:PROBE): the begin of a function, the first instruction of a line, each place of a probe.  Stores at
 * most max of them; returns how many there are.
 */
size_t regions_locate(struct regions *r, const char *name, struct spot *spot, size_t max);

/*
 * The regions to experiment with: the named ones, or, without any, those with
 * the most samples (at least min_share of all), at most max; in the order of
 * their names.  Returns how many; the array is the caller's.
 */
size_t regions_pick(struct regions *r, size_t max, double min_share, struct region **out);

/* Are samples charged to functions further out on their stacks, and not to the innermost line alone? */
bool regions_need_stacks(const struct regions *r);

/* The greatest share of all samples that a region has; 0: there are no samples. */
double regions_greatest_share(const struct regions *r);

/*
 * Makes functions regions instead of lines, when no line has enough samples.  Forgets
 * earlier samples, because functions were not counted.  False when regions are
 * functions already.
 */
bool regions_coarsen(struct regions *r);

/* Describes the union of regions[0..n) to the runtime; n 0: the empty region. */
void regions_target(struct region *const *regions, size_t n, struct arena_target *target);

/* Calls fn for each address that was sampled in this run (as the innermost frame), with its count, and for each class. */
void regions_leaves(struct regions *r,
		    void (*fn)(void *arg, unsigned module, uint64_t off, enum arena_class class, uint64_t count), void *arg);

#endif
