/* Programs that set handlers of signals by other ways than sigaction(2); see hostile.h. */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "hostile.h"

/* The two signals by which samples are taken. */
#define SAMPLE_SIGNALS { SIGTRAP, SIGRTMAX - 10 }

static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
	(void)sig;
	handled++;
}

static void tell(const char *what)
{
	printf("%s: %d\n", what, (int)handled);
	handled = 0;
}

/* Works before and after each is raised. */
static void raise_each(const char *what)
{
	const int sigs[] = SAMPLE_SIGNALS;

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		work(ms);
		raise(sigs[i]);
		work(ms);
	}
	tell(what);
}

/* ---- relatives of signal(3) ------------------------------------------------------- */

/* signal() of strict ISO C: the handler is reset when it runs. */
static void sysv(void)
{
	const int sigs[] = SAMPLE_SIGNALS;
	int was_default = 0;

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		was_default += __sysv_signal(sigs[i], on_signal) == SIG_DFL;
	raise_each("handled");
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		was_default += __sysv_signal(sigs[i], SIG_IGN) == SIG_DFL;
	raise_each("ignored");
	printf("default before %d\n", was_default);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void xsi(void)
{
	const int sigs[] = SAMPLE_SIGNALS;

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (sigset(sigs[i], on_signal) != SIG_DFL)
			die("sigset");
	raise_each("handled");
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (sigset(sigs[i], SIG_HOLD) != on_signal)
			die("SIG_HOLD");
	raise_each("held");
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		sigrelse(sigs[i]);
	tell("released");
	sighold(SIGTRAP);
	printf("held before %d\n", sigset(SIGTRAP, on_signal) == SIG_HOLD);
	sigignore(SIGTRAP);
	raise(SIGTRAP);
	tell("ignored");
	printf("mask %x\n", (unsigned)sigblock(1 << (SIGTRAP - 1)));
	printf("mask %x\n", (unsigned)sigsetmask(0));
	printf("mask %x\n", (unsigned)sigsetmask(0));
	work(ms);
}

static void interrupting(void)
{
	struct sigaction now;

	siginterrupt(SIGTRAP, 1);
	signal(SIGTRAP, on_signal);
	sigaction(SIGTRAP, NULL, &now);
	printf("restarts %d\n", (now.sa_flags & SA_RESTART) != 0);
	siginterrupt(SIGTRAP, 0);
	sigaction(SIGTRAP, NULL, &now);
	printf("restarts %d\n", (now.sa_flags & SA_RESTART) != 0);
	work(ms);
	raise(SIGTRAP);
	tell("handled");
}
#pragma GCC diagnostic pop

/* ---- alternate stacks --------------------------------------------------------------- */

static void on_alternate_stacks(void)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	if (sigaction(SIGTRAP, &act, NULL) != 0)
		die("sigaction");
}

/* An unmapped page below, so that a handler that needs more room dies. */
static void take_stack(size_t bytes)
{
	size_t whole = (bytes + 4095) / 4096 * 4096;
	char *base = mmap(NULL, whole + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t st = { .ss_sp = base + 4096, .ss_size = bytes };

	if (base == MAP_FAILED || mprotect(base, 4096, PROT_NONE) != 0 || sigaltstack(&st, NULL) != 0)
		die("stack");
}

/* Room for what the kernel writes, and none for a handler. */
static size_t least_stack(void)
{
	long least = sysconf(_SC_MINSIGSTKSZ);

	return least > MINSIGSTKSZ ? (size_t)least : MINSIGSTKSZ;
}

static void *works_on_tight_stack(void *arg)
{
	take_stack(least_stack());
	work(4 * ms);
	return arg;
}

/* One thread has an alternate stack that is too small for our handler, and another one has none. */
static void tight_alternate(void)
{
	pthread_t t;

	on_alternate_stacks();
	start(&t, NULL, works_on_tight_stack, NULL);
	work(4 * ms);
	pthread_join(t, NULL);
	puts("worked");
}

/* It was there before. */
static void tight_before(void)
{
	take_stack(least_stack());
	work(ms);
	on_alternate_stacks();
	work(4 * ms);
	puts("worked");
}

static void large_alternate(void)
{
	static const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t now;

	on_alternate_stacks();
	take_stack(1 << 16);
	work(4 * ms);
	raise(SIGTRAP);
	tell("handled");
	sigaltstack(&none, NULL);
	sigaltstack(NULL, &now);
	printf("none %d\n", now.ss_flags == SS_DISABLE);
	work(4 * ms);
}

/* ---- past libc ---------------------------------------------------------------------- */

struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long long mask;
};

