/*
 * Two pieces of code are put into the process:
 *
 *     first    at the end of a page of code.  It makes one system call, which maps memory (or
 *              unmaps it), and jumps back to where the thread was.  Its instructions hold all
 *              values that it needs.
 *     second   in the mapped memory.  It calls a function.
 *
 * Each is complete before one call of ptrace(2) sets a thread's registers to it.
 *
 * After a call the thread waits in the second piece until we set its registers back.  We do
 * that in a stop in which the kernel has not decided yet whether an interrupted system call
 * goes on; so it does go on.
 */
#include "target/inject.h"

#include <errno.h>
#include <unistd.h>

#if defined(__x86_64__)

#include <cpuid.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "target/procmaps.h"

/* Offsets in the mapped memory. */
enum {
	FRAME = 2048,                          /* struct frame, behind the code */
	XSTATE = 4096,
	SCRATCH = XSTATE + INJECT_XSTATE,
	STACK = SCRATCH + INJECT_SCRATCH,
	REGION_BYTES = STACK + (256 << 10),
};

/* Data of the second piece.  Its assembler has the offsets as numbers. */
struct frame {
	uint64_t mask;                   /* blocked signals when the thread goes on */
	uint64_t function, a, b, result;
	uint64_t done;
	uint64_t rip, rsp, flags;        /* where the thread goes on; these and the following registers have their former values */
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t none;                   /* the thread waits for no signal: an interrupted rt_sigtimedwait changes nothing in the thread */
	struct timespec patience;        /* for so long */
};

#define TEXT(x) TEXT_(x)
#define TEXT_(x) #x
/* Static assertions below check these offsets. */
#define AT(n) "inject_begin_code + 2048 + " TEXT(n) "(%rip)"

__asm__(".pushsection .rodata\n"
	".globl inject_begin_code, inject_end_code\n"
	".hidden inject_begin_code, inject_end_code\n"
	"inject_begin_code:\n"
	"	leaq inject_begin_code + 290816(%rip), %rsp\n"
	"	leaq inject_begin_code + 4096(%rip), %rbx\n"
	"	movl $-1, %eax\n"
	"	movl $-1, %edx\n"
	"	xsave64 (%rbx)\n"
	"	cld\n"
	"	movq " AT(16) ", %rdi\n"
	"	movq " AT(24) ", %rsi\n"
	"	call *" AT(8) "\n"
	"	movq %rax, " AT(32) "\n"
	"	movl $-1, %eax\n"
	"	movl $-1, %edx\n"
	"	xrstor64 (%rbx)\n"
	"	movq $1, " AT(40) "\n"
	"	movl $128, %eax\n" /* rt_sigtimedwait of no signal, until we set the registers back; after 2 s the thread goes on by itself */
	"	leaq inject_begin_code + 2048 + 192(%rip), %rdi\n"
	"	xorl %esi, %esi\n"
	"	leaq inject_begin_code + 2048 + 200(%rip), %rdx\n"
	"	movl $8, %r10d\n"
	"	syscall\n"
	"	leaq " AT(64) ", %rsp\n"
	"	popfq\n" /* the rest does not change the flags */
	"	movq " AT(56) ", %rsp\n"
	"	movl $14, %eax\n" /* rt_sigprocmask.  From here on handlers run on the thread's own stack. */
	"	movl $2, %edi\n"
	"	leaq " AT(0) ", %rsi\n"
	"	movl $0, %edx\n"
	"	movl $8, %r10d\n"
	"	syscall\n"
	"	movq " AT(72) ", %rax\n"
	"	movq " AT(80) ", %rbx\n"
	"	movq " AT(88) ", %rcx\n"
	"	movq " AT(96) ", %rdx\n"
	"	movq " AT(104) ", %rsi\n"
	"	movq " AT(112) ", %rdi\n"
	"	movq " AT(120) ", %rbp\n"
	"	movq " AT(128) ", %r8\n"
	"	movq " AT(136) ", %r9\n"
	"	movq " AT(144) ", %r10\n"
	"	movq " AT(152) ", %r11\n"
	"	movq " AT(160) ", %r12\n"
	"	movq " AT(168) ", %r13\n"
	"	movq " AT(176) ", %r14\n"
	"	movq " AT(184) ", %r15\n"
	"	jmp *" AT(48) "\n"
	"inject_end_code:\n"
	".popsection\n");

