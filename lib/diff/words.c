#include "diff/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "match/match.h"
#include "text/caption.h"
#include "text/prose.h"

/* Per cent: a coarser value is not worth a number. */
static const double MOST_MDE = 100;

char *words_name(const char *text, size_t columns)
{
	struct buf b = BUF_INIT;

	caption_add(&b, text ? text : "", columns);
	return buf_detach(&b);
}

/* An interval has two significant digits. */
static void add_signed(struct buf *b, double x)
{
	double size = fabs(x);

	buf_addf(b, size >= 1e6 ? "%+.3g" : size >= 100 ? "%+.0f" : size >= 1 ? "%+.1f" : "%+.2f", x);
}

void words_change(struct buf *b, double value, double lo, double hi, const char *unit)
{
	if (isnan(value)) {
		buf_adds(b, "unknown");
		return;
	}
	add_signed(b, value);
	buf_adds(b, unit);
	if (isnan(lo) || isnan(hi))
		return;
	buf_adds(b, " [");
	add_signed(b, lo);
	buf_adds(b, ", ");
	add_signed(b, hi);
	buf_addc(b, ']');
}

void words_time(struct buf *b, const struct row *row, enum row_real ns)
{
	double value = row->real[ns], hi = row->real[ns + 2];
	char text[32];

	if (isnan(value))
		buf_adds(b, "unknown");
	else if (value < 0 && !(hi < 0))
		buf_adds(b, "about 0");
	else
		buf_adds(b, prose_time(value, text));
}

void words_pct(struct buf *b, const struct row *row, const char *unit)
{
	words_change(b, row->real[REAL_PCT], row->real[REAL_PCT_LO], row->real[REAL_PCT_HI], unit);
}

const char *words_verdict(const struct row *row)
{
	static const char *const of_point[CHANGES][2] = {
		[CHANGE_CHANGED] = { "faster", "slower" },
		[CHANGE_LIKELY] = { "likely faster", "likely slower" },
		[CHANGE_MINOR] = { "slightly faster", "slightly slower" },
	};
	static const char *const of_region[CHANGES][2] = {
		[CHANGE_CHANGED] = { "costs less", "costs more" },
		[CHANGE_LIKELY] = { "likely costs less", "likely costs more" },
		[CHANGE_MINOR] = { "costs slightly less", "costs slightly more" },
	};
	static const char *const other[CHANGES] = {
		[CHANGE_UNCHANGED] = "unchanged",       [CHANGE_INCONCLUSIVE] = "cannot tell yet",
		[CHANGE_INSUFFICIENT] = "too little data", [CHANGE_NEW] = "new bottleneck",
		[CHANGE_VANISHED] = "no bottleneck any more", [CHANGE_UNMATCHED] = "on one side only",
	};
	const char *const(*direction)[2] = row->kind == ROW_POINT ? of_point : of_region;

	if (row->real[REAL_SHIFT] > 0)
		return row_is_worse(row) ? "took cost over" : "gave cost away";
	if (row->change == CHANGE_INSUFFICIENT && row->real[REAL_NEEDED] > 0)
		return "too few runs";
	return row->change <= CHANGE_MINOR ? direction[row->change][row_is_worse(row)] : other[row->change];
}

void words_calm(struct buf *b, const struct row *row, const char *separator)
{
	if (row->change > CHANGE_LIKELY || row->real[REAL_SHIFT] > 0)
		return;
	if (row->real[REAL_CONFIRMED] == 0)
		buf_addf(b, "%snot seen before, so no alarm", separator);
	else if (row->real[REAL_POINT_NOT_SLOWER] > 0 && row_is_worse(row))
		buf_addf(b, "%sthe program is not slower, so no alarm", separator);
}

void words_design(struct buf *b, const struct row *row)
{
	double base = row->real[REAL_BASE_RUNS], head = row->real[REAL_HEAD_RUNS];
	enum design d = DESIGN_NONE;

	if (row->text[TEXT_DESIGN])
		design_named(row->text[TEXT_DESIGN], &d);
	switch (d) {
	case DESIGN_PAIRED:
		buf_addf(b, "%.0f blocks with base and head side by side, %.0f + %.0f runs", row->real[REAL_UNITS], base, head);
		break;
	case DESIGN_WELCH:
		buf_addf(b, "%.0f + %.0f runs, not paired", base, head);
		break;
	case DESIGN_MEANS:
		buf_addf(b, "means of %.0f + %.0f runs", base, head);
		break;
	case DESIGN_WITHIN:
		buf_addf(b, "%.0f + %.0f runs: noise inside runs alone", base, head);
		break;
	case DESIGN_NONE:
		buf_adds(b, "nothing to compare");
		break;
	}
}

