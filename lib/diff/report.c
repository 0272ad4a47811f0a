#include "diff/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/text.h"

static const char *const kinds[] = { [ROW_META] = "meta", [ROW_NOTE] = "note", [ROW_POINT] = "point", [ROW_REGION] = "region" };

static const char *const texts[] = {
	[TEXT_NAME] = "name",                 [TEXT_VALUE] = "value",
	[TEXT_VERDICT] = "verdict",           [TEXT_DIRECTION] = "direction",
	[TEXT_POINT] = "point",               [TEXT_REGION] = "region",
	[TEXT_BASE_REGION] = "base_region",   [TEXT_SCOPE] = "scope",
	[TEXT_FUNCTION] = "function",         [TEXT_FILE] = "file",
	[TEXT_BASE_FILE] = "base_file",       [TEXT_MATCH] = "match",
	[TEXT_DESIGN] = "design",             [TEXT_BASE_IMPACT] = "base_impact",
	[TEXT_HEAD_IMPACT] = "head_impact",   [TEXT_BASE_CURVE] = "base_curve",
	[TEXT_HEAD_CURVE] = "head_curve",     [TEXT_NOTE] = "note",
};

static const char *const reals[] = {
	[REAL_LINE] = "line",                       [REAL_BASE_LINE] = "base_line",
	[REAL_CONFIDENCE] = "confidence",           [REAL_BASE_NS] = "base_ns",
	[REAL_BASE_LO] = "base_lo",                 [REAL_BASE_HI] = "base_hi",
	[REAL_HEAD_NS] = "head_ns",                 [REAL_HEAD_LO] = "head_lo",
	[REAL_HEAD_HI] = "head_hi",                 [REAL_DELTA_NS] = "delta_ns",
	[REAL_DELTA_LO] = "delta_lo",               [REAL_DELTA_HI] = "delta_hi",
	[REAL_PCT] = "pct",                         [REAL_PCT_LO] = "pct_lo",
	[REAL_PCT_HI] = "pct_hi",                   [REAL_P] = "p",
	[REAL_Q] = "q",                             [REAL_MARGIN_PCT] = "margin_pct",
	[REAL_MDE_PCT] = "mde_pct",                 [REAL_NEEDED] = "needed",
	[REAL_BASE_RUNS] = "base_runs",             [REAL_HEAD_RUNS] = "head_runs",
	[REAL_UNITS] = "units",                     [REAL_BASE_SLOPE] = "base_slope",
	[REAL_BASE_SLOPE_LO] = "base_slope_lo",     [REAL_BASE_SLOPE_HI] = "base_slope_hi",
	[REAL_HEAD_SLOPE] = "head_slope",           [REAL_HEAD_SLOPE_LO] = "head_slope_lo",
	[REAL_HEAD_SLOPE_HI] = "head_slope_hi",     [REAL_SLOPE_DELTA] = "slope_delta",
	[REAL_SLOPE_LO] = "slope_lo",               [REAL_SLOPE_HI] = "slope_hi",
	[REAL_SLOPE_P] = "slope_p",                 [REAL_BASE_SHARE_PCT] = "base_share_pct",
	[REAL_HEAD_SHARE_PCT] = "head_share_pct",   [REAL_SHIFT] = "shift",
	[REAL_CONFIRMED] = "confirmed",             [REAL_POINT_NOT_SLOWER] = "point_not_slower",
};

const char *row_kind_name(enum row_kind k)
{
	return kinds[k];
}

const char *row_text_name(enum row_text t)
{
	return texts[t];
}

const char *row_real_name(enum row_real r)
{
	return reals[r];
}

void report_release(struct report *r)
{
	for (size_t i = 0; i < r->n; i++)
		for (int t = 0; t < ROW_TEXTS; t++)
			free(r->row[i].text[t]);
	free(r->row);
	*r = (struct report)REPORT_INIT;
}

struct row *report_add(struct report *r, enum row_kind kind)
{
	struct row *row;

	r->row = xgrow(r->row, r->n, &r->cap, sizeof *r->row);
	row = &r->row[r->n++];
	*row = (struct row){ .kind = kind, .change = CHANGE_INSUFFICIENT };
	for (int i = 0; i < ROW_REALS; i++)
		row->real[i] = NAN;
	return row;
}

void row_set(struct row *row, enum row_text key, const char *value)
{
	free(row->text[key]);
	row->text[key] = value ? xstrdup(value) : NULL;
}

void row_judge(struct row *row, enum change c)
{
	row->change = c;
	row_set(row, TEXT_VERDICT, change_name(c));
}

void report_meta(struct report *r, const char *name, const char *value)
{
	struct row *row;

	if (!value)
		return;
	row = report_add(r, ROW_META);
	row_set(row, TEXT_NAME, name);
	row_set(row, TEXT_VALUE, value);
}

void report_note(struct report *r, const char *name, const char *fmt, ...)
{
	struct row *row = report_add(r, ROW_NOTE);
	va_list ap;

	row_set(row, TEXT_NAME, name);
	va_start(ap, fmt);
	if (vasprintf(&row->text[TEXT_VALUE], fmt, ap) < 0)
		row->text[TEXT_VALUE] = xstrdup(name);
	va_end(ap);
}

const char *report_find(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->row[i].kind == ROW_META && !strcmp(r->row[i].text[TEXT_NAME], name))
			return r->row[i].text[TEXT_VALUE];
	return NULL;
}

double report_number(const struct report *r, const char *name)
{
	const char *text = report_find(r, name);
	double x = NAN;

	if (text)
		num_real(text, &x);
	return x;
}

bool report_is_readable(const struct report *r, const char *path)
{
	const char *version = report_find(r, REPORT_NAME);

	if (!version || !strcmp(version, REPORT_VERSION))
		return true;
	msg_error("%s: a table of version '%s', and this program reads version %s", path, version, REPORT_VERSION);
	return false;
}

bool row_finish(struct row *row)
{
	if (row->kind == ROW_META || row->kind == ROW_NOTE)
		return row->text[TEXT_NAME] && row->text[TEXT_VALUE];
	return row->text[TEXT_POINT] && row->text[TEXT_VERDICT] && change_named(row->text[TEXT_VERDICT], &row->change) &&
	       (row->kind == ROW_POINT || row->text[TEXT_REGION]);
}

const char *row_function_of_line(const struct row *row)
{
	return text_same(row->text[TEXT_SCOPE], "line") ? row->text[TEXT_FUNCTION] : NULL;
}

bool row_is_open(const struct row *row)
{
	return row->change == CHANGE_INCONCLUSIVE || row->change == CHANGE_INSUFFICIENT;
}

bool row_is_worse(const struct row *row)
{
	return text_same(row->text[TEXT_DIRECTION], "slower");
}

bool row_is_regression(const struct row *row)
{
	return row->change == CHANGE_CHANGED && row_is_worse(row) && !(row->real[REAL_SHIFT] > 0) && row->real[REAL_CONFIRMED] != 0 &&
	       !(row->real[REAL_POINT_NOT_SLOWER] > 0);
}
