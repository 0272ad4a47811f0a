/*
 * unwind: see unwind.h.  Context: any.
 *
 * This code runs at any instruction of any program, so nothing found on a stack
 * is trusted: each address is checked against the stack's bounds before it is read, and
 * a walk stops unless each step goes towards the stack's base.
 */
#include "unwind.h"

const struct unwind_module *unwind_find(uintptr_t pc, const struct unwind_module *modules, size_t n)
{
	size_t first = 0;

	if (n == 0)
		return NULL;
	while (n > 1) {
		size_t half = n / 2;

		if (modules[first + half].lo <= pc)
			first += half;
		n -= half;
	}
	return pc >= modules[first].lo && pc < modules[first].hi ? &modules[first] : NULL;
}

#ifdef __x86_64__

/* Leaf code may keep data this far below its stack pointer; the kernel puts signal frames beneath it. */
#define RED_ZONE 128

/*
 * Reads one word of the stack, at or above the frame's stack pointer.  Interrupted code
 * may read the red zone, too: after a `pop %rbp`, compilers still describe the caller's
 * rbp as being in the popped slot, which is true until something is pushed.
 *
 * AddressSanitizer must not check this read: it is of other frames' memory.
 */
__attribute__((no_sanitize_address)) static bool load(const struct unwind_cursor *c, uintptr_t addr, uintptr_t *value)
{
	uintptr_t lo = c->sp;

	if (c->regs)
		lo = c->sp - c->stack_lo > RED_ZONE ? c->sp - RED_ZONE : c->stack_lo;
	if (addr < lo || addr >= c->stack_hi || c->stack_hi - addr < sizeof *value || addr % sizeof *value)
		return false;
	*value = *(const volatile uintptr_t *)addr;
	return true;
}

static uintptr_t register_value(const struct unwind_cursor *c, unsigned index)
{
	switch (index) {
	case REG_RSP:
		return c->sp;
	case REG_RBP:
		return c->bp;
	case REG_RBX:
		return c->bx;
	}
	return c->regs && index < NGREG ? (uintptr_t)c->regs[index] : 0;
}

/* The caller's rbp or rbx, by its slot; 0 when unknown. */
static uintptr_t saved(const struct unwind_cursor *c, unsigned slot, uintptr_t cfa, uintptr_t in_register)
{
	uintptr_t from = slot & UNWIND_BELOW_RBP ? c->bp : cfa;
	uintptr_t value;

	if (slot == UNWIND_SAME)
		return in_register;
	if (slot == UNWIND_LOST || !load(c, from - 8 * (slot & ~(unsigned)UNWIND_BELOW_RBP), &value))
		return 0;
	return value;
}

/* May the next frame's stack pointer be `sp`? */
static bool plausible(const struct unwind_cursor *c, uintptr_t sp)
{
	return sp > c->sp && sp <= c->stack_hi && sp % sizeof(uintptr_t) == 0;
}

/* The row for pc, which is in module m; NULL when there is none. */
static const struct unwind_row *row_of(uintptr_t pc, const struct unwind_module *m, const struct unwind_row *rows)
{
	/* The rule for code with a frame pointer, after its prologue. */
	static const struct unwind_row frame_pointer = {
		.cfa = UNWIND_REG, .base = REG_RBP, .off = 16, .bp = 2, .bx = UNWIND_LOST,
	};
	const struct unwind_row *row;
	uintptr_t off;
	uint32_t n;

	if (!m)
		return NULL;
	if (m->nrows == 0)
		return &frame_pointer;
	row = rows;
	if (!row)
		return NULL;
	off = pc - m->bias;
	if (off < row->start || off > UINT32_MAX)
		return NULL;
	/* No branch depends on the comparison: on large tables, half of such branches would be mispredicted. */
	for (n = m->nrows; n > 1;) {
		uint32_t half = n / 2;

		row += row[half].start <= off ? half : 0;
		n -= half;
	}
	return row;
}