static void set_by_number(void (*handler)(int))
{
	const int sigs[] = SAMPLE_SIGNALS;
	struct sigaction libc;

	/* Its restorer, too. */
	handle(SIGUSR2, NULL, 0);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		struct kernel_action act = { 0 }, old;

		if (syscall(SYS_rt_sigaction, SIGUSR2, NULL, &act, sizeof(act.mask)) != 0)
			die("rt_sigaction");
		act.handler = handler;
		act.flags &= ~(unsigned long)SA_SIGINFO;
		act.mask = 1ull << (SIGUSR1 - 1);
		if (syscall(SYS_rt_sigaction, sigs[i], &act, &old, sizeof(act.mask)) != 0)
			die("rt_sigaction");
		sigaction(sigs[i], NULL, &libc);
		printf("default before %d, USR1 in mask %d, set %d\n", old.handler == SIG_DFL, sigismember(&libc.sa_mask, SIGUSR1),
		       libc.sa_handler == handler);
	}
}

static void by_number(void)
{
	set_by_number(on_signal);
	raise_each("handled");
}

static void default_by_number(void)
{
	set_by_number(SIG_DFL);
	work(4 * ms);
	puts("worked");
}

static void bad_numbers(void)
{
	struct kernel_action act = { 0 };

	printf("%d\n", syscall(SYS_rt_sigaction, SIGTRAP, &act, NULL, 4) < 0 ? errno : 0);
	printf("%d\n", syscall(SYS_rt_sigaction, 0, &act, NULL, 8) < 0 ? errno : 0);
	printf("%d\n", syscall(SYS_rt_sigaction, SIGKILL, &act, NULL, 8) < 0 ? errno : 0);
	work(ms);
}

#ifdef __x86_64__
/* No wrapper sees it. */
static __attribute__((noinline)) void set_all_by_instruction(int sig, void (*handler)(int), unsigned long flags, void (*restorer)(void))
{
	struct kernel_action act = { .handler = handler, .flags = flags, .restorer = restorer };
	register long size __asm__("r10") = sizeof(act.mask);
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"(SYS_rt_sigaction), "D"(sig), "S"(&act), "d"(0), "r"(size) : "rcx", "r11", "memory");
}

static void set_by_instruction(int sig, void (*handler)(int))
{
	set_all_by_instruction(sig, handler, 0, NULL);
}

static void *works(void *arg)
{
	work(4 * ms);
	return arg;
}

/* Code that the program has generated itself runs at once, before the program has used a millisecond. */
static void by_instruction(void (*handler)(int))
{
	const int sigs[] = SAMPLE_SIGNALS;
	pthread_t t;

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		set_by_instruction(sigs[i], handler);
	start(&t, NULL, works, NULL);
	pthread_join(t, NULL);
	work(ms);
	puts("worked");
}

static void default_by_instruction(void)
{
	by_instruction(SIG_DFL);
}

static void ignored_by_instruction(void)
{
	by_instruction(SIG_IGN);
}

/* One of its own, after a while. */
static void handler_by_instruction(void)
{
	const int sigs[] = SAMPLE_SIGNALS;

	work(4 * ms);
	handle(SIGUSR2, NULL, 0);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		struct kernel_action act;

		/* With the restorer of libc's. */
		if (syscall(SYS_rt_sigaction, SIGUSR2, NULL, &act, sizeof(act.mask)) != 0)
			die("rt_sigaction");
		set_all_by_instruction(sigs[i], on_signal, act.flags & ~(unsigned long)SA_SIGINFO, act.restorer);
	}
	raise_each("handled");
}
#endif

static const struct mode mode[] = {
	{ "sysv", sysv }, { "xsi", xsi }, { "siginterrupt", interrupting }, { "by-number", by_number },
	{ "default-by-number", default_by_number }, { "tight-alternate", tight_alternate },
	{ "tight-before", tight_before }, { "large-alternate", large_alternate }, { "bad-numbers", bad_numbers },
#ifdef __x86_64__
	{ "default-by-instruction", default_by_instruction }, { "ignored-by-instruction", ignored_by_instruction },
	{ "handler-by-instruction", handler_by_instruction },
#endif
};

int main(int argc, char **argv)
{
	return run_mode(argc, argv, mode, sizeof(mode) / sizeof(mode[0]));
}