_Static_assert(FRAME == 2048 && XSTATE == 4096 && REGION_BYTES == 290816, "the assembler has these numbers");
_Static_assert(offsetof(struct frame, mask) == 0 && offsetof(struct frame, function) == 8 && offsetof(struct frame, done) == 40 &&
		       offsetof(struct frame, rip) == 48 && offsetof(struct frame, flags) == 64 && offsetof(struct frame, rax) == 72 &&
		       offsetof(struct frame, r15) == 184 && offsetof(struct frame, none) == 192 &&
		       offsetof(struct frame, patience) == 200, "and these");

extern const unsigned char inject_begin_code[], inject_end_code[];

enum {
	SYSCALL_BYTES = 2,   /* of the instruction */
	NAP_NS = 20 * 1000,
};

static const int64_t STOP_NS = 300000000;     /* a thread stops at once unless it is in uninterruptible sleep */
static const int64_t BREAK_NS = 3000000000;   /* a free lock is taken at once */
static const int64_t CALL_NS = 30000000000;   /* the dynamic linker reads a file */

/* ---- memory ------------------------------------------------------------------------------- */

bool inject_write(const struct injection *j, uint64_t to, const void *from, size_t n)
{
	return pwrite(j->memory, from, n, (off_t)to) == (ssize_t)n;
}

bool inject_read(const struct injection *j, uint64_t from, void *to, size_t n)
{
	return pread(j->memory, to, n, (off_t)from) == (ssize_t)n;
}

uint64_t inject_scratch(const struct injection *j)
{
	return j->region + SCRATCH;
}

uint64_t inject_mask(const struct injection *j)
{
	return j->region + FRAME + offsetof(struct frame, mask);
}

/* ---- room for code ------------------------------------------------------------------------ */

/* The end of the code segment of that mapping.  `header`: address of the first page of its file.  0: it is no code segment. */
static uint64_t end_of_code(const struct injection *j, uint64_t header, const struct procmaps_line *l)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (!inject_read(j, header, &eh, sizeof(eh)) || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0)
		return 0;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (!inject_read(j, header + eh.e_phoff + i * sizeof(ph), &ph, sizeof(ph)))
			return 0;
		if (ph.p_type == PT_LOAD && (ph.p_flags & PF_X) && (ph.p_offset & ~4095ull) == l->offset)
			return l->lo + (ph.p_offset - l->offset) + (ph.p_memsz > ph.p_filesz ? ph.p_memsz : ph.p_filesz);
	}
	return 0;
}

/* Between the last instruction of a file and the end of the page there is mostly some room. */
static uint64_t find_room(const struct injection *j, uint64_t header, const struct procmaps_line *l)
{
	static const unsigned char nothing[INJECT_ROOM];
	unsigned char there[INJECT_ROOM];
	uint64_t end = end_of_code(j, header, l);

	for (uint64_t at = l->hi - INJECT_ROOM; end && at >= end && at >= l->hi - 4096; at -= INJECT_ROOM)
		if (inject_read(j, at, there, sizeof(there)) && memcmp(there, nothing, sizeof(there)) == 0)
			return at;
	return 0;
}

static uint64_t find_any_room(const struct injection *j)
{
	uint64_t room = 0, header = 0, inode = 0;
	FILE *f = procmaps_open(j->pid);
	struct procmaps_line l;

	while (!room && procmaps_next(f, &l)) {
		if (l.inode && l.offset == 0) {
			header = l.lo;
			inode = l.inode;
		}
		if (l.inode && l.inode == inode && strcmp(l.rights, "r-xp") == 0)
			room = find_room(j, header, &l);
	}
	if (f)
		fclose(f);
	return room;
}

