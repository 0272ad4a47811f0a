/*
 * elffile: one ELF file, open for reading.
 *
 * Debug sections compressed with zlib are left to libdw; with zstd, which
 * elfutils before 0.189 does not know, the file is rebuilt in memory.
 */
#ifndef ANDWEORC_BINARY_ELFFILE_H
#define ANDWEORC_BINARY_ELFFILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "binary/image.h"

#define BUILD_ID_MAX 64 /* bytes; SHA-1 has 20 */

struct elffile {
	int fd;
	Elf *elf;                              /* NULL: not open */
	char *memory;                          /* what elf reads when it was rebuilt, else NULL */
	char build_id[2 * BUILD_ID_MAX + 1];   /* lower-case hexadecimal; "" none */
};

/* Opens a regular file that is ELF.  False with the reason in *why (static storage). */
bool elffile_open(struct elffile *f, const char *path, const char **why);
void elffile_close(struct elffile *f); /* one that is not open is allowed */

/* Does the file contain DWARF? A file with only .debug_frame or .debug_line does not. */
bool elffile_has_dwarf(const struct elffile *f);

/*
 * Makes zstd sections readable for libdw.  False when they are not: corrupted, or
 * the sections of the file, decompressed, are too large together, by zlib or zstd.
 */
bool elffile_expand(struct elffile *f);

/* The section of that name that has bytes in this file (a stripped or debug-only one is NOBITS), or NULL. */
Elf_Scn *elffile_section(const struct elffile *f, const char *name);

/* The ranges of executable sections, sorted and merged.  The caller frees *out. */
size_t elffile_code(const struct elffile *f, struct range **out);

#endif
