#include "binary/spinloop.h"

#include <stdint.h>
#include <string.h>

enum {
	MOST_INSTRUCTIONS = 14, /* instructions of a loop, at most */
	MOST_BRANCHES = 2,      /* jumps of a loop: with more, it is rather a path in a larger loop that no program takes */
	BEFORE = 32,            /* bytes before a loop that may lead into it */
	FLAGS = 16,             /* the register after the 16 */
	AX = 0,
	SP = 4,
	BP = 5,
	NO_INDEX = 4,
};

/* ---- one instruction ------------------------------------------------------------------- */

/*
 * The registers that an instruction reads and writes, a bit for each.  A register is
 * read or written as a whole, or only in its lowest bytes, which leaves the upper ones
 * unchanged.  A variable on the stack is treated like a register.
 */
struct effect {
	uint32_t address;       /* registers that an address is made of */
	uint32_t reads, reads_low, writes, writes_low;
	bool loads;             /* it loads from memory other than a variable on the stack */
	bool reads_local, writes_local;
	unsigned base;          /* base register of that variable */
	int64_t local;          /* displacement of that variable */
	bool keeps;             /* the result is a source, or a source plus a number, as in a copy or a count */
	bool jumps, conditional; /* it jumps to .target, an offset in the code */
	size_t start, length, target;
};

struct decoder {
	const unsigned char *code;
	size_t len, at; /* offset of the next byte */
	bool ended;     /* prefixes of the instruction */
	bool rex, wide, narrow; /* a REX prefix; 64 bits; 16 bits */
	unsigned reg_high, index_high, base_high; /* 8 where REX says so */
	bool is_memory, is_local;
	unsigned reg, rm; /* fields of ModRM; rm is a register unless is_memory */
};

static unsigned next_byte(struct decoder *d)
{
	if (d->at < d->len)
		return d->code[d->at++];
	d->ended = true;
	return 0;
}

static void skip_bytes(struct decoder *d, size_t n)
{
	if (d->len - d->at < n)
		d->ended = true;
	else
		d->at += n;
}

static int64_t displacement(struct decoder *d, size_t bytes)
{
	int8_t short_one;
	int32_t long_one;
	size_t from = d->at;

	skip_bytes(d, bytes);
	if (d->ended)
		return 0;
	if (bytes == 1) {
		memcpy(&short_one, d->code + from, 1);
		return short_one;
	}
	memcpy(&long_one, d->code + from, 4);
	return long_one;
}

/* ModRM, SIB and displacement. */
static void operands(struct decoder *d, struct effect *e)
{
	unsigned modrm = next_byte(d), mod = modrm >> 6, rm = modrm & 7, index = NO_INDEX;
	bool has_base = true;

	d->reg = (modrm >> 3 & 7) | d->reg_high;
	d->rm = rm | d->base_high;
	d->is_memory = mod != 3;
	if (!d->is_memory)
		return;
	if (rm == 4) {
		unsigned sib = next_byte(d);

		index = (sib >> 3 & 7) | d->index_high;
		rm = sib & 7;
	}
	has_base = mod != 0 || rm != 5; /* else a number of four bytes, or the instruction pointer and that */
	if (has_base)
		e->address |= 1u << (rm | d->base_high);
	if (index != NO_INDEX)
		e->address |= 1u << index;
	e->base = rm | d->base_high;
	if (mod != 0 || !has_base)
		e->local = displacement(d, mod == 1 ? 1 : 4);
	/* There are no variables above the frame pointer; if rbp is not a frame pointer, they can be anywhere. */
	d->is_local = has_base && index == NO_INDEX && (e->base == SP || (e->base == BP && e->local < 0));
}

/*
 * A one-byte register.  Without REX, numbers from 4 on are the second bytes of the first
 * four registers, which are not supported.
 */
static bool is_odd_byte(const struct decoder *d, unsigned reg, bool byte)
{
	return byte && !d->rex && reg >= 4;
}

static void read_register(const struct decoder *d, struct effect *e, unsigned reg, bool byte)
{
	if (is_odd_byte(d, reg, byte))
		e->reads |= 1u << (reg & 3);
	else if (byte || d->narrow)
		e->reads_low |= 1u << reg;
	else
		e->reads |= 1u << reg;
}

