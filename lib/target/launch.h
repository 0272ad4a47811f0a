/*
 * launch: the arena, and the target with the runtime preloaded into it.
 */
#ifndef ANDWEORC_TARGET_LAUNCH_H
#define ANDWEORC_TARGET_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/arena.h"

/*
 * Makes an empty arena for the run of that number.  NULL, after a message, when the
 * system refuses.  The target will open the descriptor *fd through /proc.  Each run has
 * its own arena, because processes of an earlier run may still be using theirs.
 */
struct arena *launch_arena(unsigned run, int *fd);
void launch_release(struct arena *arena, int fd);

enum { LAUNCH_NAME = 64 };

/* The name by which a process finds the arena: among the descriptors of `lender`, we ourselves or a child of ours. */
void launch_arena_name(const struct arena *arena, int arena_fd, pid_t lender, char name[LAUNCH_NAME]);

/*
 * Starts argv with `runtime` preloaded and the arena in its environment.  The descriptors output[] become its standard output and
 * standard error.  Returns its process id; -1, after a message, with *status 126 or 127 as env(1) has them, or 125.
 */
pid_t launch(char *const argv[], const char *runtime, const struct arena *arena, int arena_fd, const int output[2],
	     int *status);

/*
 * Sets the recorder's signals.  The terminal sends INT and QUIT to the whole group.
 * Once the command has been started, it decides what to do, and the recorder finishes
 * the log; `interrupted` is called, unless the signals were ignored.  Before that, they
 * end the recorder.  PIPE and XFSZ are ignored, so that failed writes are errors.  USR1
 * and USR2 call `control`. Commands get all of these signals, and CHLD, as the recorder
 * inherited them.
 */
void launch_leave_signals(void (*interrupted)(int), void (*control)(int));

/* For a command that may use Kokkos.  `runtime` becomes the tool that all of its programs load (see wrap/kokkos.c).  Call it before the command is started. */
void launch_as_tool_of_kokkos(const char *runtime);

/* The file of a command, as execvp(3) finds it; the caller frees it.  NULL: there is none. */
char *launch_find(const char *command);

/* The dynamic linker of the program that is open as `fd`; "": a static program.  False when the file does not tell. */
enum { LAUNCH_INTERPRETER = 256 };
bool launch_interpreter(int fd, char path[LAUNCH_INTERPRETER]);

/* Notes what the runtime needs to know of the command's file.  Call it before the command is started. */
void launch_examine(const char *command, struct arena *arena);

/*
 * Why the runtime cannot report in from this command: a text with the reason and a remedy,
 * or NULL when none is seen.
 */
const char *launch_obstacle(const char *command);

#endif
