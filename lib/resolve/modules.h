/*
 * modules: the executables and shared objects that a log names, as images.
 *
 * An image is opened when its first address is looked up, and only once for all runs
 * and logs.  A failure is one warning for each module, never an error: the log is still
 * valid.
 */
#ifndef ANDWEORC_RESOLVE_MODULES_H
#define ANDWEORC_RESOLVE_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "binary/image.h"
#include "format/record.h"

struct module {
	char *path;        /* as the log has it */
	char *build_id;    /* "" unknown */
	bool opened;       /* opening it was tried */
	struct image *img; /* NULL: not available */
};

struct modules {
	const char **debug_dir; /* NULL-terminated; NULL none */
	size_t ndebug_dirs;
	const char **map_from;  /* map_from[i] at the start of a path becomes map_to[i]; the first that fits */
	const char **map_to;
	size_t nmaps;
	struct map file; /* path and build-id -> struct module */
	struct map id;   /* id -> struct module of file, under the header that is current */
	uint64_t last_id;
	struct module *last; /* the answer for last_id, or NULL */
	bool told;           /* where debug information comes from */
};

void modules_init(struct modules *m);
void modules_release(struct modules *m);

/* Adds a directory for separate debug files (borrowed). */
void modules_add_debug_dir(struct modules *m, const char *dir);

/* Adds "OLD=NEW": modules and sources under OLD are read under NEW.  False when there is no '=' or nothing before it. */
bool modules_add_path_map(struct modules *m, const char *map);

/* Where a file is that the log has under `path`; owned by the caller. */
char *modules_local_path(const struct modules *m, const char *path);

/* A new header: ids start again. */
void modules_forget_ids(struct modules *m);

/* Takes a `module` record; false, after a message, when it is bad or its id is taken by another file. */
bool modules_add(struct modules *m, struct record *rec);

/* The module with this id, or NULL. */
struct module *modules_find(struct modules *m, uint64_t id);

/* Its image, or NULL; warns the first time if it is missing or incomplete. */
struct image *modules_image(struct modules *m, struct module *mod);

#endif