static bool write_register(const struct decoder *d, struct effect *e, unsigned reg, bool byte)
{
	if (is_odd_byte(d, reg, byte))
		return false;
	if (byte || d->narrow)
		e->writes_low |= 1u << reg;
	else
		e->writes |= 1u << reg;
	return true;
}

static void read_rm(const struct decoder *d, struct effect *e, bool byte)
{
	if (!d->is_memory)
		read_register(d, e, d->rm, byte);
	else if (d->is_local)
		e->reads_local = true;
	else
		e->loads = true;
}

static bool write_rm(const struct decoder *d, struct effect *e, bool byte)
{
	if (d->is_memory)
		e->writes_local = d->is_local;
	return d->is_memory ? d->is_local : write_register(d, e, d->rm, byte);
}

/* add, or, and, sub, xor, cmp: those whose result depends on nothing but operands.  adc and sbb are 2 and 3. */
static bool is_arithmetic(unsigned operation)
{
	return operation != 2 && operation != 3;
}

/* Opcodes 00 to 3d: the operation in bits 3 to 5, the form in the lowest three. */
static bool arithmetic(struct decoder *d, struct effect *e, unsigned opcode)
{
	unsigned operation = opcode >> 3, form = opcode & 7;
	bool byte = !(form & 1), compares = operation == 7;

	if (!is_arithmetic(operation) || form > 5)
		return false;
	e->writes |= 1u << FLAGS;
	if (form >= 4) {
		skip_bytes(d, byte ? 1 : d->narrow ? 2 : 4);
		e->keeps = operation == 0 || operation == 5;
		read_register(d, e, AX, byte);
		return compares || write_register(d, e, AX, byte);
	}
	operands(d, e);
	/* A register xor itself is 0, whatever it was. */
	if (operation == 6 && !d->is_memory && d->reg == d->rm)
		return write_register(d, e, d->reg, byte);
	read_rm(d, e, byte);
	read_register(d, e, d->reg, byte);
	if (compares)
		return true;
	return form >= 2 ? write_register(d, e, d->reg, byte) : write_rm(d, e, byte);
}

/* 80, 81, 83: the same with a number; c0, c1: shifts, of which rotations through carry are left out. */
static bool with_number(struct decoder *d, struct effect *e, unsigned opcode)
{
	bool byte = !(opcode & 1), shifts = opcode >= 0xc0;
	unsigned operation;

	operands(d, e);
	operation = d->reg & 7;
	skip_bytes(d, opcode == 0x81 ? d->narrow ? 2 : 4 : 1);
	if (!is_arithmetic(operation))
		return false;
	e->writes |= 1u << FLAGS;
	e->keeps = !shifts && (operation == 0 || operation == 5);
	read_rm(d, e, byte);
	return (!shifts && operation == 7) || write_rm(d, e, byte);
}

/* fe, ff: inc and dec */
static bool count_one(struct decoder *d, struct effect *e, unsigned opcode)
{
	operands(d, e);
	if ((d->reg & 7) > 1)
		return false;
	e->keeps = true;
	e->writes |= 1u << FLAGS;
	read_rm(d, e, opcode == 0xfe);
	return write_rm(d, e, opcode == 0xfe);
}

/* f6, f7: test with a number, not, neg. */
static bool unary(struct decoder *d, struct effect *e, unsigned opcode)
{
	bool byte = !(opcode & 1);
	unsigned operation;

	operands(d, e);
	operation = d->reg & 7;
	if (operation != 0 && operation != 2 && operation != 3)
		return false;
	read_rm(d, e, byte);
	if (operation != 2)
		e->writes |= 1u << FLAGS;
	if (operation != 0)
		return write_rm(d, e, byte);
	skip_bytes(d, byte ? 1 : d->narrow ? 2 : 4);
	return true;
}

static bool jump(struct decoder *d, struct effect *e, size_t bytes, bool conditional)
{
	int64_t by = displacement(d, bytes), to = (int64_t)d->at + by;

	e->jumps = true;
	e->conditional = conditional;
	if (conditional)
		e->reads |= 1u << FLAGS;
	/* A jump out of the known code is never followed. */
	e->target = to >= 0 && (size_t)to < d->len ? (size_t)to : SIZE_MAX;
	return !d->narrow;
}

