/*
 * cfi: see cfi.h.
 *
 * libdw can do this too (dwarf_cfi_addrframe), at ten times the cost: it keeps a
 * search tree of FDEs and allocates every row, and here each row is wanted once,
 * in order.  The opcodes are those of DWARF 5, 6.4.2, and of the x86-64 psABI.
 *
 * A long file, because its three layers (bytes, entries, programs) share their
 * types and nobody else needs them.
 */
#include "cfi.h"

#include <dwarf.h>
#include <string.h>
#include <ucontext.h>

/* Bytes of a section.  Reading beyond the end gives 0 and sets `bad`. */
struct reader {
	const uint8_t *p, *end;
	bool bad;
};

static uint64_t fixed(struct reader *r, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->p) < size) {
		r->bad = true;
		r->p = r->end;
		return 0;
	}
	memcpy(&value, r->p, size);
	r->p += size;
	return value;
}

static uint64_t leb(struct reader *r, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)fixed(r, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return value;
}

static uint64_t uleb(struct reader *r)
{
	return leb(r, false);
}

static int64_t sleb(struct reader *r)
{
	return (int64_t)leb(r, true);
}

/* The next `size` bytes as a reader of their own; r goes on behind them. */
static struct reader block(struct reader *r, uint64_t size)
{
	struct reader b = { .p = r->p, .end = r->p };

	if (size > (uint64_t)(r->end - r->p)) {
		r->bad = true;
		size = (uint64_t)(r->end - r->p);
	}
	r->p += size;
	b.end = r->p;
	return b;
}

/* A pointer as `encoding` (DW_EH_PE_*) has it. */
static uint64_t pointer(struct reader *r, const struct cfi_section *s, uint8_t encoding)
{
	uint64_t base = 0, value;

	switch (encoding & 0x70) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		base = s->addr + (uint64_t)(r->p - s->data);
		break;
	default:
		r->bad = true;
	}
	if (encoding & DW_EH_PE_indirect)
		r->bad = true;
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = fixed(r, 8);
		break;
	case DW_EH_PE_udata4:
		value = fixed(r, 4);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)(int64_t)(int32_t)fixed(r, 4);
		break;
	case DW_EH_PE_udata2:
		value = fixed(r, 2);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)(int64_t)(int16_t)fixed(r, 2);
		break;
	case DW_EH_PE_uleb128:
		value = uleb(r);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)sleb(r);
		break;
	default:
		r->bad = true;
		return 0;
	}
	return base + value;
}

/* ---- entries ---------------------------------------------------------------- */

struct entry {
	struct reader body; /* behind the CIE pointer */
	bool cie;
	bool wide;       /* 64-bit DWARF: offsets take 8 bytes */
	uint64_t cie_at; /* of an FDE: where its CIE is */
};

/* Reads the head of the entry at *at and moves *at behind the entry. False at the end of what makes sense. */
static bool read_entry(const struct cfi_section *s, size_t *at, struct entry *e)
{
	struct reader r = { .end = s->data + s->size };
	uint64_t length = 0, id, id_at;

	/* A length of 0 ends what one linker input had to say, not always the section. */
	while (length == 0) {
		if (*at >= s->size)
			return false;
		r.p = s->data + *at;
		length = fixed(&r, 4);
		e->wide = length == 0xffffffff;
		if (e->wide)
			length = fixed(&r, 8);
		*at = (size_t)(r.p - s->data);
	}
	e->body = block(&r, length);
	*at += (size_t)(e->body.end - e->body.p);
	id_at = (uint64_t)(e->body.p - s->data);
	/* In .eh_frame the CIE pointer has 4 bytes even where the length has 8. */
	id = fixed(&e->body, s->debug_frame && e->wide ? 8 : 4);
	if (s->debug_frame) {
		e->cie = id == (e->wide ? UINT64_MAX : 0xffffffff);
		e->cie_at = id;
	} else {
		e->cie = id == 0;
		e->cie_at = id_at - id;
	}
	return !r.bad && !e->body.bad;
}

