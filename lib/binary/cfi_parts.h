/*
 * cfi_parts: declarations that the files of cfi share.  Private to them.
 *
 *     cfi.c          entries: the code of each, and the place of its program
 *     cfi_program.c  programs: run instruction by instruction
 *     cfi_row.c      the state of a program, as a row
 */
#ifndef ANDWEORC_BINARY_CFI_PARTS_H
#define ANDWEORC_BINARY_CFI_PARTS_H

#include "binary/cfi.h"
#include "binary/cfi_bytes.h"

/* ---- entries ---- */

struct cfi_cie {
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t ra;     /* the column that stands for the return address */
	uint8_t pointer; /* encoding of code addresses */
	bool augmented;  /* FDEs have augmentation data */
	bool signal;     /* a signal handler's return point */
	struct bytes program;
};

/* A pointer as `encoding` (DW_EH_PE_*) has it; r stands in the section. */
uint64_t cfi_pointer(struct bytes *r, const struct cfi_section *s, uint8_t encoding);

/*
 * Reads an entry that cfi_next has found: its CIE, and its own program.  False when it
 * cannot be read, which does not happen.
 */
bool cfi_read_again(const struct cfi_fde *fde, struct cfi_cie *cie, struct bytes *program);

/* ---- rows ---- */

enum { COLUMN_RBX = 3, COLUMN_RBP = 6, COLUMN_RSP = 7 };

/* Where the caller's value of a register is. */
struct cfi_rule {
	enum { SAME, BELOW_CFA, BELOW_RBP, UNDEFINED, ELSEWHERE } how;
	int64_t bytes;
};

struct cfi_state {
	enum unwind_cfa cfa;
	uint64_t base; /* DWARF column; of UNWIND_PLT: the byte in the stub */
	int64_t off;
	struct cfi_rule bp, bx, ra;
	struct cfi_rule other; /* rules of all other registers, kept to simplify the code; not read */
};

/* The row of code from `start` on; `signal`: it is a signal handler's return point. */
struct unwind_row cfi_row_of(const struct cfi_state *s, uint32_t start, bool signal);

/*
 * Corrects errors of gcc in the rules for an epilogue; `last` is the row before.  True
 * when a part of it needs a row of its own between the two: *between.
 */
bool cfi_row_correct(struct unwind_row *row, const struct unwind_row *last, struct unwind_row *between);

#endif
