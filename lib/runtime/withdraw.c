/*
 * withdraw: ends the sampling of a process that goes on.
 *
 * This is necessary where a sample would do harm.  Either the sampling signal no longer
 * has our handler, because the program has replaced it by a raw system call (our
 * wrappers of libc and of syscall(2) prevent that).  Or another process traces this
 * one, and each sample would stop it, like any signal.
 *
 * Three parties may request it: the process itself, when a thread begins or ptrace(2)
 * is called; the process that is going to trace it, if that is being recorded; and the
 * recorder, which reads /proc now and then.
 *
 * A forked child is sampled again.
 */
#include <stdarg.h>
#include <sys/ptrace.h>

#include "process.h"
#include "reach.h"
#include "real.h"
#include "sampler.h"
#include "sys.h"
#include "thread.h"
#include "withdraw.h"

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

/* A child of vfork(2), which uses its parent's memory, is not sampled. */
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
