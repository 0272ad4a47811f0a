/* Programs that close, probe and take descriptors that they have not opened; see hostile.h. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "hostile.h"

/* The function for work afterwards: the profiler must still see it. */
static __attribute__((noinline)) void afterwards(int msec)
{
	long long end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + msec * 1000000ll;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
		for (unsigned i = 0; i < 20000; i++)
			sink -= i * i;
		ANDWEORC_PROGRESS("unit");
	}
}

static pthread_barrier_t here, there;

/* A thread that is at work before and after. */
static void *bystander(void *arg)
{
	work(ms / 4 + 1);
	pthread_barrier_wait(&here);
	pthread_barrier_wait(&there);
	afterwards(ms);
	return arg;
}

/* Does fn while another thread holds still, then both go on. */
static void amid(void (*fn)(void))
{
	pthread_t t;

	pthread_barrier_init(&here, NULL, 2);
	pthread_barrier_init(&there, NULL, 2);
	start(&t, NULL, bystander, NULL);
	work(ms / 4 + 1);
	pthread_barrier_wait(&here);
	fn();
	pthread_barrier_wait(&there);
	afterwards(ms);
	pthread_join(t, NULL);
}

static void next_is(void)
{
	int a = open("/dev/null", O_RDONLY), b = open("/dev/null", O_RDONLY);

	printf("next are %d and %d\n", a, b);
	close(a);
	close(b);
}

static int highest(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
}

static void close_each(void)
{
	long closed = 0, bad = 0, other = 0;

	for (int fd = 3; fd < highest(); fd++) {
		if (close(fd) == 0)
			closed++;
		else if (errno == EBADF)
			bad++;
		else
			other++;
	}
	printf("closed %ld, bad %ld, other %ld\n", closed, bad, other);
	next_is();
}

static void close_all(void)
{
	amid(close_each);
}

static void closefrom_three(void)
{
	int fd = open("/dev/null", O_RDONLY);

	closefrom(3);
	printf("closed %d\n", fcntl(fd, F_GETFD) < 0);
	next_is();
}

static void closes_from(void)
{
	amid(closefrom_three);
}

static void close_ranges(void)
{
	int fd[5];

	for (int i = 0; i < 5; i++)
		fd[i] = open("/dev/null", O_RDONLY);
	printf("%d\n", close_range((unsigned)fd[3], ~0u, 0));
	for (int i = 0; i < 5; i++)
		printf("%d", fcntl(fd[i], F_GETFD));
	printf("\n%d\n", close_range((unsigned)fd[1], 100000, CLOSE_RANGE_CLOEXEC));
	for (int i = 0; i < 5; i++)
		printf("%d", fcntl(fd[i], F_GETFD));
	printf("\n%d\n", close_range(3, 1000000, CLOSE_RANGE_UNSHARE));
	for (int i = 0; i < 5; i++)
		printf("%d", fcntl(fd[i], F_GETFD));
	printf("\n%d", close_range(10, 3, 0));
	printf(" %s\n", strerror(errno));
	printf("%d", close_range(3, 10, 1u << 30));
	printf(" %s\n", strerror(errno));
	next_is();
}

static void closes_ranges(void)
{
	amid(close_ranges);
}

/* Everything above is taken, one number after the other. */
static void dup_onto(void)
{
	int top = highest() < 8192 ? highest() : 8192, ok = 0, wrong = 0;
	struct stat null, st;

	int fd = open("/dev/null", O_RDONLY);

	fstat(fd, &null);
	for (int to = 3; to < top; to++) {
		if (to == fd)
			continue;
		if ((to & 1 ? dup2(fd, to) : dup3(fd, to, O_CLOEXEC)) == to)
			ok++;
	}
	for (int to = 3; to < top; to++)
		if (fstat(to, &st) != 0 || st.st_rdev != null.st_rdev ||
		    fcntl(to, F_GETFD) != (to & 1 || to == fd ? 0 : FD_CLOEXEC))
			wrong++;
	printf("taken all %d, wrong %d\n", ok == top - 4, wrong);
	for (int to = 3; to < top; to++)
		if (to != fd && close(to) != 0)
			wrong++;
	close(fd);
	printf("given back, wrong %d\n", wrong);
	next_is();
}

static void dups_onto(void)
{
	amid(dup_onto);
}

/* Which are open?  By each way to ask. */
static void probe(void)
{
	long by_fcntl = 0, by_dup = 0, by_dup2 = 0;

	for (int fd = 0; fd < highest(); fd++) {
		int copy;

		by_fcntl += fcntl(fd, F_GETFD) >= 0;
		copy = dup(fd);
		if (copy >= 0)
			by_dup++, close(copy);
		by_dup2 += dup2(fd, fd) == fd;
	}
	printf("open: %ld %ld %ld\n", by_fcntl, by_dup, by_dup2);
	for (int fd = 3; fd < highest(); fd++)
		fcntl(fd, F_SETFD, 0); /* were any left open, exec would hand it down */
	next_is();
}

static void probes(void)
{
	amid(probe);
}

/*
 * A child inherits descriptors that its parent has opened itself, and no others; it may
 * have one of its profiler, for its one thread.
 */
