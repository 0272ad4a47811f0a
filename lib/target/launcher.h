/*
 * launcher: programs that a launcher starts many times (mpirun, srun).
 *
 * On one host nothing special is needed: the launcher is recorded with all its
 * processes, as one experiment.  If it starts ranks on other hosts, each rank has its
 * own recorder (-l) and its own log (-o LOG.%r).
 */
#ifndef ANDWEORC_TARGET_LAUNCHER_H
#define ANDWEORC_TARGET_LAUNCHER_H

/*
 * The command of argv[0..argc), which begins at argv[command], with this program
 * and its options, argv[1..command), in front of the first word that `regex` (regex(7),
 * extended) matches.  NULL with *why NULL: this is the first word of the command, so
 * record the command as it is.  NULL with a reason: no word matches.  The caller frees
 * the result.
 */
char **launcher_command(int argc, char **argv, int command, const char *regex, const char **why);

/*
 * The name of a log: %r is the rank, %p our process number, %h the host's name, %%
 * a '%'.  NULL: %r, and the environment has no rank.  The caller frees the result.
 */
char *launcher_log_name(const char *pattern);

/* The number of ranks, from the environment; 1: unknown. */
unsigned launcher_ranks(void);

#endif
