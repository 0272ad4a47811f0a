/*
 * One program with many ways to become several: processes MODE. Its output and its end
 * must not depend on being profiled; the number of its visits of "unit" is known.  A
 * unit is UNIT_US microseconds of processor time (default 100).
 */
#include <andweorc.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long unit_ns = 100000;
static volatile unsigned sink;
static int *volatile nowhere;

static long long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

__attribute__((noinline)) void work(void)
{
	long long end = cpu_ns() + unit_ns;

	while (cpu_ns() < end)
		for (unsigned i = 0; i < 2000; i++)
			sink += i * i;
}

__attribute__((noinline)) void units(int n)
{
	while (n-- > 0) {
		work();
		ANDWEORC_PROGRESS("unit");
	}
}

static void die(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(99);
}

static pid_t start(void (*fn)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		fn();
		_exit(0);
	}
	return pid;
}

/* How it ended, as a shell has it. */
static int ended(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* For the process that must end it, or learn of its end. */
static void note_pid(void)
{
	FILE *f = fopen("pids", "a");

	if (!f)
		die("fopen");
	fprintf(f, "%d\n", (int)getpid());
	fclose(f);
}

static void hundred(void)
{
	units(100);
}

static void one(void)
{
	units(1);
}

/* ---- ends ------------------------------------------------------------------------- */

static void ends_exit(void)
{
	units(50);
	exit(1);
}

static void ends_fast(void)
{
	units(50);
	_exit(2);
}

static void ends_c99(void)
{
	units(50);
	_Exit(3);
}

static void ends_quick(void)
{
	units(50);
	quick_exit(4);
}

static void ends_raw(void)
{
	units(50);
	syscall(SYS_exit_group, 5);
}

static void ends_killed(void)
{
	units(50);
	kill(getpid(), SIGKILL);
}

static void ends_crashed(void)
{
	units(50);
	*nowhere = 1;
}

static void ends_aborted(void)
{
	units(50);
	abort();
}

static void *half(void *arg)
{
	units(25);
	return arg;
}

static void *last(void *arg)
{
	units(25);
	exit(6);
	return arg;
}

static void thread(pthread_t *t, void *(*fn)(void *))
{
	if ((errno = pthread_create(t, NULL, fn, NULL)) != 0)
		die("pthread_create");
}

static void ends_in_thread(void)
{
	pthread_t t;

	units(25);
	thread(&t, last);
	pthread_exit(NULL);
}

static void ends(void)
{
	static void (*const how[])(void) = { ends_exit, ends_fast, ends_c99, ends_quick, ends_raw, ends_killed,
					     ends_crashed, ends_aborted, ends_in_thread };

	for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++)
		printf("%d\n", ended(start(how[i])));
}

/* ---- waits -------------------------------------------------------------------------- */

static void waits(void)
{
	struct rusage usage;
	siginfo_t info;
	int status = -1, n = 0;
	pid_t pid = start(one);

	printf("%d\n", wait(&status) == pid && status == 0);
	pid = start(one);
	printf("%d\n", wait3(&status, 0, &usage) == pid && status == 0);
	pid = start(one);
	printf("%d\n", wait4(pid, &status, 0, &usage) == pid && status == 0);
	pid = start(one);
	printf("%d\n", waitid(P_PID, (id_t)pid, &info, WEXITED) == 0 && info.si_pid == pid && info.si_status == 0);
	pid = start(one);
	printf("%d\n", waitid(P_ALL, 0, NULL, WEXITED) == 0);
	pid = start(one);
	while ((n = waitpid(-1, &status, WNOHANG)) == 0)
		usleep(100);
	printf("%d\n", n == pid && status == 0);
	pid = start(one);
	while (info.si_pid = 0, waitid(P_ALL, 0, &info, WEXITED | WNOHANG) == 0 && info.si_pid == 0)
		usleep(100);
	printf("%d\n", info.si_pid == pid);
	printf("%d", (int)wait(NULL));
	printf(" %d\n", errno == ECHILD);
	printf("%d", waitid(P_ALL, 0, &info, WEXITED));
	printf(" %d\n", errno == ECHILD);
}

static void on_signal(int sig)
{
	(void)sig;
}

static void sleeps(void)
{
	for (;;)
		pause();
}

