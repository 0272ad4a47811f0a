/* report_words: functions for the parts of the report: which intervals may be printed, and names. */
#include "format/region_class.h"
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/prose.h"
#include "text/shortname.h"

/* Half of the widest interval that is printed. */
static const double WIDEST = 1;

bool report_knows_slope(const struct impact *im)
{
	const struct estimate *slope = &im->effect.fit.slope;

	return im->bounded && (slope->hi - slope->lo) / 2 <= WIDEST;
}

bool report_knows_gain(const struct estimate *gain)
{
	bool open = gain->lo <= 0 && gain->hi >= 0;

	if (!isfinite(gain->lo) || !isfinite(gain->hi) || (gain->hi - gain->lo) / 2 > WIDEST)
		return false;
	return !open || (gain->lo >= -WIDEST && gain->hi <= WIDEST);
}

void report_name(struct buf *b, const struct profile_region *r)
{
	bool is_line = region_is_line(r->scope);

	buf_adds(b, r->label);
	if (is_line && r->function && *r->function)
		buf_addf(b, " (%s)", r->function);
}

/* ASCII has no ellipsis. */
static void replace_ellipsis(char *s)
{
	static const char ELLIPSIS[] = "\xe2\x80\xa6";
	char *at;

	while ((at = strstr(s, ELLIPSIS))) {
		at[0] = at[1] = '.';
		memmove(at + 2, at + 3, strlen(at + 3) + 1);
	}
}

char *report_short(const char *name, bool is_function, size_t columns)
{
	char *clean = prose_clean(name), *shorter, *out;

	shorter = is_function ? shortname_of(clean, &(struct letters){ 0 }, (double)columns) : xstrdup(clean);
	if (!prose_page().utf8)
		replace_ellipsis(shorter);
	out = prose_short(shorter, columns);
	free(clean);
	free(shorter);
	return out;
}

const char *report_visit(const struct impact_point *p)
{
	static const struct {
		const char *name, *visit;
	} automatic[] = {
		{ ":output", "byte written" },
		{ ":input", "byte read" },
		{ ":replies", "answer" },
		{ ":parallel", "parallel region" },
		{ ":mpi", "collective call of a rank" },
		{ ":kokkos", "kernel of Kokkos" },
		{ ":work", "microsecond of processor time" },
	};

	for (size_t i = 0; i < sizeof automatic / sizeof automatic[0]; i++)
		if (!strcmp(p->name, automatic[i].name))
			return automatic[i].visit;
	return NULL;
}

void report_measure(struct buf *b, const struct impact_point *p)
{
	const char *visit = report_visit(p);
	char *name = prose_short(p->name, prose_page().columns / 2);

	if (p->whole)
		buf_adds(b, "the run time");
	else if (!strcmp(p->name, ":work"))
		buf_adds(b, "the time that the same work takes");
	else if (visit)
		buf_addf(b, "the time per %s", visit);
	else if (p->latency)
		buf_addf(b, "the mean length of '%s'", name);
	else
		buf_addf(b, "the time per '%s'", name);
	free(name);
}
