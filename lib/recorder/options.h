/*
 * options: the command line of andweorc-record, and files of options (--config).
 */
#ifndef ANDWEORC_RECORDER_OPTIONS_H
#define ANDWEORC_RECORDER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "recorder/journal.h"
#include "regions/scope.h"
#include "runtime/arena.h"

enum { OPTIONS_LEVELS = 100 };

/* An option as it was given. */
struct setting {
	int option;       /* as getopt_long returns it */
	char *value;      /* owned; NULL: it takes none */
	const char *path; /* of the file; NULL: the command line */
	unsigned long line;
};

struct settings {
	struct setting *v; /* owned; v[0..n) */
	size_t n, cap;
};

struct options {
	const char *output;      /* -o; NULL: not given */
	char *log;               /* owned: the same, without %r and the like; NULL: standard output; set by the caller of options_parse */
	const char *launcher;    /* NULL: not given */
	double seconds;          /* 0: not given */
	double wait;             /* before anything is measured, in seconds */
	uint64_t runs;           /* 0: not given */
	enum region_scope mode;
	char **names;            /* owned: -r */
	size_t nnames, names_cap;
	char **points;           /* owned: -P, but for those that begin with ':' */
	size_t npoints, points_cap;
	unsigned levels[OPTIONS_LEVELS]; /* speedups in percent, as given, without 0 */
	size_t nlevels;
	size_t zeros;            /* how often 0 is among the speedups */
	uint64_t max_regions;
	uint64_t seed;
	uint64_t period_us;
	uint64_t window_ms;
	unsigned sampler;        /* SAMPLER_PERF or SAMPLER_TIMER; 0: not given */
	uint64_t pid;            /* -p; 0: not given */
	bool attach_only;
	bool start_paused;
	bool whole_runs;         /* -P :run */
	bool automatic[MOVED_KINDS]; /* -P :output and the like */
	bool work;               /* -P :work */
	bool only_offers;        /* -P ?: what could be named there is to be printed */
	bool show_output;
	bool quiet;
	struct journal_origin origin;
	struct buf scope_text; /* the patterns that origin.scope is made of */
	struct settings settings; /* owners of the texts above */
	char *given; /* owned */
	struct scope scope;
};

/*
 * Returns the index of the command in argv; argc: there is none.  argv must outlive o, and
 * options_release frees what o owns.  A bad option, of argv or of a file, is a one-line
 * message and exit status 125.  --help, --version and --print-config write to standard
 * output, and exit.
 */
int options_parse(struct options *o, int argc, char **argv);
void options_release(struct options *o);

#endif