static bool has_xsave(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) && __get_cpuid_count(0xd, 0, &a, &b, &c, &d) && b <= INJECT_XSTATE;
}

bool inject_begin(struct injection *j, pid_t pid, const char **why)
{
	char name[64];

	*j = (struct injection){ .pid = pid, .memory = -1 };
	if (!has_xsave()) {
		*why = "the registers of this processor are not known";
		return false;
	}
	snprintf(name, sizeof(name), "/proc/%ld/mem", (long)pid);
	j->memory = open(name, O_RDWR | O_CLOEXEC);
	if (j->memory < 0) {
		*why = errno == EACCES || errno == EPERM ? NULL : strerror(errno);
		return false;
	}
	j->room = find_any_room(j);
	if (!j->room)
		*why = "there is no room for code in any of its modules";
	return j->room != 0;
}

/* No thread is in our code any more, unless one has strayed. */
void inject_end(struct injection *j)
{
	static const unsigned char nothing[INJECT_ROOM];

	if (j->memory >= 0 && j->room && !j->strayed)
		inject_write(j, j->room, nothing, sizeof(nothing));
	if (j->memory >= 0)
		close(j->memory);
	j->memory = -1;
}

/* ---- stops -------------------------------------------------------------------------------- */

static long trace(enum __ptrace_request request, pid_t tid, uintptr_t address, uintptr_t data)
{
	return ptrace(request, tid, (void *)address, (void *)data);
}

/* Waits until the thread stops or ends.  Returns 0 if it has done neither in time. */
static pid_t wait_for(pid_t tid, int *status, int64_t until)
{
	struct timespec nap = { .tv_nsec = NAP_NS };
	pid_t pid;

	while ((pid = waitpid(tid, status, __WALL | WNOHANG)) == 0 && now_ns() < until)
		nanosleep(&nap, NULL);
	return pid;
}

static bool is_our_stop(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP;
}

static bool is_group_stop(int status)
{
	return is_our_stop(status) && WSTOPSIG(status) != SIGTRAP;
}

static bool is_call_stop(int status)
{
	return WSTOPSIG(status) == (SIGTRAP | 0x80);
}

/* Did an instruction of the thread cause the signal? */
static bool is_fault(pid_t tid, int sig)
{
	siginfo_t info;

	return (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE) && ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 &&
	       info.si_code > 0;
}

/*
 * A thread in a restartable sequence (rseq(2)) must not be moved: it would go on in the
 * middle of the sequence, which has to begin again.  A system call is in no sequence.  If
 * the kernel cannot tell (before Linux 5.13), the answer is yes.
 */
static bool is_in_sequence(const struct injection *j, const struct held *h)
{
	struct __attribute__((packed)) {
		uint64_t pointer;
		uint32_t bytes, signature, flags, pad;
	} where = { 0 };
	struct {
		uint32_t version, flags;
		uint64_t start, length, abort;
	} sequence;
	uint64_t at;

	if (h->in_call)
		return false;
	/* PTRACE_GET_RSEQ_CONFIGURATION, of Linux 5.13 */
	if (ptrace((enum __ptrace_request)0x420f, h->tid, (void *)sizeof(where), &where) < 0)
		return true;
	return where.pointer && inject_read(j, where.pointer + 8, &at, sizeof(at)) && at &&
	       (!inject_read(j, at, &sequence, sizeof(sequence)) || h->regs.rip - sequence.start < sequence.length);
}

