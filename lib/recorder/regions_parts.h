/*
 * regions_parts: what the files of regions share.  Private to them.
 *
 *     regions.c         the regions that there are
 *     regions_code.c    which code is theirs
 *     naming.c          those that were asked for
 *     regions_sample.c  what samples hit
 *     regions_stand_in.c  functions of libc that the runtime has in their stead
 *     regions_fallback.c  functions of code without debug information
 *     regions_pick.c    what is tried
 *     regions_path.c    call paths
 */
#ifndef ANDWEORC_RECORDER_REGIONS_PARTS_H
#define ANDWEORC_RECORDER_REGIONS_PARTS_H

#include "recorder/regions.h"

/* The region of a line, of which code is at `off`; of a function; of a class: made when it is new. */
struct region *regions_line(struct regions *r, struct mapping *mod, uint64_t off, const struct frame *at);
struct region *regions_function(struct regions *r, struct mapping *mod, const struct frame *at);
struct region *regions_class(struct regions *r, const char *name, enum arena_class class);

/* A call path, not asked for yet. */
struct region *regions_path(struct regions *r, const char *name);

/* A function that has an extent and no name. */
struct region *regions_nameless(struct regions *r, struct mapping *mod, const char *name, const struct range *extent);

/*
 * The function of the code at `off` by the symbol table, else by the unwind table.
 * NULL when neither knows it, and for what every thread is inside of (main).
 */
struct region *regions_fallback(struct regions *r, struct mapping *mod, uint64_t off);

/* "pigz+0x3a40".  The caller frees it. */
char *regions_offset_name(const struct mapping *mod, uint64_t off);

/* Is everything inside this function, so that "all of it faster" is no finding?  Or does it only begin or end a file's code (_init)? */
bool regions_is_root(const char *function);

/* The code of a function as places, in one array for the caller to free.  Returns how many. */
size_t regions_places(struct mapping *mod, const char *function, struct range **places);

/* Finds what the runtime has in the stead of the function, which is of mod. */
void regions_stand_in(struct regions *r, struct region *g, struct mapping *mod);

/* Has the runtime one in the stead of the function of that name? */
bool regions_is_stood_in_for(const char *function);

/* The function of libc that the runtime's code at `off` stands in for; NULL: none. */
struct region *regions_stood_in(struct regions *r, struct mapping *runtime, uint64_t off);

/* Is the place in what stands in for it? */
bool regions_stands_in(const struct region *g, uint64_t place);

/* Adds to a region's ranges; they stay sorted and merged. */
void regions_widen(struct region *g, const struct range *more, size_t n);

/* Is the code at `off` of its module, or one of the calls that it is entered by? */
bool regions_covers(const struct region *g, uint64_t off);

/* The calls that lead to a function, once. */
void regions_find_calls(struct regions *r, struct region *g);

/*
 * The functions or lines that are called `name`, which are not asked for by that; see regions_name for `known`, which
 * becomes what it is now.  The array is the caller's.  Returns how many.
 */
size_t regions_called(struct regions *r, const char *name, enum naming *known, struct region ***out);

/* Is the name one of a call path? */
bool regions_is_path(const char *name);

/* Of a call path: regions_name; is the stack in it; what the runtime is told; and its end. */
enum naming regions_name_path(struct regions *r, const char *name, enum naming known);
bool regions_path_holds(struct regions *r, const struct region *g, const struct arena_sample *s);
void regions_path_target(const struct region *g, struct arena_target *target);
void regions_path_free(struct region_path *path);

/* The region was asked for: samples are charged to it wherever they hit. */
void regions_ask(struct regions *r, struct region *g);

#endif
