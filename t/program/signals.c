/* Programs with signals, stacks and masks of their own; see hostile.h. */
#include <poll.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>

#include "hostile.h"

static volatile sig_atomic_t ticks;

static void on_tick(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)sig;
	(void)info;
	(void)context;
	ticks++;
	errno = saved;
}

/* ---- a profiler of its own ---------------------------------------------------- */

static void own_sigprof(void)
{
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, none = { { 0, 0 }, { 0, 0 } };
	struct sigaction now;

	handle(SIGPROF, on_tick, SA_RESTART);
	setitimer(ITIMER_PROF, &every, NULL);
	/* In processor time, of which a busy machine gives little. */
	for (int rounds = 0; rounds < 100 && ticks <= 3; rounds++)
		work(ms + 40);
	setitimer(ITIMER_PROF, &none, NULL);
	sigaction(SIGPROF, NULL, &now);
	printf("ticked %d, still mine %d\n", ticks > 3, now.sa_sigaction == on_tick);
}

/* ---- crash reporters ------------------------------------------------------------ */

/*
 * What the kernel really writes for a handler: less than what it asks for, which
 * counts registers that are not in use.
 */
static size_t frame_bytes(void)
{
	enum { BYTES = 1 << 16 };
	static unsigned char large[BYTES];
	stack_t st = { .ss_sp = large, .ss_size = BYTES }, before;
	size_t clean = 0;

	memset(large, 0xa5, BYTES);
	if (sigaltstack(&st, &before) != 0)
		die("sigaltstack");
	handle(SIGUSR1, on_tick, SA_ONSTACK);
	raise(SIGUSR1);
	sigaltstack(&before, NULL);
	while (clean < BYTES && large[clean] == 0xa5)
		clean++;
	return BYTES - clean;
}

/* Room for a handler that calls little, if its calls are bound already, and for no other one. */
static size_t least_stack;

static void measure(void)
{
	least_stack = frame_bytes() + 2000; /* MINSIGSTKSZ may be far more */
}

/* An unmapped page below, so that a handler that needs more room dies. */
static char *tight_stack(size_t bytes)
{
	size_t whole = (bytes + 4095) / 4096 * 4096;
	char *base = mmap(NULL, whole + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t st = { 0 };

	if (base == MAP_FAILED || mprotect(base, 4096, PROT_NONE) != 0)
		die("mmap");
	st.ss_sp = base + 4096;
	st.ss_size = bytes;
	if (sigaltstack(&st, NULL) != 0)
		die("sigaltstack");
	return base;
}

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(97);
}

/* Works for a while on a stack without room for another handler. */
static void on_crash(int sig, siginfo_t *info, void *context)
{
	(void)context;
	say(sig == SIGSEGV && info->si_addr == NULL ? "crashed at nil\n" : "crashed elsewhere\n");
	work(20);
	say("reported\n");
	_exit(3);
}

static int *volatile nowhere;

static void crash_report(void)
{
	tight_stack(least_stack);
	handle(SIGSEGV, on_crash, SA_ONSTACK);
	work(ms);
	*nowhere = 1;
}

/* As the Rust runtime does: the handler knows the guard page; other faults get the default action. */
static char *guard_lo, *guard_hi;

static void on_overflow(int sig, siginfo_t *info, void *context)
{
	char *at = info->si_addr;

	(void)context;
	if (at >= guard_lo && at < guard_hi) {
		say("stack overflow\n");
		abort();
	}
	signal(sig, SIG_DFL);
}

static __attribute__((noinline)) unsigned descend(volatile unsigned *up, unsigned n)
{
	volatile unsigned here[256];

	here[n % 256] = n + *up;
	for (unsigned i = 0; i < 300; i++)
		sink += i;
	return n == ~0u ? 0 : descend(here + n % 256, n + 1) + here[n % 256];
}

static void *overflows(void *arg)
{
	pthread_attr_t attr;
	void *base;
	size_t bytes, guard;

	tight_stack(least_stack);
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &base, &bytes);
	pthread_attr_getguardsize(&attr, &guard);
	pthread_attr_destroy(&attr);
	guard_lo = (char *)base - guard;
	guard_hi = (char *)base + guard;
	work(ms / 2);
	sink = descend(&(volatile unsigned){ 0 }, 0);
	return arg;
}

static void stack_overflow(void)
{
	pthread_t t;

	handle(SIGSEGV, on_overflow, SA_ONSTACK);
	start(&t, NULL, overflows, NULL);
	work(ms);
	pthread_join(t, NULL);
	puts("not reached");
}