/* System calls that fail with EINTR when their thread is stopped, without having done anything: see signal(7). */
static bool is_cut_short(const struct user_regs_struct *r)
{
	static const unsigned short calls[] = {
		SYS_read, SYS_readv, SYS_write, SYS_writev, SYS_accept, SYS_accept4, SYS_connect, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg,
		SYS_sendto, SYS_sendmsg, SYS_epoll_wait, SYS_epoll_pwait, 441 /* epoll_pwait2 */, SYS_semop, SYS_semtimedop,
		SYS_rt_sigtimedwait, SYS_msgrcv, SYS_msgsnd, SYS_io_getevents, SYS_futex, 426 /* io_uring_enter */,
	};

	for (size_t i = 0; (int64_t)r->rax == -EINTR && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (r->orig_rax == calls[i])
			return true;
	return false;
}

/* Sets of signals as in the kernel: bit n - 1 for signal n. */
struct signals {
	unsigned long long own, shared, blocked; /* pending for the thread, pending for the process, blocked by the thread */
};

static struct signals signals_of(const struct injection *j, pid_t tid)
{
	struct signals s = { 0 };
	char name[64], text[256];
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%ld/task/%ld/status", (long)j->pid, (long)tid);
	f = fopen(name, "re");
	while (f && fgets(text, sizeof(text), f)) {
		sscanf(text, "SigPnd: %llx", &s.own);
		sscanf(text, "ShdPnd: %llx", &s.shared);
		sscanf(text, "SigBlk: %llx", &s.blocked);
	}
	if (f)
		fclose(f);
	return s;
}

static bool has_signal_pending(const struct injection *j, pid_t tid)
{
	struct signals s = signals_of(j, tid);

	return ((s.own | s.shared) & ~s.blocked) != 0;
}

/* Is it an interrupted call that the kernel will make again?  It marks these by results of its own (ERESTARTSYS and others). */
static bool is_to_go_on(const struct user_regs_struct *r)
{
	int64_t result = (int64_t)r->rax;

	return (int64_t)r->orig_rax >= 0 && (result == -512 || result == -513 || result == -514 || result == -516);
}

static void make_call_again(struct user_regs_struct *r)
{
	r->rip -= SYSCALL_BYTES;
	r->rax = r->orig_rax;
	r->orig_rax = UINT64_MAX;
}

/* Reads the registers of the thread, which has stopped for us. */
static bool read_thread(struct injection *j, struct held *h)
{
	struct iovec v = { h->xstate, sizeof(h->xstate) };

	if (ptrace(PTRACE_GETREGS, h->tid, NULL, &h->regs) != 0)
		return false;
	h->in_call = (int64_t)h->regs.orig_rax >= 0;
	/* Now: if we are killed later, the thread goes on without an error. */
	if (is_cut_short(&h->regs) && !has_signal_pending(j, h->tid)) {
		make_call_again(&h->regs);
		trace(PTRACE_SETREGS, h->tid, 0, (uintptr_t)&h->regs);
	}
	if (ptrace(PTRACE_GETSIGMASK, h->tid, (void *)sizeof(h->mask), &h->mask) != 0 ||
	    ptrace(PTRACE_GETREGSET, h->tid, (void *)NT_X86_XSTATE, &v) != 0)
		return false;
	h->xstate_bytes = v.iov_len;
	return true;
}

static void detach(struct held *h, int sig)
{
	trace(PTRACE_DETACH, h->tid, 0, (uintptr_t)sig);
	h->tid = 0;
}

enum held_how inject_hold(struct injection *j, struct held *h, pid_t tid)
{
	int64_t until = now_ns() + STOP_NS;
	int status, sig = 0, err;
	pid_t pid;

	*h = (struct held){ 0 };
	if (trace(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACESYSGOOD) != 0) {
		err = errno;
		/* We may trace it already, if it did not stop in time before. */
		if (err != EPERM || trace(PTRACE_INTERRUPT, tid, 0, 0) != 0) {
			bool lives = kill(j->pid, 0) == 0;

			errno = err;
			return err == ESRCH && lives ? HELD_GONE : HELD_REFUSED;
		}
	}
	if (trace(PTRACE_INTERRUPT, tid, 0, 0) != 0)
		return HELD_GONE;
	while ((pid = wait_for(tid, &status, until)) > 0 && WIFSTOPPED(status) && !is_our_stop(status)) {
		sig = WSTOPSIG(status);
		trace(PTRACE_CONT, tid, 0, (uintptr_t)sig);
	}
	if (pid == 0)
		return HELD_NOT; /* if it stops later, the next wait for it lets it go */
	if (pid < 0 || !WIFSTOPPED(status))
		return HELD_GONE;
	h->tid = tid;
	if (!is_group_stop(status) && read_thread(j, h) && !is_in_sequence(j, h))
		return HELD;
	detach(h, 0);
	return HELD_NOT;
}

/* ---- one system call ------------------------------------------------------------------------ */

/* Where the thread goes on if we are killed. */
static void resume_at(const struct held *h, uint64_t *rip, uint64_t *rax)
{
	struct user_regs_struct r = h->regs;

	if (is_to_go_on(&r))
		make_call_again(&r);
	*rip = r.rip;
	*rax = r.rax;
}

static size_t put(unsigned char *code, size_t at, const char *bytes, size_t n, uint64_t value)
{
	memcpy(code + at, bytes, n);
	memcpy(code + at + n, &value, sizeof(value));
	return at + n + sizeof(value);
}

/* syscall; movabs for each register that the call changes; jmp *(%rip), and its target. */
static size_t first_piece(unsigned char code[INJECT_ROOM], const struct held *h)
{
	const struct user_regs_struct *r = &h->regs;
	uint64_t rip, rax;
	size_t n = SYSCALL_BYTES;

	resume_at(h, &rip, &rax);
	memcpy(code, "\x0f\x05", SYSCALL_BYTES);
	n = put(code, n, "\x48\xb8", 2, rax);
	n = put(code, n, "\x48\xb9", 2, r->rcx);
	n = put(code, n, "\x48\xba", 2, r->rdx);
	n = put(code, n, "\x48\xbe", 2, r->rsi);
	n = put(code, n, "\x48\xbf", 2, r->rdi);
	n = put(code, n, "\x49\xb8", 2, r->r8);
	n = put(code, n, "\x49\xb9", 2, r->r9);
	n = put(code, n, "\x49\xba", 2, r->r10);
	n = put(code, n, "\x49\xbb", 2, r->r11);
	n = put(code, n, "\xff\x25\0\0\0\0", 6, rip);
	return n;
}

/* Has the thread stopped at the system call that ends at rip? */
static bool is_at_call(const struct held *h, uint64_t rip)
{
	struct user_regs_struct r;

	return ptrace(PTRACE_GETREGS, h->tid, NULL, &r) == 0 && r.rip == rip;
}

/*
 * Resumes the thread until it enters, or leaves, the system call that ends at rip.  Before
 * that, handlers of signals may make other system calls.  False: the thread has ended or
 * crashed, or did not get there in time.
 */
static bool run_to_call(struct held *h, uint64_t rip, int64_t until)
{
	int status, sig = 0;

	for (;;) {
		if (trace(PTRACE_SYSCALL, h->tid, 0, (uintptr_t)sig) != 0 || wait_for(h->tid, &status, until) <= 0 || !WIFSTOPPED(status))
			return false;
		if (is_call_stop(status) && is_at_call(h, rip))
			return true;
		sig = is_our_stop(status) || is_call_stop(status) ? 0 : WSTOPSIG(status);
	}
}

static bool kernel_call(struct injection *j, struct held *h, uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
			uint64_t e, int64_t *result)
{
	unsigned char code[INJECT_ROOM] = { 0 };
	struct user_regs_struct r = h->regs;

	if (!inject_write(j, j->room, code, first_piece(code, h)))
		return false;
	r.rip = j->room;
	r.orig_rax = UINT64_MAX;
	r.rax = number;
	r.rdi = a;
	r.rsi = b;
	r.rdx = c;
	r.r10 = d;
	r.r8 = e;
	r.r9 = 0;
	if (trace(PTRACE_SETREGS, h->tid, 0, (uintptr_t)&r) != 0)
		return false;
	h->in_kernel = true;
	if (!run_to_call(h, j->room + SYSCALL_BYTES, now_ns() + CALL_NS) || !run_to_call(h, j->room + SYSCALL_BYTES, now_ns() + CALL_NS) ||
	    ptrace(PTRACE_GETREGS, h->tid, NULL, &r) != 0) {
		j->strayed = true;
		errno = ESRCH;
		return false;
	}
	*result = (int64_t)r.rax;
	return true;
}

/* Sets its blocked signals to what they were, or to what a call has changed them to. */
static void unblock(struct held *h)
{
	ptrace(PTRACE_SETSIGMASK, h->tid, (void *)sizeof(h->mask), &h->mask);
	h->blocked = false;
}

/*
 * Leads the thread out of the system call that we made it enter, into a stop in which we may
 * set its registers.  Sets *sig to the signal that stopped it; 0: none.
 */
static bool leave_kernel(struct held *h, int *sig)
{
	int status;

	if (trace(PTRACE_INTERRUPT, h->tid, 0, 0) != 0 || trace(PTRACE_CONT, h->tid, 0, 0) != 0 ||
	    wait_for(h->tid, &status, now_ns() + CALL_NS) <= 0 || !WIFSTOPPED(status))
		return false;
	*sig = is_our_stop(status) || is_call_stop(status) ? 0 : WSTOPSIG(status);
	return true;
}

void inject_let_go(struct injection *j, struct held *h)
{
	int sig = 0;

	if (!h->tid)
		return;
	if (h->in_kernel && !leave_kernel(h, &sig)) {
		j->strayed = true;
		h->tid = 0;
		return;
	}
	if (h->blocked)
		unblock(h);
	trace(PTRACE_SETREGS, h->tid, 0, (uintptr_t)&h->regs);
	detach(h, sig);
}

bool inject_take(struct injection *j, struct held *h)
{
	int64_t result;

	/* PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS */
	if (!kernel_call(j, h, SYS_mmap, 0, REGION_BYTES, 7, 0x22, UINT64_MAX, &result))
		return false;
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return false;
	}
	j->region = (uint64_t)result;
	return inject_write(j, j->region, inject_begin_code, (size_t)(inject_end_code - inject_begin_code));
}

