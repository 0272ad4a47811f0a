/*
 * jit: code that programs make as they run (Java, JavaScript, LuaJIT).
 *
 * No file has it.  A program may leave a list of its functions for perf(1) in
 * /tmp/perf-PID.map: lines of address, size and name, the numbers in hexadecimal;
 * of two that cover an address the later one holds.  The list is the program's and
 * nobody's else: it is read if it is a regular file of the process's owner.
 */
#ifndef ANDWEORC_RECORDER_JIT_H
#define ANDWEORC_RECORDER_JIT_H

#include "recorder/regions.h"

struct jit_sample {
	unsigned module;
	uint64_t off;
	char *name; /* owned; NULL unknown */
};

/* The addresses in such code that were sampled in a run. */
struct jit {
	struct jit_sample *v; /* owned; v[0..n), by module and offset */
	size_t n, cap;
};

/* At the end of a run: gathers the addresses, names them, and counts samples (regions->made). */
void jit_read(struct jit *jit, struct regions *regions);
void jit_release(struct jit *jit);

/* The name of the function there, or NULL. */
const char *jit_name(const struct jit *jit, unsigned module, uint64_t off);

#endif
