/*
 * launcher: programs that are started many times by another one (mpirun, srun).
 *
 * On one host nothing is needed: the launcher is recorded with all that it starts,
 * as one experiment.  Where it starts ranks on other hosts, each rank has a
 * recorder of its own (-l), and a log of its own (-o LOG.%r).
 */
#ifndef ANDWEORC_RECORDER_LAUNCHER_H
#define ANDWEORC_RECORDER_LAUNCHER_H

/*
 * The command of argv[0..argc), which begins at argv[command], with this program
 * and its options, argv[1..command), in front of the first word that `regex`
 * (regex(7), extended) matches.  NULL with *why NULL: that is the first word, so
 * the command is to be recorded as it is; with a reason: there is none.  The
 * result is the caller's.
 */
char **launcher_command(int argc, char **argv, int command, const char *regex, const char **why);

/*
 * The name of a log: %r is the rank, %p our process number, %h the host's name, %%
 * a '%'.  NULL: %r, and the environment has no rank.  The result is the caller's.
 */
char *launcher_log_name(const char *pattern);

/* How many ranks there are, as far as the environment tells; 1: it does not. */
unsigned launcher_ranks(void);

#endif