bool inject_give_back(struct injection *j, struct held *h)
{
	int64_t result;

	if (h->blocked)
		unblock(h);
	if (!kernel_call(j, h, SYS_munmap, j->region, REGION_BYTES, 0, 0, 0, &result))
		return false;
	j->region = 0;
	return true;
}

/* ---- calls of functions ----------------------------------------------------------------------- */

static bool write_frame(const struct injection *j, const struct held *h, uint64_t function, uint64_t a, uint64_t b)
{
	const struct user_regs_struct *r = &h->regs;
	struct frame f = {
		.patience = { .tv_sec = 2 }, .mask = h->mask, .function = function, .a = a, .b = b, .rsp = r->rsp, .flags = r->eflags,
		.rbx = r->rbx, .rcx = r->rcx, .rdx = r->rdx, .rsi = r->rsi, .rdi = r->rdi, .rbp = r->rbp, .r8 = r->r8, .r9 = r->r9,
		.r10 = r->r10, .r11 = r->r11, .r12 = r->r12, .r13 = r->r13, .r14 = r->r14, .r15 = r->r15,
	};

	resume_at(h, &f.rip, &f.rax);
	return inject_write(j, j->region + FRAME, &f, sizeof(f));
}

/* After a call that did not return, the vector registers are still those of the call. */
static void break_off(struct held *h)
{
	struct iovec v = { h->xstate, h->xstate_bytes };

	unblock(h);
	ptrace(PTRACE_SETREGSET, h->tid, (void *)NT_X86_XSTATE, &v);
}

