/* cfi_row: makes a row from the state of a program. */
#include "binary/cfi_parts.h"

#include <ucontext.h>

static uint8_t slot_of(const struct cfi_rule *rule)
{
	int64_t n = rule->bytes / 8;

	switch (rule->how) {
	case SAME:
		return UNWIND_SAME;
	case BELOW_CFA:
		if (rule->bytes % 8 || n <= 0 || n >= UNWIND_BELOW_RBP)
			return UNWIND_LOST;
		return (uint8_t)n;
	case BELOW_RBP:
		if (rule->bytes % 8 || n < 0 || (UNWIND_BELOW_RBP | n) >= UNWIND_LOST)
			return UNWIND_LOST;
		return (uint8_t)(UNWIND_BELOW_RBP | n);
	default:
		return UNWIND_LOST;
	}
}

struct unwind_row cfi_row_of(const struct cfi_state *s, uint32_t start, bool signal)
{
	/* The columns of the psABI, as ucontext_t has them. */
	static const uint8_t greg[16] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};
	struct unwind_row row = { .start = start };

	if (signal) {
		/* glibc's: the registers are found from where the stack pointer lies in a ucontext_t that rsp points to. */
		if (s->cfa == UNWIND_LOAD && s->base == COLUMN_RSP &&
		    s->off == (int64_t)offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP]))
			row.cfa = UNWIND_SIGNAL;
	} else if (s->ra.how == UNDEFINED) {
		row.cfa = UNWIND_OUTERMOST;
	} else if (s->ra.how == BELOW_CFA && s->ra.bytes == 8 && s->cfa == UNWIND_PLT) {
		row.cfa = UNWIND_PLT;
		row.base = (uint8_t)s->base;
	} else if (s->ra.how == BELOW_CFA && s->ra.bytes == 8 && s->base < 16 && s->off == (int32_t)s->off) {
		row.cfa = (uint8_t)s->cfa;
		row.base = greg[s->base];
		row.off = (int32_t)s->off;
		row.bp = slot_of(&s->bp);
		row.bx = slot_of(&s->bx);
	}
	return row;
}

/*
 * Where gcc realigns a stack and reaches its arguments through a third register,
 * the epilogue ends with
 *
 *	pop %rbp; lea -8(%r10),%rsp; ret
 *
 * For the last two instructions, gcc still describes the caller's rbp and rbx as being
 * in memory at rbp, which by then is the caller's.  In fact they are in their
 * registers.  This function is called with the row of the `ret`; the lea, 4 bytes long,
 * gets a row of its own.
 */
bool cfi_row_correct(struct unwind_row *row, const struct unwind_row *last, struct unwind_row *between)
{
	if (row->cfa != UNWIND_REG || row->base != REG_RSP || !(row->bp & UNWIND_BELOW_RBP) || row->bp == UNWIND_LOST)
		return false;
	row->bp = UNWIND_SAME;
	row->bx = UNWIND_SAME;
	*between = *last;
	between->start = row->start - 4;
	between->bp = UNWIND_SAME;
	between->bx = UNWIND_SAME;
	return last->cfa == UNWIND_REG && last->base != REG_RSP && last->base != REG_RBP && row->start - last->start > 4;
}
