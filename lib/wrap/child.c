/*
 * child: the creation and the end of processes, and waits for their ends.
 *
 * A process that ends lets the readers of its output go on, and its parent.  For the
 * parent it releases two keys: one made of its own pid, and one of its parent's ("a
 * child of this process has ended"), for waits whose result does not tell which child
 * has ended.  A wait for a child of the recording is one for a peer; a wait for any
 * other child (static, set-user-id, or started with an empty environment) is one for
 * the outside, and can be the region.
 *
 * Between vfork(2) and exec or _exit, a child uses its parent's memory, and with it
 * this thread's slot.  Its end must not count as the end of the parent.  Only the pid
 * that the kernel reports tells the two apart.
 */
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>

#include "fd_wait.h"
#include "runtime/process.h"
#include "runtime/reach.h"
#include "sigwait.h"
#include "wrap.h"

/* ---- ends ----------------------------------------------------------------------------- */

enum {
	OUTPUTS = 1024, /* descriptors that are looked at when a process ends, from the lowest on */
	FEW = 16,       /* the same for a forked child, which has inherited what its parent still uses */
	GAP = 32,       /* after so many that are not open, the rest is not looked at */
};

static void release_even_if_idle(uint64_t key, const void *site)
{
	if (wait_is_accounted()) {
		sync_release(key, site);
		return;
	}
	/* Released even while clocks do not matter: from this a waiting process learns that it waited for a peer. */
	pay_and_release(key);
}

/*
 * The readers of its pipes and sockets now meet their end, or what libc writes of the
 * buffers of streams after all destructors.
 */
static void release_readers(const void *site)
{
	int most = atomic_load_explicit(&process->forked, memory_order_relaxed) ? FEW : OUTPUTS;

	for (int fd = 0, gap = 0; fd < most && gap < GAP; fd++) {
		bool is_open = SYS(SYS_fcntl, fd, F_GETFD) >= 0;
		uint64_t data = is_open ? channel_ended_by_close(fd) : 0;

		gap = is_open ? 0 : gap + 1;
		file_lock_end(fd, site);
		if (data)
			release_even_if_idle(data, site);
	}
}

/*
 * The process is about to end.  Calling this twice does no harm.  Calling it early does
 * little: the acquire rule adds the time since the release.
 */
static void release_parent(const void *site)
{
	int32_t outside, parent;

	if (!arena || SYS(SYS_getpid) != process_pid)
		return;
	atomic_store_explicit(&arena->farewell, 1, memory_order_relaxed);
	if (!wait_is_watched())
		return;
	release_readers(site);
	outside = atomic_load_explicit(&process->pid, memory_order_relaxed);
	release_even_if_idle(key_of(KEY_CHILD, (uint64_t)process_pid, 0), site);
	/* The first process of a pid namespace does not see the real number of its parent. */
	if (outside > 0 && outside != process_pid)
		release_even_if_idle(key_of(KEY_CHILD, (uint64_t)outside, 0), site);
	parent = (int32_t)SYS(SYS_getppid);
	release_even_if_idle(key_of(KEY_CHILDREN, (uint64_t)parent, 0), site);
	/* SIGCHLD */
	if (wait_is_accounted())
		sync_release(signal_any(parent), site);
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

/* It ends by libc's internal _exit. */
EXPORT _Noreturn void quick_exit(int status)
{
	release_parent(SITE);
	REAL(quick_exit)(status);
	__builtin_unreachable();
}

/* For exit(3) and for a return from main.  Our destructor runs last, since our constructor ran first. */
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

/* Like fork, but without the handlers of pthread_atfork, of which one is ours. */
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

/*
 * A child with its own memory is a fork: it finds a copy of this frame, and continues here.
 * Any other child is not followed.
 */
EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	struct start start = { fn, arg };
	void *more[3];
	va_list ap;

	/*
	 * As in libc: all three are read, though callers pass only those that the flags ask
	 * for; the kernel ignores the others.
	 */
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

/* Was the last wait for a child ended by a child of the recording?  The next wait is assumed to be the same. */
static _Atomic bool peers_before;

/* Has this process a child in the recording? */
static bool has_recorded_child(void)
{
	uint32_t n = atomic_load_explicit(&arena->processes_used, memory_order_acquire);
	int32_t own = atomic_load_explicit(&process->pid, memory_order_relaxed);

	for (uint32_t i = 0; i < n && i < ARENA_PROCESSES; i++) {
		const struct arena_process *p = &arena->process[i];

		if (atomic_load_explicit(&p->pid, memory_order_relaxed) && atomic_load_explicit(&p->parent, memory_order_relaxed) == own)
			return true;
	}
	return false;
}

/* pid > 0: the wait is for this child; else for any. */
static void begin_child_wait(struct wait *w, pid_t pid, const void *site)
{
	bool peer;

	w->t = NULL;
	if (!wait_is_watched())
		return;
	peer = (pid > 0 ? process_is_recorded(pid) : has_recorded_child()) || atomic_load_explicit(&peers_before, memory_order_relaxed);
	wait_begin(w, CLASS_IO, site, !peer, WAIT_UNKNOWN);
}

/* Ends a wait, because child `pid` has ended; <= 0: for another reason. */
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
	key = key_of(KEY_CHILD, (uint64_t)pid, 0);
	/* A child that was killed has released nothing, but its entry is still in the table. */
	peer = vclock_released_at(&arena->clock, key) || process_is_recorded(pid);
	atomic_store_explicit(&peers_before, peer, memory_order_relaxed);
	if (peer)
		wait_by_peer(w, key);
	else
		wait_outside(w);
}

