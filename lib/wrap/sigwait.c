/*
 * sigwait: signals as wake-ups.
 *
 * A thread that sends a signal lets a thread go on that waits for it.  The key of a
 * signal is made of its number and its target: a process, a thread by its tid, or a
 * thread by its pthread_t.  The waiting thread cannot tell which of the three was used,
 * and acquires the one that was released last.  A wait for any signal (pause,
 * sigsuspend, a descriptor of signalfd) uses number 0, which every signal releases.
 *
 * A handler that another thread's signal runs is not a wait: it acquires nothing.
 */
#include <string.h>
#include <sys/signalfd.h>

#include "channel.h"
#include "runtime/process.h"
#include "runtime/reach.h"
#include "runtime/sample_signal.h"
#include "runtime/sampler.h"
#include "runtime/withdraw.h"
#include "sigwait.h"
#include "wrap.h"

static uint64_t key_to(enum key_kind kind, uint64_t whom, int sig)
{
	return key_of(kind, whom, (uint64_t)sig << 32 | (kind == KEY_SIGNAL_PTHREAD ? process_number() : 0));
}

uint64_t signal_any(pid_t pid)
{
	return key_to(KEY_SIGNAL_PROCESS, (uint64_t)pid, 0);
}

static void sending(enum key_kind kind, uint64_t whom, int sig, const void *site)
{
	if (sig == 0 || !wait_is_accounted())
		return;
	sync_release(key_to(kind, whom, sig), site);
	sync_release(key_to(kind, whom, 0), site);
}

/* pid as in kill(2).  It may mean a group, of which any process of the recording may be a member. */
void signal_to_process(pid_t pid, int sig, const void *site)
{
	uint32_t n;

	if (pid > 0) {
		sending(KEY_SIGNAL_PROCESS, (uint64_t)pid, sig, site);
		return;
	}
	if (sig == 0 || !wait_is_accounted())
		return;
	n = atomic_load_explicit(&arena->processes_used, memory_order_acquire);
	for (uint32_t i = 0; i < n && i < ARENA_PROCESSES; i++) {
		int32_t member = atomic_load_explicit(&arena->process[i].pid, memory_order_relaxed);

		if (member > 0)
			sending(KEY_SIGNAL_PROCESS, (uint64_t)member, sig, site);
	}
}

void signal_to_thread(pid_t tid, int sig, const void *site)
{
	sending(KEY_SIGNAL_TID, (uint64_t)tid, sig, site);
}

/* A process that stops itself may expect to be traced from here on. */
static void after_stop(int sig)
{
	if (unlikely(sig == SIGSTOP) && arena)
		withdraw_if_asked();
}

EXPORT int kill(pid_t pid, int sig)
{
	int err;

	signal_to_process(pid, sig, SITE);
	err = REAL(kill)(pid, sig);
	after_stop(sig);
	return err;
}

EXPORT int killpg(pid_t group, int sig)
{
	signal_to_process(0, sig, SITE);
	return REAL(killpg)(group, sig);
}

EXPORT int sigqueue(pid_t pid, int sig, const union sigval value)
{
	signal_to_process(pid, sig, SITE);
	return REAL(sigqueue)(pid, sig, value);
}

EXPORT int tgkill(pid_t pid, pid_t tid, int sig)
{
	if (!REAL(tgkill)) {
		errno = ENOSYS;
		return -1;
	}
	signal_to_thread(tid, sig, SITE);
	return real.tgkill(pid, tid, sig);
}

EXPORT int pthread_kill(pthread_t thread, int sig)
{
	sending(KEY_SIGNAL_PTHREAD, (uint64_t)thread, sig, SITE);
	return REAL(pthread_kill)(thread, sig);
}

EXPORT int pthread_sigqueue(pthread_t thread, int sig, const union sigval value)
{
	if (!REAL(pthread_sigqueue))
		return ENOSYS;
	sending(KEY_SIGNAL_PTHREAD, (uint64_t)thread, sig, SITE);
	return real.pthread_sigqueue(thread, sig, value);
}

EXPORT int raise(int sig)
{
	int err;

	sending(KEY_SIGNAL_PTHREAD, (uint64_t)pthread_self(), sig, SITE);
	err = REAL(raise)(sig);
	after_stop(sig);
	return err;
}

/* ---- waiting ------------------------------------------------------------------------ */

