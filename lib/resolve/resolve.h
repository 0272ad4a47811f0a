/*
 * resolve: adds names to the code in a record.
 */
#ifndef ANDWEORC_RESOLVE_RESOLVE_H
#define ANDWEORC_RESOLVE_RESOLVE_H

#include <stdbool.h>

#include "base/buf.h"
#include "format/record.h"
#include "resolve/fingerprint.h"
#include "resolve/modules.h"
#include "resolve/names.h"

struct resolve {
	struct modules modules;
	struct names functions;
	struct names files;
	struct fingerprints fingerprints;
};

void resolve_init(struct resolve *r);
void resolve_release(struct resolve *r);

/*
 * Can the record be resolved now, or does it refer to a module that has not been read yet?
 * An invalid record counts as ready.
 */
bool resolve_is_ready(struct resolve *r, struct record *rec);

/*
 * Appends the record to `out` as it was read, and adds names: to a header resolved=, to a region function=,
 * symbol=, file=, line=, also= and the keys of fingerprint.h, to a sample function=, file=, line=,
 * inlined_by=.  Keys in the record stay unchanged.  False, after a message, for an invalid record of a
 * known type, which is copied unchanged.
 */
bool resolve_record(struct resolve *r, struct record *rec, struct buf *out);

#endif