struct cie {
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t ra;     /* the column that stands for the return address */
	uint8_t pointer; /* encoding of code addresses */
	bool augmented;  /* FDEs have augmentation data */
	bool signal;     /* a signal handler's return point */
	struct reader program;
};

static bool read_cie(const struct cfi_section *s, uint64_t cie_at, struct cie *cie)
{
	size_t at = (size_t)cie_at;
	struct entry e;
	struct reader r;
	const char *augmentation;
	uint8_t version;

	if (cie_at >= s->size || !read_entry(s, &at, &e) || !e.cie)
		return false;
	*cie = (struct cie){ .pointer = DW_EH_PE_absptr };
	r = e.body;
	version = (uint8_t)fixed(&r, 1);
	augmentation = (const char *)r.p;
	while (fixed(&r, 1))
		;
	if (r.bad)
		return false;
	if (version >= 4 && (fixed(&r, 1) != 8 || fixed(&r, 1) != 0))
		return false; /* size of an address, size of a segment selector */
	cie->code_factor = uleb(&r);
	cie->data_factor = sleb(&r);
	cie->ra = version == 1 ? fixed(&r, 1) : uleb(&r);
	if (*augmentation == 'z') {
		struct reader data = block(&r, uleb(&r));

		cie->augmented = true;
		while (*++augmentation) {
			switch (*augmentation) {
			case 'R':
				cie->pointer = (uint8_t)fixed(&data, 1);
				break;
			case 'P': /* the personality routine */
				pointer(&data, s, (uint8_t)fixed(&data, 1) & 0x0f);
				break;
			case 'L':
				fixed(&data, 1);
				break;
			case 'S':
				cie->signal = true;
				break;
			default:
				return false;
			}
		}
		if (data.bad)
			return false;
	} else if (*augmentation) {
		return false;
	}
	cie->program = r;
	return !r.bad;
}

/* Reads the code range of the FDE e; then its body stands at the program. */
static bool read_fde(const struct cfi_section *s, struct entry *e, struct cie *cie, struct cfi_fde *fde)
{
	uint64_t size;

	if (e->cie || !read_cie(s, e->cie_at, cie))
		return false;
	fde->lo = pointer(&e->body, s, cie->pointer);
	size = pointer(&e->body, s, cie->pointer & 0x0f);
	if (cie->augmented)
		block(&e->body, uleb(&e->body));
	fde->hi = fde->lo + size;
	return !e->body.bad && fde->lo < fde->hi;
}

bool cfi_next(const struct cfi_section *s, size_t *at, struct cfi_fde *fde)
{
	struct entry e;
	struct cie cie;

	for (;;) {
		fde->section = s;
		fde->at = *at;
		if (!read_entry(s, at, &e))
			return false;
		if (read_fde(s, &e, &cie, fde))
			return true;
	}
}

/* ---- programs --------------------------------------------------------------- */

enum { COLUMN_RBX = 3, COLUMN_RBP = 6, COLUMN_RSP = 7 };

/* Where the caller's value of a register is. */
struct rule {
	enum { SAME, BELOW_CFA, BELOW_RBP, UNDEFINED, ELSEWHERE } how;
	int64_t bytes;
};

struct state {
	enum unwind_cfa cfa;
	uint64_t base; /* DWARF column; of UNWIND_PLT: the byte in the stub */
	int64_t off;
	struct rule bp, bx, ra;
	struct rule other; /* of all other registers, kept so that there is one path; not read */
};

struct machine {
	struct state now, initial;
	struct state stack[8]; /* DW_CFA_remember_state; compilers nest once */
	size_t depth;
	const struct cie *cie;
	uint64_t loc, end;
	struct unwind_row last; /* the last one handed out */
	cfi_row *fn; /* NULL while the CIE's own program runs */
	void *arg;
};

