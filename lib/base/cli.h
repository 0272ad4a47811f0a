/*
 * cli: functions for the main functions of all tools.
 */
#ifndef ANDWEORC_BASE_CLI_H
#define ANDWEORC_BASE_CLI_H

#include <getopt.h>

#include "base/msg.h"

#define ANDWEORC_VERSION "0.1.0"

/* Exit statuses.  record uses 125..127 for its own failures, as env(1) does, and the command's status otherwise. */
enum {
	EXIT_OK = 0,
	EXIT_GATE = 1,    /* andweorc-diff only: the gate asked for is met */
	EXIT_TROUBLE = 2, /* usage, I/O or bad input */
	EXIT_UNJUDGED = 3, /* andweorc-diff only: the gate asked for cannot be judged */
	EXIT_RECORD = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

/* First statement of every main: message prefix, C locale for numbers, UTF-8 for text, a working fd 0-2. */
void cli_init(const char *argv0);

/* For a usage error: writes one line, "PROG: ...; see 'PROG --help'", to standard error, and exits with `status`. */
_Noreturn void cli_usage_error(int status, const char *fmt, ...) AW_PRINTF(2, 3);

/*
 * The next option: as getopt_long, but handles -h, -V and invalid options.  -h writes
 * `usage` and -V "NAME 0.1.0" to standard output; both exit with status 0.  A usage error
 * exits with `status`.  shorts begins with ":" ("+:" when arguments after the first
 * operand belong to another program) and has "hV"; longs ends in CLI_LONGS.
 */
#define CLI_LONGS { "help", no_argument, NULL, 'h' }, { "version", no_argument, NULL, 'V' }, { NULL, 0, NULL, 0 }
int cli_option(int argc, char **argv, const char *shorts, const struct option *longs, const char *usage, int status);

/*
 * Last statement of every main: flushes and closes standard output.  An error
 * there (ENOSPC, EIO) is reported and is EXIT_TROUBLE; a reader that went away
 * (EPIPE, as in `| head`) is not an error.  Otherwise EXIT_TROUBLE when
 * msg_failed(), else `status`.
 */
int cli_finish(int status);

#endif
