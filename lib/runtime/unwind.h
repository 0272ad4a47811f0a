/*
 * unwind: from an instruction to its callers, without frame pointers.
 *
 * The recorder turns the call-frame information of each module into a table of
 * rows (lib/binary/unwind.h); here the tables are walked, inside the program
 * that is measured.  x86-64 only; elsewhere unwind_step says false.
 *
 * Context: any.  Async-signal-safe: no call, no lock, no allocation, no static
 * state.  It reads the cursor, the tables and the stack, nothing else.
 */
#ifndef ANDWEORC_RUNTIME_UNWIND_H
#define ANDWEORC_RUNTIME_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/*
 * CFA, the canonical frame address, is what the stack pointer was before the
 * call that made the frame.  The return address lies at CFA-8.
 */
enum unwind_cfa {
	UNWIND_UNKNOWN,   /* no rule is given, or one that a row cannot express */
	UNWIND_OUTERMOST, /* the outermost frame: no caller (_start, the start of a thread) */
	UNWIND_SIGNAL,    /* the return point of a signal handler: the registers lie on the stack, in a ucontext_t */
	UNWIND_REG,       /* CFA = base + off */
	UNWIND_LOAD,      /* CFA = *(base + off): realigned stacks */
	UNWIND_LOAD_8,    /* CFA = *(base + off) + 8: base + off holds the stack pointer at entry */
	UNWIND_PLT,       /* CFA = rsp + 8, or + 16 from byte `base` of the 16-byte stub on */
};

/* Where the caller's rbp or rbx is: 8 * (slot & 127) bytes below the CFA, or below the frame's own rbp. */
enum unwind_slot {
	UNWIND_SAME = 0,        /* still in the register */
	UNWIND_BELOW_RBP = 128, /* flag: counted from rbp instead of the CFA */
	UNWIND_LOST = 255,      /* not recoverable */
};

/* Holds from `start` to the start of the next row.  12 bytes; a table is sorted by start and its last row is UNWIND_UNKNOWN. */
struct unwind_row {
	uint32_t start; /* module-relative offset (run-time address - bias) */
	int32_t off;    /* bytes */
	uint8_t cfa;    /* enum unwind_cfa */
	uint8_t base;   /* index into gregs of ucontext_t (REG_RSP, ...) */
	uint8_t bp, bx; /* enum unwind_slot */
};

struct unwind_module {
	uintptr_t lo, hi;              /* run-time range of its code */
	uintptr_t bias;                /* run-time address - module-relative offset */
	const struct unwind_row *rows; /* NULL: no table; a walk ends there */
	uint32_t nrows;                /* 0: its frames are assumed to have frame pointers */
	uint32_t first;                /* the caller's own: not used here */
	uint32_t id;                   /* the same */
	uint32_t own;                  /* the same */
};

/*
 * One frame: its registers as they will be when the frame's callee has returned.
 * An unknown value is 0, which no rule accepts as an address.
 */
struct unwind_cursor {
	uintptr_t pc, sp, bp, bx;
	uintptr_t stack_lo, stack_hi; /* all of [sp, stack_hi) must be readable; nothing outside [stack_lo, stack_hi) is read */
	const long long *regs;        /* gregs of interrupted code, which goes on at pc; NULL: pc is a return address */
};

/* The frame of interrupted code. `uc` stays borrowed until the first step. */
void unwind_begin(struct unwind_cursor *c, const ucontext_t *uc, uintptr_t stack_lo, uintptr_t stack_hi);

/* The frame of the function that this is written in, as a starting point for steps to its callers. */
#if defined(__x86_64__)
#define UNWIND_HERE(c, lo, hi)                                                                                               \
	do {                                                                                                                 \
		__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2\n\tmov %%rbx, %3"                     \
				 : "=&a"((c)->pc), "=&c"((c)->sp), "=&d"((c)->bp), "=&S"((c)->bx));                              \
		(c)->stack_lo = (lo);                                                                                        \
		(c)->stack_hi = (hi);                                                                                        \
		(c)->regs = NULL;                                                                                            \
	} while (0)
#else
#define UNWIND_HERE(c, lo, hi) (*(c) = (struct unwind_cursor){ .stack_lo = (lo), .stack_hi = (hi) })
#endif

/* The module that holds pc, or NULL.  `modules`: sorted by lo, disjoint. */
const struct unwind_module *unwind_find(uintptr_t pc, const struct unwind_module *modules, size_t n);

/*
 * Moves c to the caller.  False leaves c at the frame it was at, because that is
 * the outermost one (then c->pc is 0), or its code is unknown, or the stack does
 * not look right.  Each step raises c->sp, so a walk ends.
 *
 * `modules`: sorted by lo, disjoint.
 */
bool unwind_step(struct unwind_cursor *c, const struct unwind_module *modules, size_t n);

/* The same from code of that module (NULL: none).  Uses the given rows instead of those of the module. */
bool unwind_step_in(struct unwind_cursor *c, const struct unwind_module *m, const struct unwind_row *rows);

/*
 * The address by which the code of the frame is looked up.  A return address belongs to the
 * call before it, so one is subtracted; interrupted code needs no correction.
 */
static inline uintptr_t unwind_pc(const struct unwind_cursor *c)
{
	return c->regs ? c->pc : c->pc - 1;
}

#endif
