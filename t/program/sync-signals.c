/*
 * Signals as wake-ups, sleeps, and waits that are left by a jump; see sync.h.
 */
#include "sync.h"

#include <linux/futex.h>
#include <semaphore.h>
#include <setjmp.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>

/* ---- signals ----------------------------------------------------------------------------------- */

struct sending {
	int way;
	pthread_t to;
	pid_t tid;
};

static void *send_one(void *arg)
{
	const struct sending *s = arg;
	union sigval v = { .sival_int = 33 };

	nap(200);
	switch (s->way) {
	case 0: kill(getpid(), SIGUSR2); break;
	case 1: pthread_kill(s->to, SIGUSR2); break;
	case 2: sigqueue(getpid(), SIGUSR2, v); break;
	case 3: pthread_sigqueue(s->to, SIGUSR2, v); break;
	case 4: tgkill(getpid(), s->tid, SIGUSR2); break;
	case 5: syscall(SYS_tgkill, getpid(), s->tid, SIGUSR2); break;
	case 6: syscall(SYS_kill, getpid(), SIGUSR2); break;
	}
	return NULL;
}

static void get_one(int way, int how)
{
	static const char *const by[] = { "kill", "pthread_kill", "sigqueue", "pthread_sigqueue", "tgkill", "SYS_tgkill", "SYS_kill" };
	struct timespec within = { 20, 0 };
	struct sending s = { way, pthread_self(), gettid() };
	pthread_t t = start(send_one, &s);
	siginfo_t info;
	sigset_t all;
	int sig = 0, got = 0;

	sigfillset(&all);
	memset(&info, 0, sizeof(info));
	errno = 0;
	switch (how) {
	case 0: got = sigwait(&all, &sig); break;
	case 1: got = sigwaitinfo(&all, &info); break;
	case 2: got = sigtimedwait(&all, &info, &within); break;
	case 3: got = sigtimedwait(&all, NULL, &within); break;
	case 4: got = (int)syscall(SYS_rt_sigtimedwait, &all, &info, NULL, 8L); break;
	}
	pthread_join(t, NULL);
	say("%s %d: %s %s, from us %d, code %d, value %d\n", by[way], how, how ? strsignal(got) : strsignal(sig), named(errno),
	    info.si_pid == getpid(), info.si_code, info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
}

static void signals(void)
{
	struct timespec zero = { 0, 0 }, some = { 0, 200000 };
	struct sending s = { 1, pthread_self(), gettid() };
	sigset_t all, none, before, pending;
	int status, sig;
	pthread_t t;
	pid_t pid;

	hook(SIGUSR2);
	sigfillset(&all);
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int way = 0; way < 7; way++)
		get_one(way, way % 5);
	for (int how = 0; how < 5; how++)
		get_one(0, how);
	raise(SIGUSR1);
	sigpending(&pending);
	say("pending %d\n", sigismember(&pending, SIGUSR1));
	say("at once %s", outcome(sigtimedwait(&all, NULL, &zero)));
	say(" %s", outcome(sigtimedwait(&all, NULL, &zero)));
	say(" %s", outcome(sigtimedwait(&all, NULL, &some)));
	some.tv_nsec = -1;
	say(" %s\n", outcome(sigtimedwait(&all, NULL, &some)));

	/* A handler in the middle of it. */
	sigdelset(&all, SIGUSR1);
	hook(SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	t = pester_me(SIGUSR1);
	say("interrupted %s", outcome(sigwaitinfo(&all, NULL)));
	say(" handled %d\n", handled == SIGUSR1);
	leave_me(t);

	/* By mask. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	hook(SIGUSR2);
	t = start(send_one, &s);
	sigdelset(&all, SIGUSR2);
	say("sigsuspend %s", outcome(sigsuspend(&all)));
	say(" handled %d\n", handled == SIGUSR2);
	pthread_join(t, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	hook(SIGUSR2);
	t = pester_me(SIGUSR2);
	say("pause %s\n", outcome(pause()));
	leave_me(t);

	/* Between processes. */
	sigemptyset(&all);
	sigaddset(&all, SIGUSR1);
	sigaddset(&all, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 20; i++) {
			sigwait(&all, &sig);
			kill(getppid(), SIGUSR1);
		}
		_exit(sig == SIGUSR1);
	}
	for (int i = 0; i < 20; i++) {
		kill(pid, SIGUSR1);
		sigwait(&all, &sig);
	}
	say("exchanged %s", strsignal(sig));
	sigwait(&all, &sig);
	waitpid(pid, &status, 0);
	say(", %s %d\n", strsignal(sig), WEXITSTATUS(status));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	say("nobody %s", outcome(kill(getpid(), 0)));
	say(" %s", outcome(kill(getpid(), 1000)));
	say(" %s\n", named(pthread_kill(pthread_self(), 0)));
}

/* ---- sleeps ------------------------------------------------------------------------------------ */

