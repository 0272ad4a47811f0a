/* Programs that are traced, or trace; see hostile.h. */
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "hostile.h"

/* As programs do that do not want to be debugged. */
static void traced_by_parent(void)
{
	work(ms);
	printf("first %d\n", ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
	printf("again %d\n", ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
	fflush(stdout);
	work(4 * ms);
	puts("worked");
}

static void *works(void *arg)
{
	work(4 * ms);
	return arg;
}

static void traced_with_threads(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		start(&t[i], NULL, works, NULL);
	printf("traced %ld\n", syscall(SYS_ptrace, PTRACE_TRACEME, 0, NULL, NULL));
	work(4 * ms);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	puts("worked");
}

#ifdef __x86_64__
/* No wrapper sees it. */
static void traced_by_instruction(void)
{
	register long data __asm__("r10") = 0;
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"(SYS_ptrace), "D"(PTRACE_TRACEME), "S"(0), "d"(0), "r"(data) : "rcx", "r11", "memory");
	work(4 * ms);
	puts("worked");
}
#endif

/* Lets a tracee go on until it ends.  Returns how often it stopped for SIGTRAP or a real-time signal. */
static int follow(pid_t pid)
{
	int status, stops = 0;

	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		int sig = WSTOPSIG(status);

		stops += sig == SIGTRAP || sig >= SIGRTMIN;
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(sig == SIGSTOP ? 0 : sig));
	}
	return stops;
}

static void traces_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		work(ms);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		work(4 * ms);
		_exit(0);
	}
	printf("stops %d\n", follow(pid));
	work(ms);
}

/* As strace starts what it traces. */
static void seizes_child(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		work(ms);
		kill(getpid(), SIGSTOP);
		work(4 * ms);
		_exit(0);
	}
	waitpid(pid, &status, WSTOPPED);
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
		die("seize");
	kill(pid, SIGCONT);
	/* The number of these stops, which end a group-stop, depends on the kernel. */
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && (status >> 16 || WSTOPSIG(status) == SIGCONT))
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(status >> 16 ? 0 : SIGCONT));
	printf("then %s\n", WIFEXITED(status) ? "ended" : "stopped");
	if (!WIFEXITED(status))
		kill(pid, SIGKILL);
	work(ms);
}

/* Does nothing to its tracee; for processes that are traced from elsewhere. */
static void works_on(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	work(ms);
	puts("worked");
}

static const struct mode mode[] = {
	{ "by-parent", traced_by_parent }, { "with-threads", traced_with_threads }, { "child", traces_child }, { "seized", seizes_child },
	{ "works", works_on },
#ifdef __x86_64__
	{ "by-instruction", traced_by_instruction },
#endif
};

int main(int argc, char **argv)
{
	return run_mode(argc, argv, mode, sizeof(mode) / sizeof(mode[0]));
}
