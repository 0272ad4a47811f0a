/* Programs that lock themselves in: seccomp filters, chroot; and libraries that come and go.  See hostile.h. */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "hostile.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define IS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)

enum { ROOM = 256 };

/*
 * How a filter is installed, in each way there is.  libc's syscall(2) is what
 * libseccomp calls.
 */
enum way { BY_PRCTL, BY_SECCOMP, BY_TSYNC };

static void install(struct sock_filter *code, unsigned short n, enum way way)
{
	struct sock_fprog prog = { .len = n, .filter = code };
	long err;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		die("no_new_privs");
	if (way == BY_PRCTL)
		err = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
	else
		err = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, way == BY_TSYNC ? SECCOMP_FILTER_FLAG_TSYNC : 0, &prog);
	if (err != 0)
		die("seccomp");
}

/* These calls end so; all others are allowed. */
static void deny(const int *call, int n, unsigned action, enum way way)
{
	struct sock_filter code[ROOM] = { LOAD(nr) };
	unsigned short used = 1;

	for (int i = 0; i < n; i++) {
		code[used++] = (struct sock_filter)IS((unsigned)call[i], 1);
		code[used++] = (struct sock_filter)RETURN(action);
	}
	code[used++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	install(code, used, way);
}

/* Only these are allowed. */
static void allow(const int *call, int n, enum way way)
{
	struct sock_filter code[ROOM];
	unsigned short used = 0;

	/* arch wrong: die; else look at the number */
	code[used++] = (struct sock_filter)LOAD(arch);
	code[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	code[used++] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
	code[used++] = (struct sock_filter)LOAD(nr);
	for (int i = 0; i < n; i++) {
		code[used++] = (struct sock_filter)IS((unsigned)call[i], 1);
		code[used++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	}
	code[used++] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
	install(code, used, way);
}

/* System calls that the profiler wants to make. */
static const int wishes[] = { SYS_perf_event_open, SYS_timer_create, SYS_timer_settime, SYS_timer_delete, SYS_clock_nanosleep,
			      SYS_prctl, SYS_ioctl, SYS_fcntl, SYS_newfstatat, SYS_gettid, SYS_getppid };
#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static void *worker(void *arg)
{
	pthread_mutex_t *m = arg;

	for (int i = 0; i < 20; i++) {
		work(ms / 40 + 1);
		pthread_mutex_lock(m);
		sink++;
		pthread_mutex_unlock(m);
	}
	return NULL;
}

static volatile int is_on, go_on;

static void *patient(void *arg)
{
	is_on = 1;
	while (!go_on)
		work(1);
	return worker(arg);
}

/* Threads from before and after; the filter is installed in between. */
static void sealed(void (*seal)(void))
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_t before, after;

	start(&before, NULL, patient, &m);
	while (!is_on)
		usleep(100);
	work(ms / 2);
	puts("open"); /* stdio looks at its file once */
	fflush(stdout);
	seal();
	go_on = 1;
	start(&after, NULL, worker, &m);
	worker(&m);
	pthread_join(before, NULL);
	pthread_join(after, NULL);
	puts("sealed");
}

static void with_errno(void)
{
	deny(wishes, COUNT(wishes), SECCOMP_RET_ERRNO | EPERM, BY_PRCTL);
}

static void with_kill(void)
{
	deny(wishes, COUNT(wishes), SECCOMP_RET_KILL_PROCESS, BY_SECCOMP);
}

static void with_kill_for_all(void)
{
	deny(wishes, COUNT(wishes), SECCOMP_RET_KILL_PROCESS, BY_TSYNC);
}

static void filter_errno(void)
{
	sealed(with_errno);
}

static void filter_kill(void)
{
	sealed(with_kill);
}

static void filter_tsync(void)
{
	sealed(with_kill_for_all);
}

/* Two filters, of which only the second looks at arguments. */
static void with_arguments(void)
{
	struct sock_filter code[] = {
		LOAD(nr),
		IS(SYS_prctl, 3),
		LOAD(args[0]),
		IS(PR_SET_TIMERSLACK, 1),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		IS(SYS_ioctl, 3),
		LOAD(args[1]),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x2000, 0, 1),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		RETURN(SECCOMP_RET_ALLOW),
	};
	static const int open_event[] = { SYS_perf_event_open };

	deny(open_event, 1, SECCOMP_RET_ERRNO | EACCES, BY_PRCTL);
	install(code, COUNT(code), BY_PRCTL);
}

static void filter_arguments(void)
{
	sealed(with_arguments);
}

/* Nothing but what a thread at work needs: not even to return from a signal handler. */
static void filter_tight(void)
{
	static const int needed[] = { SYS_write, SYS_exit_group, SYS_exit, SYS_futex, SYS_munmap, SYS_madvise,
				      SYS_rt_sigprocmask, SYS_clock_gettime };
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_t before;

	setvbuf(stdout, NULL, _IONBF, 0);
	start(&before, NULL, patient, &m);
	while (!is_on)
		usleep(100);
	work(ms / 2);
	allow(needed, COUNT(needed), BY_TSYNC);
	go_on = 1;
	worker(&m);
	pthread_join(before, NULL);
	puts("tight");
}

/* read, write, exit and return from a handler, and no clock either: it dies of reading the processor's counter. */
static void strict(void)
{
	static const char text[] = "strict\n";
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	work(ms);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) != 0)
		die("strict");
	for (unsigned i = 0; i < 20000000; i++) {
		sink += i;
		if (i % 200000 == 0) {
			pthread_mutex_lock(&m);
			pthread_mutex_unlock(&m);
			ANDWEORC_PROGRESS("unit");
		}
	}
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		sink++;
	syscall(SYS_exit, 5);
}

