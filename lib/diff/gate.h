/*
 * gate: decides whether a change may pass, and marks findings that an earlier report
 * has, too.
 */
#ifndef ANDWEORC_DIFF_GATE_H
#define ANDWEORC_DIFF_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "diff/report.h"

enum gate {
	GATE_REGRESSION = 1 << 0,   /* the point is slower, or a region costs more and the point may be slower */
	GATE_CHANGE = 1 << 1,       /* anything changed, even for the better */
	GATE_INCONCLUSIVE = 1 << 2, /* it is unknown whether a point, or a bottleneck, has changed */
};

/* Parses "regression,inconclusive"; false, with the invalid word. */
bool gate_parse(const char *list, unsigned *gates, const char **bad);

/*
 * Does the row meet one of the gates?  Only the verdict `changed` is a change.  Cost
 * that moved from one region to another is not, nor is a finding that an earlier report
 * did not have (gate_confirm).  If the point is known not to be slower, no region is a
 * regression, because the result for the whole program comes first.
 */
bool gate_is_met_by(const struct row *row, unsigned gates);

/* The number of rows that meet a gate. */
size_t gate_count(const struct report *r, unsigned gates);

/* Is there any verdict?  Without one, nothing was compared, and a gate cannot be judged. */
bool gate_can_close(const struct report *r);

/* Marks changes (changed, likely) as confirmed, or not, by a report of an earlier comparison. */
void gate_confirm(struct report *r, const struct report *previous);

#endif