/*
 * From the return point of a signal handler to the code that was interrupted.
 * The handler's return has popped the return address, so the stack pointer is now at
 * the ucontext_t of the kernel.
 */
static bool step_signal(struct unwind_cursor *c)
{
	uintptr_t at = c->sp + offsetof(ucontext_t, uc_mcontext.gregs);
	const long long *regs = (const long long *)at;

	if (c->stack_hi - c->sp < sizeof(ucontext_t) || at % sizeof *regs)
		return false;
	/* A handler on a stack of its own ends the walk: the bounds of the other stack are not known here. */
	if (!plausible(c, (uintptr_t)regs[REG_RSP]))
		return false;
	c->pc = (uintptr_t)regs[REG_RIP];
	c->sp = (uintptr_t)regs[REG_RSP];
	c->bp = (uintptr_t)regs[REG_RBP];
	c->bx = (uintptr_t)regs[REG_RBX];
	c->regs = regs;
	return true;
}

void unwind_begin(struct unwind_cursor *c, const ucontext_t *uc, uintptr_t stack_lo, uintptr_t stack_hi)
{
	c->regs = uc->uc_mcontext.gregs;
	c->pc = (uintptr_t)c->regs[REG_RIP];
	c->sp = (uintptr_t)c->regs[REG_RSP];
	c->bp = (uintptr_t)c->regs[REG_RBP];
	c->bx = (uintptr_t)c->regs[REG_RBX];
	c->stack_lo = stack_lo;
	c->stack_hi = stack_hi;
}

bool unwind_step_in(struct unwind_cursor *c, const struct unwind_module *m, const struct unwind_row *rows)
{
	const struct unwind_row *row;
	uintptr_t cfa, ra, bp, bx;

	if (c->sp < c->stack_lo || c->sp >= c->stack_hi)
		return false;
	/* A call that never returns may be its function's last instruction: look up the call, not what follows it. */
	row = row_of(unwind_pc(c), m, rows);
	if (!row)
		return false;
	cfa = register_value(c, row->base) + (uintptr_t)(intptr_t)row->off;
	switch (row->cfa) {
	case UNWIND_REG:
		break;
	case UNWIND_LOAD:
	case UNWIND_LOAD_8:
		if (!load(c, cfa, &cfa))
			return false;
		cfa += row->cfa == UNWIND_LOAD_8 ? 8 : 0;
		break;
	case UNWIND_PLT:
		cfa = c->sp + (c->pc % 16 >= row->base ? 16 : 8);
		break;
	case UNWIND_SIGNAL:
		return step_signal(c);
	case UNWIND_OUTERMOST:
		c->pc = 0;
		return false;
	default:
		return false;
	}
	if (!plausible(c, cfa) || !load(c, cfa - 8, &ra))
		return false;
	bp = saved(c, row->bp, cfa, c->bp);
	bx = saved(c, row->bx, cfa, c->bx);
	c->pc = ra;
	if (ra == 0)
		return false;
	c->sp = cfa;
	c->bp = bp;
	c->bx = bx;
	c->regs = NULL;
	return true;
}

#else /* other architectures: only the interrupted frame is known */

void unwind_begin(struct unwind_cursor *c, const ucontext_t *uc, uintptr_t stack_lo, uintptr_t stack_hi)
{
	(void)uc;
	*c = (struct unwind_cursor){ .stack_lo = stack_lo, .stack_hi = stack_hi };
}

bool unwind_step_in(struct unwind_cursor *c, const struct unwind_module *m, const struct unwind_row *rows)
{
	(void)c, (void)m, (void)rows;
	return false;
}

#endif

bool unwind_step(struct unwind_cursor *c, const struct unwind_module *modules, size_t n)
{
	const struct unwind_module *m = unwind_find(unwind_pc(c), modules, n);

	return unwind_step_in(c, m, m ? m->rows : NULL);
}
