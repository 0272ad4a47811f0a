/*
 * One program with many ways to live and die: life MODE. Its output and its end must
 * not depend on being profiled.  It works for LIFE_MS milliseconds of processor time
 * (default 2), or until there is a file LIFE_UNTIL; LIFE_TURNS is how long the twins
 * take.
 */
#include <andweorc.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int ms = 2;
static volatile unsigned sink;
static int *volatile nowhere;

static long long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static const char *until;

/* Looks for the file now and then. */
static bool is_over(long long end)
{
	static _Thread_local unsigned n;

	return cpu_ns() >= end || (until && n++ % 16 == 0 && access(until, F_OK) == 0);
}

__attribute__((noinline)) void work(int msec)
{
	long long end = cpu_ns() + msec * 1000000ll;

	while (!is_over(end)) {
		for (unsigned i = 0; i < 20000; i++)
			sink += i * i;
		ANDWEORC_PROGRESS("unit");
	}
}

static void *worker(void *arg)
{
	work(ms / 4 + 1);
	return arg;
}

static void die(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(99);
}

static void start(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	int err = pthread_create(t, attr, fn, arg);

	if (err)
		errno = err, die("pthread_create");
}

static void crash(void)
{
	work(ms);
	puts("now");
	fflush(stdout);
	*nowhere = 1;
}

static void aborts(void)
{
	work(ms);
	abort();
}

static void exits_at_once(void)
{
	pthread_t t;

	start(&t, NULL, worker, NULL);
	work(ms);
	_exit(7);
}

static void *last(void *arg)
{
	work(ms);
	puts("the last thread");
	return arg;
}

static void main_leaves(void)
{
	pthread_t t;

	start(&t, NULL, last, NULL);
	work(ms / 4);
	pthread_exit(NULL);
}

static void main_leaves_early(void)
{
	pthread_t t;

	start(&t, NULL, last, NULL);
	pthread_exit(NULL);
}

static void forks(void)
{
	int status, sum = 0;

	work(ms);
	fflush(stdout);
	for (int i = 0; i < 3; i++) {
		if (fork() == 0) {
			pthread_t t;

			work(2); /* visits, as the parent did */
			start(&t, NULL, worker, NULL);
			pthread_join(t, NULL);
			_exit(i + 1);
		}
	}
	while (wait(&status) > 0)
		sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000 * WTERMSIG(status);
	work(ms);
	printf("sum %d\n", sum);
}

/* daemon(3) and its like fork inside libc. */
static void forks_in_libc(void)
{
	int p[2];
	char c = '-';

	work(ms);
	if (pipe(p) != 0)
		die("pipe");
	if (fork() == 0) {
		if (daemon(1, 1) != 0)
			_exit(1);
		work(2);
		if (write(p[1], "d", 1) != 1)
			_exit(1);
		_exit(0);
	}
	close(p[1]);
	if (read(p[0], &c, 1) < 0)
		die("read");
	wait(NULL);
	printf("%c\n", c);
}

static void spawns(void)
{
	extern char **environ;
	char *const argv[] = { "true", NULL };
	FILE *f;
	char line[16];
	pid_t pid;
	int status = -1;

	work(ms);
	if (posix_spawnp(&pid, "true", NULL, NULL, argv, environ) != 0)
		die("posix_spawn");
	waitpid(pid, &status, 0);
	printf("spawned %d\n", status);
	printf("system %d\n", WEXITSTATUS(system("exit 5")));
	f = popen("echo said", "r");
	if (!f || !fgets(line, sizeof(line), f))
		die("popen");
	printf("%sclosed %d\n", line, pclose(f));
	work(ms);
}

static void executes(void)
{
	work(ms);
	execl("/proc/self/exe", "life", "plain", (char *)NULL);
	die("exec");
}

static void *masked(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	return worker(arg);
}

static void masks(void)
{
	pthread_t t[3];
	sigset_t set;
	int sig = 0;

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 3; i++)
		start(&t[i], NULL, masked, NULL);
	work(ms);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	kill(getpid(), SIGUSR1);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &sig);
	printf("got %d\n", sig == SIGUSR1);
}

/* Past libc, as some language runtimes do it. */
static void masks_raw(void)
{
	unsigned long all = ~0ul, none = 0;

	work(ms / 2);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
	work(ms / 2);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
	work(ms / 2);
	puts("unmasked");
}

static volatile sig_atomic_t traps, origin_ok;

static void on_trap(int sig)
{
	traps += sig == SIGTRAP;
}

static void on_trap_info(int sig, siginfo_t *info, void *context)
{
	traps += sig == SIGTRAP && context != NULL;
	origin_ok += info->si_code == SI_TKILL || info->si_code == SI_USER;
}

