/*
 * source: fingerprints of source text, by which code is recognised in another version.
 *
 * Fingerprints are text, of letters, digits, '.' and '/', and part of the
 * format andweorc(5).  Hashes are of lines without their blanks (texthash.h),
 * so that another indentation changes nothing.
 */
#ifndef ANDWEORC_SOURCE_SOURCE_H
#define ANDWEORC_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct source;

/* A function's own text: lines first .. last, its body from the byte `open` of its file to `close`. */
struct source_function {
	unsigned first, last;
	size_t open, close;
};

/* Reads a file; NULL when it cannot be read or is no source text (no regular file, or too large). */
struct source *source_read(const char *path);

/* The same of bytes in memory, which are copied. */
struct source *source_of(const char *bytes, size_t len);
void source_free(struct source *s); /* NULL is allowed */

/*
 * The function that begins at line `first`: up to the brace that closes its
 * body.  False when there is none: a declaration, text of a macro, a language
 * without braces.
 */
bool source_function(const struct source *s, unsigned first, struct source_function *f);

/*
 * Appends "HASH", and "HASH.K/N" for the Kth of N such lines in the function
 * (NULL, or one that the line is not in: in the file).  False, nothing
 * appended, when there is no such line or it is blank.
 */
bool source_line_hash(const struct source *s, unsigned line, const struct source_function *f, struct buf *out);

/* Appends the hashes of SOURCE_AROUND lines before and as many after, blank ones left out: "H.H.H.H.H.H"; 0: there is none. */
void source_context_hash(const struct source *s, unsigned line, struct buf *out);

/*
 * Appends "HASH.LINES.SKETCH" of a function's body: its text, its lines that
 * are not blank, and a sketch of the set of its lines: the part of SKETCH that
 * two bodies share (of its SOURCE_SKETCH pairs of digits) is about the part of
 * their lines that they share.
 */
void source_function_hash(const struct source *s, const struct source_function *f, struct buf *out);

#define SOURCE_AROUND 3
#define SOURCE_SKETCH 32

#endif
