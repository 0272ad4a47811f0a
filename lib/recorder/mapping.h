/*
 * mapping: the ELF files mapped into the processes of the target, and how to
 * unwind through them.
 *
 * A module keeps its identity (and its images and rows) from process to process
 * and run to run; where it is mapped (struct space) is each process's own.
 */
#ifndef ANDWEORC_RECORDER_MAPPING_H
#define ANDWEORC_RECORDER_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "binary/image.h"
#include "recorder/scope.h"
#include "runtime/arena.h"

struct mapping {
	unsigned id;         /* 1.., as in the log */
	char *path;          /* owned */
	struct image *image; /* NULL: not opened yet, or cannot be read; see mapping_image */
	bool unreadable;
	pid_t maker;         /* of code that a process has made as it ran (JIT): the process, in this run; 0: none */
	uid_t maker_uid;
	bool made;           /* it is such code; offsets are addresses */
	bool own;            /* in scope: its code can be a region */
	bool wanted;         /* there is no --only, or it names the module: no file of it need be named */
	bool excluded;       /* --exclude names it */
	const struct scope *scope; /* borrowed */
	struct mapping_limit *limit; /* of the image; owned */
	bool mapped;         /* in some process of the run that is on */
	bool logged;         /* its record has been written in this run */
	bool searched;       /* for what was asked for by name, in this run */
	uint32_t first, nrows; /* unwind rows in the arena */
	bool has_rows;       /* an attempt has been made */
	struct range *passed; /* owned: functions that come from outside (templates); charged to their callers */
	size_t npassed, passed_cap;
};

struct mappings {
	struct mapping *v; /* owned; v[0..n), by id */
	size_t n, cap;
	uint32_t rows_used; /* of the arena's */
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
	bool arena;       /* the arena is mapped too */
};

enum space_news {
	SPACE_UNREADABLE, /* the process is gone, or not ours to look at: nothing has been changed */
	SPACE_SAME,
	SPACE_CHANGED,    /* a module is new, has moved or is gone */
};

/* `scope` stays the caller's. */
void mapping_init(struct mappings *m, const struct scope *scope);
void mapping_release(struct mappings *m);

/* Forgets what belongs to the run that has ended. */
void mapping_new_run(struct mappings *m);

/* The module of that id, or NULL. */
struct mapping *mapping_of(struct mappings *m, unsigned id);

/* Its image, opened when it is first asked for; NULL when it cannot be read. */
struct image *mapping_image(struct mapping *mod);

/* Reads what `pid` has mapped now; `arena` is where it says that the arena is. */
enum space_news space_read(struct space *s, struct mappings *m, pid_t pid, uint64_t arena);
void space_release(struct space *s);

/* The module that has the run-time address pc, or NULL. */
const struct mapped *space_find(const struct space *s, uint64_t pc);

/* The module of what the process has made as it ran; 0: it has made nothing, as far as is known. */
unsigned space_made(const struct space *s, const struct mappings *m);

/* Tells the runtime in `process` where its modules are and how to unwind them. */
void space_publish(const struct space *s, struct mappings *m, struct arena *arena, struct arena_process *process);

/* Tells the runtime everywhere what is passed. */
void mapping_publish(struct mappings *m, struct arena *arena);

/* Is it what andweorc-record has preloaded? */
bool mapping_is_runtime(const struct mapping *mod);

/* Is there debug information of it?  Of a module whose image has been opened. */
bool mapping_has_lines(const struct mapping *mod);

/* Is it the C library, or the loader? */
bool mapping_is_libc(const struct mapping *mod);

/* Where in its open file the module-relative offset `off` lies; false when nothing of the file is mapped there. */
bool mapping_file_offset(int fd, uint64_t off, uint64_t *at);

/* Adds to what is passed of a module, unless it is there; told to the runtime by the next mapping_publish. */
void mapping_pass(struct mapping *mod, const struct range *ranges, size_t n);

/* Does the file of that path belong to the system?  Its libraries are not the user's to optimise. */
bool mapping_is_of_the_system(const char *path);

/* Do --only and --exclude leave code of this file (NULL: not known) in the module? */
bool mapping_is_wanted(const struct mapping *mod, const char *file);

/* Do --only-function and --exclude-function leave the function with this linkage name, or source name? */
bool mapping_function_in_scope(const char *function, const struct mapping *mod);

/* Does --exclude or --exclude-function name it? */
bool mapping_is_excluded(const struct mapping *mod, const char *function, const char *file);

/*
 * May lines of this file be regions?  False for system headers, libraries' own sources, the
 * Rust standard library, and what is not wanted.  `mapping`: the module.  NULL: may code
 * of which the file is not known?
 */
bool mapping_file_in_scope(const char *file, void *mapping);

#endif