/* A wait that a signal ends, and one for a child that is stopped. */
static void waits_interrupted(void)
{
	struct sigaction act = { .sa_handler = on_signal };
	struct itimerval in = { .it_value = { .tv_usec = 20000 } };
	pid_t pid = start(sleeps);
	int status;

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &in, NULL);
	printf("%d", (int)wait(NULL));
	printf(" %d\n", errno == EINTR);
	kill(pid, SIGSTOP);
	printf("%d %d\n", waitpid(pid, &status, WUNTRACED) == pid, WIFSTOPPED(status));
	kill(pid, SIGKILL);
	printf("%d\n", ended(pid));
}

/* ---- births -------------------------------------------------------------------------- */

static void forks(void)
{
	int sum = 0;

	units(100);
	for (int i = 0; i < 5; i++)
		start(hundred);
	while (wait(NULL) > 0)
		sum++;
	printf("%d\n", sum);
}

static char *const leaf[] = { (char[]){ "processes" }, (char[]){ "leaf" }, NULL };

static void vforks(void)
{
	int status;

	for (volatile int i = 0; i < 5; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			if (i % 2)
				_exit(3);
			execv("./processes", leaf);
			_exit(99);
		}
		units(10);
		if (waitpid(pid, &status, 0) != pid)
			die("waitpid");
		printf("%d\n", WEXITSTATUS(status));
		units(10);
	}
}

static void spawns(void)
{
	char line[100];
	FILE *f;
	pid_t pid;

	fflush(stdout);
	if (posix_spawn(&pid, "./processes", NULL, NULL, leaf, environ) != 0)
		die("posix_spawn");
	printf("%d\n", ended(pid));
	if (posix_spawnp(&pid, "./processes", NULL, NULL, leaf, environ) != 0)
		die("posix_spawnp");
	printf("%d\n", ended(pid));
	fflush(stdout);
	printf("%d\n", system("./processes leaf; exit 7") >> 8);
	f = popen("./processes leaf && echo said", "r");
	if (!f || !fgets(line, sizeof(line), f))
		die("popen");
	printf("%s%d\n", line, pclose(f));
	f = popen("cat >/dev/null; exec ./processes leaf", "w");
	if (!f || fputs("heard\n", f) < 0)
		die("popen");
	printf("%d\n", pclose(f));
	printf("%d %d\n", system(NULL) != 0, system("exit 3") >> 8);
	printf("%d\n", posix_spawn(&pid, "./no such file", NULL, NULL, leaf, environ));
}

static int cloned(void *arg)
{
	units(*(int *)arg);
	return 9;
}

static void clones(void)
{
	static char stack[1 << 18] __attribute__((aligned(64)));
	int n = 40;
	pid_t pid;

	fflush(stdout);
	pid = clone(cloned, stack + sizeof(stack), SIGCHLD, &n);
	units(10);
	printf("%d\n", ended(pid));
	fflush(stdout);
	pid = _Fork();
	if (pid == 0) {
		units(40);
		_exit(8);
	}
	printf("%d\n", ended(pid));
	units(10);
}

/*
 * Past libc, so that the runtime is not told.  The child's units may count or not; the
 * parent's must, and its clock is its own.
 */
static void clones_raw(void)
{
	pid_t pid;

	fflush(stdout);
#if defined(__x86_64__)
	{
		long result = SYS_clone;

		__asm__ volatile("xor %%r10d, %%r10d\n\txor %%r8d, %%r8d\n\tsyscall"
				 : "+a"(result)
				 : "D"((long)SIGCHLD), "S"(0l), "d"(0l)
				 : "rcx", "r8", "r10", "r11", "memory");
		pid = (pid_t)result;
	}
#else
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0l, 0l, 0l, 0l);
#endif
	if (pid == 0) {
		for (int i = 0; i < 100; i++)
			work();
		system("true");
		_exit(8);
	}
	units(100);
	printf("%d\n", ended(pid));
	units(100);
}

static void clones_by_number(void)
{
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	} args = { .exit_signal = SIGCHLD };
	pid_t pid = (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0l, 0l, 0l, 0l);

	if (pid == 0) {
		units(100);
		_exit(8);
	}
	units(100);
	printf("%d\n", ended(pid));
	fflush(stdout);
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0) {
		units(100);
		_exit(9);
	}
	units(100);
	printf("%d\n", ended(pid));
}

static void tree_of(int depth)
{
	pid_t pid[2];

	units(2);
	for (int i = 0; i < 2 && depth > 0; i++) {
		pid[i] = fork();
		if (pid[i] < 0)
			die("fork");
		if (pid[i] == 0) {
			tree_of(depth - 1);
			_exit(0);
		}
	}
	for (int i = 0; i < 2 && depth > 0; i++)
		if (ended(pid[i]) != 0)
			_exit(1);
}

