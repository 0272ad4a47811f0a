/* cfi_program: runs programs.  The opcodes are those of DWARF 5, 6.4.2, and of the x86-64 psABI. */
#include "binary/cfi_parts.h"

#include <dwarf.h>

struct machine {
	struct cfi_state now, initial;
	struct cfi_state stack[8]; /* DW_CFA_remember_state; compilers nest once */
	size_t depth;
	const struct cfi_cie *cie;
	uint64_t loc, end;
	struct unwind_row last; /* the last one handed out */
	cfi_row *fn; /* NULL while the CIE's own program runs */
	void *arg;
};

static void hand_out(struct machine *m, const struct unwind_row *row)
{
	m->last = *row;
	m->fn(m->arg, row);
}

static void emit_row(struct machine *m)
{
	struct unwind_row row = cfi_row_of(&m->now, (uint32_t)m->loc, m->cie->signal), between;

	if (cfi_row_correct(&row, &m->last, &between))
		hand_out(m, &between);
	hand_out(m, &row);
}

/* Code up to `loc` follows the present rules. False at the end of the FDE. */
static bool advance(struct machine *m, uint64_t loc)
{
	if (!m->fn || loc < m->loc)
		return false;
	if (loc > m->loc)
		emit_row(m);
	m->loc = loc;
	return loc < m->end;
}

static struct cfi_rule *rule_of(struct cfi_state *s, const struct cfi_cie *cie, uint64_t column)
{
	if (column == cie->ra)
		return &s->ra;
	if (column == COLUMN_RBP)
		return &s->bp;
	if (column == COLUMN_RBX)
		return &s->bx;
	return &s->other;
}

/* A factored offset, in bytes below the CFA. */
static int64_t below(const struct machine *m, uint64_t n)
{
	return (int64_t)-(n * (uint64_t)m->cie->data_factor);
}

static void set_rule(struct machine *m, uint64_t column, int how, int64_t bytes)
{
	struct cfi_rule *rule = rule_of(&m->now, m->cie, column);

	rule->how = how;
	rule->bytes = bytes;
}

static void restore_rule(struct machine *m, uint64_t column)
{
	*rule_of(&m->now, m->cie, column) = *rule_of(&m->initial, m->cie, column);
}

static void set_cfa(struct cfi_state *s, enum unwind_cfa cfa, uint64_t base, int64_t off)
{
	s->cfa = cfa;
	s->base = base;
	s->off = off;
}

/* The forms of DW_CFA_def_cfa_expression that occur. */
static void cfa_expression(struct cfi_state *s, struct bytes e)
{
	/* rsp + 8 + ((rip & 15) >= N) * 8, which linkers write for .plt; N is DW_OP_litN at byte 6 */
	static const uint8_t plt[] = {
		DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, 0, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus,
	};
	size_t size = (size_t)(e.end - e.p);
	uint64_t op;
	int64_t off;

	set_cfa(s, UNWIND_UNKNOWN, 0, 0);
	if (size == sizeof plt && !memcmp(e.p, plt, 6) && e.p[6] >= DW_OP_lit0 && e.p[6] <= DW_OP_lit15 &&
	    !memcmp(e.p + 7, plt + 7, sizeof plt - 7)) {
		set_cfa(s, UNWIND_PLT, e.p[6] - DW_OP_lit0, 0);
		return;
	}
	op = bytes_fixed(&e, 1);
	if (op < DW_OP_breg0 || op > DW_OP_breg15)
		return;
	off = bytes_sleb(&e);
	if (bytes_fixed(&e, 1) != DW_OP_deref || e.bad)
		return;
	if (e.p == e.end)
		set_cfa(s, UNWIND_LOAD, op - DW_OP_breg0, off);
	else if (bytes_fixed(&e, 1) == DW_OP_plus_uconst && bytes_uleb(&e) == 8 && e.p == e.end)
		set_cfa(s, UNWIND_LOAD_8, op - DW_OP_breg0, off);
}

/* DW_CFA_expression: a place relative to rbp, as code with a realigned stack has it. */
static void register_expression(struct machine *m, uint64_t column, struct bytes e)
{
	int64_t off;

	set_rule(m, column, ELSEWHERE, 0);
	if (bytes_fixed(&e, 1) != DW_OP_breg0 + COLUMN_RBP)
		return;
	off = bytes_sleb(&e);
	if (e.p == e.end && !e.bad)
		set_rule(m, column, BELOW_RBP, (int64_t)-(uint64_t)off);
}