/* The key of the three by which sig was last sent to the calling thread; *when: the time, 0: never. */
static uint64_t last_way(int sig, int64_t *when)
{
	const uint64_t way[] = {
		key_to(KEY_SIGNAL_PROCESS, (uint64_t)atomic_load_explicit(&process->pid, memory_order_relaxed), sig),
		key_to(KEY_SIGNAL_TID, (uint64_t)self.slot->tid, sig),
		key_to(KEY_SIGNAL_PTHREAD, (uint64_t)pthread_self(), sig),
	};
	uint64_t last = way[0];

	*when = 0;
	for (unsigned i = 0; i < sizeof(way) / sizeof(*way); i++) {
		int64_t at = vclock_released_at(&arena->clock, way[i]);

		if (at > *when) {
			*when = at;
			last = way[i];
		}
	}
	return last;
}

void signal_wait_end(struct wait *w, int sig, const siginfo_t *info)
{
	uint64_t key;
	int64_t when;

	if (!w->t)
		return;
	if (sig <= 0) {
		wait_outside(w);
	} else if (info->si_code > 0 && sig == SIGCHLD && process_is_recorded(info->si_pid)) {
		wait_by_peer(w, key_of(KEY_CHILD, (uint64_t)info->si_pid, 0)); /* as child.c has it */
	} else if ((info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL) &&
		   process_is_recorded(info->si_pid)) {
		key = last_way(sig, &when);
		wait_by_peer(w, key);
	} else {
		wait_outside(w);
	}
}

void signal_wait_end_any(struct wait *w)
{
	uint64_t key;
	int64_t when;

	if (!w->t)
		return;
	key = last_way(0, &when);
	if (when >= w->began.since_ns)
		wait_by_peer(w, key);
	else
		wait_outside(w);
}

/*
 * The body of sigwait, sigwaitinfo and sigtimedwait.  Always asks for a siginfo, even
 * if the program does not.  A pending sample is skipped, because the program does not
 * wait for it.
 */
#define WAIT(set, info, wait_expr)                                                                                           \
	do {                                                                                                                 \
		siginfo_t own_;                                                                                              \
		struct wait w_;                                                                                              \
		int sig_;                                                                                                    \
		if (likely(!arena))                                                                                          \
			return wait_expr;                                                                                    \
		if (!(info))                                                                                                 \
			info = &own_;                                                                                        \
		wait_begin(&w_, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);                                                      \
		do {                                                                                                         \
			sig_ = wait_expr;                                                                                    \
		} while (sig_ > 0 && unlikely(sampler_sent(sig_, info)));                                                    \
		signal_wait_end(&w_, sig_, info);                                                                            \
		sample_signal_settle();                                                                                      \
		return sig_;                                                                                                 \
	} while (0)

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	WAIT(set, info, REAL(sigwaitinfo)(set, info));
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *within)
{
	WAIT(set, info, REAL(sigtimedwait)(set, info, within));
}

/* By sigwaitinfo, because sigwait does not tell the sender.  sigwait returns its errors, and never EINTR. */
EXPORT int sigwait(const sigset_t *set, int *sig)
{
	int got, saved = errno, err = 0;
	siginfo_t info;
	struct wait w;

	if (likely(!arena))
		return REAL(sigwait)(set, sig);
	wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);
	do {
		got = REAL(sigwaitinfo)(set, &info);
	} while (got < 0 ? errno == EINTR : unlikely(sampler_sent(got, &info)));
	if (got < 0)
		err = errno;
	else
		*sig = got;
	signal_wait_end(&w, got, &info);
	sample_signal_settle();
	errno = saved;
	return err;
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t copy;

	if (!REAL(signalfd)) {
		errno = ENOSYS;
		return -1;
	}
	if (likely(!arena))
		return real.signalfd(fd, set, flags);
	without_ours(set, &copy);
	fd = real.signalfd(fd, &copy, flags);
	if (fd >= 0)
		channel_is_signals(fd);
	return fd;
}

EXPORT int sigsuspend(const sigset_t *mask)
{
	struct wait w;
	int err;

	if (likely(!arena))
		return REAL(sigsuspend)(mask);
	wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);
	err = WITH_MASK(mask, REAL(sigsuspend)(mask));
	signal_wait_end_any(&w);
	return err;
}

EXPORT int pause(void)
{
	struct wait w;
	int err;

	if (!wait_is_watched())
		return REAL(pause)();
	wait_begin(&w, CLASS_LOCK, SITE, false, WAIT_UNKNOWN);
	err = REAL(pause)();
	signal_wait_end_any(&w);
	return err;
}