/* A handler that works, again and again, on the least of stacks: samples hit there too. */
static void on_work(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	work(3);
	ticks++;
}

static void *busy_handler(void *arg)
{
	tight_stack(least_stack);
	for (int i = 0; i < ms / 4 + 2; i++)
		raise(SIGUSR2);
	return arg;
}

static void tight_handlers(void)
{
	pthread_t t[2];
	sigset_t seen;
	struct sigaction now, act = { .sa_sigaction = on_work, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	sigemptyset(&act.sa_mask);
	sigaddset(&act.sa_mask, SIGUSR1);
	sigaction(SIGUSR2, &act, NULL);
	sigaction(SIGUSR2, NULL, &now);
	sigemptyset(&seen);
	for (int i = 1; i < NSIG; i++)
		if (sigismember(&now.sa_mask, i) > 0)
			printf("masked while handled: %d\n", i);
	/* glibc adds SA_RESTORER, which it hides. */
	printf("flags %x, mine %d\n", (unsigned)now.sa_flags, now.sa_sigaction == on_work);
	for (int i = 0; i < 2; i++)
		start(&t[i], NULL, busy_handler, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("handled %d\n", ticks == 2 * (ms / 4 + 2) || ticks > 2);
}

/* ---- SIGTRAP that is not ours ------------------------------------------------------ */

static int ends[2];
static volatile int gone;

static void *reader(void *arg)
{
	char c;
	long n = read(ends[0], &c, 1);

	printf("read %ld %s\n", n, n < 0 ? strerror(errno) : "");
	gone = 1;
	return arg;
}

/* A handler without SA_RESTART ends a read; one with it does not.  signo is ours, as far as the profiler is concerned. */
static void interrupts(int signo)
{
	pthread_t t;

	if (pipe(ends) != 0)
		die("pipe");
	work(ms);
	for (int flags = 0; flags <= SA_RESTART; flags += SA_RESTART) {
		ticks = gone = 0;
		handle(signo, on_tick, flags);
		start(&t, NULL, reader, NULL);
		for (int i = 0; flags == 0 ? !gone : i < 5; i++) {
			int before = ticks;

			usleep(10000);
			if (gone)
				break;
			pthread_kill(t, signo);
			/* Two that wait may be one. */
			while (ticks == before && !gone)
				usleep(1000);
		}
		if (flags && write(ends[1], "x", 1) != 1)
			die("write");
		pthread_join(t, NULL);
		printf("ticks %d\n", ticks >= (flags ? 5 : 1));
	}
}

static void trap_interrupts(void)
{
	interrupts(SIGTRAP);
}

/* The signal of the timer sampler: a program may use it for itself. */
static void realtime_interrupts(void)
{
	interrupts(SIGRTMAX - 10);
}

static volatile sig_atomic_t order[8], norder;

static void on_queued(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (norder < 8)
		order[norder++] = info->si_code == SI_QUEUE ? info->si_value.sival_int : -1;
}

static void realtime_queued(void)
{
	struct sigaction now;

	work(ms / 2);
	handle(SIGRTMAX - 10, on_queued, 0);
	for (int i = 0; i < 5; i++)
		sigqueue(getpid(), SIGRTMAX - 10, (union sigval){ .sival_int = 10 + i });
	work(ms / 2);
	for (int i = 0; i < norder; i++)
		printf("%d ", (int)order[i]);
	sigaction(SIGRTMAX - 10, NULL, &now);
	printf("of %d, mine %d\n", (int)norder, now.sa_sigaction == on_queued);
	fflush(stdout);
	signal(SIGRTMAX - 10, SIG_DFL);
	work(ms / 2);
	raise(SIGRTMAX - 10);
	puts("not reached");
}

/* ---- masks ---------------------------------------------------------------------------- */

static void print_mask(const char *what, const sigset_t *set)
{
	printf("%s:", what);
	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigismember(set, i) > 0)
			printf(" %d", i);
	puts("");
}

static void mask_is_kept(void)
{
	sigset_t set, old;

	work(ms / 4);
	sigprocmask(SIG_BLOCK, NULL, &old);
	print_mask("at first", &old);
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	print_mask("before", &old);
	work(ms / 4);
	pthread_sigmask(SIG_BLOCK, NULL, &old);
	print_mask("all", &old);
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigaddset(&set, SIGRTMAX - 10);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &set, &old);
	print_mask("all again", &old);
	pthread_sigmask(SIG_SETMASK, &set, &old);
	print_mask("all but three", &old);
	work(ms / 4);
	pthread_sigmask(SIG_SETMASK, NULL, &old);
	print_mask("three", &old);
	sigemptyset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	sigprocmask(0, NULL, &old);
	print_mask("none", &old);
}

