/*
 * spinloop: is an instruction part of a loop that waits for memory to change?
 *
 * Such a loop carries no values from one iteration to the next: it has no stores and no
 * calls, and each register that it reads has either been written earlier in the same
 * iteration or is not written at all.  So an iteration does the same as the last one,
 * unless another thread has changed memory that it loads.  A scan over data is not such
 * a loop, because its pointer moves; neither is a loop that counts, nor one that walks
 * a list.
 *
 * Only those instructions of x86-64 that are usual in such loops are known: a loop with
 * any other one is not recognised.  A lock that spins with a locked instruction stores,
 * and is not recognised either.
 */
#ifndef ANDWEORC_BINARY_SPINLOOP_H
#define ANDWEORC_BINARY_SPINLOOP_H

#include <stdbool.h>
#include <stddef.h>

/* A loop extends at most so many bytes before and behind an instruction. */
enum { SPINLOOP_BYTES = 128 };

/* Is the instruction that begins at code[at] in such a loop?  All of the loop must lie in code[0..len). */
bool spinloop_at(const unsigned char *code, size_t len, size_t at);

#endif
