/*
 * sink: takes the output of all runs except the first.
 *
 * A user who pipes the output of a program somewhere expects it there once, however
 * often the program is run.  So the output of later runs is discarded.
 *
 * The sink is of the same kind as the output of the first run: a pipe for a pipe, a
 * terminal for a terminal, a file (without a name, in the same directory) for a file.
 * The null device would not do.  Writing to it takes almost no time, so runs would
 * differ.  And programs adapt to their output: some colour text or flush lines only on
 * a terminal; with the null device, GNU grep ends at the first match, and GNU tar reads
 * no files.
 *
 * All later runs have the same sink.  Whole runs (whole_runs.h) are compared among
 * later runs alone, because the first run is for samples.  Windows are compared within
 * a run, or, where runs are short, with those of neighbouring runs.  One of these may
 * be the first run, whose output is read by another process, at another speed.
 */
#ifndef ANDWEORC_TARGET_SINK_H
#define ANDWEORC_TARGET_SINK_H

#include <stdatomic.h>
#include <stdbool.h>

/* One output. */
struct sink_end {
	int command;           /* the command's end */
	int ours;              /* our end, for reading; -1: it is a file, which need not be read */
	atomic_ullong read;    /* bytes that we have read */
	unsigned long long before; /* bytes in the files of earlier runs */
};

/* Lives until the process ends, because its thread reads until then. */
struct sink {
	bool is_open;
	int command[2];        /* descriptors that the command gets as standard output and standard error */
	struct sink_end end[2];
};

/*
 * Before the second run: opens a sink like `out` and `err`, the descriptors that
 * the first run had as its standard output and error.  If that is not possible, and for
 * devices, command[] is the descriptor itself.
 */
void sink_open(struct sink *s, int out, int err);

/* Call before each further run: discards the output so far. */
void sink_clear(struct sink *s);

/* Has any run written to it so far? */
bool sink_has_taken(const struct sink *s);

#endif