/* One of the instructions with an opcode in the low six bits. False ends the program. */
static bool extended(struct machine *m, const struct cfi_section *section, uint8_t op, struct bytes *r)
{
	uint64_t column;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		return advance(m, cfi_pointer(r, section, m->cie->pointer));
	case DW_CFA_advance_loc1:
		return advance(m, m->loc + bytes_fixed(r, 1) * m->cie->code_factor);
	case DW_CFA_advance_loc2:
		return advance(m, m->loc + bytes_fixed(r, 2) * m->cie->code_factor);
	case DW_CFA_advance_loc4:
		return advance(m, m->loc + bytes_fixed(r, 4) * m->cie->code_factor);
	case DW_CFA_offset_extended:
		column = bytes_uleb(r);
		set_rule(m, column, BELOW_CFA, below(m, bytes_uleb(r)));
		return true;
	case DW_CFA_offset_extended_sf:
		column = bytes_uleb(r);
		set_rule(m, column, BELOW_CFA, below(m, (uint64_t)bytes_sleb(r)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		column = bytes_uleb(r);
		set_rule(m, column, BELOW_CFA, below(m, -bytes_uleb(r)));
		return true;
	case DW_CFA_restore_extended:
		restore_rule(m, bytes_uleb(r));
		return true;
	case DW_CFA_undefined:
		set_rule(m, bytes_uleb(r), UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_rule(m, bytes_uleb(r), SAME, 0);
		return true;
	case DW_CFA_register:
		column = bytes_uleb(r);
		/* "in itself" is another way to say: the same */
		set_rule(m, column, bytes_uleb(r) == column ? SAME : ELSEWHERE, 0);
		return true;
	case DW_CFA_remember_state:
		if (m->depth == sizeof m->stack / sizeof *m->stack)
			return false;
		m->stack[m->depth++] = m->now;
		return true;
	case DW_CFA_restore_state:
		if (m->depth == 0)
			return false;
		m->now = m->stack[--m->depth];
		return true;
	case DW_CFA_def_cfa:
		column = bytes_uleb(r);
		set_cfa(&m->now, UNWIND_REG, column, (int64_t)bytes_uleb(r));
		return true;
	case DW_CFA_def_cfa_sf:
		column = bytes_uleb(r);
		set_cfa(&m->now, UNWIND_REG, column, below(m, -(uint64_t)bytes_sleb(r)));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa(&m->now, UNWIND_REG, bytes_uleb(r), m->now.off);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa(&m->now, UNWIND_REG, m->now.base, (int64_t)bytes_uleb(r));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(&m->now, UNWIND_REG, m->now.base, below(m, -(uint64_t)bytes_sleb(r)));
		return true;
	case DW_CFA_def_cfa_expression:
		cfa_expression(&m->now, bytes_block(r, bytes_uleb(r)));
		return true;
	case DW_CFA_expression:
		column = bytes_uleb(r);
		register_expression(m, column, bytes_block(r, bytes_uleb(r)));
		return true;
	case DW_CFA_val_expression:
		set_rule(m, bytes_uleb(r), ELSEWHERE, 0);
		bytes_block(r, bytes_uleb(r));
		return true;
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		set_rule(m, bytes_uleb(r), ELSEWHERE, 0);
		bytes_uleb(r);
		return true;
	case DW_CFA_GNU_args_size:
		bytes_uleb(r);
		return true;
	default:
		return false;
	}
}

/* Runs to the end of the program or of the code.  False where the program is not understood. */
static bool run_program(struct machine *m, const struct cfi_section *section, struct bytes r)
{
	while (r.p < r.end) {
		uint8_t byte = (uint8_t)bytes_fixed(&r, 1), low = byte & 0x3f;
		bool more = true;

		switch (byte & 0xc0) {
		case DW_CFA_advance_loc:
			more = advance(m, m->loc + low * m->cie->code_factor);
			break;
		case DW_CFA_offset:
			set_rule(m, low, BELOW_CFA, below(m, bytes_uleb(&r)));
			break;
		case DW_CFA_restore:
			restore_rule(m, low);
			break;
		default:
			more = extended(m, section, low, &r);
		}
		if (r.bad)
			return false;
		if (!more)
			return m->loc >= m->end;
	}
	return true;
}

void cfi_rows(const struct cfi_fde *fde, cfi_row *fn, void *arg)
{
	struct cfi_cie cie;
	struct machine m = { .cie = &cie, .loc = fde->lo, .end = fde->hi, .arg = arg };
	struct bytes program;

	if (!cfi_read_again(fde, &cie, &program))
		return;
	if (!run_program(&m, fde->section, cie.program)) {
		m.now = (struct cfi_state){ 0 };
	} else {
		m.initial = m.now;
		m.depth = 0;
		m.fn = fn;
		if (!run_program(&m, fde->section, program))
			m.now = (struct cfi_state){ 0 };
	}
	m.fn = fn;
	if (m.loc < m.end)
		emit_row(&m);
}
