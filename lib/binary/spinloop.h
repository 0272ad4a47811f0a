/*
 * spinloop: is an instruction part of a loop that waits for memory to change?
 *
 * Such a loop carries nothing from one turn to the next: it stores nothing, calls
 * nothing, and each register that it reads has either been written earlier in the
 * same turn or is not written at all.  So a turn does what the last one did, unless
 * memory that it loads from has been changed meanwhile, which only somebody else
 * can do.  A scan over data is none, as its pointer moves on; neither is a loop
 * that counts, nor one that walks a list.
 *
 * Of x86-64, the instructions that such loops are made of are known, and no others:
 * a loop that has another one is not recognised.  A lock that spins with a locked
 * instruction stores, and is not recognised either.
 */
#ifndef ANDWEORC_BINARY_SPINLOOP_H
#define ANDWEORC_BINARY_SPINLOOP_H

#include <stdbool.h>
#include <stddef.h>

/* So many bytes before and behind an instruction are as much as a loop can take. */
enum { SPINLOOP_BYTES = 128 };

/* Is the instruction that begins at code[at] in such a loop?  All of the loop must lie in code[0..len). */
bool spinloop_at(const unsigned char *code, size_t len, size_t at);

#endif
