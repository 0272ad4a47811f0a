/*
 * attached MODE [UNTIL]: works until the file UNTIL is there (default: for 20 s), and watches whether
 * anything goes wrong that a recorder, which attaches to it meanwhile, could have done.
 * Says "ready" at first, and "MODE is well" at the end.
 *
 *     calls     a thread in each of many calls that block: none fails or ends early
 *     locks     threads that take turns by mutexes and condition variables
 *     handlers  timers whose handlers interrupt malloc, also on alternate stacks
 *     malloc    threads that allocate all the time
 *     registers threads that calculate in general and vector registers; flags, too
 *     churn     threads that come and go
 *     masked    a thread that has blocked all signals, and one that takes SIGTRAP itself
 *     plugins   a thread that loads and unloads a library
 *     loading   the dynamic linker is busy all the time: a constructor does not return
 *     fork      children come and go
 *     vfork     one thread, which waits for a child of vfork in uninterruptible sleep
 *     mixed     calls, locks and registers at once
 *     idle      one thread, which sleeps
 *     alone     the same, with no other thread
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "andweorc.h"

static const char *until;
static time_t latest;
static atomic_int wrong;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int over(void)
{
	return wrong || (until && access(until, F_OK) == 0) || time(NULL) > latest;
}

static void complain(const char *what, long got)
{
	fprintf(stderr, "%s: %ld, errno %d (%s)\n", what, got, errno, strerror(errno));
	wrong = 1;
}

#define EXPECT(what, expr, want)                                                                                             \
	do {                                                                                                                 \
		long got_;                                                                                                   \
		errno = 0;                                                                                                   \
		got_ = (long)(expr);                                                                                         \
		if (got_ != (want))                                                                                          \
			complain(what, got_);                                                                                \
	} while (0)

/* A call that lasts 0.2 s does not end before that. */
#define LASTS(what, expr, want)                                                                                              \
	do {                                                                                                                 \
		double began_ = now();                                                                                       \
		EXPECT(what, expr, want);                                                                                    \
		if (now() - began_ < 0.199)                                                                                  \
			complain(what " ended early, us", (long)((now() - began_) * 1e6));                                   \
	} while (0)

/* ---- calls --------------------------------------------------------------------------- */

static const struct timespec a_while = { 0, 200000000 };

