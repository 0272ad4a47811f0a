/*
 * Futexes, and calls by number; see sync.h.
 */
#include "sync.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
enum { NR_FUTEX_WAKE = 454, NR_FUTEX_WAIT = 455 };

/* ---- futexes ----------------------------------------------------------------------------------- */

static _Atomic uint32_t word, second, pi;

static long futex(_Atomic uint32_t *at, int op, uint32_t value, const void *timeout, _Atomic uint32_t *other, uint32_t third)
{
	return syscall(SYS_futex, at, op, value, timeout, other, third);
}

/* Waits until the futex is `wanted` waiters strong: FUTEX_WAKE of none cannot tell, so time must. */
static void *wait_for_one(void *arg)
{
	int op = (int)(intptr_t)arg;

	while (atomic_load(&word) == 0)
		if (futex(&word, op, 0, NULL, NULL, FUTEX_BITSET_MATCH_ANY) != 0 && errno != EAGAIN)
			return (void *)(intptr_t)errno;
	return NULL;
}

static void *wait_once(void *arg)
{
	long result;

	(void)arg;
	do {
		result = futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	} while (result != 0 && errno == EINTR);
	return (void *)(intptr_t)(result ? errno : 0);
}

static void *take_pi(void *arg)
{
	intptr_t err = futex(&pi, (int)(intptr_t)arg, 0, NULL, NULL, 0) ? errno : 0;

	if (!err && futex(&pi, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) != 0)
		err = 1000 + errno;
	return (void *)err;
}

static void *wait_requeue_pi(void *arg)
{
	intptr_t err = futex(&word, FUTEX_WAIT_REQUEUE_PI_PRIVATE, 0, NULL, &pi, 0) ? errno : 0;

	(void)arg;
	if (!err && futex(&pi, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) != 0)
		err = 1000 + errno;
	return (void *)err;
}

static void *wait_for_many(void *arg)
{
	struct {
		uint64_t val, at;
		uint32_t flags, reserved;
	} v[2] = { { 0, (uintptr_t)&word, 2 | 128, 0 }, { 0, (uintptr_t)&second, 2 | 128, 0 } };
	long result = syscall(SYS_futex_waitv, v, 2, 0, NULL, 0);

	(void)arg;
	return (void *)(intptr_t)(result < 0 ? errno + 1000 : result);
}

static void *exchange_words(void *arg)
{
	_Atomic uint32_t *at = arg;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		while (atomic_load(at) != 2 * i + 1)
			syscall(SYS_futex, at, FUTEX_WAIT, 2 * i, NULL);
		atomic_fetch_add(at, 1);
		syscall(SYS_futex, at, FUTEX_WAKE, 1);
	}
	return NULL;
}

static void exchange_with(_Atomic uint32_t *at)
{
	for (uint32_t i = 0; i < ROUNDS; i++) {
		atomic_fetch_add(at, 1);
		syscall(SYS_futex, at, FUTEX_WAKE, 1);
		while (atomic_load(at) != 2 * i + 2)
			syscall(SYS_futex, at, FUTEX_WAIT, 2 * i + 1, NULL);
	}
}

/* Repeats a wake until a thread has been woken: `op` and its count. */
static long until_woken(int op, uint32_t value)
{
	long n = 0;

	for (int i = 0; i < 20000 && n == 0; i++) {
		nap(50);
		n = futex(&word, op, value, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
	}
	return n;
}

static void join_and_say(const char *what, pthread_t t)
{
	void *value;

	pthread_join(t, &value);
	say("%s %s\n", what, (intptr_t)value >= 1000 ? strerrorname_np((int)(intptr_t)value - 1000) : named((int)(intptr_t)value));
}

static void futex_times(void)
{
	struct timespec t = { 0, 200000 }, bad = { 0, -5 };

	say("not equal %s\n", outcome(futex(&word, FUTEX_WAIT_PRIVATE, 77, NULL, NULL, 0)));
	say("timeout %s\n", outcome(futex(&word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0)));
	t = in_us(CLOCK_MONOTONIC, 200);
	say("bitset %s\n", outcome(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &t, NULL, 1)));
	t = in_us(CLOCK_REALTIME, 200);
	say("realtime %s\n", outcome(futex(&word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, &t, NULL, 1)));
	say("no bits %s\n", outcome(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &t, NULL, 0)));
	say("a bad time %s\n", outcome(futex(&word, FUTEX_WAIT_PRIVATE, 0, &bad, NULL, 0)));
	say("no such operation %s\n", outcome(futex(&word, 77, 0, NULL, NULL, 0)));
	say("no address %s\n", outcome(futex((_Atomic uint32_t *)8, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0)));
	say("nobody %s\n", outcome(futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0)));
}

