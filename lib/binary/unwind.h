/*
 * unwind: the rows for unwinding through one module (see runtime/unwind.h).
 *
 * Sources, in order of trust: .eh_frame, .debug_frame (code built without unwind
 * tables, but with -g), and the known shape of .plt sections that a linker left
 * undescribed.  Code that none of them covers gets rows of UNWIND_UNKNOWN.
 */
#ifndef ANDWEORC_BINARY_UNWIND_H
#define ANDWEORC_BINARY_UNWIND_H

#include <stddef.h>

#include "runtime/unwind.h"

/*
 * Reads the ELF file `path`; "[vdso]" means the code that the kernel maps into this
 * process, which is the same in all processes.  `build_id` (lower-case hexadecimal, or
 * NULL): a file with another one is not used.
 *
 * Returns how many rows there are, sorted; the caller frees *rows.  0 when there are
 * none, with *rows NULL and the reason as text in *why (static storage).
 */
size_t unwind_rows(const char *path, const char *build_id, struct unwind_row **rows, const char **why);

#endif