/* A mistake of the program's own remains one. */
static void forbidden(void)
{
	static const int call[] = { SYS_getppid };

	work(ms);
	deny(call, 1, SECCOMP_RET_KILL_PROCESS, BY_PRCTL);
	work(ms);
	puts("now");
	fflush(stdout);
	getppid();
	puts("not reached");
}

/* Filters that the kernel refuses change nothing. */
static void refused(void)
{
	struct sock_filter bad = BPF_STMT(BPF_LD | BPF_W | BPF_IMM, 0);
	struct sock_fprog prog = { .len = 1, .filter = &bad };
	long err;

	work(ms / 2);
	err = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
	printf("%ld %s\n", err, strerror(errno));
	err = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL);
	printf("%ld %s\n", err, strerror(errno));
	printf("%d\n", prctl(PR_GET_SECCOMP));
	work(ms);
}

/* ---- launching others under a filter: sandbox under ACTION CALL... -- COMMAND...  ------------- */

static int under(char **argv)
{
	static const struct {
		const char *name;
		int nr;
	} known[] = { { "perf_event_open", SYS_perf_event_open }, { "timer_create", SYS_timer_create } };
	int call[8], n = 0;
	unsigned action = strcmp(argv[0], "kill") == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;

	for (argv++; *argv && strcmp(*argv, "--") != 0; argv++)
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (strcmp(*argv, known[i].name) == 0)
				call[n++] = known[i].nr;
	deny(call, n, action, BY_PRCTL);
	execvp(argv[1], argv + 1);
	die("exec");
	return 99;
}

/* ---- another root -------------------------------------------------------------------------------- */

static void jail(void)
{
	char dir[] = "/tmp/jail.XXXXXX";
	pthread_t t;
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	int status, tmp = open("/tmp", O_PATH | O_DIRECTORY);
	pid_t pid;

	if (!mkdtemp(dir) || chroot(dir) != 0 || chdir("/") != 0)
		die("chroot");
	start(&t, NULL, worker, &m);
	work(ms);
	pthread_join(t, NULL);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		work(ms / 2);
		execl("/nothing/here", "nothing", (char *)NULL);
		_exit(errno == ENOENT ? 4 : 5);
	}
	waitpid(pid, &status, 0);
	if (unlinkat(tmp, dir + strlen("/tmp/"), AT_REMOVEDIR) != 0)
		die("unlinkat");
	printf("jailed, child %d\n", WEXITSTATUS(status));
}

/* ---- libraries ----------------------------------------------------------------------------------- */

static void loads_again(void)
{
	int n = 0;

	for (int i = 0; i < 1000; i++) {
		void *lib = dlopen("./plugin.so", RTLD_NOW);
		void (*plug)(int);

		if (!lib)
			puts(dlerror()), exit(99);
		*(void **)&plug = dlsym(lib, "plug");
		plug(i % 100 == 0 ? ms / 10 : 0);
		n += dlclose(lib) == 0;
	}
	printf("unloaded %d\n", n);
}

/* ---- the processor's clock is forbidden ------------------------------------------- */

static void *loops(void *arg)
{
	volatile long i;

	for (i = 0; i < 60000000; i++)
		;
	return arg;
}

/* Reading it is then a fault, for libc and for any other code. */
static void clockless(void)
{
	pthread_t thread;
	int status = -1;
	pid_t pid;

	work(ms);
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
		die("PR_SET_TSC");
	loops(NULL);
	if (pthread_create(&thread, NULL, loops, NULL) != 0 || pthread_join(thread, NULL) != 0)
		die("thread");
	pid = fork();
	if (pid == 0) {
		loops(NULL);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
	printf("done, the child ended with %d\n", WEXITSTATUS(status));
}

static const struct mode mode[] = {
	{ "clockless", clockless },
	{ "filter-errno", filter_errno }, { "filter-kill", filter_kill }, { "filter-tsync", filter_tsync },
	{ "filter-arguments", filter_arguments }, { "filter-tight", filter_tight }, { "strict", strict },
	{ "forbidden", forbidden }, { "refused", refused }, { "jail", jail }, { "loads-again", loads_again },
};

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "under") == 0)
		return under(argv + 2);
	return run_mode(argc, argv, mode, sizeof(mode) / sizeof(mode[0]));
}