static uint8_t slot_of(const struct rule *rule)
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

static void hand_out(struct machine *m, const struct unwind_row *row)
{
	m->last = *row;
	m->fn(m->arg, row);
}

/*
 * Where gcc realigns a stack and reaches its arguments through a third register,
 * the epilogue ends with
 *
 *	pop %rbp; lea -8(%r10),%rsp; ret
 *
 * and for the last two gcc goes on to say that the caller's rbp and rbx are where
 * rbp (by now the caller's) points to.  They are in their registers.  This is
 * called with the row of the `ret`; the lea, 4 bytes long, gets one of its own.
 */
static void correct_realigned(struct machine *m, struct unwind_row *row)
{
	struct unwind_row lea = m->last;

	if (row->cfa != UNWIND_REG || row->base != REG_RSP || !(row->bp & UNWIND_BELOW_RBP) || row->bp == UNWIND_LOST)
		return;
	row->bp = UNWIND_SAME;
	row->bx = UNWIND_SAME;
	lea.bp = UNWIND_SAME;
	lea.bx = UNWIND_SAME;
	if (lea.cfa == UNWIND_REG && lea.base != REG_RSP && lea.base != REG_RBP && row->start - lea.start > 4) {
		lea.start = row->start - 4;
		hand_out(m, &lea);
	}
}

static void emit(struct machine *m)
{
	/* The columns of the psABI, as ucontext_t has them. */
	static const uint8_t greg[16] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};
	const struct state *s = &m->now;
	struct unwind_row row = { .start = (uint32_t)m->loc };

	if (m->cie->signal) {
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
		correct_realigned(m, &row);
	}
	hand_out(m, &row);
}

/* Code up to `loc` follows the present rules. False at the end of the FDE. */
static bool advance(struct machine *m, uint64_t loc)
{
	if (!m->fn || loc < m->loc)
		return false;
	if (loc > m->loc)
		emit(m);
	m->loc = loc;
	return loc < m->end;
}

static struct rule *rule_of(struct state *s, const struct cie *cie, uint64_t column)
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
	struct rule *rule = rule_of(&m->now, m->cie, column);

	rule->how = how;
	rule->bytes = bytes;
}

static void restore_rule(struct machine *m, uint64_t column)
{
	*rule_of(&m->now, m->cie, column) = *rule_of(&m->initial, m->cie, column);
}

static void set_cfa(struct state *s, enum unwind_cfa cfa, uint64_t base, int64_t off)
{
	s->cfa = cfa;
	s->base = base;
	s->off = off;
}

/* The forms of DW_CFA_def_cfa_expression that occur. */
static void cfa_expression(struct state *s, struct reader e)
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
	op = fixed(&e, 1);
	if (op < DW_OP_breg0 || op > DW_OP_breg15)
		return;
	off = sleb(&e);
	if (fixed(&e, 1) != DW_OP_deref || e.bad)
		return;
	if (e.p == e.end)
		set_cfa(s, UNWIND_LOAD, op - DW_OP_breg0, off);
	else if (fixed(&e, 1) == DW_OP_plus_uconst && uleb(&e) == 8 && e.p == e.end)
		set_cfa(s, UNWIND_LOAD_8, op - DW_OP_breg0, off);
}

/* DW_CFA_expression: a place relative to rbp, as code with a realigned stack has it. */
static void register_expression(struct machine *m, uint64_t column, struct reader e)
{
	int64_t off;

	set_rule(m, column, ELSEWHERE, 0);
	if (fixed(&e, 1) != DW_OP_breg0 + COLUMN_RBP)
		return;
	off = sleb(&e);
	if (e.p == e.end && !e.bad)
		set_rule(m, column, BELOW_RBP, (int64_t)-(uint64_t)off);
}

