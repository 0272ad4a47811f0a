/* markdown_table: tables of regions. */
#include "publish/markdown_parts.h"

#include <math.h>
#include <string.h>

#include "diff/words.h"
#include "match/match.h"
#include "publish/curves.h"

enum { NAME_COLUMNS = 60, FUNCTION_COLUMNS = 40, MATCH_COLUMNS = 20 };

/* A smaller p is not printed with more digits. */
static const double LEAST_Q = 0.001;

/* ---- cells ---------------------------------------------------------------------------- */

static void add_time(struct buf *b, const struct row *row, enum row_real ns)
{
	if (isnan(row->real[ns]))
		buf_adds(b, "–");
	else
		words_time(b, row, ns);
}

/* A line's number tells little without its function. */
static void add_name(struct buf *b, const struct row *row)
{
	const char *function = row_function_of_line(row);

	markdown_code(b, row->text[TEXT_REGION], NAME_COLUMNS);
	if (function) {
		buf_addc(b, ' ');
		markdown_code(b, function, FUNCTION_COLUMNS);
	}
}

static void add_name_cell(struct buf *b, const struct row *row)
{
	buf_addf(b, "| %s | ", markdown_icon(row));
	add_name(b, row);
	buf_addf(b, " | %s | ", words_verdict(row));
}

static void add_cost_cells(struct buf *b, const struct row *row)
{
	words_pct(b, row, " %");
	buf_adds(b, " | ");
	add_time(b, row, REAL_BASE_NS);
	buf_adds(b, " → ");
	add_time(b, row, REAL_HEAD_NS);
	buf_adds(b, " | ");
	if (isnan(row->real[REAL_Q]))
		buf_adds(b, "– |");
	else if (row->real[REAL_Q] < LEAST_Q)
		buf_addf(b, "&lt; %g |", LEAST_Q);
	else
		buf_addf(b, "%.2g |", row->real[REAL_Q]);
}

static void add_curve_cell(struct buf *b, const struct row *row)
{
	struct buf base = BUF_INIT, head = BUF_INIT;
	bool has_base = spark_add(&base, row->text[TEXT_BASE_CURVE], row->text[TEXT_HEAD_CURVE]);
	bool has_head = spark_add(&head, row->text[TEXT_HEAD_CURVE], row->text[TEXT_BASE_CURVE]);

	buf_addf(b, " %s<br>%s |", has_base ? base.s : "–", has_head ? head.s : "–");
	buf_release(&base);
	buf_release(&head);
}

static void add_slope_cell(struct buf *b, const struct row *row)
{
	const double slope[2] = { row->real[REAL_BASE_SLOPE], row->real[REAL_HEAD_SLOPE] };

	for (int i = 0; i < 2; i++) {
		buf_adds(b, i ? " → " : " ");
		if (isnan(slope[i]))
			buf_adds(b, "–");
		else
			buf_addf(b, "%.2f", slope[i]);
	}
	buf_adds(b, " |");
}

static void add_change(struct buf *b, const struct row *row)
{
	add_name_cell(b, row);
	add_cost_cells(b, row);
	add_slope_cell(b, row);
	add_curve_cell(b, row);
}

/* The number of runs that would give a verdict, if there is none yet. */
static void add_needs(struct buf *b, const struct row *row)
{
	buf_adds(b, "| ");
	add_name(b, row);
	buf_adds(b, " | ");
	words_pct(b, row, " %");
	buf_adds(b, " | ");
	if (isnan(row->real[REAL_MDE_PCT]))
		buf_adds(b, "–");
	else
		words_mde(b, row);
	buf_adds(b, " | ");
	words_needed(b, row, "");
	buf_adds(b, " |");
}

static void add_match(struct buf *b, const struct row *row)
{
	buf_adds(b, "| ");
	markdown_code(b, row->text[TEXT_REGION], NAME_COLUMNS);
	buf_adds(b, " | ");
	markdown_code(b, row->text[TEXT_BASE_REGION], NAME_COLUMNS);
	buf_adds(b, " | ");
	markdown_plain(b, row->text[TEXT_MATCH], MATCH_COLUMNS);
	buf_addf(b, " | %.2f |", row->real[REAL_CONFIDENCE]);
}

/* ---- tables --------------------------------------------------------------------------- */

static bool is_rest(const struct row *row)
{
	return !words_is_news(row) && !row_is_open(row);
}

static bool is_moved(const struct row *row)
{
	return row->text[TEXT_MATCH] &&
	       (row->real[REAL_CONFIDENCE] < MATCH_SURE || strcmp(row->text[TEXT_MATCH], match_kind_name(MATCH_SAME)) != 0);
}

#define CHANGE_HEADING \
	"| | region | verdict | Δ cost, % of a visit | cost per visit | q | impact | curve |\n" \
	"|---|---|---|---|---|---|---|---|\n"

static const struct table {
	bool (*belongs)(const struct row *row);
	void (*add_row)(struct buf *b, const struct row *row);
	const char *heading;
	size_t most;                     /* rows */
	const char *before, *one, *many; /* around the number of rows, in the line that stays when it is folded; NULL: it is not */
} tables[] = {
	[MARKDOWN_NEWS] = { words_is_news, add_change, CHANGE_HEADING, 20, NULL, NULL, NULL },
	[MARKDOWN_OPEN] = { row_is_open, add_needs, "| region | so far, % of a visit | could have seen | to tell |\n|---|---|---|---|\n",
			    100, "", " region of which it cannot be told yet", " regions of which it cannot be told yet" },
	[MARKDOWN_REST] = { is_rest, add_change, CHANGE_HEADING, 100, "", " other region", " other regions" },
	[MARKDOWN_MATCHES] = { is_moved, add_match, "| region | in base | by | confidence |\n|---|---|---|---|\n",
			       100, "How ", " region was found again", " regions were found again" },
};

static bool is_in(const struct table *t, const struct row *row)
{
	return row->kind == ROW_REGION && t->belongs(row);
}

static void add_rows(struct buf *b, const struct report *r, const struct table *t)
{
	size_t n = 0;

	buf_adds(b, t->heading);
	for (size_t i = 0; i < r->n; i++) {
		if (!is_in(t, &r->row[i]) || ++n > t->most)
			continue;
		t->add_row(b, &r->row[i]);
		buf_addc(b, '\n');
	}
	if (n > t->most)
		buf_addf(b, "\nand %zu more\n", n - t->most);
}

void markdown_table(struct buf *b, const struct report *r, enum markdown_table which)
{
	const struct table *t = &tables[which];
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += is_in(t, &r->row[i]);
	if (!n)
		return;
	buf_addc(b, '\n');
	if (t->before)
		buf_addf(b, "<details><summary>%s%zu%s</summary>\n\n", t->before, n, n == 1 ? t->one : t->many);
	add_rows(b, r, t);
	if (t->before)
		buf_adds(b, "\n</details>\n");
}
