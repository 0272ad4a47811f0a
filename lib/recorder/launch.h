/*
 * launch: the arena, and the target with the runtime preloaded into it.
 */
#ifndef ANDWEORC_RECORDER_LAUNCH_H
#define ANDWEORC_RECORDER_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/arena.h"

/*
 * Makes an empty arena for the run of that number.  NULL, after a message, when
 * the system refuses.  *fd is the descriptor that the target will open through
 * /proc.  Each run has its own: what another has left behind may live on in that.
 */
struct arena *launch_arena(unsigned run, int *fd);
void launch_release(struct arena *arena, int fd);

/*
 * Starts argv with `runtime` preloaded and the arena named.  The descriptors
 * output[] become its standard output and standard error.  Returns its process id; -1, after a message, with *status 126 or 127 as env(1)
 * has them, or 125.
 */
pid_t launch(char *const argv[], const char *runtime, const struct arena *arena, int arena_fd, const int output[2],
	     int *status);

/*
 * Once the command has been started, the terminal's signals (INT, QUIT) are not for
 * us: they go to the whole group, the command decides, and we finish the log;
 * `interrupted` is told of them, unless they were ignored.  Until then they end us,
 * as they would have ended it.  PIPE and XFSZ are not for us at all: what cannot be
 * written is an error.  USR1 and USR2 come to `control`.  Commands get all of them, and
 * CHLD, as we had them.
 */
void launch_leave_signals(void (*interrupted)(int), void (*control)(int));

/* Before a command is started that may use Kokkos: `runtime` is the tool that all of its programs ask (see runtime/kokkos.c). */
void launch_as_tool_of_kokkos(const char *runtime);

/* The file of a command, as execvp(3) finds it; the caller frees it.  NULL: there is none. */
char *launch_find(const char *command);

/* The dynamic linker of the program that is open as `fd`; "": it does without one.  False when the file does not tell. */
enum { LAUNCH_INTERPRETER = 256 };
bool launch_interpreter(int fd, char path[LAUNCH_INTERPRETER]);

/* Before it is started: what the runtime needs to know of the command's file. */
void launch_examine(const char *command, struct arena *arena);

/* Why the runtime may never report in from this command: a reason for people with its remedy, or NULL when none is seen. */
const char *launch_obstacle(const char *command);

#endif