static void futex_wakes(void)
{
	pthread_t t[3];
	long n = 0, moved = 0;

	t[0] = start(wait_for_one, (void *)FUTEX_WAIT_PRIVATE);
	t[1] = start(wait_for_one, (void *)FUTEX_WAIT_BITSET_PRIVATE);
	t[2] = start(wait_for_one, (void *)FUTEX_WAIT);
	nap(300);
	atomic_store(&word, 1);
	futex(&word, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0);
	futex(&word, FUTEX_WAKE_BITSET, 9, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
	for (int i = 0; i < 3; i++)
		join_and_say("woken", t[i]);

	atomic_store(&word, 0);
	t[0] = start(wait_once, NULL);
	say("woke %ld\n", until_woken(FUTEX_WAKE_PRIVATE, 1));
	join_and_say("woken", t[0]);
	t[0] = start(wait_once, NULL);
	say("woke %ld\n", until_woken(FUTEX_WAKE_BITSET_PRIVATE, 1));
	join_and_say("woken", t[0]);

	/* Moved, and woken there. */
	for (int cmp = 0; cmp < 2; cmp++) {
		t[0] = start(wait_once, NULL);
		t[1] = start(wait_once, NULL);
		for (moved = 0; moved < 2; nap(50))
			moved += cmp ? syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 0, 2L, &second, 0) :
				       syscall(SYS_futex, &word, FUTEX_REQUEUE_PRIVATE, 0, 2L, &second);
		say("moved %ld", moved);
		for (n = 0; n < 2;)
			n += futex(&second, FUTEX_WAKE_PRIVATE, 2, NULL, NULL, 0);
		say(", woke %ld\n", n);
		join_and_say("woken", t[0]);
		join_and_say("woken", t[1]);
	}
	say("moved none %s\n", outcome(syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1L, &second, 5)));

	t[0] = start(wait_once, NULL);
	for (n = 0; n == 0; nap(50))
		n = syscall(SYS_futex, &second, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &word, FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 0));
	say("wake op %ld\n", n);
	join_and_say("woken", t[0]);
}

static void futex_locks(void)
{
	int ops[] = { FUTEX_LOCK_PI_PRIVATE, FUTEX_LOCK_PI2 | FUTEX_PRIVATE_FLAG };
	pthread_t t;
	long n;

	for (int i = 0; i < 2; i++) {
		say("lock %s\n", outcome(futex(&pi, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0)));
		say("again %s\n", outcome(futex(&pi, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0)));
		t = start(take_pi, (void *)(intptr_t)ops[i]);
		nap(400);
		say("unlock %s\n", outcome(futex(&pi, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0)));
		join_and_say("taken", t);
	}
	say("not ours %s\n", outcome(futex(&pi, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0)));
	say("trylock %s\n", outcome(futex(&pi, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0)));
	t = start(wait_requeue_pi, NULL);
	for (n = 0; n == 0; nap(50))
		n = syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PI_PRIVATE, 1, 0L, &pi, 0);
	say("moved %ld\n", n);
	say("unlock %s\n", outcome(futex(&pi, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0)));
	join_and_say("taken", t);
}