static struct timespec in_a_while(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += a_while.tv_nsec;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static void *in_nanosleep(void *arg)
{
	while (!over())
		LASTS("nanosleep", nanosleep(&a_while, NULL), 0);
	return arg;
}

static void *in_clock_nanosleep(void *arg)
{
	while (!over()) {
		struct timespec t = in_a_while(CLOCK_MONOTONIC);

		LASTS("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL), 0);
	}
	return arg;
}

static void *in_poll(void *arg)
{
	while (!over())
		LASTS("poll", poll(NULL, 0, 200), 0);
	return arg;
}

static void *in_select(void *arg)
{
	while (!over()) {
		struct timeval t = { 0, 200000 };

		LASTS("select", select(0, NULL, NULL, NULL, &t), 0);
	}
	return arg;
}

static void *in_epoll(void *arg)
{
	int fd = epoll_create1(0);
	struct epoll_event e;

	while (!over())
		LASTS("epoll_wait", epoll_wait(fd, &e, 1, 200), 0);
	return arg;
}

static void *in_futex(void *arg)
{
	static uint32_t word;

	while (!over()) {
		LASTS("futex", syscall(SYS_futex, &word, 128, 0, &a_while, NULL, 0), -1);
		if (errno != ETIMEDOUT)
			complain("futex", -1);
	}
	return arg;
}

static void *in_sem(void *arg)
{
	sem_t sem;

	sem_init(&sem, 0, 0);
	while (!over()) {
		struct timespec t = in_a_while(CLOCK_REALTIME);

		LASTS("sem_timedwait", sem_timedwait(&sem, &t), -1);
		if (errno != ETIMEDOUT)
			complain("sem_timedwait", -1);
	}
	return arg;
}

static void *in_semop(void *arg)
{
	int id = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf op = { 0, -1, 0 };

	while (!over()) {
		LASTS("semtimedop", semtimedop(id, &op, 1, &a_while), -1);
		if (errno != EAGAIN)
			complain("semtimedop", -1);
	}
	semctl(id, 0, IPC_RMID);
	return arg;
}

static void *in_sigwait(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	while (!over()) {
		LASTS("sigtimedwait", sigtimedwait(&set, NULL, &a_while), -1);
		if (errno != EAGAIN)
			complain("sigtimedwait", -1);
	}
	return arg;
}

static void *in_recv(void *arg)
{
	struct timeval t = { 0, 200000 };
	int pair[2];
	char byte;

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	while (!over()) {
		LASTS("recv", recv(pair[0], &byte, 1, 0), -1);
		if (errno != EAGAIN)
			complain("recv", -1);
	}
	return arg;
}

static int pipes[2];

static void *in_read(void *arg)
{
	unsigned char want = 0, byte;

	while (!over()) {
		EXPECT("read", read(pipes[0], &byte, 1), 1);
		if (byte != want++)
			complain("byte", byte);
		ANDWEORC_PROGRESS("byte");
	}
	return arg;
}

static void *in_write(void *arg)
{
	struct timespec t = { 0, 3000000 };
	unsigned char byte = 0;

	do {
		EXPECT("nanosleep", nanosleep(&t, NULL), 0);
		EXPECT("write", write(pipes[1], &byte, 1), 1);
		byte++;
	} while (!over());
	for (int i = 0; i < 256; i++, byte++)
		EXPECT("write", write(pipes[1], &byte, 1), 1);
	return arg;
}

/* ---- locks --------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn, turns[2];

static void *takes_turns(void *arg)
{
	long me = (long)(intptr_t)arg;

	while (!over()) {
		pthread_mutex_lock(&mutex);
		while (turn != me && !over()) {
			struct timespec t = in_a_while(CLOCK_REALTIME);

			pthread_cond_timedwait(&changed, &mutex, &t);
		}
		if (turn == me) {
			for (volatile int i = 0; i < 20000; i++)
				;
			turns[me]++;
			turn = !me;
			ANDWEORC_PROGRESS("turn");
		}
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static long counted, counts[2];

static void *counts_up(void *arg)
{
	long n = 0;

	while (n % 1000 || !over()) {
		pthread_mutex_lock(&mutex);
		counted++;
		pthread_mutex_unlock(&mutex);
		n++;
	}
	counts[(intptr_t)arg] = n;
	return NULL;
}

/* ---- memory and signals ------------------------------------------------------------------ */

static void *allocates(void *arg)
{
	enum { N = 64 };
	unsigned char *block[N] = { NULL };
	unsigned state = (unsigned)(intptr_t)arg * 7919 + 1;

	while (!over())
		for (int k = 0; k < 20000; k++) {
			unsigned i, n;

			state = state * 1103515245 + 12345;
			i = state >> 16 & (N - 1);
			n = 1 + (state >> 8 & 4095);
			if (block[i] && block[i][0] != (unsigned char)i)
				complain("block", block[i][0]);
			free(block[i]);
			block[i] = malloc(n);
			block[i][0] = (unsigned char)i;
		}
	for (int i = 0; i < N; i++)
		free(block[i]);
	return arg;
}

static atomic_long handled;

static void on_timer(int sig)
{
	(void)sig;
	for (volatile int i = 0; i < 2000; i++)
		;
	handled++;
}

static void *has_handlers(void *arg)
{
	static char stack[1 << 16];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
	struct itimerval t = { { 0, 1000 }, { 0, 1000 } };

	sigaltstack(&alternate, NULL);
	sigaction(SIGALRM, &act, NULL);
	act.sa_flags |= SA_ONSTACK;
	sigaction(SIGPROF, &act, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
	setitimer(ITIMER_PROF, &t, NULL);
	allocates(arg);
	memset(&t, 0, sizeof(t));
	setitimer(ITIMER_REAL, &t, NULL);
	setitimer(ITIMER_PROF, &t, NULL);
	sigaction(SIGPROF, NULL, &act);
	if (act.sa_handler != on_timer)
		complain("handler of SIGPROF", 0);
	if (!handled)
		complain("handled", handled);
	return arg;
}

/* ---- registers ---------------------------------------------------------------------------- */

typedef double vector __attribute__((vector_size(32)));

/* So that compilers do not know what comes out. */
static volatile uint64_t seed = 88172645463325252ull;

static __attribute__((noinline)) double calculate(void)
{
	vector a = { 1, 2, 3, 4 }, b = { 0.5, 0.25, 0.125, 1.5 };
	uint64_t x = seed, sum = 0;

	for (int i = 0; i < 300000; i++) {
		a = a * 0.999 + b;
		b = b * 1.0001 - a * 0.0001;
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		sum += x & 1 ? x >> 60 : 1;
	}
	return a[0] + a[1] + a[2] + a[3] + b[0] + b[1] + b[2] + b[3] + (double)sum;
}

static void *calculates(void *arg)
{
	double want = calculate(), got;

	while (!over()) {
		got = calculate();
		if (memcmp(&want, &got, sizeof(want)) != 0)
			complain("sum", (long)got);
		ANDWEORC_PROGRESS("sum");
	}
	return arg;
}

/* ---- threads, masks, libraries, children ----------------------------------------------------- */

static void *short_life(void *arg)
{
	for (volatile int i = 0; i < 100000; i++)
		;
	return arg;
}

static void *creates(void *arg)
{
	while (!over()) {
		pthread_t t[4];
		void *result;

		for (long i = 0; i < 4; i++)
			EXPECT("pthread_create", pthread_create(&t[i], NULL, short_life, (void *)(intptr_t)(i + 1)), 0);
		for (long i = 0; i < 4; i++) {
			EXPECT("pthread_join", pthread_join(t[i], &result), 0);
			if (result != (void *)(intptr_t)(i + 1))
				complain("result", (long)(intptr_t)result);
		}
	}
	return arg;
}

static void *masks_all(void *arg)
{
	sigset_t all, now_set;
	int trap = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	while (!over()) {
		calculate();
		pthread_sigmask(SIG_SETMASK, NULL, &now_set);
		for (int sig = 1; sig < 32; sig++)
			if (sig != SIGKILL && sig != SIGSTOP && !sigismember(&now_set, sig))
				complain("not blocked", sig);
		/* Blocked, it waits. */
		sigpending(&now_set);
		if (!trap++)
			pthread_kill(pthread_self(), SIGTRAP);
		else if (!sigismember(&now_set, SIGTRAP))
			complain("SIGTRAP is lost", 0);
	}
	return arg;
}

static atomic_int traps;

static void on_trap(int sig)
{
	(void)sig;
	traps++;
}

static void *takes_traps(void *arg)
{
	struct sigaction act = { .sa_handler = on_trap };
	int sent = 0;

	while (!over()) {
		calculate();
		pthread_kill(pthread_self(), SIGTRAP);
		if (traps != ++sent)
			complain("traps", traps);
		sigaction(SIGTRAP, NULL, &act);
		if (act.sa_handler != on_trap)
			complain("handler of SIGTRAP", 0);
	}
	return arg;
}

static void *loads(void *arg)
{
	while (!over()) {
		void *library = dlopen("./library.so", RTLD_NOW | RTLD_LOCAL);
		int (*answer)(void) = library ? (int (*)(void))dlsym(library, "answer") : NULL;

		if (!answer || answer() != 42) {
			fprintf(stderr, "%s\n", dlerror());
			complain("library", 0);
			break;
		}
		dlclose(library);
	}
	return arg;
}

static void *loads_for_ever(void *arg)
{
	setenv("LIBRARY_UNTIL", until ? until : "/", 1);
	dlopen("./slow.so", RTLD_NOW | RTLD_LOCAL);
	return arg;
}

static void *forks(void *arg)
{
	while (!over()) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			double sum = calculate();

			free(malloc(100));
			_exit(sum == calculate() ? 7 : 1);
		}
		EXPECT("waitpid", waitpid(pid, &status, 0), pid);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
			complain("status", status);
	}
	return arg;
}

static int is_well(const char *mode)
{
	if (!wrong)
		printf("%s is well\n", mode);
	return wrong;
}

static int sleeps_alone(void)
{
	puts("ready");
	fflush(stdout);
	in_nanosleep(NULL);
	return is_well("alone");
}

/* The child has no other way to wait that would not be its parent's, too. */
static int waits_in_vfork(void)
{
	pid_t pid;
	int status;

	puts("ready");
	fflush(stdout);
	pid = vfork();
	if (pid == 0) {
		while (!over())
			syscall(SYS_nanosleep, &a_while, NULL);
		_exit(7);
	}
	EXPECT("waitpid", waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
		complain("status", status);
	return is_well("vfork");
}

/* ---- all --------------------------------------------------------------------------------------- */

static const struct {
	const char *mode;
	void *(*thread[16])(void *);
} modes[] = {
	{ "calls", { in_nanosleep, in_clock_nanosleep, in_poll, in_select, in_epoll, in_futex, in_sem, in_semop, in_sigwait, in_recv,
		     in_read, in_write } },
	{ "locks", { takes_turns, takes_turns } },
	{ "counts", { counts_up, counts_up } },
	{ "handlers", { has_handlers, allocates } },
	{ "malloc", { allocates, allocates, allocates } },
	{ "registers", { calculates, calculates } },
	{ "churn", { creates, creates } },
	{ "masked", { masks_all, takes_traps } },
	{ "plugins", { loads, in_nanosleep } },
	{ "loading", { loads_for_ever, in_nanosleep, calculates } },
	{ "fork", { forks, allocates } },
	{ "mixed", { takes_turns, takes_turns, calculates, in_nanosleep, in_epoll, in_read, in_write } },
	{ "idle", { in_nanosleep } },
};

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_trap };
	pthread_t t[16];
	sigset_t usr2;
	size_t m = 0;
	long n = 0;

	/* Where Yama allows only a parent to trace. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	until = argc > 2 ? argv[2] : NULL;
	latest = time(NULL) + (until ? 120 : 20);
	if (argc > 1 && strcmp(argv[1], "vfork") == 0)
		return waits_in_vfork();
	if (argc > 1 && strcmp(argv[1], "alone") == 0)
		return sleeps_alone();
	while (m < sizeof(modes) / sizeof(modes[0]) && (argc < 2 || strcmp(modes[m].mode, argv[1]) != 0))
		m++;
	if (m == sizeof(modes) / sizeof(modes[0]))
		return 2;
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	sigprocmask(SIG_BLOCK, &usr2, NULL);
	sigaction(SIGTRAP, &act, NULL);
	if (pipe(pipes) != 0)
		return 2;
	for (; n < 16 && modes[m].thread[n]; n++)
		pthread_create(&t[n], NULL, modes[m].thread[n], (void *)(intptr_t)n);
	puts("ready");
	fflush(stdout);
	while (n-- > 0)
		pthread_join(t[n], NULL);
	if (labs(turns[0] - turns[1]) > 1)
		complain("turns", turns[0] - turns[1]);
	if (counted != counts[0] + counts[1])
		complain("counted", counted);
	return is_well(argv[1]);
}
