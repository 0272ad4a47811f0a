/*
 * attachable: can a process that runs be observed?
 */
#ifndef ANDWEORC_RECORDER_ATTACHABLE_H
#define ANDWEORC_RECORDER_ATTACHABLE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * NULL: nothing speaks against it.  Else why not, for people, with what helps where there is
 * something; the caller frees it.  Nothing is done to the process.  `runtime` is the path of the
 * library that it will have to load.
 */
char *attachable_obstacle(pid_t pid, const char *runtime);

/* Why the kernel refuses to let us trace the process, as errno has it now; the caller frees it. */
char *attachable_refusal(pid_t pid);

/* Has the process the arena of a recorder mapped? */
bool attachable_has_arena(pid_t pid);

/* What it runs, words separated by blanks; "" where that is not known.  The caller frees it. */
char *attachable_command(pid_t pid);

#endif