/* One of the instructions with an opcode in the low six bits. False ends the program. */
static bool extended(struct machine *m, const struct cfi_section *section, uint8_t op, struct reader *r)
{
	uint64_t column;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		return advance(m, pointer(r, section, m->cie->pointer));
	case DW_CFA_advance_loc1:
		return advance(m, m->loc + fixed(r, 1) * m->cie->code_factor);
	case DW_CFA_advance_loc2:
		return advance(m, m->loc + fixed(r, 2) * m->cie->code_factor);
	case DW_CFA_advance_loc4:
		return advance(m, m->loc + fixed(r, 4) * m->cie->code_factor);
	case DW_CFA_offset_extended:
		column = uleb(r);
		set_rule(m, column, BELOW_CFA, below(m, uleb(r)));
		return true;
	case DW_CFA_offset_extended_sf:
		column = uleb(r);
		set_rule(m, column, BELOW_CFA, below(m, (uint64_t)sleb(r)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		column = uleb(r);
		set_rule(m, column, BELOW_CFA, below(m, -uleb(r)));
		return true;
	case DW_CFA_restore_extended:
		restore_rule(m, uleb(r));
		return true;
	case DW_CFA_undefined:
		set_rule(m, uleb(r), UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_rule(m, uleb(r), SAME, 0);
		return true;
	case DW_CFA_register:
		column = uleb(r);
		/* "in itself" is another way to say: the same */
		set_rule(m, column, uleb(r) == column ? SAME : ELSEWHERE, 0);
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
		column = uleb(r);
		set_cfa(&m->now, UNWIND_REG, column, (int64_t)uleb(r));
		return true;
	case DW_CFA_def_cfa_sf:
		column = uleb(r);
		set_cfa(&m->now, UNWIND_REG, column, below(m, -(uint64_t)sleb(r)));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa(&m->now, UNWIND_REG, uleb(r), m->now.off);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa(&m->now, UNWIND_REG, m->now.base, (int64_t)uleb(r));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(&m->now, UNWIND_REG, m->now.base, below(m, -(uint64_t)sleb(r)));
		return true;
	case DW_CFA_def_cfa_expression:
		cfa_expression(&m->now, block(r, uleb(r)));
		return true;
	case DW_CFA_expression:
		column = uleb(r);
		register_expression(m, column, block(r, uleb(r)));
		return true;
	case DW_CFA_val_expression:
		set_rule(m, uleb(r), ELSEWHERE, 0);
		block(r, uleb(r));
		return true;
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		set_rule(m, uleb(r), ELSEWHERE, 0);
		uleb(r);
		return true;
	case DW_CFA_GNU_args_size:
		uleb(r);
		return true;
	default:
		return false;
	}
}

/* Runs to the end of the program or of the code. False where it cannot be understood. */
static bool run(struct machine *m, const struct cfi_section *section, struct reader r)
{
	while (r.p < r.end) {
		uint8_t byte = (uint8_t)fixed(&r, 1), low = byte & 0x3f;
		bool more = true;

		switch (byte & 0xc0) {
		case DW_CFA_advance_loc:
			more = advance(m, m->loc + low * m->cie->code_factor);
			break;
		case DW_CFA_offset:
			set_rule(m, low, BELOW_CFA, below(m, uleb(&r)));
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
	struct cie cie;
	struct machine m = { .cie = &cie, .loc = fde->lo, .end = fde->hi, .arg = arg };
	struct cfi_fde again;
	struct entry e;
	size_t at = fde->at;

	/* cfi_next has read the same entry, so this does not fail. */
	if (!read_entry(fde->section, &at, &e) || !read_fde(fde->section, &e, &cie, &again))
		return;
	if (!run(&m, fde->section, cie.program)) {
		m.now = (struct state){ 0 };
	} else {
		m.initial = m.now;
		m.depth = 0;
		m.fn = fn;
		if (!run(&m, fde->section, e.body))
			m.now = (struct state){ 0 };
	}
	m.fn = fn;
	if (m.loc < m.end)
		emit(&m);
}