/* A signal that is blocked waits, whichever it is. */
static void blocked_trap(void)
{
	sigset_t set;

	handle(SIGTRAP, on_tick, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	work(ms / 2);
	raise(SIGTRAP);
	work(ms / 4);
	printf("while blocked: %d\n", (int)ticks);
	sigpending(&set);
	printf("pending: %d\n", sigismember(&set, SIGTRAP));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("then: %d\n", (int)ticks);
	work(ms / 4);
}

enum { ROUNDS = 50 };

static void *sender(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		work(1);
		kill(getpid(), i % 2 ? SIGUSR1 : SIGUSR2);
		usleep(300);
	}
	work(ms / 4);
	kill(getpid(), SIGTERM);
	return arg;
}

static void *burner(void *arg)
{
	while (!gone)
		work(1);
	return arg;
}

/* One thread waits for all signals, as servers do, while others work.  next(): the next signal. */
static void waits_for_all(int (*next)(void))
{
	pthread_t s, b;
	int sig, other = 0;

	start(&s, NULL, sender, NULL);
	start(&b, NULL, burner, NULL);
	do {
		sig = next();
		if (sig != SIGUSR1 && sig != SIGUSR2 && sig != SIGTERM) {
			if (other++ == 0)
				printf("a stranger: %d\n", sig);
		}
		work(1);
	} while (sig != SIGTERM && other < 10);
	gone = 1;
	pthread_join(s, NULL);
	pthread_join(b, NULL);
	puts("ended");
}

static sigset_t full;

static int by_sigwait(void)
{
	int sig = 0;

	return sigwait(&full, &sig) == 0 ? sig : -1;
}

static int by_sigwaitinfo(void)
{
	siginfo_t info;
	int sig = sigwaitinfo(&full, &info);

	return sig == info.si_signo ? sig : -1;
}

static int by_sigtimedwait(void)
{
	struct timespec limit = { 0, 2000000 };
	int sig;

	do
		sig = sigtimedwait(&full, NULL, &limit);
	while (sig < 0 && errno == EAGAIN);
	return sig;
}

static int by_signalfd(void)
{
	static int fd = -1;
	struct signalfd_siginfo info;

	if (fd < 0)
		fd = signalfd(-1, &full, SFD_CLOEXEC);
	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return -1;
	return (int)info.ssi_signo;
}

static void block_all(void)
{
	sigfillset(&full);
	sigprocmask(SIG_SETMASK, &full, NULL);
}

static void sigwait_all(void)
{
	block_all();
	waits_for_all(by_sigwait);
}

static void sigwaitinfo_all(void)
{
	block_all();
	waits_for_all(by_sigwaitinfo);
}

static void sigtimedwait_all(void)
{
	block_all();
	waits_for_all(by_sigtimedwait);
}

static void signalfd_all(void)
{
	block_all();
	waits_for_all(by_signalfd);
}

/* The same with a mask that libc does not know of: then even samples wait. */
static void sigwait_raw(void)
{
	unsigned long all = ~0ul;

	sigfillset(&full);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
	work(ms / 2);
	waits_for_all(by_sigwait);
}

static void signalfd_raw(void)
{
	unsigned long all = ~0ul;

	sigfillset(&full);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
	work(ms / 2);
	waits_for_all(by_signalfd);
}

/* The idiom of pselect: blocked while at work, let in while waiting. */
static void pselect_unblocks(void)
{
	sigset_t blocked, before;
	int woken = 0;

	handle(SIGRTMAX - 10, on_tick, 0);
	handle(SIGTRAP, on_tick, 0);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGRTMAX - 10);
	sigaddset(&blocked, SIGTRAP);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	for (int i = 0; i < 20; i++) {
		struct timespec limit = { 10, 0 };
		int was = ticks;

		work(ms / 20 + 1);
		kill(getpid(), i & 1 ? SIGTRAP : SIGRTMAX - 10);
		work(1);
		if (ticks != was)
			puts("while blocked");
		switch (i / 2 % 3) {
		case 0: woken += pselect(0, NULL, NULL, NULL, &limit, &before) < 0 && errno == EINTR; break;
		case 1: woken += ppoll(NULL, 0, &limit, &before) < 0 && errno == EINTR; break;
		default: woken += sigsuspend(&before) < 0 && errno == EINTR; break;
		}
	}
	printf("woken %d times, handled %d\n", woken, (int)ticks);
}

