/*
 * callpoint: progress points at functions of libraries, counted where they are
 * called.
 *
 * A call from one module into another goes through a slot, which holds the
 * address of the function.  redirect.c makes slots point to a trampoline of this file,
 * which counts a visit and jumps to the function.  The trampoline preserves the stack
 * and all registers that can hold arguments.  The return of the function is not seen.
 * A visit costs about as much as one of ANDWEORC_PROGRESS.
 *
 * This file is compiled to use general registers alone (see the Makefile), so that
 * vector registers are not changed.  A visit that opens or closes a window, or that
 * comes during an experiment, runs other code as well; then the vector registers are
 * saved in their full width.
 *
 * All functions: context any.
 */
#include "callpoint.h"
#include "progress.h"
#include "redirect.h"
#include "thread.h"

#if defined(__x86_64__) && !defined(ANDWEORC_STATIC)

#include <cpuid.h>

enum {
	TRAMPOLINES = 64,      /* as many as the assembler makes below */
	TRAMPOLINE_BYTES = 16, /* size of each */
	XSTATE_LEGACY = 1 << 1 | 1 << 2,          /* SSE, AVX */
	XSTATE_VECTORS = XSTATE_LEGACY | 1 << 6,  /* and the part of AVX-512 that can hold arguments */
};

struct trampoline {
	uintptr_t function; /* the function to jump to */
	uint32_t call;      /* arena->call[], or HOOK_* */
};

static struct trampoline trampoline[TRAMPOLINES];
static _Atomic uint32_t used; /* number of trampolines that are complete */

/*
 * How vector registers are saved: the set of XSAVE components (0: the lower halves
 * alone), whether in the compact form, and whether the processor tells which components
 * are in use.
 */
__attribute__((used)) uint32_t callpoint_saved, callpoint_compact, callpoint_told;

/*
 * A trampoline leaves its number in r11, which never holds an argument.  When the
 * common part calls callpoint_enter, it has these on its stack, from the top: that
 * number, r10, rax, r9, r8, rcx, rdx, rsi, rdi, the return address.  r10 and rax are
 * saved because closures and variadic functions read them.
 *
 * In the slow part rbx holds the stack pointer.  The components of XSTATE_VECTORS take
 * 1344 bytes in the compact form.  The standard form is used for the first two
 * components only, and takes 832.  To save and restore all takes 300 ns in a virtual
 * machine.  Mostly the upper halves (0x44) are not in use, and saving is faster.
 */
__asm__(".pushsection .text\n"
	".p2align 4\n"
	".type callpoint_trampolines, @function\n"
	"callpoint_trampolines:\n"
	"	.cfi_startproc\n"
	"	.set callpoint_i, 0\n"
	"	.rept 64\n"
	"	.p2align 4\n"
	"	.byte 0xf3, 0x0f, 0x1e, 0xfa\n" /* endbr64, which older assemblers do not know */
	"	movl $callpoint_i, %r11d\n"
	"	jmp callpoint_common\n"
	"	.set callpoint_i, callpoint_i + 1\n"
	"	.endr\n"
	"	.cfi_endproc\n"
	".size callpoint_trampolines, . - callpoint_trampolines\n"
	".p2align 4\n"
	".type callpoint_common, @function\n"
	"callpoint_common:\n"
	"	.cfi_startproc\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rdx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rcx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r8\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r9\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rax\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r10\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r11\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movl %r11d, %edi\n"
	"	movq %rsp, %rsi\n"
	"	call callpoint_enter\n"
	"	testl %edx, %edx\n"
	"	jne 2f\n"
	"1:	movq %rax, %r11\n"
	"	.cfi_remember_state\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r10\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rax\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r9\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r8\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rcx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	jmp *%r11\n"
	"	.cfi_restore_state\n"
	"2:	movq %rax, (%rsp)\n" /* the function, in the place of the number */
	"	pushq %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbx, 0\n"
	"	movq %rsp, %rbx\n"
	"	.cfi_def_cfa_register %rbx\n"
	"	subq $1344, %rsp\n"
	"	andq $-64, %rsp\n"
	"	movl %edx, %edi\n"
	"	movl callpoint_saved(%rip), %eax\n"
	"	testl %eax, %eax\n"
	"	je 5f\n"
	"	cmpl $0, callpoint_told(%rip)\n"
	"	je 7f\n"
	"	movl $1, %ecx\n"
	"	xgetbv\n"
	"	testl $0x44, %eax\n"
	"	je 5f\n"
	"	movl callpoint_saved(%rip), %eax\n"
	"7:	xorl %edx, %edx\n"
	"	movq %rdx, 512(%rsp)\n" /* the header must be zero before XSAVE writes to it */
	"	movq %rdx, 520(%rsp)\n"
	"	movq %rdx, 528(%rsp)\n"
	"	movq %rdx, 536(%rsp)\n"
	"	movq %rdx, 544(%rsp)\n"
	"	movq %rdx, 552(%rsp)\n"
	"	movq %rdx, 560(%rsp)\n"
	"	movq %rdx, 568(%rsp)\n"
	"	cmpl $0, callpoint_compact(%rip)\n"
	"	je 3f\n"
	"	xsavec (%rsp)\n"
	"	jmp 4f\n"
	"3:	xsave (%rsp)\n"
	"4:	call callpoint_slow\n"
	"	movl callpoint_saved(%rip), %eax\n"
	"	xorl %edx, %edx\n"
	"	xrstor (%rsp)\n"
	"	jmp 6f\n"
	"5:	movups %xmm0, (%rsp)\n"
	"	movups %xmm1, 16(%rsp)\n"
	"	movups %xmm2, 32(%rsp)\n"
	"	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n"
	"	movups %xmm5, 80(%rsp)\n"
	"	movups %xmm6, 96(%rsp)\n"
	"	movups %xmm7, 112(%rsp)\n"
	"	call callpoint_slow\n"
	"	movups (%rsp), %xmm0\n"
	"	movups 16(%rsp), %xmm1\n"
	"	movups 32(%rsp), %xmm2\n"
	"	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n"
	"	movups 80(%rsp), %xmm5\n"
	"	movups 96(%rsp), %xmm6\n"
	"	movups 112(%rsp), %xmm7\n"
	"6:	movq %rbx, %rsp\n"
	"	.cfi_def_cfa_register %rsp\n"
	"	popq %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore %rbx\n"
	"	movq (%rsp), %rax\n"
	"	jmp 1b\n"
	"	.cfi_endproc\n"
	".size callpoint_common, . - callpoint_common\n"
	".popsection\n");

