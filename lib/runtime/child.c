/*
 * child: processes come to be and end, and others wait for them.
 *
 * A process that ends lets its parent go on: it releases two objects, one named
 * by its own pid, and one by its parent's ("some child of it has ended"), for
 * those waits that do not say which child ended them.  A wait for a child of the
 * recording is one for a peer; for any other (static, set-user-id, started with
 * an empty environment) it is one for the outside, and can be the region.
 *
 * Between vfork(2) and exec or _exit a child borrows its parent's memory, and
 * with it this thread's slot: nothing that it does is an end of the parent.  Only
 * its pid, asked of the kernel, tells it apart.
 */
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>

#include "wrap.h"

/* ---- ends ----------------------------------------------------------------------------- */

static void release_child(uint64_t key, const void *site)
{
	if (wait_is_accounted()) {
		sync_release(key, site);
		return;
	}
	/* Also when no clock matters: a process that waits for us learns from it that it waited for a peer. */
	pay_and_release(key);
}

/* The process is about to end.  Twice does no harm, and early little: the time since then is reckoned with. */
static void release_parent(const void *site)
{
	int32_t outside;

	if (!arena || SYS(SYS_getpid) != process_pid)
		return;
	atomic_store_explicit(&arena->farewell, 1, memory_order_relaxed);
	if (!wait_is_watched())
		return;
	outside = atomic_load_explicit(&process->pid, memory_order_relaxed);
	release_child(key_of('c', (uint64_t)process_pid, 0), site);
	/* The first process of a pid namespace has another number for its parent. */
	if (outside > 0 && outside != process_pid)
		release_child(key_of('c', (uint64_t)outside, 0), site);
	release_child(key_of('C', (uint64_t)SYS(SYS_getppid), 0), site);
}

EXPORT _Noreturn void _exit(int status)
{
	release_parent(SITE);
	if (REAL(_exit))
		real._exit(status);
	for (;;)
		SYS(SYS_exit_group, status);
}

EXPORT _Noreturn void _Exit(int status)
{
	release_parent(SITE);
	if (REAL(_Exit))
		real._Exit(status);
	for (;;)
		SYS(SYS_exit_group, status);
}

/* It ends in an _exit of libc's own. */
EXPORT _Noreturn void quick_exit(int status)
{
	release_parent(SITE);
	REAL(quick_exit)(status);
	__builtin_unreachable();
}

/* exit(3), and a return from main.  What was constructed first is destroyed last. */
__attribute__((destructor(101))) static void at_exit(void)
{
	release_parent(NULL);
}

/* ---- births --------------------------------------------------------------------------- */

/* daemon(3) returns in the child only; the parent ends inside of it, without another call. */
EXPORT int daemon(int keep_directory, int keep_output)
{
	release_parent(SITE);
	return REAL(daemon)(keep_directory, keep_output);
}

/* As fork, but nobody's handlers run, ours neither. */
EXPORT pid_t _Fork(void)
{
	pid_t pid;

	if (!REAL(_Fork)) {
		errno = ENOSYS;
		return -1;
	}
	process_forking();
	pid = real._Fork();
	if (pid == 0)
		process_forked();
	return pid;
}

struct start {
	int (*fn)(void *);
	void *arg;
};

static int start_copy(void *p)
{
	struct start start = *(struct start *)p;
	int status;

	process_forked();
	status = start.fn(start.arg);
	release_parent(NULL);
	return status;
}

/* With memory of its own it is a fork; the copy of our frame tells the child what to do.  Else it is none of ours. */
EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	struct start start = { fn, arg };
	void *more[3];
	va_list ap;

	/* As in libc: a caller that does not ask for one of them passes none, and nobody looks at what is read here. */
	va_start(ap, arg);
	for (unsigned i = 0; i < 3; i++)
		more[i] = va_arg(ap, void *);
	va_end(ap);
	if (!arena || !fn || (flags & CLONE_VM))
		return REAL(clone)(fn, stack, flags, arg, more[0], more[1], more[2]);
	process_forking();
	return REAL(clone)(start_copy, stack, flags, &start, more[0], more[1], more[2]);
}

/* ---- waits ---------------------------------------------------------------------------- */

/* Did children of the recording end the last wait for a child?  The next is taken to be alike. */
static _Atomic bool peers_before;

/* Is it (any: is some child of ours) a process of the recording? */
static bool is_of_recording(pid_t pid)
{
	uint32_t n = atomic_load_explicit(&arena->processes_used, memory_order_acquire);
	int32_t self_pid = atomic_load_explicit(&process->pid, memory_order_relaxed);

	for (uint32_t i = 0; i < n && i < ARENA_PROCESSES; i++) {
		const struct arena_process *p = &arena->process[i];
		int32_t is = atomic_load_explicit(&p->pid, memory_order_relaxed);

		if (pid > 0 ? is == pid : is && atomic_load_explicit(&p->parent, memory_order_relaxed) == self_pid)
			return true;
	}
	return false;
}