/* Gives the thread up.  It may still live, and then it needs the memory: we leave that to it. */
static enum injected gone(struct injection *j, struct held *h)
{
	j->region = 0;
	h->tid = 0;
	return INJECTED_GONE;
}

/* The call has not returned in time. */
static enum injected stuck(struct injection *j, struct held *h, bool breakable)
{
	struct user_regs_struct r;
	int status;
	/* Only a stopped thread can be let go; if it does not stop now, the next wait for it lets it go. */
	bool stopped = trace(PTRACE_INTERRUPT, h->tid, 0, 0) == 0 && wait_for(h->tid, &status, now_ns() + STOP_NS) > 0 && WIFSTOPPED(status);

	if (stopped && breakable && is_our_stop(status) && ptrace(PTRACE_GETREGS, h->tid, NULL, &r) == 0 && r.orig_rax == SYS_futex) {
		break_off(h);
		return INJECTED_STUCK;
	}
	/* The thread goes back by itself, with what is in the memory: we leave that to it. */
	j->region = 0;
	if (stopped)
		detach(h, 0);
	h->tid = 0;
	return INJECTED_STUCK;
}

/* Has the call returned?  Then the thread waits in the second piece. */
static bool is_done(const struct injection *j)
{
	uint64_t done;

	return inject_read(j, j->region + FRAME + offsetof(struct frame, done), &done, sizeof(done)) && done;
}

