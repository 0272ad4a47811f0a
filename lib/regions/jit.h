/*
 * jit: code that programs generate at run time (Java, JavaScript, LuaJIT).
 *
 * Such code is in no file.  A program may write a list of its functions for perf(1) to
 * /tmp/perf-PID.map: lines of address, size and name, with hexadecimal numbers.  If two
 * lines cover an address, the later one counts.  The list is read only if it is a
 * regular file that belongs to the owner of the process.
 */
#ifndef ANDWEORC_REGIONS_JIT_H
#define ANDWEORC_REGIONS_JIT_H

#include "regions/regions.h"

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
