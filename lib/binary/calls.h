/*
 * calls: finds the direct calls of a function.
 *
 * A function that ends with a call (a tail call) is not on the stack while its callee
 * runs.  Its only trace is the return address of the call that entered it.
 */
#ifndef ANDWEORC_BINARY_CALLS_H
#define ANDWEORC_BINARY_CALLS_H

#include "binary/image.h"

/*
 * The last bytes of all direct calls to `function` (linkage name), whose ranges
 * are given, in the code of the same file: one-byte ranges, module-relative,
 * sorted; the caller frees *out.  Returns how many.  Calls through a pointer or a
 * PLT are not found.  x86-64; elsewhere none are.
 */
size_t calls_find(struct image *img, const char *function, const struct range *ranges, size_t n, struct range **out);

#endif
