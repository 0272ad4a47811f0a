/*
 * journal: the log, written line by line as things happen.
 *
 * Each record is one write(2), so that a recorder that is killed leaves whole
 * lines.  A failed write (a full disk) is reported once and remembered; the
 * target is not disturbed by it.
 */
#ifndef ANDWEORC_RECORDER_JOURNAL_H
#define ANDWEORC_RECORDER_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "regions/regions.h"

struct journal {
	int fd;
	const char *name; /* for messages */
	bool failed;
	struct buf line;
	struct held *held; /* owned; held[0..nheld): windows that have not been judged yet */
	size_t nheld, held_cap;
};

struct held {
	char *text;  /* owned */
	size_t mark; /* position of the verdict in it */
	size_t number; /* the caller's */
};

/* path NULL: standard output.  False, after a message, when it cannot be opened. */
bool journal_open(struct journal *j, const char *path);

/* Writes the line that record_* has put into j->line. */
void journal_flush(struct journal *j);

/*
 * Keeps the text that journal_flush would write.  journal_let_go writes it later, with
 * `verdict` (fields, or "") inserted at `mark`, in bytes from the begin of j->line.
 */
void journal_hold(struct journal *j, size_t mark, size_t number);
void journal_let_go(struct journal *j, size_t index, const char *verdict);

/* Call after the last of them was written. */
void journal_held_none(struct journal *j);

/* False, after a message, when anything could not be written. */
bool journal_close(struct journal *j);

void journal_header(struct journal *j);

/* Settings that all runs of a recording have in common; NULL: none. */
struct journal_origin {
	const char *commit;
	const char *block; /* the same for recordings that were made together */
	const char *side;  /* "base" or "head" */
	const char *design; /* "fixed" or "adaptive" */
	const char *given;   /* the region that is faster in all windows, and its speedup */
	unsigned given_pct;
	bool named;          /* the user has named the regions, and wants no others */
	const char *scope;   /* see scope_write */
	int64_t wait_ns;     /* see struct plan */
	double until_points; /* see struct plan; in percent; 0: none */
};

/* The `run` record: the command, the machine, and how it is sampled (as the runtime has noted in the arena). */
void journal_run(struct journal *j, unsigned run, const struct arena *arena, char *const argv[], uint64_t seed,
		 enum region_scope mode, const struct journal_origin *origin);

/* The record of a process that has joined; an empty command is unknown. */
void journal_process(struct journal *j, unsigned run, uint32_t id, pid_t pid, pid_t parent, const char *command);

/* The record of its end, or of its exec; an empty status is unknown. */
void journal_process_end(struct journal *j, unsigned run, uint32_t id, const char *status, uint64_t visits);

enum { JOURNAL_STATUS = 32 };

/* "exit:N" or "signal:N", from a status of wait(2). */
void journal_status(char s[JOURNAL_STATUS], int status);

void journal_module(struct journal *j, unsigned run, struct mapping *mod);

/* Writes the region, unless it is in the log of this run already. */
void journal_know(struct journal *j, struct region *region);

/* Samples and shares at the end of a run. */
void journal_samples(struct journal *j, unsigned run, struct regions *regions);

/* what: a stable code for tools; text for people. */
void journal_warning(struct journal *j, unsigned run, const char *what, const char *text);

#endif
