/*
 * rawcall: system calls that the program makes by an instruction of its own.
 *
 * Such calls cannot be interposed.  One of them matters: if it removes the handler of a
 * sampling signal, the next sample kills the program.  The recorder has searched the
 * program's file for such calls.  Each of the few that it finds gets a breakpoint of
 * the processor, as progress points do (breakpoint.c).  Before the call is made, our
 * handler reads its arguments, and does what the wrapper of sigaction(2) would do.  A
 * program without such calls pays nothing.
 *
 * Where there are too many, or perf is refused, or the breakpoints are needed for
 * progress points, or in libraries, such a call is only noticed afterwards: see
 * withdraw.c.
 */
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <ucontext.h>

#include "breakpoint.h"
#include "hidden_fd.h"
#include "rawcall.h"
#include "runtime.h"
#include "sample_signal.h"
#include "sampler.h"
#include "sys.h"

/* In a static program, libc's own calls are in the program's file. */
#if defined(__x86_64__) && !defined(ANDWEORC_STATIC)

#include <elf.h>

enum {
	CALL_BYTES = 2,
	HOT = 2000, /* after so many other calls at one place, a thread stops watching it */
};

static uintptr_t address[ARENA_RAWCALLS]; /* in this process */
static uint32_t n_addresses;

static TLS struct {
	bool on;
	int fd; /* -1: none */
	uint64_t id;
	uint32_t hits;
} watched[ARENA_RAWCALLS];

/* The load bias of the program: its address less that in its file. */
static uintptr_t bias_of_program(void)
{
	uintptr_t at = (uintptr_t)getauxval(AT_PHDR);
	const Elf64_Phdr *ph = (const Elf64_Phdr *)at;

	for (unsigned long i = 0; at && i < getauxval(AT_PHNUM); i++)
		if (ph[i].p_type == PT_PHDR)
			return at - ph[i].p_vaddr;
	return 0;
}

void rawcall_init(void)
{
	const struct arena_rawcalls *found = &arena->rawcalls;
	uintptr_t bias;
	struct stat st;

	if (found->n == 0 || found->n > ARENA_RAWCALLS || arena->want_breaks ||
	    SYS(SYS_newfstatat, AT_FDCWD, "/proc/self/exe", &st, 0) != 0 || st.st_dev != found->dev || st.st_ino != found->ino)
		return;
	bias = bias_of_program();
	for (uint32_t i = 0; i < found->n; i++)
		address[i] = bias + (uintptr_t)found->off[i];
	n_addresses = found->n;
}

void rawcall_watch(void)
{
	for (uint32_t i = 0; i < n_addresses; i++) {
		struct perf_event_attr attr = breakpoint_attr(address[i], SAMPLER_RAWCALL + i);

		watched[i].fd = hidden_fd_open(&attr, &watched[i].id);
		watched[i].hits = 0;
		watched[i].on = watched[i].fd >= 0;
	}
}

static void forget_rawcall(uint32_t i)
{
	if (watched[i].on)
		hidden_fd_close(watched[i].fd, watched[i].id);
	watched[i].on = false;
}

void rawcall_forget(void)
{
	for (uint32_t i = 0; i < n_addresses; i++)
		forget_rawcall(i);
}

void rawcall_hit(uint32_t number, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint32_t i = number - SAMPLER_RAWCALL;

	if (i >= n_addresses || (uintptr_t)r[REG_RIP] != address[i])
		return;
	if (r[REG_RAX] != SYS_rt_sigaction || r[REG_R10] != sizeof(uint64_t)) {
		if (++watched[i].hits > HOT)
			forget_rawcall(i);
		return;
	}
	if (!sample_signal_act((int)r[REG_RDI], (const void *)r[REG_RSI], (void *)r[REG_RDX]))
		return;
	r[REG_RAX] = 0;
	r[REG_RIP] += CALL_BYTES;
}

#else

void rawcall_init(void)
{
}

void rawcall_watch(void)
{
}

void rawcall_forget(void)
{
}

void rawcall_hit(uint32_t number, void *context)
{
	(void)number;
	(void)context;
}

#endif
