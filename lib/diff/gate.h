/*
 * gate: may this change pass?  And which findings a report before has seen.
 */
#ifndef ANDWEORC_DIFF_GATE_H
#define ANDWEORC_DIFF_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "diff/report.h"

enum gate {
	GATE_REGRESSION = 1 << 0,   /* the point is slower, or a region costs more and the point may be slower */
	GATE_CHANGE = 1 << 1,       /* anything changed, for the better too */
	GATE_INCONCLUSIVE = 1 << 2, /* it cannot be told whether a point, or a bottleneck, changed */
};

/* "regression,inconclusive"; false, with the word that is none. */
bool gate_parse(const char *list, unsigned *gates, const char **bad);

/*
 * Does the row meet one of the gates?  Only the verdict `changed` is a change;
 * cost that went from one region to another is none; what a report before did not
 * see (gate_confirm) is none.  Where the point is known not to have changed, no
 * region is a regression: what is said of the whole comes first.
 */
bool gate_is_met_by(const struct row *row, unsigned gates);

/* How many rows do. */
size_t gate_count(const struct report *r, unsigned gates);

/* Is there any verdict at all?  Where there is none, nothing was compared, and a gate cannot be judged. */
bool gate_can_close(const struct report *r);

/* Marks changes (changed, likely) as confirmed, or not, by a report of an earlier comparison. */
void gate_confirm(struct report *r, const struct report *previous);

#endif