static void child_has(void)
{
	long open_now = 0, known = 0;
	pid_t pid;
	int status;

	for (int fd = 0; fd < highest(); fd++)
		known += fcntl(fd, F_GETFD) >= 0;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct stat st;

		for (int fd = 0; fd < highest(); fd++)
			open_now += fstat(fd, &st) == 0;
		_exit(open_now - known > 1);
	}
	waitpid(pid, &status, 0);
	printf("child %d\n", WEXITSTATUS(status));
}

static void forks(void)
{
	amid(child_has);
}

/* Descriptors run out: the program gets as many as there are numbers. */
static void run_out(void)
{
	struct rlimit limit = { 64, 64 };
	int n = 0, last = -1, fd;

	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		die("setrlimit");
	while ((fd = open("/dev/null", O_RDONLY)) >= 0) {
		n++;
		last = fd;
	}
	printf("%d, the last %d: %s\n", n, last, strerror(errno));
	close(last);
}

static void *late(void *arg)
{
	afterwards(ms / 2);
	return arg;
}

static void runs_out(void)
{
	pthread_t t[10];

	work(ms / 4);
	run_out();
	for (int i = 0; i < 10; i++)
		start(&t[i], NULL, late, NULL);
	for (int i = 0; i < 10; i++)
		pthread_join(t[i], NULL);
	printf("next is %d\n", open("/dev/null", O_RDONLY));
	printf("next is %d\n", open("/dev/null", O_RDONLY));
}

/*
 * Threads begin and end while another one closes and opens descriptors all the time: none
 * may close a descriptor of another.
 */
static volatile int enough;

static void *churn(void *arg)
{
	while (!enough) {
		int fd[40];

		for (int i = 0; i < 40; i++)
			fd[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		for (int i = 0; i < 40; i++)
			if (fd[i] < 0 || close(fd[i]) != 0)
				printf("lost %d: %s\n", fd[i], strerror(errno));
	}
	return arg;
}

static void *brief(void *arg)
{
	sink++;
	return arg;
}

static void race(void)
{
	pthread_t c, t;

	start(&c, NULL, churn, NULL);
	for (int i = 0; i < 1000; i++) {
		start(&t, NULL, brief, NULL);
		pthread_join(t, NULL);
	}
	enough = 1;
	pthread_join(c, NULL);
	afterwards(ms);
	puts("none lost");
}

/* Open descriptors of events of perf, which are the profiler's. */
static int events(void)
{
	char name[300], target[64];
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir)) != NULL) {
		snprintf(name, sizeof(name), "/proc/self/fd/%s", e->d_name);
		n += readlink(name, target, sizeof(target)) > 0 && memmem(target, sizeof(target), "perf_event", 10);
		memset(target, 0, sizeof(target));
	}
	closedir(dir);
	return n;
}

static int to[2], fro[2];

static void *echo(void *arg)
{
	char c;

	while (read(to[0], &c, 1) == 1 && write(fro[1], &c, 1) == 1)
		;
	return arg;
}

/* Two threads on one processor, which do nothing but to let each other go on. */
static void switches(void)
{
	long long end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + 1000 * 1000000ll;
	cpu_set_t one;
	pthread_t t;
	char c = 0;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (pipe(to) != 0 || pipe(fro) != 0)
		return;
	printf("%d events\n", events());
	start(&t, NULL, echo, NULL);
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
		for (int i = 0; i < 100; i++)
			if (write(to[1], &c, 1) != 1 || read(fro[0], &c, 1) != 1)
				return;
	printf("%d events\n", events());
	close(to[1]);
	pthread_join(t, NULL);
	afterwards(ms);
	afterwards(ms);
}

/* Waits for "all descriptors that there may be", with a set of the usual size, for which there is no room behind it. */
static void selects(void)
{
	struct rlimit limit;
	struct {
		fd_set set;
		unsigned char behind[1000];
	} s;
	int own[2], harmed = 0, found = 0;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (pipe(own) != 0 || write(own[1], "x", 1) != 1)
		return;
	memset(&s, 0x5a, sizeof(s));
	for (int i = 0; i < 200; i++) {
		work(1);
		FD_ZERO(&s.set);
		FD_SET(own[0], &s.set);
		found += select((int)limit.rlim_cur, &s.set, NULL, NULL, NULL);
	}
	for (size_t i = 0; i < sizeof(s.behind); i++)
		harmed += s.behind[i] != 0x5a;
	printf("%d found, %d bytes harmed\n", found, harmed);
	/* One of its own with a high number, and a set that has room for it. */
	memset(&s, 0, sizeof(s));
	if (limit.rlim_cur > 5000 && dup2(own[0], 5000) == 5000) {
		s.behind[5000 / 8 - sizeof(s.set)] = 1 << 5000 % 8;
		found = select(5001, &s.set, NULL, NULL, NULL);
		printf("%d found at 5000\n", found);
	}
	afterwards(ms);
}

static const struct mode mode[] = {
	{ "close-all", close_all }, { "closefrom", closes_from }, { "close-range", closes_ranges }, { "dup-onto", dups_onto },
	{ "probe", probes }, { "fork", forks }, { "run-out", runs_out }, { "race", race }, { "switches", switches },
	{ "select", selects },
};

int main(int argc, char **argv)
{
	return run_mode(argc, argv, mode, sizeof(mode) / sizeof(mode[0]));
}
