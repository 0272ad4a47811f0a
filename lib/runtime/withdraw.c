/*
 * withdraw: a process is not sampled any more, though it goes on.
 *
 * So it is where a sample would do harm: its signal has another handler than ours,
 * which the program has installed past libc and past syscall(2) (else we would have
 * kept it), or none; or somebody traces the process, and would be stopped for each
 * sample, as for any signal.
 *
 * Three ask for it: the process itself, as a thread begins or ptrace(2) is called; the
 * process that is going to trace it, if that is of the recording; and the recorder,
 * which looks at /proc now and then.
 *
 * A forked child begins anew.
 */
#include <stdarg.h>
#include <sys/ptrace.h>

#include "wrap.h"

void withdraw(uint32_t why)
{
	if (sampler_has_withdrawn())
		return;
	atomic_fetch_or_explicit(&arena->withdrawn, why, memory_order_relaxed);
	sampler_withdraw();
}

void withdraw_if_asked(void)
{
	uint32_t why = atomic_load_explicit(&process->withdraw, memory_order_relaxed);

	if (unlikely(why))
		withdraw(why);
}

/* One that borrows its parent's memory (vfork) is sampled by nobody. */
static bool is_the_process(void)
{
	return SYS(SYS_getpid) == process_pid;
}

static void ask_to_withdraw(pid_t pid)
{
	uint32_t n = atomic_load_explicit(&arena->processes_used, memory_order_acquire);

	for (uint32_t i = 0; pid > 0 && i < n && i < ARENA_PROCESSES; i++)
		if (atomic_load_explicit(&arena->process[i].pid, memory_order_relaxed) == pid)
			atomic_fetch_or_explicit(&arena->process[i].withdraw, WITHDRAWN_TRACED, memory_order_relaxed);
}

void withdraw_before_ptrace(long request, long pid)
{
	if (!arena)
		return;
	if (request == PTRACE_ATTACH || request == PTRACE_SEIZE)
		ask_to_withdraw((pid_t)pid);
	else if (request == PTRACE_TRACEME && is_the_process())
		sampler_stop_all(true);
}

void withdraw_after_ptrace(long request, long result)
{
	if (!arena || request != PTRACE_TRACEME || !is_the_process())
		return;
	if (result == 0)
		withdraw(WITHDRAWN_TRACED);
	else
		sampler_stop_all(false);
}

EXPORT long ptrace(enum __ptrace_request request, ...)
{
	unsigned long v[3];
	va_list ap;
	long result;
	int err;

	va_start(ap, request);
	for (unsigned i = 0; i < 3; i++)
		v[i] = va_arg(ap, unsigned long);
	va_end(ap);
	withdraw_before_ptrace(request, (long)v[0]);
	result = REAL(ptrace)((int)request, v[0], v[1], v[2]);
	err = errno;
	withdraw_after_ptrace(request, result);
	errno = err;
	return result;
}