/* mov, movzx, movsx: from reg or memory.  `byte` is the source. */
static bool load(struct decoder *d, struct effect *e, bool byte, bool word, bool byte_result)
{
	bool narrow = d->narrow;

	operands(d, e);
	e->keeps = true;
	d->narrow = narrow || word;
	read_rm(d, e, byte);
	d->narrow = narrow;
	return write_register(d, e, d->reg, byte_result);
}

static bool two_bytes(struct decoder *d, struct effect *e)
{
	unsigned opcode = next_byte(d);

	switch (opcode) {
	case 0x1f: /* nop */
		operands(d, e);
		e->address = 0;
		return true;
	case 0xb6:
	case 0xbe:
		return load(d, e, true, false, false);
	case 0xb7:
	case 0xbf:
		return load(d, e, false, true, false);
	case 0xba: /* bt with a number */
		operands(d, e);
		skip_bytes(d, 1);
		read_rm(d, e, false);
		e->writes |= 1u << FLAGS;
		return (d->reg & 7) == 4;
	}
	if (opcode >> 4 == 8)
		return jump(d, e, 4, true);
	if (opcode >> 4 == 9) { /* set */
		operands(d, e);
		e->reads |= 1u << FLAGS;
		return write_rm(d, e, true);
	}
	return false;
}

static bool one_byte(struct decoder *d, struct effect *e, unsigned opcode)
{
	if (opcode < 0x40)
		return arithmetic(d, e, opcode);
	if (opcode >> 4 == 7)
		return jump(d, e, 1, true);
	switch (opcode) {
	case 0x63:
		return load(d, e, false, false, false);
	case 0x80:
	case 0x81:
	case 0x83:
	case 0xc0:
	case 0xc1:
		return with_number(d, e, opcode);
	case 0x84:
	case 0x85:
		operands(d, e);
		read_rm(d, e, opcode == 0x84);
		read_register(d, e, d->reg, opcode == 0x84);
		e->writes |= 1u << FLAGS;
		return true;
	case 0x88:
	case 0x89:
		operands(d, e);
		e->keeps = true;
		read_register(d, e, d->reg, opcode == 0x88);
		return write_rm(d, e, opcode == 0x88);
	case 0x8a:
	case 0x8b:
		return load(d, e, opcode == 0x8a, false, opcode == 0x8a);
	case 0x8d:
		operands(d, e);
		e->reads = e->address;
		e->keeps = true;
		e->address = 0;
		return d->is_memory && write_register(d, e, d->reg, false);
	case 0x90:
		return true;
	case 0xa8:
	case 0xa9:
		skip_bytes(d, opcode == 0xa8 ? 1 : d->narrow ? 2 : 4);
		read_register(d, e, AX, opcode == 0xa8);
		e->writes |= 1u << FLAGS;
		return true;
	case 0xe9:
		return jump(d, e, 4, false);
	case 0xeb:
		return jump(d, e, 1, false);
	case 0xf6:
	case 0xf7:
		return unary(d, e, opcode);
	case 0xfe:
	case 0xff:
		return count_one(d, e, opcode);
	}
	return false;
}

/* False for an unknown instruction. */
static bool decode(const unsigned char *code, size_t len, size_t at, struct effect *e)
{
	struct decoder d = { .code = code, .len = len, .at = at };
	unsigned byte = next_byte(&d);

	*e = (struct effect){ .start = at, .target = SIZE_MAX };
	if (byte == 0xf3) { /* pause is a nop; nothing else with this prefix is known */
		byte = next_byte(&d);
		e->length = 2;
		return byte == 0x90 && !d.ended;
	}
	if (byte == 0x64 || byte == 0x65) /* segment of thread-local data */
		byte = next_byte(&d);
	if (byte == 0x66) {
		d.narrow = true;
		byte = next_byte(&d);
	}
	if (byte >> 4 == 4) {
		d.rex = true;
		d.wide = byte & 8;
		d.reg_high = byte & 4 ? 8 : 0;
		d.index_high = byte & 2 ? 8 : 0;
		d.base_high = byte & 1 ? 8 : 0;
		byte = next_byte(&d);
	}
	d.narrow = d.narrow && !d.wide;
	if (!(byte == 0x0f ? two_bytes(&d, e) : one_byte(&d, e, byte)) || d.ended)
		return false;
	e->length = d.at - at;
	return true;
}

