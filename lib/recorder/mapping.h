/*
 * mapping: the ELF files mapped into the target, and how to unwind through them.
 *
 * A module keeps its identity (and its images and rows) from run to run; where
 * it is mapped changes.
 */
#ifndef ANDWEORC_RECORDER_MAPPING_H
#define ANDWEORC_RECORDER_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "binary/image.h"
#include "runtime/arena.h"

struct mapping {
	unsigned id;         /* 1.., as in the log */
	char *path;          /* owned */
	struct image *image; /* NULL: cannot be read */
	bool own;            /* in scope: its code can be a region */
	bool mapped;         /* in the run that is on */
	bool seen;           /* by the mapping_read that is on */
	bool logged;         /* its record has been written in this run */
	uint64_t lo, hi;     /* run-time range of its code */
	uint64_t bias;       /* run-time address - module-relative offset */
	uint32_t first, nrows; /* unwind rows in the arena */
	bool has_rows;       /* an attempt has been made */
	struct range *passed; /* owned: functions that come from outside (templates); charged to their callers */
	size_t npassed, passed_cap;
};

struct mappings {
	struct mapping *v; /* owned; v[0..n) */
	size_t n, cap;
	uint32_t rows_used; /* of arena->row */
};

void mapping_init(struct mappings *m);
void mapping_release(struct mappings *m);

/*
 * Reads what `pid` has mapped now.  True when a module is new, has moved or is gone.
 * What cannot be read (the process is gone) changes nothing.
 */
bool mapping_read(struct mappings *m, pid_t pid);

/* The module whose code is at run-time address pc, or NULL. */
struct mapping *mapping_find(struct mappings *m, uint64_t pc);

/* Gives the runtime rows for all modules, and the code ranges of those in scope. */
void mapping_publish(struct mappings *m, struct arena *arena);

/* Is it what andweorc-record has preloaded? */
bool mapping_is_runtime(const struct mapping *mod);

/* Adds to what is passed of a module, unless it is there; told to the runtime by the next mapping_publish. */
void mapping_pass(struct mapping *mod, const struct range *ranges, size_t n);

/* May lines of this file be regions?  False for system headers, libraries' own sources, the Rust standard library. */
bool mapping_file_in_scope(const char *file, void *unused);

#endif
