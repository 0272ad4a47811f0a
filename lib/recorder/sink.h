/*
 * sink: where the output of all runs but the first goes.
 *
 * A user who pipes the output of a program somewhere expects it there once, however
 * often the program is run.  So later runs write to something that is read by nobody.
 *
 * It is of the same kind as what the first run has: a pipe for a pipe, a
 * terminal for a terminal, a file (without a name, in the same directory) for a
 * file.  The null device would not do.  Writing to it costs next to nothing, so
 * runs would not be alike; and programs look at what they write to: some colour
 * text or flush lines on a terminal alone, and GNU grep ends at the first match,
 * and GNU tar reads no file, where their output is the null device.
 *
 * All later runs have the same sink.  Whole runs (whole_runs.h) are compared among
 * these alone, as the first is for samples.  Windows are compared within a run,
 * or, where runs are short, with those of neighbouring runs, of which one may be
 * the first: it differs in who reads what is written, and how fast.
 */
#ifndef ANDWEORC_RECORDER_SINK_H
#define ANDWEORC_RECORDER_SINK_H

#include <stdatomic.h>
#include <stdbool.h>

/* One thing that is written to. */
struct sink_end {
	int command;           /* the command's end */
	int ours;              /* where we read what it writes; -1: it is a file, and nothing has to be read */
	atomic_ullong read;    /* bytes that we have read */
	unsigned long long before; /* bytes in files of earlier runs */
};

/* Lives until the process ends: a thread of it reads on. */
struct sink {
	bool is_open;
	int command[2];        /* what the command gets as standard output and standard error */
	struct sink_end end[2];
};

/*
 * Before the second run: opens a sink like `out` and `err`, the descriptors that
 * the first run had as its standard output and error.  Where that cannot be done,
 * and for devices, command[] is the descriptor itself.
 */
void sink_open(struct sink *s, int out, int err);

/* Before each further run: forgets what is there. */
void sink_clear(struct sink *s);

/* Has any run written to it so far? */
bool sink_has_taken(const struct sink *s);

#endif