/* ---- loops ------------------------------------------------------------------------------- */

/* The dependence of a value in an iteration, from the least to the most. */
enum origin {
	SAME,    /* nothing that changes */
	LOADED,  /* memory that this iteration has loaded from */
	SHARED,  /* such memory that is not a variable on the stack */
	CARRIED, /* the previous iteration */
};

/* One iteration of a loop. */
struct path {
	struct effect step[MOST_INSTRUCTIONS];
	size_t n;
};

/* The dependence of all registers (lowest bytes, and upper ones), and of variables that the loop writes. */
struct values {
	enum origin low[FLAGS + 1], high[FLAGS + 1], local[MOST_INSTRUCTIONS];
};

/* The last step that writes the variable of `e`; -1: none. */
static int writer_of(const struct path *p, const struct effect *e)
{
	for (size_t i = p->n; i > 0; i--) {
		const struct effect *w = &p->step[i - 1];

		if (w->writes_local && w->base == e->base && w->local == e->local)
			return (int)i - 1;
	}
	return -1;
}

static enum origin later(enum origin a, enum origin b)
{
	return a > b ? a : b;
}

static enum origin origin_of(const struct values *v, uint32_t whole, uint32_t low)
{
	enum origin from = SAME;

	for (unsigned r = 0; r <= FLAGS; r++) {
		if (whole >> r & 1)
			from = later(from, later(v->low[r], v->high[r]));
		if (low >> r & 1)
			from = later(from, v->low[r]);
	}
	return from;
}

static enum origin result_of(const struct path *p, const struct values *v, const struct effect *e)
{
	enum origin from = origin_of(v, e->reads, e->reads_low);

	/* If the address changes between iterations, so does the value there. */
	if (e->loads)
		from = later(from, later(SHARED, origin_of(v, e->address, 0)));
	if (e->reads_local) {
		int writer = writer_of(p, e);

		from = later(from, writer < 0 ? LOADED : v->local[writer]);
	}
	return from;
}

static void set_values(const struct path *p, struct values *v, const struct effect *e, enum origin from)
{
	for (unsigned r = 0; r <= FLAGS; r++) {
		if ((e->writes | e->writes_low) >> r & 1)
			v->low[r] = from;
		if (e->writes >> r & 1)
			v->high[r] = from;
	}
	if (e->writes_local)
		v->local[writer_of(p, e)] = from;
}

/* Before the first examined iteration, all values that iterations write come from the previous one. */
static void set_carried(const struct path *p, struct values *v)
{
	*v = (struct values){ .low = { SAME } };
	for (size_t i = 0; i < p->n; i++)
		set_values(p, v, &p->step[i], CARRIED);
}

static bool is_step(const struct path *p, size_t at)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->step[i].start == at)
			return true;
	return false;
}

/* The lowest and the highest begin of its instructions. */
static void extent(const struct path *p, size_t *from, size_t *to)
{
	*from = *to = p->step[0].start;
	for (size_t i = 1; i < p->n; i++) {
		*from = p->step[i].start < *from ? p->step[i].start : *from;
		*to = p->step[i].start > *to ? p->step[i].start : *to;
	}
}

/*
 * Are there only jumps and nops between the instructions of the iteration?  If not, it
 * is one path through a larger loop, which may carry values along another path, or
 * never take this one.
 */
static bool is_alone(const struct path *p, const unsigned char *code, size_t len)
{
	struct effect e;
	size_t from, to;

	extent(p, &from, &to);
	for (size_t at = from; at < to; at += e.length) {
		if (!decode(code, len, at, &e))
			return false;
		if (!is_step(p, at) && !e.jumps && (e.loads || e.reads_local || e.writes_local || e.writes || e.writes_low))
			return false;
	}
	return true;
}

/* Does the code at `at` lead out of the loop, by jumps and nops only? */
static bool leads_out(const struct path *p, const unsigned char *code, size_t len, size_t at)
{
	struct effect e;
	size_t from, to;

	extent(p, &from, &to);
	for (unsigned n = 0; n < MOST_INSTRUCTIONS; n++) {
		/* A jump to shortly before the loop leads into it again. */
		if (at < from || at > to)
			return at > to || at + BEFORE < from;
		if (is_step(p, at) || !decode(code, len, at, &e) || e.conditional)
			return false;
		at = e.jumps ? e.target : at + e.length;
	}
	return false;
}

