/*
 * place: where a virtual thread has stopped; to stop in one thread and go on in another.
 *
 * swapcontext does that, too.  It also saves the signal mask, which takes a system call.  That was seven eighths of the
 * time of replay-answers-test.
 */
#ifndef ANDWEORC_TEST_PLACE_H
#define ANDWEORC_TEST_PLACE_H

#include <stddef.h>

#ifdef __x86_64__

#include <stdint.h>

struct place {
	void **stack; /* its registers lie there, and the address to return to */
};

enum { PLACE_REGISTERS = 6 };

/* Stops at `here`, and goes on at `there`. */
void change_place(struct place *here, const struct place *there);

__asm__(".pushsection .text\n"
	"change_place:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov (%rsi), %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".popsection\n");

/* A place at the begin of a function, which never returns. */
static inline void place_on(struct place *p, char *stack, size_t size, void (*begin)(void))
{
	/* The function finds the stack as after a call: 8 bytes off a multiple of 16. */
	p->stack = (void **)(((uintptr_t)stack + size) / 16 * 16) - 2;
	p->stack[1] = NULL;
	*p->stack = (void *)(uintptr_t)begin;
	p->stack -= PLACE_REGISTERS;
	for (int i = 0; i < PLACE_REGISTERS; i++)
		p->stack[i] = NULL;
}

#else

#include <ucontext.h>

struct place {
	ucontext_t context;
};

static inline void change_place(struct place *here, const struct place *there)
{
	swapcontext(&here->context, &there->context);
}

static inline void place_on(struct place *p, char *stack, size_t size, void (*begin)(void))
{
	getcontext(&p->context);
	p->context.uc_stack.ss_sp = stack;
	p->context.uc_stack.ss_size = size;
	makecontext(&p->context, begin, 0);
}

#endif

#endif
