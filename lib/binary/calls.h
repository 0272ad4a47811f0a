/*
 * calls: where a function is called from.
 *
 * A function whose last act is a call (a tail call) is not on the stack while
 * its callee runs; what is left of it is the return address behind the call
 * that it was itself entered by.
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