/* Is the iteration all that the loop does?  A circular search in a table takes another path most of the time. */
static bool is_only_way(const struct path *p, const unsigned char *code, size_t len)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct effect *e = &p->step[i];
		size_t next = p->step[(i + 1) % p->n].start, behind = e->start + e->length;

		if (e->conditional && !leads_out(p, code, len, next == behind ? e->target : behind))
			return false;
	}
	return true;
}

/*
 * Does any code behind the loop look like a jump into it, or to shortly before?  Then
 * this may be the short path of a loop over data, as after `continue`. Bytes are
 * searched, because not all instructions are known.
 */
static bool is_entered_from_behind(const struct path *p, const unsigned char *code, size_t len)
{
	size_t from, to;

	extent(p, &from, &to);
	for (size_t at = to + 2; at < len; at++) {
		struct effect e;

		if (decode(code, len, at, &e) && e.jumps && e.target <= to && e.target + BEFORE >= from)
			return true;
	}
	return false;
}

/* The conditions of an iteration's jumps. */
struct decisions {
	bool shared;  /* they depend on memory that others may change, and on nothing else that changes */
	bool loaded;  /* they depend on such memory, or on a variable on the stack that the loop does not write */
	bool carried; /* values that are carried between iterations */
	bool counts;  /* there are such values */
	unsigned jumps;
	bool works;   /* and they are used in an address, as in a scan, or for more than a count */
};

static void take_turn(const struct path *p, struct values *v, struct decisions *by)
{
	*by = (struct decisions){ false };
	for (size_t i = 0; i < p->n; i++) {
		const struct effect *e = &p->step[i];
		enum origin from = result_of(p, v, e);
		bool changes = (e->writes | e->writes_low) & ~(1u << FLAGS) || e->writes_local;

		by->works = by->works || origin_of(v, e->address, 0) == CARRIED || (from == CARRIED && changes && !e->keeps);
		by->counts = by->counts || (from == CARRIED && changes);
		by->jumps += e->jumps;
		if (e->conditional) {
			by->shared = by->shared || from == SHARED;
			by->loaded = by->loaded || from == SHARED || from == LOADED;
			by->carried = by->carried || from == CARRIED;
		}
		set_values(p, v, e, from);
	}
}

/*
 * An iteration may begin anywhere, for example between a comparison and its jump.  So
 * the state after some iterations is used.  A loop that counts is still a wait if the
 * count only limits it: then it also reads memory, and ends by its count.
 */
static bool waits(const struct path *p, const unsigned char *code, size_t len)
{
	struct decisions by;
	struct values v;

	set_carried(p, &v);
	/* Each iteration finds more values to be fresh; a chain of copies is no longer than the iteration. */
	for (size_t turn = 0; turn <= p->n; turn++)
		take_turn(p, &v, &by);
	if (by.works || !is_alone(p, code, len) || !is_only_way(p, code, len))
		return false;
	return by.counts ? by.shared && by.carried && by.jumps == 2 && !is_entered_from_behind(p, code, len) : by.loaded && !by.carried;
}

struct search {
	const unsigned char *code;
	size_t len, at;
	struct path path;
};

/* Follows all paths from `now` that lead back to the begin of the search. */
static bool leads_back(struct search *s, size_t now, unsigned branches)
{
	struct effect *e;
	bool found;

	if (s->path.n > 0 && now == s->at)
		return waits(&s->path, s->code, s->len);
	if (s->path.n == MOST_INSTRUCTIONS || now >= s->len)
		return false;
	e = &s->path.step[s->path.n];
	if (!decode(s->code, s->len, now, e) || (e->conditional && branches == MOST_BRANCHES))
		return false;
	s->path.n++;
	branches += e->conditional;
	found = (e->jumps && e->target != SIZE_MAX && leads_back(s, e->target, branches)) ||
		((!e->jumps || e->conditional) && leads_back(s, now + e->length, branches));
	s->path.n--;
	return found;
}

bool spinloop_at(const unsigned char *code, size_t len, size_t at)
{
	struct search s = { .code = code, .len = len, .at = at };

	return leads_back(&s, at, 0);
}
