/*
 * cfi: call-frame information (.eh_frame, .debug_frame) as rows for unwinding.
 *
 * A section is a list of entries.  Each FDE covers one range of code with a
 * program that says, instruction by instruction, where the caller's registers
 * are.  This module runs these programs, and puts their rules for the CFA, rbp, rbx and
 * the return address into rows (runtime/unwind.h).  A rule that a row cannot express
 * becomes UNWIND_UNKNOWN, never a guess.
 *
 * x86-64, little-endian.  Input is not trusted: any bytes give some rows, or none.
 */
#ifndef ANDWEORC_BINARY_CFI_H
#define ANDWEORC_BINARY_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/unwind.h"

struct cfi_section {
	const uint8_t *data; /* borrowed */
	size_t size;         /* bytes */
	uint64_t addr;       /* offset of the section in the module: addresses in .eh_frame are relative to it */
	bool debug_frame;    /* the layout of .debug_frame, else that of .eh_frame */
};

struct cfi_fde {
	uint64_t lo, hi;                   /* the code that it covers, module-relative; lo < hi */
	const struct cfi_section *section; /* borrowed */
	size_t at;                         /* byte offset of the entry in the section */
};

/* Finds the next FDE at or behind *at and moves *at behind it; *at is 0 at first. False at the end of the section. */
bool cfi_next(const struct cfi_section *section, size_t *at, struct cfi_fde *fde);

/* One row; it holds up to the next one, the last one up to the FDE's end. */
typedef void cfi_row(void *arg, const struct unwind_row *row);

/* Runs an FDE's program and hands its rows to fn, start ascending. Both ends of the FDE must fit in 32 bits. */
void cfi_rows(const struct cfi_fde *fde, cfi_row *fn, void *arg);

#endif