/*
 * Resumes the thread.  Waits until it has stopped or ended (*status says which), or until
 * its call has returned (*status is -1).  Returns its id; 0: none of these in time; < 0: an error.
 */
static pid_t resume(struct injection *j, struct held *h, int sig, int *status, int64_t until)
{
	struct timespec some = { .tv_nsec = NAP_NS };
	pid_t pid;

	*status = -1;
	if (trace(PTRACE_CONT, h->tid, 0, (uintptr_t)sig) != 0)
		return -1;
	while ((pid = waitpid(h->tid, status, __WALL | WNOHANG)) == 0) {
		if (is_done(j))
			return h->tid;
		if (now_ns() >= until)
			return 0;
		nanosleep(&some, NULL);
	}
	return pid;
}

bool inject_has_pending(const struct injection *j, const struct held *h, uint64_t signals)
{
	return (signals_of(j, h->tid).own & signals & ~h->mask) != 0;
}

/* Stops the thread, whose call has returned, and reads the results. */
static enum injected fetch(struct injection *j, struct held *h, uint64_t *result)
{
	int status;

	if (trace(PTRACE_INTERRUPT, h->tid, 0, 0) != 0 || wait_for(h->tid, &status, now_ns() + CALL_NS) <= 0 || !WIFSTOPPED(status))
		return gone(j, h);
	if (!inject_read(j, j->region + FRAME + offsetof(struct frame, result), result, sizeof(*result)) ||
	    !inject_read(j, inject_mask(j), &h->mask, sizeof(h->mask)))
		return gone(j, h);
	return INJECTED;
}

enum injected inject_call(struct injection *j, struct held *h, uint64_t function, uint64_t a, uint64_t b, bool breakable,
			  uint64_t *result)
{
	static const uint64_t all = UINT64_MAX;
	int64_t until = now_ns() + (breakable ? BREAK_NS : CALL_NS);
	struct user_regs_struct r = h->regs;
	int status, sig = 0;
	pid_t pid;

	r.rip = j->region;
	r.orig_rax = UINT64_MAX;
	/* In this order: if we are killed after the second step, the thread still goes back by itself. */
	if (!write_frame(j, h, function, a, b) || trace(PTRACE_SETREGS, h->tid, 0, (uintptr_t)&r) != 0 ||
	    ptrace(PTRACE_SETSIGMASK, h->tid, (void *)sizeof(all), &all) != 0)
		return gone(j, h);
	h->blocked = true;
	h->in_kernel = false;
	while ((pid = resume(j, h, sig, &status, until)) > 0 && status != -1) {
		if (!WIFSTOPPED(status))
			return gone(j, h);
		sig = is_our_stop(status) ? 0 : WSTOPSIG(status);
		if (sig && is_fault(h->tid, sig)) {
			break_off(h);
			return INJECTED_FAULT;
		}
	}
	if (pid < 0)
		return gone(j, h);
	return pid == 0 ? stuck(j, h, breakable) : fetch(j, h, result);
}

#endif
