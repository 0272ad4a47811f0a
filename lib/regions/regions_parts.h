/*
 * regions_parts: declarations that the files of regions share.  Private to them.
 *
 *     regions.c           the list of regions
 *     regions_code.c      their code
 *     naming.c            regions by name, without call paths
 *     regions_sample.c    charges samples
 *     regions_stand_in.c  wrappers of functions of libc
 *     regions_fallback.c  functions of code without debug information
 *     regions_pick.c      chooses those to be tried
 *     regions_path.c      names, of call paths too
 *     call_path.c         the code of call paths (call_path.h)
 */
#ifndef ANDWEORC_REGIONS_REGIONS_PARTS_H
#define ANDWEORC_REGIONS_REGIONS_PARTS_H

#include "regions/regions.h"

/* The region of the line with code at `off`, of a function, or of a class.  Created if there is none. */
struct region *regions_line(struct regions *r, struct mapping *mod, uint64_t off, const struct frame *at);
struct region *regions_function(struct regions *r, struct mapping *mod, const struct frame *at);
struct region *regions_class(struct regions *r, const char *name, enum arena_class class);

/* A new call path, not requested yet. */
struct region *regions_path(struct regions *r, const char *name);

/* The region of a function without a name, from its extent. */
struct region *regions_nameless(struct regions *r, struct mapping *mod, const char *name, const struct range *extent);

/*
 * The function of the code at `off` by the symbol table, else by the unwind table.
 * NULL when neither has it, and for functions that contain everything (main).
 */
struct region *regions_fallback(struct regions *r, struct mapping *mod, uint64_t off);

/*
 * Does this function contain everything, so that its speedup tells nothing?  Or does it
 * only begin or end a file's code (_init)?
 */
bool regions_is_root(const char *function);

/* The code of a function as ranges of places, in an array that the caller frees.  Returns their number. */
size_t regions_places(struct mapping *mod, const char *function, struct range **places);

/* Finds the runtime's wrapper of this function of `mod`. */
void regions_stand_in(struct regions *r, struct region *g, struct mapping *mod);

/* Has the runtime a wrapper of the function of that name? */
bool regions_is_stood_in_for(const char *function);

/* The function of libc that the runtime's code at `off` wraps; NULL: none. */
struct region *regions_stood_in(struct regions *r, struct mapping *runtime, uint64_t off);

/* Is the place in the wrapper of this region's function? */
bool regions_stands_in(const struct region *g, uint64_t place);

/* Adds to a region's ranges; they stay sorted and merged. */
void regions_widen(struct region *g, const struct range *more, size_t n);

/* Is the code at `off` in the region, or one of the calls that enter it? */
bool regions_covers(const struct region *g, uint64_t off);

/* Finds the calls that enter a function, once. */
void regions_find_calls(struct regions *r, struct region *g);

/*
 * Finds the functions or lines of this name, without requesting them as regions.  See regions_name for `known`, which
 * is updated.  The caller frees the array.  Returns their number.
 */
size_t regions_called(struct regions *r, const char *name, enum naming *known, struct region ***out);

/* Is the name a call path? */
bool regions_is_path(const char *name);

/* As regions_name, for names that are not call paths. */
enum naming regions_name_code(struct regions *r, const char *name, enum naming known);

/* For call paths: whether a stack is in the region; the table for the runtime; and freeing it. */
bool regions_path_holds(struct regions *r, const struct region *g, const struct arena_sample *s);
void regions_path_target(const struct region *g, struct arena_target *target);
void regions_path_free(struct region_path *path);

/* Marks the region as requested: all samples in its code are charged to it. */
void regions_ask(struct regions *r, struct region *g);

#endif