static void tree(void)
{
	tree_of(6);
	puts("grown");
}

static int gate[2];

static void behind_gate(void)
{
	char c;

	close(gate[1]);
	if (read(gate[0], &c, 1) != 0)
		_exit(1);
	units(5);
}

/* All are alive before any goes on. */
static void so_many_at_once(int n)
{
	static pid_t pid[2000];
	int sum = 0;

	if (pipe(gate) != 0)
		die("pipe");
	for (int i = 0; i < n; i++)
		pid[i] = start(behind_gate);
	close(gate[1]);
	for (int i = 0; i < n; i++)
		sum += ended(pid[i]) == 0;
	printf("%d\n", sum);
}

static void hundred_at_once(void)
{
	so_many_at_once(100);
}

static void crowd(void)
{
	so_many_at_once(1100);
	units(100);
}

/*
 * Workers are killed at any moment, and replaced.  They count their visits themselves;
 * each may have made one more that it has not counted yet.
 */
static void kills(void)
{
	enum { WORKERS = 6, KILLS = 200 };
	_Atomic long *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid[WORKERS] = { 0 };
	FILE *f;

	fflush(stdout);
	for (int i = 0; i < KILLS + WORKERS; i++) {
		pid_t *p = &pid[i % WORKERS];

		if (*p) {
			kill(*p, SIGKILL);
			if (ended(*p) != 128 + SIGKILL)
				die("worker");
		}
		*p = i < KILLS ? fork() : 0;
		if (*p < 0)
			die("fork");
		while (i < KILLS && *p == 0) {
			units(1);
			++*done;
		}
		usleep(3000 + (unsigned)i % 7 * 500);
	}
	f = fopen("counted", "w");
	if (!f)
		die("fopen");
	fprintf(f, "%ld %d\n", *done, KILLS);
	fclose(f);
	puts("killed");
}

static void thousand_in_turn(void)
{
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += ended(start(one)) == 0;
	printf("%d\n", sum);
}

/* ---- in odd places -------------------------------------------------------------------- */

static void in_forked(void)
{
	pthread_t t;

	units(5);
	thread(&t, half);
	pthread_join(t, NULL);
}

static void *forker(void *arg)
{
	for (int i = 0; i < 10; i++) {
		units(10);
		if (ended(start(in_forked)) != 0)
			die("child");
	}
	return arg;
}

static void forks_in_threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		thread(&t[i], forker);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	puts("joined");
}

static volatile sig_atomic_t forked, reaped;

static void on_alarm(int sig)
{
	int saved = errno;
	pid_t pid;

	(void)sig;
	if (forked == 20)
		return;
	forked++;
	pid = fork();
	if (pid == 0) {
		units(10);
		_exit(0);
	}
	if (waitpid(pid, NULL, 0) == pid)
		reaped++;
	errno = saved;
}

static void forks_in_handler(void)
{
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval each = { { .tv_usec = 3000 }, { .tv_usec = 3000 } };
	int n = 0;

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &each, NULL);
	while (forked < 20)
		units(1), n++;
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	units(3000 - n);
	printf("%d\n", (int)reaped);
}

static void closes_and_execs(void)
{
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	execv("./processes", leaf);
	_exit(99);
}

static void execs_without_environment(void)
{
	execve("./processes", leaf, (char *[]){ NULL });
	_exit(99);
}

static void execs(void)
{
	printf("%d\n", ended(start(closes_and_execs)));
	printf("%d\n", ended(start(execs_without_environment)));
	units(10);
}

static void *execs_in_thread(void *arg)
{
	units(10);
	execv("./processes", leaf);
	return arg;
}

static void execs_beside_threads(void)
{
	pthread_t t[3];

	puts("before");
	fflush(stdout);
	for (int i = 0; i < 2; i++)
		thread(&t[i], (void *(*)(void *))(void (*)(void))sleeps);
	thread(&t[2], execs_in_thread);
	sleeps();
}

static void grandchild(void)
{
	char c = 'd';

	setsid();
	if (fork() != 0)
		_exit(0);
	units(50);
	if (write(gate[1], &c, 1) != 1)
		_exit(1);
}