/* The same, for a child that libc waited for internally. */
static void end_of_some(struct wait *w)
{
	uint64_t key;
	bool peer;

	if (!w->t || !arena)
		return;
	key = key_of(KEY_CHILDREN, (uint64_t)process_pid, 0);
	peer = vclock_released_at(&arena->clock, key) >= w->began.since_ns;
	atomic_store_explicit(&peers_before, peer, memory_order_relaxed);
	if (peer)
		wait_by_peer(w, key);
	else
		wait_outside(w);
}

/* WNOHANG: a question, not a wait. */
static void reaped(pid_t pid, const void *site)
{
	if (pid > 0 && wait_is_accounted())
		sync_acquire(key_of(KEY_CHILD, (uint64_t)pid, 0), site);
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

/* The result does not tell which child has ended: `info` does, which the program may not have passed. */
EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	siginfo_t own;
	struct wait w;
	int err;

	if (!wait_is_watched())
		return REAL(waitid)(type, id, info, options);
	if (!info) {
		own.si_pid = 0;
		info = &own;
	}
	w.t = NULL;
	if (!(options & WNOHANG))
		begin_child_wait(&w, type == P_PID ? (pid_t)id : -1, SITE);
	/* Where nobody has ended, WNOHANG sets si_pid to 0. */
	err = REAL(waitid)(type, id, info, options);
	if (options & WNOHANG)
		reaped(err == 0 ? info->si_pid : 0, SITE);
	else
		end_child_wait(&w, err == 0 ? info->si_pid : 0);
	return err;
}

/* ---- a child and a wait in one --------------------------------------------------------------------- */

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
	/* What is in the buffer is written now, and then comes the end of the data. */
	fd_wait_closes(stream->_fileno, SITE);
	channel_is_closed(stream->_fileno);
	begin_child_wait(&w, -1, SITE);
	status = REAL(pclose)(stream);
	end_of_some(&w);
	return status;
}

/* Until the child has exec'd, the kernel stops its parent.  This counts as a wait for the outside. */

EXPORT FILE *popen(const char *command, const char *mode)
{
	WAIT_OUTSIDE(REAL(popen)(command, mode));
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	WAIT_OUTSIDE(REAL(posix_spawn)(pid, path, actions, attr, argv, envp));
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	WAIT_OUTSIDE(REAL(posix_spawnp)(pid, file, actions, attr, argv, envp));
}