/* pid > 0: that one is waited for. */
static void begin_child_wait(struct wait *w, pid_t pid, const void *site)
{
	bool peer;

	w->t = NULL;
	if (!wait_is_watched())
		return;
	peer = is_of_recording(pid) || atomic_load_explicit(&peers_before, memory_order_relaxed);
	wait_begin(w, CLASS_IO, site, !peer, WAIT_UNKNOWN);
}

/* The wait is over because of child `pid`; <= 0: of none. */
static void end_child_wait(struct wait *w, pid_t pid)
{
	uint64_t key;
	bool peer;

	if (!w->t || !arena)
		return;
	if (pid <= 0) {
		wait_outside(w);
		return;
	}
	key = key_of('c', (uint64_t)pid, 0);
	/* One that was killed has released nothing, but is still in the table. */
	peer = vclock_released_at(&arena->clock, key) || is_of_recording(pid);
	atomic_store_explicit(&peers_before, peer, memory_order_relaxed);
	if (peer)
		wait_by_peer(w, key);
	else
		wait_outside(w);
}

/* The same, for some child that libc waited for itself. */
static void end_of_some(struct wait *w)
{
	uint64_t key;
	bool peer;

	if (!w->t || !arena)
		return;
	key = key_of('C', (uint64_t)process_pid, 0);
	peer = vclock_released_at(&arena->clock, key) >= w->began.since_ns;
	atomic_store_explicit(&peers_before, peer, memory_order_relaxed);
	if (peer)
		wait_by_peer(w, key);
	else
		wait_outside(w);
}

/* It was asked for, not waited for. */
static void reaped(pid_t pid, const void *site)
{
	if (pid > 0 && wait_is_accounted())
		sync_acquire(key_of('c', (uint64_t)pid, 0), site);
}

#define WAIT(pid, wait_expr)                                                                                                 \
	do {                                                                                                                 \
		struct wait w;                                                                                               \
		pid_t got;                                                                                                   \
		if (!wait_is_watched())                                                                                      \
			return wait_expr;                                                                                    \
		begin_child_wait(&w, pid, SITE);                                                                             \
		got = wait_expr;                                                                                             \
		end_child_wait(&w, got);                                                                                     \
		return got;                                                                                                  \
	} while (0)

#define ASK(wait_expr)                                                                                                       \
	do {                                                                                                                 \
		pid_t got = wait_expr;                                                                                       \
		reaped(got, SITE);                                                                                           \
		return got;                                                                                                  \
	} while (0)

EXPORT pid_t wait(int *status)
{
	WAIT(-1, REAL(wait)(status));
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	if (options & WNOHANG)
		ASK(REAL(waitpid)(pid, status, options));
	WAIT(pid, REAL(waitpid)(pid, status, options));
}

EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	if (options & WNOHANG)
		ASK(REAL(wait3)(status, options, usage));
	WAIT(-1, REAL(wait3)(status, options, usage));
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	if (options & WNOHANG)
		ASK(REAL(wait4)(pid, status, options, usage));
	WAIT(pid, REAL(wait4)(pid, status, options, usage));
}

/* Its result does not say which child it was: `info` does, if the program wants to know. */
EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	siginfo_t own;
	struct wait w;
	int err;

	if (!wait_is_watched())
		return REAL(waitid)(type, id, info, options);
	if (!info)
		info = &own;
	info->si_pid = 0;
	w.t = NULL;
	if (!(options & WNOHANG))
		begin_child_wait(&w, type == P_PID ? (pid_t)id : -1, SITE);
	err = REAL(waitid)(type, id, info, options);
	if (options & WNOHANG)
		reaped(err == 0 ? info->si_pid : 0, SITE);
	else
		end_child_wait(&w, err == 0 ? info->si_pid : 0);
	return err;
}

/* ---- both at once --------------------------------------------------------------------- */

EXPORT int system(const char *command)
{
	struct wait w;
	int status;

	if (!command || !wait_is_watched())
		return REAL(system)(command);
	begin_child_wait(&w, -1, SITE);
	status = REAL(system)(command);
	end_of_some(&w);
	return status;
}

EXPORT int pclose(FILE *stream)
{
	struct wait w;
	int status;

	if (!wait_is_watched())
		return REAL(pclose)(stream);
	begin_child_wait(&w, -1, SITE);
	status = REAL(pclose)(stream);
	end_of_some(&w);
	return status;
}

/* Until the child has become another program, its parent is stopped: by the kernel, so by the outside. */
#define SPAWN(type, spawn_expr)                                                                                              \
	do {                                                                                                                 \
		struct wait w;                                                                                               \
		type result;                                                                                                 \
		wait_begin(&w, CLASS_IO, SITE, true, WAIT_UNKNOWN);                                                          \
		result = spawn_expr;                                                                                         \
		wait_outside(&w);                                                                                            \
		return result;                                                                                               \
	} while (0)

EXPORT FILE *popen(const char *command, const char *mode)
{
	SPAWN(FILE *, REAL(popen)(command, mode));
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	SPAWN(int, REAL(posix_spawn)(pid, path, actions, attr, argv, envp));
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	SPAWN(int, REAL(posix_spawnp)(pid, file, actions, attr, argv, envp));
}