static void futexes(void)
{
	_Atomic uint32_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t t;
	void *value;
	int status;
	pid_t pid;

	word = second = pi = 0;
	futex_times();
	futex_wakes();
	futex_locks();

	word = 0;
	t = start(exchange_words, &word);
	exchange_with(&word);
	pthread_join(t, NULL);
	say("exchanged %u\n", word);
	pid = fork();
	if (pid == 0) {
		exchange_words(shared);
		_exit(3);
	}
	exchange_with(shared);
	waitpid(pid, &status, 0);
	say("exchanged %u, status %d\n", *shared, WEXITSTATUS(status));
	munmap((void *)shared, 4096);

	/* Newer calls: a kernel without them fails in the same way, profiled or not. */
	word = 0;
	t = start(wait_for_many, NULL);
	for (int i = 0; i < 200; i++) {
		nap(50);
		futex(&second, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	pthread_join(t, &value);
	say("one of many %ld\n", (long)(intptr_t)value);
	say("futex_wait %s", outcome(syscall(NR_FUTEX_WAIT, &word, 7L, ~0u, 2 | 128, NULL, 0)));
	say(" futex_wake %s\n", outcome(syscall(NR_FUTEX_WAKE, &word, ~0u, 1, 2 | 128)));

	hook(SIGUSR1);
	t = pester_me(SIGUSR1);
	say("interrupted %s\n", outcome(futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0)));
	leave_me(t);
}

/* ---- calls by number --------------------------------------------------------------------------- */

static void *leave_by_number(void *arg)
{
	work(300);
	syscall(SYS_exit, 0);
	return arg;
}

static void *write_late(void *arg)
{
	nap(300);
	return (void *)(intptr_t)syscall(SYS_write, *(int *)arg, "ab", 2L);
}

static void calls(void)
{
	struct timespec t = { 0, 100000 }, left = { 5, 5 };
	char buf[8] = "";
	struct pollfd ready;
	int p[2], s[2], status;
	pthread_t thread;
	void *at, *value;
	pid_t pid;

	at = (void *)syscall(SYS_mmap, NULL, 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	say("six arguments %d", *(char *)at);
	say(" %s\n", outcome(syscall(SYS_munmap, at, 4096L)));
	say("pid %d tid %d\n", syscall(SYS_getpid) == getpid(), syscall(SYS_gettid) == gettid());
	errno = EXDEV;
	say("errno %s", outcome(syscall(SYS_getppid) == getppid()));
	say(" %s\n", named(errno));
	say("no such call %s", outcome(syscall(100000L)));
	say(" %s", outcome(syscall(511L)));
	say(" %s\n", outcome(syscall(-1L)));

	if (pipe(p) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, s) != 0)
		die("pipe");
	thread = start(write_late, &p[1]);
	say("read %s", outcome(syscall(SYS_read, p[0], buf, sizeof(buf))));
	pthread_join(thread, &value);
	say(" %.2s %d\n", buf, (int)(intptr_t)value);
	say("bad %s", outcome(syscall(SYS_read, -1, buf, sizeof(buf))));
	say(" %s", outcome(syscall(SYS_write, p[1], (void *)8, 5L)));
	say(" %s\n", outcome(syscall(SYS_fsync, p[1])));
	say("sendto %s", outcome(syscall(SYS_sendto, s[0], "xyz", 3L, 0, NULL, 0)));
	say(" recvfrom %s %.3s\n", outcome(syscall(SYS_recvfrom, s[1], buf, sizeof(buf), 0, NULL, NULL)), buf);
	ready = (struct pollfd){ .fd = s[1], .events = POLLIN };
#ifdef SYS_poll
	say("poll %s\n", outcome(syscall(SYS_poll, &ready, 1L, 1)));
#endif
	close(p[0]);
	close(p[1]);
	close(s[0]);
	close(s[1]);

	say("nanosleep %s", outcome(syscall(SYS_nanosleep, &t, &left)));
	say(" %ld", (long)left.tv_sec);
	say(" %s", outcome(syscall(SYS_nanosleep, NULL, NULL)));
	t.tv_nsec = -1;
	say(" %s", outcome(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL)));
	t = in_us(CLOCK_MONOTONIC, 100);
	say(" %s\n", outcome(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)));

	thread = start(leave_by_number, NULL);
	say("join %s\n", named(pthread_join(thread, NULL)));
	pid = fork();
	if (pid == 0)
		syscall(SYS_exit_group, 11);
	say("child %d", syscall(SYS_wait4, pid, &status, 0, NULL) == pid);
	say(" %d\n", WEXITSTATUS(status));
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0L, NULL, NULL, 0L);
	if (pid == 0)
		syscall(SYS_exit_group, 12);
	waitpid(pid, &status, 0);
	say("clone %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{ "futex", futexes },
		{ "calls", calls },
		{ NULL, NULL },
	};

	return run_mode(argc, argv, modes);
}
