/* Functions of libc that have wrappers in lib/wrap/child.c; see real.h. */
#ifndef ANDWEORC_RUNTIME_REAL_CHILD_H
#define ANDWEORC_RUNTIME_REAL_CHILD_H

#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define REAL_CHILD(X) \
	X(wait, pid_t, (int *)) \
	X(waitpid, pid_t, (pid_t, int *, int)) \
	X(wait3, pid_t, (int *, int, struct rusage *)) \
	X(wait4, pid_t, (pid_t, int *, int, struct rusage *)) \
	X(waitid, int, (idtype_t, id_t, siginfo_t *, int)) \
	X(system, int, (const char *)) \
	X(popen, FILE *, (const char *, const char *)) \
	X(pclose, int, (FILE *)) \
	X(posix_spawn, int, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, \
			     char *const[], char *const[])) \
	X(posix_spawnp, int, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, \
			      char *const[], char *const[])) \
	X(daemon, int, (int, int)) \
	X(_Fork, pid_t, (void)) \
	X(clone, int, (int (*)(void *), void *, int, void *, ...)) \
	X(_exit, void, (int)) \
	X(_Exit, void, (int)) \
	X(quick_exit, void, (int))

#endif