extern const char callpoint_trampolines[TRAMPOLINES][TRAMPOLINE_BYTES];

/* In rax and rdx. */
struct answer {
	uintptr_t function; /* the function to jump to */
	uint64_t point;     /* > 0: after callpoint_slow */
};

struct answer callpoint_enter(uint32_t i, const uintptr_t *saved);

/* saved: see above. */
__attribute__((used)) struct answer callpoint_enter(uint32_t i, const uintptr_t *saved)
{
	const struct trampoline *at = &trampoline[i];
	struct answer answer = { at->function, 0 };
	struct arena_thread *t = self.slot;
	struct arena_call *call;
	uint32_t point;

	if (unlikely(at->call >= ARENA_CALLS)) {
		answer.function = redirect_hook(at->call, at->function, saved[8], saved[7]);
		return answer;
	}
	if (unlikely(!t || !arena))
		return answer;
	call = &arena->call[at->call];
	point = atomic_load_explicit(&call->point, memory_order_relaxed);
	if (unlikely(point == 0 || point > ARENA_POINTS))
		return answer;
	if (unlikely(!atomic_load_explicit(&call->seen, memory_order_relaxed)))
		atomic_store_explicit(&call->seen, 1, memory_order_relaxed);
	/* A visit by a signal handler that interrupted the runtime is only counted: the clock is in use. */
	if (point_count(point - 1) && !self.busy)
		answer.point = point;
	return answer;
}

void callpoint_init(void)
{
	unsigned a, b, c, d, has, sub;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return;
	__asm__ volatile("xgetbv" : "=a"(has), "=d"(d) : "c"(0));
	if (!__get_cpuid_count(0xd, 1, &sub, &b, &c, &d))
		return;
	callpoint_compact = sub >> 1 & 1;
	callpoint_told = sub >> 2 & 1;
	callpoint_saved = has & (callpoint_compact ? XSTATE_VECTORS : XSTATE_LEGACY);
}

uintptr_t callpoint_to(uint32_t call, uintptr_t function)
{
	uint32_t n = atomic_load_explicit(&used, memory_order_relaxed), i;

	for (i = 0; i < n; i++)
		if (trampoline[i].call == call && trampoline[i].function == function)
			break;
	if (i == TRAMPOLINES)
		return 0;
	if (i == n) {
		trampoline[i] = (struct trampoline){ .function = function, .call = call };
		atomic_store_explicit(&used, n + 1, memory_order_release);
	}
	return (uintptr_t)callpoint_trampolines[i];
}

bool callpoint_is(uintptr_t address)
{
	uintptr_t first = (uintptr_t)callpoint_trampolines;

	return address >= first && address < first + sizeof(callpoint_trampolines);
}

uintptr_t callpoint_function(uintptr_t address)
{
	return trampoline[(address - (uintptr_t)callpoint_trampolines) / TRAMPOLINE_BYTES].function;
}

#endif