static void traps_raised(void)
{
	struct sigaction act = { .sa_handler = on_trap }, old;

	work(ms / 2);
	sigaction(SIGTRAP, &act, &old);
	printf("before %d\n", old.sa_handler == SIG_DFL);
	work(ms / 2);
	raise(SIGTRAP);
	kill(getpid(), SIGTRAP);
	printf("traps %d\n", (int)traps);
	act.sa_sigaction = on_trap_info;
	act.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &act, &old);
	printf("before %d\n", old.sa_handler == on_trap);
	work(ms / 2);
	raise(SIGTRAP);
	printf("traps %d origin %d\n", (int)traps, (int)origin_ok);
	printf("signal %d\n", signal(SIGTRAP, SIG_IGN) != SIG_ERR);
	raise(SIGTRAP);
	work(ms / 2);
	printf("traps %d\n", (int)traps);
}

static void breakpoint(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("int3");
#else
	raise(SIGTRAP);
#endif
}

static void breakpoints_caught(void)
{
	signal(SIGTRAP, on_trap);
	work(ms);
	for (int i = 0; i < 5; i++)
		breakpoint();
	printf("traps %d\n", (int)traps);
	work(ms);
}

static void breakpoint_default(void)
{
	work(ms);
	breakpoint();
	puts("not reached");
}

static void trap_default(void)
{
	work(ms);
	raise(SIGTRAP);
	puts("not reached");
}

/* The handler's own needs: a mask of its own while it runs, one shot, the alternate stack. */
static char alternate[1 << 16];
static volatile sig_atomic_t on_alternate, usr1_in_trap, usr1s;

static void on_usr1(int sig)
{
	(void)sig;
	usr1s++;
}

static void on_trap_flags(int sig)
{
	char here;

	(void)sig;
	on_alternate = &here >= alternate && &here < alternate + sizeof(alternate);
	raise(SIGUSR1);
	usr1_in_trap = usr1s;
	traps++;
}

static void trap_flags(void)
{
	struct sigaction act = { .sa_handler = on_trap_flags, .sa_flags = SA_ONSTACK | SA_RESETHAND };
	stack_t st = { .ss_sp = alternate, .ss_size = sizeof(alternate) };

	work(ms);
	signal(SIGUSR1, on_usr1);
	sigaltstack(&st, NULL);
	sigemptyset(&act.sa_mask);
	sigaddset(&act.sa_mask, SIGUSR1);
	sigaction(SIGTRAP, &act, NULL);
	raise(SIGTRAP);
	printf("on alternate %d, usr1 in handler %d, after %d\n", (int)on_alternate, (int)usr1_in_trap, (int)usr1s);
	fflush(stdout);
	raise(SIGTRAP);
	puts("not reached");
}

static void *on_small_stack(void *arg)
{
	work(ms);
	return arg;
}

static void small_stacks(void)
{
	pthread_attr_t attr;
	pthread_t t[4];

	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) != 0)
		die("stack size");
	for (int i = 0; i < 4; i++)
		start(&t[i], &attr, on_small_stack, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	puts("joined");
}

static void *little(void *arg)
{
	work(1);
	return arg;
}

static void many(void)
{
	static pthread_t t[300];
	long sum = 0;

	for (long i = 0; i < 300; i++)
		start(&t[i], NULL, little, (void *)i);
	for (int i = 0; i < 300; i++) {
		void *value;

		pthread_join(t[i], &value);
		sum += (long)value;
	}
	printf("sum %ld\n", sum);
}

static void on_alarm(int sig)
{
	char here;

	(void)sig;
	on_alternate = &here >= alternate && &here < alternate + sizeof(alternate);
}

static void alternate_stack(void)
{
	static char little_stack[8192];
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = SA_ONSTACK };
	stack_t st = { .ss_sp = alternate, .ss_size = sizeof(alternate) }, now;

	sigaltstack(&st, NULL);
	sigaction(SIGUSR1, &act, NULL);
	work(ms / 2);
	raise(SIGUSR1);
	printf("on alternate %d\n", (int)on_alternate);
	/* A stack that is too small for another handler. */
	st.ss_sp = little_stack;
	st.ss_size = sizeof(little_stack);
	sigaltstack(&st, NULL);
	work(ms / 2);
	sigaltstack(NULL, &now);
	printf("kept %d\n", now.ss_sp == (void *)little_stack);
}

static void loads(void)
{
	void *lib = dlopen("./plugin.so", RTLD_NOW);
	void (*plug)(int);

	if (!lib)
		puts(dlerror()), exit(99);
	*(void **)&plug = dlsym(lib, "plug");
	work(ms / 2);
	plug(ms);
	dlclose(lib);
	work(ms / 2);
	puts("unloaded");
}

/* How many descriptors are left, and which comes next. */
static void few_descriptors(void)
{
	struct rlimit limit = { 16, 16 };
	pthread_t t[20];
	int fd;

	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < 20; i++)
		start(&t[i], NULL, worker, NULL);
	work(ms);
	for (int i = 0; i < 20; i++)
		pthread_join(t[i], NULL);
	fd = open("/dev/null", O_RDONLY);
	printf("next is %d\n", fd);
}

