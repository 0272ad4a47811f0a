/*
 * fingerprint: adds hashes of source text to a resolved region.
 */
#ifndef ANDWEORC_RESOLVE_FINGERPRINT_H
#define ANDWEORC_RESOLVE_FINGERPRINT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/map.h"
#include "format/record.h"

/* Source files, read once. */
struct fingerprints {
	struct map file;  /* path -> struct source, or NONE of it */
	struct map newer; /* paths that were complained of */
};

#define FINGERPRINTS_INIT { MAP_INIT, MAP_INIT }

void fingerprints_release(struct fingerprints *f);

/* Where a region is. */
struct fingerprint_place {
	const char *file;       /* path of the source file */
	const char *module;     /* the module that was built from it; if it is older than the file, the file is not its source any more */
	unsigned line;          /* 0: a function as a whole */
	unsigned function_line; /* 0 unknown, or in another file */
};

/*
 * Appends function_line=, line_hash=, context_hash= and function_hash=, as far as they
 * are known; without the file, only the first.  A file that was changed after the
 * module was built is not used, with a warning.  Keys that the record has stay
 * unchanged.
 */
void fingerprint_add(struct fingerprints *f, const struct fingerprint_place *at, struct record *rec, struct buf *out);

#endif
