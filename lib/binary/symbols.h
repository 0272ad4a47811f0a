/*
 * symbols: the function symbols of one ELF file, by address.
 */
#ifndef ANDWEORC_BINARY_SYMBOLS_H
#define ANDWEORC_BINARY_SYMBOLS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t lo, hi;  /* hi > lo; one without a size reaches to the next symbol or the end of its section */
	const char *name; /* without @VERSION; the table's or the ELF file's */
	bool sized;       /* the ELF file says how long it is */
	int rank;         /* if two have one address, the lower rank is used: functions before labels, global before weak before local */
};

struct symbols {
	struct symbol *v; /* v[0..n), by (lo, sized first, rank, name) */
	size_t n;
	uint64_t *reach;  /* reach[i]: the greatest hi of v[0..i] */
	struct symbol_key {
		uint64_t hash; /* first: see sorted_up_to */
		size_t i;      /* index of the symbol in v */
	} *by_name;       /* by_name[0..n), by (hash, i); NULL until a name is asked for */
	char **owned;     /* names that had to be cut */
	size_t nowned;
};

/* Reads .symtab, or .dynsym when there is none.  False when there is neither. */
bool symbols_read(struct symbols *s, Elf *elf);
void symbols_release(struct symbols *s);

/*
 * The innermost symbol that covers off, the best-ranked of its address; NULL
 * when there is none.  One without a size is only asked when no other covers
 * off: it may be a label inside a function.
 */
const struct symbol *symbols_find(const struct symbols *s, uint64_t off);

/*
 * Those symbols whose names may be the function's: all that agree with `function`
 * up to symbol_base, the numbers of constructors and destructors aside, and by
 * chance others.  Returns the first of *n, in the order of v.
 */
const struct symbol_key *symbols_alike(struct symbols *s, const char *function, size_t *n);

/*
 * How much of a linkage name is the function's own: its length without what
 * compilers add to name a part or a clone of it (.cold, .part.N, .isra.N,
 * .constprop.N, .lto_priv.N, .llvm.N; of coroutines .actor, .resume, .destroy,
 * .cleanup).
 */
size_t symbol_base(const char *name);

#endif