static void double_fork(void)
{
	char c = '-';

	if (pipe(gate) != 0)
		die("pipe");
	printf("%d\n", ended(start(grandchild)));
	close(gate[1]);
	if (read(gate[0], &c, 1) != 1)
		die("read");
	printf("%c\n", c);
}

/* Dies with its parent. */
static void dies_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	units(10);
	if (write(gate[1], "r", 1) != 1)
		_exit(1);
	sleeps();
}

static void leaves_child(void)
{
	char c;

	start(dies_with_parent);
	if (read(gate[0], &c, 1) != 1)
		_exit(1);
}

static void death_signal(void)
{
	char c = '-';

	if (pipe(gate) != 0)
		die("pipe");
	printf("%d\n", ended(start(leaves_child)));
	close(gate[1]);
	/* The end of the file: no process is left that could write. */
	printf("%d\n", (int)read(gate[0], &c, 1));
}

static void first_of_its_world(void)
{
	printf("%d\n", (int)getpid());
	fflush(stdout);
	units(20);
	printf("%d\n", ended(start(hundred)));
	printf("%d\n", system("./processes leaf") >> 8);
	fflush(stdout);
}

static void pid_namespace(void)
{
	if (unshare(CLONE_NEWPID) != 0) {
		puts("no namespaces");
		return;
	}
	printf("%d\n", ended(start(first_of_its_world)));
	units(10);
}

/* ---- what outlives the command ---------------------------------------------------------- */

static void goes_on(void)
{
	FILE *f;

	if (daemon(1, 1) != 0)
		die("daemon");
	units(5000);
	f = fopen("daemon.out", "w");
	if (f) {
		fputs("done\n", f);
		fclose(f);
	}
}

static void helper(void)
{
	note_pid();
	close(0), close(1), close(2);
	sleeps();
}

static void leaves_helper(void)
{
	start(helper);
	while (access("pids", F_OK) != 0)
		usleep(1000);
	units(100);
	puts("over");
}

/* Like a daemon that is not ended. */
static void serves(void)
{
	if (daemon(1, 1) != 0)
		die("daemon");
	note_pid();
	close(0), close(1), close(2);
	for (;;)
		units(100);
}

/* Sum of what it makes, to compare. */
static void computes(void)
{
	static int sums[2][2];
	unsigned long sum = 0;

	for (int i = 0; i < 2; i++) {
		if (pipe(sums[i]) != 0)
			die("pipe");
		fflush(stdout);
		if (fork() == 0) {
			note_pid();
			for (int k = 0; k < 4000; k++) {
				units(1);
				sum += (unsigned long)(k * (i + 1));
			}
			if (write(sums[i][1], &sum, sizeof(sum)) != sizeof(sum))
				_exit(1);
			_exit(0);
		}
	}
	for (int i = 0; i < 2; i++) {
		if (read(sums[i][0], &sum, sizeof(sum)) != sizeof(sum))
			die("read");
		printf("%lu\n", sum);
	}
	while (wait(NULL) > 0)
		;
}

static void plain(void)
{
	units(getenv("UNITS") ? atoi(getenv("UNITS")) : 100);
	puts("plain");
}

static const struct {
	const char *name;
	void (*fn)(void);
} mode[] = {
	{ "leaf", hundred }, { "plain", plain }, { "ends", ends }, { "waits", waits }, { "interrupted", waits_interrupted },
	{ "fork", forks }, { "vfork", vforks }, { "spawn", spawns }, { "clone", clones }, { "clone-raw", clones_raw },
	{ "clone-syscall", clones_by_number },
	{ "tree", tree }, { "hundred", hundred_at_once }, { "crowd", crowd }, { "kill", kills }, { "thousand", thousand_in_turn },
	{ "threads", forks_in_threads }, { "handler", forks_in_handler }, { "exec", execs },
	{ "exec-threads", execs_beside_threads }, { "double", double_fork }, { "death-signal", death_signal },
	{ "namespace", pid_namespace }, { "daemon", goes_on }, { "helper", leaves_helper }, { "serve", serves },
	{ "compute", computes },
};

int main(int argc, char **argv)
{
	if (getenv("UNIT_US"))
		unit_ns = atoi(getenv("UNIT_US")) * 1000ll;
	for (size_t i = 0; argc > 1 && i < sizeof(mode) / sizeof(mode[0]); i++) {
		if (strcmp(argv[1], mode[i].name) == 0) {
			mode[i].fn();
			return 0;
		}
	}
	puts("no such mode");
	return 98;
}