static void next_descriptor(void)
{
	pthread_t t;

	printf("next is %d\n", open("/dev/null", O_RDONLY));
	start(&t, NULL, worker, NULL);
	printf("then %d\n", open("/dev/null", O_RDONLY));
	pthread_join(t, NULL);
	printf("then %d\n", open("/dev/null", O_RDONLY));
	work(ms);
}

static void closes_all(void)
{
	pthread_t t;
	int fd;

	work(ms / 2);
	for (fd = 3; fd < 4096; fd++)
		close(fd);
	work(ms / 2);
	start(&t, NULL, worker, NULL);
	work(ms / 2);
	pthread_join(t, NULL);
	printf("next is %d\n", open("/dev/null", O_RDONLY));
}

/* Closes descriptors that are not its own, and then uses the same numbers: no one else may close those. */
static void *closer(void *arg)
{
	int fd;

	for (fd = 3; fd < 1024; fd++)
		close(fd);
	for (fd = 3; fd < 900; fd++)
		if (dup2(0, fd) < 0)
			break;
	work(ms / 4 + 1);
	return arg;
}

static void takes_numbers(void)
{
	pthread_t t;
	int open_now = 0;

	work(ms / 2);
	start(&t, NULL, closer, NULL);
	pthread_join(t, NULL);
	work(ms);
	for (int fd = 3; fd < 900; fd++)
		open_now += fcntl(fd, F_GETFD) >= 0;
	printf("still open: %d\n", open_now);
}

static void *until_cancelled(void *arg)
{
	(void)arg;
	for (;;) {
		work(1);
		pthread_testcancel();
	}
	return NULL;
}

static void cancels(void)
{
	void *value = NULL;
	pthread_t t;

	start(&t, NULL, until_cancelled, NULL);
	work(ms);
	pthread_cancel(t);
	pthread_join(t, &value);
	printf("cancelled %d\n", value == PTHREAD_CANCELED);
}

static void plain(void)
{
	work(ms);
	puts("plain");
}

static void inherited(void)
{
	struct sigaction old[3];

	sigaction(SIGPIPE, NULL, &old[0]);
	sigaction(SIGINT, NULL, &old[1]);
	sigaction(SIGQUIT, NULL, &old[2]);
	printf("ignored: PIPE %d INT %d QUIT %d\n", old[0].sa_handler == SIG_IGN, old[1].sa_handler == SIG_IGN,
	       old[2].sa_handler == SIG_IGN);
}

static unsigned turns = 300000;

__attribute__((noinline)) static void first_twin(void)
{
	for (unsigned i = 0; i < turns; i++)
		sink += i * i;
}

__attribute__((noinline)) static void second_twin(void)
{
	for (unsigned i = 0; i < turns; i++)
		sink -= i * i;
}

static void twins(void)
{
	for (long long end = cpu_ns() + ms * 1000000ll; !is_over(end);) {
		first_twin();
		second_twin();
		ANDWEORC_PROGRESS("unit");
	}
}

static void long_life(void)
{
	work(ms * 10);
	puts("done");
}

static const struct {
	const char *name;
	void (*fn)(void);
} mode[] = {
	{ "crash", crash }, { "abort", aborts }, { "exit", exits_at_once }, { "main-leaves", main_leaves },
	{ "main-leaves-early", main_leaves_early },
	{ "fork", forks }, { "fork-in-libc", forks_in_libc }, { "spawn", spawns }, { "exec", executes },
	{ "mask", masks }, { "mask-raw", masks_raw }, { "trap-handler", traps_raised }, { "int3-handler", breakpoints_caught },
	{ "int3", breakpoint_default }, { "trap", trap_default }, { "trap-flags", trap_flags },
	{ "small-stack", small_stacks }, { "many", many }, { "altstack", alternate_stack }, { "dlopen", loads },
	{ "few-descriptors", few_descriptors }, { "next-descriptor", next_descriptor }, { "close-all", closes_all },
	{ "take-numbers", takes_numbers }, { "cancel", cancels },
	{ "plain", plain }, { "ignored", inherited }, { "long", long_life },
	{ "twins", twins },
};

int main(int argc, char **argv)
{
	if (getenv("LIFE_MS"))
		ms = atoi(getenv("LIFE_MS"));
	until = getenv("LIFE_UNTIL");
	if (getenv("LIFE_TURNS"))
		turns = (unsigned)atoi(getenv("LIFE_TURNS"));
	for (size_t i = 0; argc > 1 && i < sizeof(mode) / sizeof(mode[0]); i++) {
		if (strcmp(argv[1], mode[i].name) == 0) {
			mode[i].fn();
			return 0;
		}
	}
	puts("no such mode");
	return 98;
}