/* And the one of sigwait, with the very signals that samples come by.  Each is awaited: two of SIGTRAP would be one. */
static volatile int taken;

static void *sends_ours(void *arg)
{
	for (int i = 0; i < 20; i++) {
		work(ms / 40 + 1);
		kill(getpid(), i & 1 ? SIGTRAP : SIGRTMAX - 10);
		while (taken <= i)
			usleep(100);
	}
	return arg;
}

static void sigwait_ours(void)
{
	sigset_t set;
	pthread_t t;
	int got[2] = { 0, 0 };

	sigemptyset(&set);
	sigaddset(&set, SIGRTMAX - 10);
	sigaddset(&set, SIGTRAP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	start(&t, NULL, sends_ours, NULL);
	while (got[0] + got[1] < 20) {
		int sig = 0;

		if (sigwait(&set, &sig) == 0)
			got[sig == SIGTRAP]++;
		work(1);
		taken++;
	}
	pthread_join(t, NULL);
	printf("got %d and %d\n", got[0], got[1]);
}

/* ---- storms ------------------------------------------------------------------------------ */

static void on_storm(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)sig;
	(void)info;
	(void)context;
	for (unsigned i = 0; i < 500; i++)
		sink += i;
	ticks++;
	errno = saved;
}

static void *in_storm(void *arg)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct itimerspec every = { { 0, 100000 }, { 0, 100000 } };
	unsigned long sum = 0;
	timer_t timer;

	ev._sigev_un._tid = (int)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) != 0 || timer_settime(timer, 0, &every, NULL) != 0)
		die("timer");
	for (unsigned round = 0; round < 8; round++) {
		double x = round;

		work(ms / 8 + 1);
		/* Handlers must leave the registers of interrupted code unchanged. */
		for (unsigned i = 0; i < 300000; i++) {
			sum = sum * 31 + i;
			x = x * 0.999 + (double)(sum & 15);
		}
		sum += (unsigned long)(x * 1e6);
	}
	timer_delete(timer);
	*(unsigned long *)arg = sum;
	return NULL;
}

static void storm(void)
{
	unsigned long sum[3];
	pthread_t t[3];

	handle(SIGUSR1, on_storm, SA_RESTART);
	for (int i = 0; i < 3; i++)
		start(&t[i], NULL, in_storm, &sum[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%lx %lx %lx, stormy %d\n", sum[0], sum[1], sum[2], ticks > 20);
}

/* ---- jumps ---------------------------------------------------------------------------------- */

static sigjmp_buf back;
static volatile sig_atomic_t may_jump;

static void on_jump(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	ticks++;
	if (may_jump) {
		may_jump = 0;
		siglongjmp(back, 1);
	}
}

static void *jumper(void *arg)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct itimerspec every = { { 0, 700000 }, { 0, 700000 } };
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	timer_t timer;

	ev._sigev_un._tid = (int)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) != 0 || timer_settime(timer, 0, &every, NULL) != 0)
		die("timer");
	for (volatile int i = 0; i < 400; i++) {
		if (sigsetjmp(back, 1) == 0) {
			may_jump = 1;
			for (;;) {
				switch (i % 4) {
				case 0: /* out of work, and of our handler if it runs */
					for (unsigned k = 0; k < 100000; k++)
						sink += k;
					break;
				case 1: /* out of a wait */
					poll(NULL, 0, 1000);
					break;
				case 2: {
					struct timespec t = { 1, 0 };

					nanosleep(&t, NULL);
					break;
				}
				default: { /* out of lots of little calls */
					pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;

					pthread_mutex_lock(&mine);
					pthread_mutex_unlock(&mine);
				}
				}
			}
		}
	}
	timer_delete(timer);
	/* After all this it is sampled as if nothing had been. */
	pthread_mutex_lock(&m);
	work(ms);
	pthread_mutex_unlock(&m);
	return arg;
}

static void jumps(void)
{
	pthread_t t;

	handle(SIGUSR1, on_jump, 0);
	start(&t, NULL, jumper, NULL);
	pthread_join(t, NULL);
	printf("jumped %d\n", ticks >= 400);
}