void words_mde(struct buf *b, const struct row *row)
{
	double mde = row->real[REAL_MDE_PCT];

	if (mde > MOST_MDE)
		buf_addf(b, "more than %.0f %%", MOST_MDE);
	else
		buf_addf(b, "%.*f %%", mde < 9.95 ? 1 : 0, mde);
}

void words_needed(struct buf *b, const struct row *row, const char *separator)
{
	bool blocks = text_same(row->text[TEXT_DESIGN], design_name(DESIGN_PAIRED));
	double needed = row->real[REAL_NEEDED], base = row->real[REAL_BASE_RUNS], head = row->real[REAL_HEAD_RUNS];

	if (row->change == CHANGE_INSUFFICIENT && needed > 0)
		buf_addf(b, "%s%.0f runs a side are needed at least, 5 are better", separator, needed);
	else if (row->change == CHANGE_INSUFFICIENT && row->real[REAL_UNITS] < COMPARE_MIN_RUNS && base >= COMPARE_MIN_RUNS && head >= COMPARE_MIN_RUNS)
		buf_addf(b, "%sno machine recorded both sides: then %d machines a side are needed", separator, COMPARE_MIN_RUNS);
	else if (row->change == CHANGE_INSUFFICIENT && row->text[TEXT_DESIGN])
		buf_addf(b, "%sthe runs hold too few windows that can be used", separator);
	else if (row->change == CHANGE_INCONCLUSIVE && needed > 0)
		buf_addf(b, "%sabout %.0f %s would tell", separator, needed, blocks ? "blocks" : "runs a side");
	else if (row->change == CHANGE_INCONCLUSIVE)
		buf_addf(b, "%sno reasonable number of runs would tell; record longer", separator);
}

static bool is_of(const struct row *row, const char *point)
{
	return row->kind == ROW_REGION && !strcmp(row->text[TEXT_POINT], point);
}

void words_counts(struct buf *b, const struct report *r, const char *point)
{
	size_t n[CHANGES] = { 0 }, more = 0, less = 0, shifted = 0, start = b->len;
	static const struct {
		enum change change;
		const char *words;
	} rest[] = {
		{ CHANGE_LIKELY, "likely changed" },   { CHANGE_NEW, "new" },
		{ CHANGE_VANISHED, "gone" },           { CHANGE_MINOR, "changed slightly" },
		{ CHANGE_UNCHANGED, "unchanged" },     { CHANGE_INCONCLUSIVE, "inconclusive" },
		{ CHANGE_INSUFFICIENT, "with too little data" },
	};

	for (size_t i = 0; i < r->n; i++) {
		const struct row *row = &r->row[i];

		if (!is_of(row, point))
			continue;
		if (row->real[REAL_SHIFT] > 0)
			shifted++;
		else if (row->change == CHANGE_CHANGED)
			(*(row_is_worse(row) ? &more : &less))++;
		else
			n[row->change]++;
	}
	if (more)
		buf_addf(b, "%zu region%s more", more, more == 1 ? " costs" : "s cost");
	if (less)
		buf_addf(b, "%s%zu %s less", b->len > start ? ", " : "", less, less == 1 ? "costs" : "cost");
	if (shifted)
		buf_addf(b, "%s%zu exchanged cost", b->len > start ? ", " : "", shifted);
	for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
		if (n[rest[i].change])
			buf_addf(b, "%s%zu %s", b->len > start ? ", " : "", n[rest[i].change], rest[i].words);
	if (b->len == start)
		buf_adds(b, "no region in both");
}

void words_match(struct buf *b, const struct row *row)
{
	const char *kind = row->text[TEXT_MATCH], *was = row->text[TEXT_BASE_REGION];
	bool elsewhere = was && row->text[TEXT_REGION] && strcmp(was, row->text[TEXT_REGION]) != 0;
	char *name = words_name(was, 60);

	if (!kind)
		buf_adds(b, row->text[TEXT_BASE_IMPACT] ? "in base alone" : "in head alone");
	else if (!strcmp(kind, match_kind_name(MATCH_SAME)) && !elsewhere)
		buf_adds(b, "same place");
	else if (elsewhere)
		buf_addf(b, "%s in base, matched by %.20s", name, kind);
	else
		buf_addf(b, "matched by %.20s", kind);
	if (kind && row->real[REAL_CONFIDENCE] < 1)
		buf_addf(b, ", confidence %.2f", row->real[REAL_CONFIDENCE]);
	free(name);
}

bool words_is_news(const struct row *row)
{
	return row->change <= CHANGE_MINOR || row->change == CHANGE_NEW || row->change == CHANGE_VANISHED;
}