static void sleeps(void)
{
	struct timespec t = { 0, 200000 }, left = { 7, 7 }, bad = { -1, 0 };
	long long before = now_ns(CLOCK_MONOTONIC);
	int interrupted = 0;
	pthread_t p;

	say("nanosleep %s", outcome(nanosleep(&t, &left)));
	say(" %ld", (long)left.tv_sec);
	say(" %s\n", outcome(nanosleep(&bad, NULL)));
	t = in_us(CLOCK_REALTIME, 200);
	say("clock_nanosleep %s", named(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL)));
	say(" %s", named(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL)));
	say(" %s", named(clock_nanosleep(1000, 0, &t, NULL)));
	t = (struct timespec){ 0, 1 };
	say(" %s\n", named(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)));
	say("usleep %s\n", outcome(usleep(200)));
	say("slept %d\n", now_ns(CLOCK_MONOTONIC) - before >= 600000);

	hook(SIGUSR1);
	p = pester_me(SIGUSR1);
	t = (struct timespec){ 100, 0 };
	say("interrupted %s", outcome(nanosleep(&t, &left)));
	say(" %d", left.tv_sec >= 90 && left.tv_sec <= 100);
	say(" %s", named(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &left)));
	say(" %d", left.tv_sec >= 90 && left.tv_sec <= 100);
	left.tv_sec = 7;
	t = in_us(CLOCK_MONOTONIC, 100000000);
	say(" %s", named(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, &left)));
	say(" %ld", (long)left.tv_sec);
	say(" %d", sleep(100) >= 98);
	say(" %s", outcome(usleep(90000000)));
	t = (struct timespec){ 100, 0 };
	say(" %d\n", thrd_sleep(&t, NULL));
	leave_me(p);

	/* Only the profiler could interrupt these. */
	t = (struct timespec){ 0, 1000 };
	for (int i = 0; i < 300; i++) {
		for (unsigned k = 0; k < 3000; k++)
			sink += k;
		interrupted += nanosleep(&t, NULL) != 0;
	}
	say("interrupted %d times\n", interrupted);
}

/* ---- threads that are cancelled as they wait ------------------------------------------------ */

static sem_t posted;
static mtx_t mutex;
static cnd_t changed;
static pthread_mutex_t old_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t old_changed = PTHREAD_COND_INITIALIZER;
static atomic_int cleaned;

static void clean(void *arg)
{
	cleaned += (int)(intptr_t)arg;
	/* Waits go on working. */
	nap(10);
	sem_post(&posted);
	sem_wait(&posted);
}

static void clean_old(void *arg)
{
	clean(arg);
	pthread_mutex_unlock(&old_mutex);
}

static void *wait_for_ever(void *arg)
{
	struct timespec t = { 100, 0 };
	sem_t never;
	sigset_t set;
	int sig;

	sem_init(&never, 0, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_cleanup_push(clean, (void *)1);
	switch ((int)(intptr_t)arg) {
	case 0: nanosleep(&t, NULL); break;
	case 1: sem_wait(&never); break;
	case 2: sigwait(&set, &sig); break;
	case 3: pause(); break;
	case 4: clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL); break;
	case 5: sleep(100); break;
	case 6:
		mtx_lock(&mutex);
		cnd_wait(&changed, &mutex);
		break;
	case 7:
		pthread_mutex_lock(&old_mutex);
		pthread_cleanup_push(clean_old, (void *)10);
		pthread_cond_wait(&old_changed, &old_mutex);
		pthread_cleanup_pop(0);
		break;
	}
	pthread_cleanup_pop(0);
	return NULL;
}

static void post(int sig)
{
	(void)sig;
	sem_post(&posted);
}

static void cancels(void)
{
	struct sigaction act = { .sa_handler = post, .sa_flags = SA_RESTART };
	pthread_t t[8];
	int n = 0;
	void *value;

	sem_init(&posted, 0, 0);
	mtx_init(&mutex, mtx_plain);
	cnd_init(&changed);
	cleaned = 0;
	for (int i = 0; i < 8; i++)
		t[i] = start(wait_for_ever, (void *)(intptr_t)i);
	nap(500);
	for (int i = 0; i < 8; i++) {
		pthread_cancel(t[i]);
		pthread_join(t[i], &value);
		n += value == PTHREAD_CANCELED;
		if (i == 6)
			mtx_unlock(&mutex); /* whose it was */
	}
	say("cancelled %d, cleaned %d\n", n, cleaned);

	/* A handler may post. */
	sigaction(SIGUSR1, &act, NULL);
	t[0] = pester_me(SIGUSR1);
	for (int i = 0; i < 5; i++)
		while (sem_wait(&posted) != 0)
			continue;
	leave_me(t[0]);
	say("posted\n");
}

/* ---- a wait that never ends -------------------------------------------------------------------- */

static sigjmp_buf out;
static _Atomic uint32_t word;

static void leap(int sig)
{
	siglongjmp(out, sig);
}

__attribute__((noinline)) static void work_after(void)
{
	long long end = now_ns(CLOCK_THREAD_CPUTIME_ID) + 5000000;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (unsigned i = 0; i < 20000; i++)
			sink += i;
}

static void leaps(void)
{
	struct sigaction act = { .sa_handler = leap }, before;
	struct timespec t = { 100, 0 };
	struct itimerval soon = { .it_value = { 0, 1000 } };
	sem_t never;
	volatile int n = 0;

	sem_init(&never, 0, 0);
	sigaction(SIGALRM, &act, &before);
	for (volatile int i = 0; i < 4; i++) {
		if (sigsetjmp(out, 1) != 0) {
			n++;
			continue;
		}
		setitimer(ITIMER_REAL, &soon, NULL);
		switch (i) {
		case 0: nanosleep(&t, NULL); break;
		case 1: sem_wait(&never); break;
		case 2: pause(); break;
		case 3: syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL); break;
		}
		say("not left\n");
	}
	sigaction(SIGALRM, &before, NULL);
	say("left %d\n", n);
	work_after();
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{ "signals", signals },
		{ "sleeps", sleeps },
		{ "cancels", cancels },
		{ "leaps", leaps },
		{ NULL, NULL },
	};

	return run_mode(argc, argv, modes);
}