/* A jump that leaves the signal mask as the handler has it. */
static jmp_buf plain_back;

static void on_plain_jump(int sig, siginfo_t *info, void *context)
{
	sigset_t set;

	(void)info;
	(void)context;
	ticks++;
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	_longjmp(plain_back, 1);
}

static void plain_jumps(void)
{
	struct itimerval once = { { 0, 0 }, { 0, 2500 } };
	sigset_t now;
	volatile int blocked = 0;

	handle(SIGALRM, on_plain_jump, 0);
	for (volatile int i = 0; i < 100; i++) {
		if (_setjmp(plain_back) == 0) {
			setitimer(ITIMER_REAL, &once, NULL);
			for (;;)
				sink++;
		}
	}
	/* Whatever the handler interrupted. */
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, 8);
	for (int i = 1; i <= SIGRTMAX; i++)
		blocked += sigismember(&now, i) > 0;
	work(ms);
	printf("jumped %d, blocked now %d\n", ticks >= 100, blocked);
}

/* ---- stacks ------------------------------------------------------------------------------------ */

static ucontext_t home, lane[4];
static int turn[4];

static void walk_lane(int n)
{
	for (;;) {
		volatile char frame[512];

		frame[turn[n] % 512] = (char)n;
		sink += (unsigned char)frame[turn[n] % 512];
		for (unsigned i = 0; i < 3000; i++)
			sink += i;
		turn[n]++;
		swapcontext(&lane[n], n < 3 ? &lane[n + 1] : &home);
	}
}

static void coroutines(void)
{
	long long end;

	for (int i = 0; i < 4; i++) {
		getcontext(&lane[i]);
		lane[i].uc_stack.ss_size = 32768;
		lane[i].uc_stack.ss_sp = malloc(lane[i].uc_stack.ss_size);
		lane[i].uc_link = &home;
		makecontext(&lane[i], (void (*)(void))walk_lane, 1, i);
	}
	end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (ms + 20) * 1000000ll;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		swapcontext(&home, &lane[0]);
	printf("in turn %d\n", turn[0] > 10 && turn[0] == turn[1] && turn[1] == turn[2] && turn[2] == turn[3]);
}

/*
 * How much of a stack was written when the program itself handled a signal (the state
 * that the kernel saves of an interrupted thread, and a little more): on stderr.
 */
static void *on_painted_stack(void *arg)
{
	long long end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (ms + 40) * 1000000ll;

	pthread_kill(pthread_self(), SIGUSR1);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (unsigned i = 0; i < 20000; i++)
			sink += i * i;
	return arg;
}

static void stack_use(void)
{
	enum { BYTES = 1 << 18 };
	unsigned char *stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t t;
	long clean = 0;

	handle(SIGUSR1, on_tick, 0);
	memset(stack, 0xa5, BYTES);
	pthread_attr_init(&attr);
	if (pthread_attr_setstack(&attr, stack, BYTES) != 0)
		die("stack");
	start(&t, &attr, on_painted_stack, NULL);
	pthread_join(t, NULL);
	while (clean < BYTES && stack[clean] == 0xa5)
		clean++;
	fprintf(stderr, "%ld\n", BYTES - clean);
	puts("painted");
}

static const struct mode mode[] = {
	{ "own-sigprof", own_sigprof }, { "crash-report", crash_report }, { "stack-overflow", stack_overflow },
	{ "tight-handlers", tight_handlers }, { "trap-interrupts", trap_interrupts },
	{ "realtime-interrupts", realtime_interrupts }, { "realtime-queued", realtime_queued },
	{ "mask-is-kept", mask_is_kept }, { "blocked-trap", blocked_trap }, { "sigwait", sigwait_all },
	{ "sigwaitinfo", sigwaitinfo_all }, { "sigtimedwait", sigtimedwait_all }, { "signalfd", signalfd_all },
	{ "sigwait-raw", sigwait_raw }, { "signalfd-raw", signalfd_raw }, { "pselect", pselect_unblocks }, { "sigwait-ours", sigwait_ours }, { "storm", storm }, { "jumps", jumps },
	{ "plain-jumps", plain_jumps }, { "coroutines", coroutines }, { "stack-use", stack_use },
};

int main(int argc, char **argv)
{
	measure();
	ticks = 0;
	signal(SIGUSR1, SIG_DFL);
	return run_mode(argc, argv, mode, sizeof(mode) / sizeof(mode[0]));
}
