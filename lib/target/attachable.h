/*
 * attachable: can the recorder attach to a running process?
 */
#ifndef ANDWEORC_TARGET_ATTACHABLE_H
#define ANDWEORC_TARGET_ATTACHABLE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Why the recorder cannot attach to the process, for people, and what helps if something
 * does; the caller frees it.  NULL: no reason is known.  The process is not touched.
 * `runtime` is the path of the library that the process will have to load.
 */
char *attachable_obstacle(pid_t pid, const char *runtime);

/* Why the kernel has refused to let us trace the process, by errno; the caller frees it. */
char *attachable_refusal(pid_t pid);

/* Has the process mapped the arena of a recorder? */
bool attachable_has_arena(pid_t pid);

/* Its command line, with blanks between the words; "" if it is unknown.  The caller frees it. */
char *attachable_command(pid_t pid);

#endif
