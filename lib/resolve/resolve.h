/*
 * resolve: the names of the code that a record speaks of.
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

/* Can it be resolved now, or does it name a module that has not come yet?  A bad record is ready: nothing will help it. */
bool resolve_is_ready(struct resolve *r, struct record *rec);

/*
 * Appends the record to `out` as it was read, with what is known added: to a
 * header resolved=, to a region function=, symbol=, file=, line=, also= and the
 * keys of fingerprint.h, to a sample function=, file=, line=, inlined_by=.  A
 * key that is there stays as it is.  False, after a message, when it is a known record that is bad, which is
 * passed on as it is.
 */
bool resolve_record(struct resolve *r, struct record *rec, struct buf *out);

#endif
