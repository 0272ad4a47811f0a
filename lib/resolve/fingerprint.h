/*
 * fingerprint: what a resolved region says of its source text.
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
	const char *file;       /* to read */
	const char *module;     /* that was built from it; of an older one it is not the source any more */
	unsigned line;          /* 0: a function as a whole */
	unsigned function_line; /* 0 unknown, or in another file */
};

/*
 * Appends function_line=, line_hash=, context_hash= and function_hash= as far as
 * they are known; without the file, the first alone.  A file that was changed
 * after the module was built is warned of and not used.  A key that the record
 * has stays as it is.
 */
void fingerprint_add(struct fingerprints *f, const struct fingerprint_place *at, struct record *rec, struct buf *out);

#endif
