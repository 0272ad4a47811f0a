/*
 * mapping: the ELF files that are mapped in processes of the target, and their unwind
 * tables.
 *
 * A module keeps its identity (and its images and rows) from process to process
 * and run to run; where it is mapped (struct space) is each process's own.
 */
#ifndef ANDWEORC_REGIONS_MAPPING_H
#define ANDWEORC_REGIONS_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "binary/image.h"
#include "regions/scope.h"
#include "runtime/arena.h"

struct mapping {
	unsigned id;         /* 1.., as in the log */
	char *path;          /* owned */
	struct image *image; /* NULL: not opened yet, or cannot be read; see mapping_image */
	bool unreadable;
	pid_t maker;         /* for generated code (JIT): the process, in this run; 0: none */
	uid_t maker_uid;
	bool made;           /* the module is generated code; its offsets are addresses */
	bool own;            /* in scope: its code can be a region */
	bool wanted;         /* there is no --only, or it names the module: then its files need not be named */
	bool excluded;       /* --exclude names it */
	const struct scope *scope; /* borrowed */
	struct mapping_limit *limit; /* build id of the image; owned */
	bool mapped;         /* in some process of the run that is on */
	bool logged;         /* its record has been written in this run */
	bool searched;       /* searched for requested names, in this run */
	uint32_t first, nrows; /* unwind rows in the arena */
	bool has_rows;       /* an attempt has been made */
	struct range *passed; /* owned: functions that come from outside (templates); charged to their callers */
	size_t npassed, passed_cap;
};

struct mappings {
	struct mapping *v; /* owned; v[0..n), by id */
	size_t n, cap;
	uint32_t rows_used; /* rows of the arena in use */
	const struct scope *scope; /* borrowed */
};

/* A module in a process. */
struct mapped {
	unsigned module; /* id */
	uint64_t lo, hi; /* run-time range of its code */
	uint64_t bias;   /* run-time address - module-relative offset */
};

/* The modules that a process has mapped. */
struct space {
	struct mapped *v; /* owned; v[0..n), sorted by lo */
	size_t n, cap;
	bool arena;       /* the arena is mapped in it, too */
};

enum space_news {
	SPACE_UNREADABLE, /* the process has ended, or may not be read: nothing was changed */
	SPACE_SAME,
	SPACE_CHANGED,    /* a module is new, has moved, or was unmapped */
};

/* `scope` stays the caller's. */
void mapping_init(struct mappings *m, const struct scope *scope);
void mapping_release(struct mappings *m);

/* Forgets data of the run that has ended. */
void mapping_new_run(struct mappings *m);

/* The module of that id, or NULL. */
struct mapping *mapping_of(struct mappings *m, unsigned id);

/* The image of a module, opened at the first call; NULL when it cannot be read. */
struct image *mapping_image(struct mapping *mod);

/* Reads the present mappings of `pid`. `arena`: the address at which the process claims to have mapped the arena. */
enum space_news space_read(struct space *s, struct mappings *m, pid_t pid, uint64_t arena);
void space_release(struct space *s);
void space_copy(struct space *to, const struct space *from); /* what `to` had is released */

/* The module that has the run-time address pc, or NULL. */
const struct mapped *space_find(const struct space *s, uint64_t pc);

/* The module of the code that the process has generated; 0: none known. */
unsigned space_made(const struct space *s, const struct mappings *m);

/* Tells the runtime in `process` where its modules are, and their unwind tables. */
void space_publish(const struct space *s, struct mappings *m, struct arena *arena, struct arena_process *process);

/* Is that what the runtime in `process` knows? */
bool space_is_published(const struct space *s, struct arena *arena, struct arena_process *process);

/* Tells the runtime in all processes which code is charged to its callers. */
void mapping_publish(struct mappings *m, struct arena *arena);

/* Is the module the preloaded runtime? */
bool mapping_is_runtime(const struct mapping *mod);

/* A name for code that has none: "pigz+0x3a40".  The caller frees it. */
char *mapping_offset_name(const struct mapping *mod, uint64_t off);

/* Has the module, whose image has been opened, debug information? */
bool mapping_has_lines(const struct mapping *mod);

/* Is the module the C library or the dynamic linker? */
bool mapping_is_libc(const struct mapping *mod);

/*
 * Translates a module-relative offset into a position in the open file; false when no part
 * of the file is mapped there.
 */
bool mapping_file_offset(int fd, uint64_t off, uint64_t *at);

/*
 * Adds a range of code that is charged to its callers, unless it is there.  The next
 * mapping_publish tells the runtime.
 */
void mapping_pass(struct mapping *mod, const struct range *ranges, size_t n);

/* Is code at that offset in such a range? */
bool mapping_passes(const struct mapping *mod, uint64_t off);

/* Does the file of that path belong to the system?  Libraries of the system are not the user's own code. */
bool mapping_is_of_the_system(const char *path);

/* Is code of this source file (NULL: unknown) in the module in scope, by --only and --exclude? */
bool mapping_is_wanted(const struct mapping *mod, const char *file);

/* Is the function with this linkage name, or source name, in scope, by --only-function and --exclude-function? */
bool mapping_function_in_scope(const char *function, const struct mapping *mod);

/* Is it excluded by --exclude or --exclude-function? */
bool mapping_is_excluded(const struct mapping *mod, const char *function, const char *file);

/*
 * May lines of this file be regions?  False for system headers, libraries' own sources, the
 * Rust standard library, and files out of scope.  `mapping`: the module.  A NULL file asks
 * about code without a known file.
 */
bool mapping_file_in_scope(const char *file, void *mapping);

#endif
