#include "publish/write.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "diff/words.h"
#include "publish/curves.h"
#include "text/prose.h"

enum { LINE_COLUMNS = 40, NAME_COLUMNS = 60, SHORT_COLUMNS = 40, NOTE_COLUMNS = 300 };

static const char HEAD[] = "         ", BODY[] = "              ";

struct text {
	const struct report *r;
	struct buf out;
	bool colour;
};

static void bold(struct text *t, const char *s)
{
	buf_addf(&t->out, t->colour ? "\033[1m%s\033[0m" : "%s", s);
}

static void add_head(struct text *t)
{
	const struct report *r = t->r;
	char *command = words_name(report_find(r, "command"), NAME_COLUMNS), *base = words_name(report_find(r, "base_commit"), SHORT_COLUMNS);
	char regions[64] = "", *head = words_name(report_find(r, "head_commit"), SHORT_COLUMNS), *machine = words_name(report_find(r, "cpu_model"), NAME_COLUMNS);

	prose_wrap(&t->out, "program  ", HEAD, "%s%s%s%s%s", *command ? command : "unknown", *base ? ", base " : "", base,
		   *head ? ", head " : "", head);
	if (report_find(r, "base_runs") && report_find(r, "head_runs"))
		prose_wrap(&t->out, "data     ", HEAD, "%g runs of base, %g of head%s%s", report_number(r, "base_runs"),
			   report_number(r, "head_runs"), *machine ? ", on " : "", machine);
	if (report_find(r, "region_margin_pct"))
		snprintf(regions, sizeof regions, ", of a region from %g %% on", report_number(r, "region_margin_pct"));
	if (report_find(r, "margin_pct"))
		prose_wrap(&t->out, "rule     ", HEAD, "a change counts from %g %% of the time of a visit on%s, at q <= %g; intervals are 95 %%",
			   report_number(r, "margin_pct"), regions, CHANGE_Q);
	free(command);
	free(base);
	free(head);
	free(machine);
}

static void add_notes(struct text *t)
{
	for (size_t i = 0; i < t->r->n; i++) {
		char *note;

		if (t->r->row[i].kind != ROW_NOTE)
			continue;
		note = words_name(t->r->row[i].text[TEXT_VALUE], NOTE_COLUMNS);
		prose_wrap(&t->out, "note     ", HEAD, "%s", note);
		free(note);
	}
}

static void add_times(struct buf *b, const struct row *row)
{
	words_time(b, row, REAL_HEAD_NS);
	buf_adds(b, ", was ");
	words_time(b, row, REAL_BASE_NS);
}

static void add_point(struct text *t, const struct row *row)
{
	char *name = words_name(row->text[TEXT_POINT], SHORT_COLUMNS);
	struct buf b = BUF_INIT;

	buf_addf(&b, "'%s': %s", name, words_verdict(row));
	if (row->text[TEXT_DESIGN] && !isnan(row->real[REAL_PCT])) {
		buf_adds(&b, ", throughput ");
		words_pct(&b, row, " %");
		buf_adds(&b, "; a visit takes ");
		add_times(&b, row);
	}
	buf_addc(&t->out, '\n');
	prose_wrap(&t->out, "point    ", HEAD, "%s", b.s);
	buf_clear(&b);
	words_design(&b, row);
	if (!isnan(row->real[REAL_MDE_PCT])) {
		buf_adds(&b, "; could have seen ");
		words_mde(&b, row);
	}
	words_calm(&b, row, "; ");
	words_needed(&b, row, "; ");
	prose_wrap(&t->out, HEAD, HEAD, "%s", b.s);
	buf_clear(&b);
	words_counts(&b, t->r, row->text[TEXT_POINT]);
	prose_wrap(&t->out, "regions  ", HEAD, "%s", b.s);
	buf_release(&b);
	free(name);
}

static void add_title(struct text *t, const struct row *row)
{
	char *region = words_name(row->text[TEXT_REGION], NAME_COLUMNS), *function = words_name(row_function_of_line(row), SHORT_COLUMNS);

	buf_adds(&t->out, "\n  ");
	bold(t, region);
	if (*function)
		buf_addf(&t->out, "  in %s", function);
	buf_addc(&t->out, '\n');
	free(region);
	free(function);
}

static void add_cost(struct text *t, const struct row *row)
{
	struct buf b = BUF_INIT;

	if (row->change == CHANGE_NEW || row->change == CHANGE_VANISHED) {
		bool new = row->change == CHANGE_NEW;

		buf_addf(&b, "%s: ", words_verdict(row));
		words_time(&b, row, new ? REAL_HEAD_NS : REAL_BASE_NS);
		buf_adds(&b, " a visit, ");
		words_pct(&b, row, " %");
		buf_adds(&b, new ? " of base's time; not tried, or not there, in base" : " of base's time; not tried, or not there, in head");
	} else {
		buf_addf(&b, "%s: ", words_verdict(row));
		words_pct(&b, row, " % of a visit");
		buf_addf(&b, ", q %.2g; ", row->real[REAL_Q]);
		add_times(&b, row);
		words_calm(&b, row, "; ");
	}
	prose_wrap(&t->out, "    cost      ", BODY, "%s", b.s);
	buf_release(&b);
}

static void add_slopes(struct text *t, const struct row *row)
{
	struct buf b = BUF_INIT;

	if (!isnan(row->real[REAL_BASE_SLOPE]))
		buf_addf(&b, "%.2f", row->real[REAL_BASE_SLOPE]);
	if (!isnan(row->real[REAL_BASE_SLOPE]) && !isnan(row->real[REAL_HEAD_SLOPE]))
		buf_adds(&b, " -> ");
	if (!isnan(row->real[REAL_HEAD_SLOPE]))
		buf_addf(&b, "%.2f", row->real[REAL_HEAD_SLOPE]);
	if (!isnan(row->real[REAL_SLOPE_DELTA])) {
		buf_adds(&b, ", ");
		words_change(&b, row->real[REAL_SLOPE_DELTA], row->real[REAL_SLOPE_LO], row->real[REAL_SLOPE_HI], "");
	}
	if (b.len)
		prose_wrap(&t->out, "    impact    ", BODY, "%s", b.s);
	buf_release(&b);
}

static void add_curves(struct text *t, const struct row *row)
{
	struct buf base = BUF_INIT, head = BUF_INIT;
	bool has_base = spark_add(&base, row->text[TEXT_BASE_CURVE], row->text[TEXT_HEAD_CURVE]);
	bool has_head = spark_add(&head, row->text[TEXT_HEAD_CURVE], row->text[TEXT_BASE_CURVE]);

	if (has_base || has_head)
		buf_addf(&t->out, "    curve     %s%s%s%s%s\n", has_base ? "base " : "", has_base ? base.s : "",
			 has_base && has_head ? "  " : "", has_head ? "head " : "", has_head ? head.s : "");
	buf_release(&base);
	buf_release(&head);
}

static void add_match(struct text *t, const struct row *row)
{
	struct buf b = BUF_INIT;

	words_match(&b, row);
	if (row->text[TEXT_NOTE])
		buf_addf(&b, "; %s", row->text[TEXT_NOTE]);
	prose_wrap(&t->out, "    match     ", BODY, "%s", b.s);
	buf_release(&b);
}

static void add_shift(struct text *t, const struct row *row)
{
	if (row->real[REAL_SHIFT] > 0)
		prose_wrap(&t->out, "    shift     ", BODY,
			   "shift %.0f: one region took over what the other gave away, and the sum of both is unchanged", row->real[REAL_SHIFT]);
}

/* A line's number tells little without its function. */
static char *line_name(const struct row *row)
{
	char *region = words_name(row->text[TEXT_REGION], LINE_COLUMNS), *function, *both, *name;

	if (!row_function_of_line(row))
		return region;
	function = words_name(row_function_of_line(row), LINE_COLUMNS);
	both = xasprintf("%s %s", region, function);
	name = words_name(both, LINE_COLUMNS);
	free(both);
	free(function);
	free(region);
	return name;
}

static void add_line(struct text *t, const struct row *row)
{
	char *region = line_name(row);
	int pad = LINE_COLUMNS - (int)prose_width(region);
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s%*s  %s", region, pad > 0 ? pad : 0, "", words_verdict(row));
	free(region);
	if (row->text[TEXT_DESIGN] && !isnan(row->real[REAL_PCT])) {
		buf_adds(&b, ", ");
		words_pct(&b, row, " %");
	}
	buf_addf(&t->out, "    %s\n", b.s);
	buf_clear(&b);
	words_needed(&b, row, "");
	if (b.len && row->change == CHANGE_INCONCLUSIVE)
		buf_addf(&t->out, "    %*s  %s\n", LINE_COLUMNS, "", b.s);
	buf_release(&b);
}

static void add_region(struct text *t, const struct row *row)
{
	add_title(t, row);
	add_cost(t, row);
	add_shift(t, row);
	add_slopes(t, row);
	add_curves(t, row);
	add_match(t, row);
}

void write_text(const struct report *r, bool colour, FILE *out)
{
	struct text t = { .r = r, .colour = colour };
	bool quiet = false;

	add_head(&t);
	add_notes(&t);
	for (size_t i = 0; i < r->n; i++) {
		const struct row *row = &r->row[i];

		if (row->kind == ROW_POINT) {
			add_point(&t, row);
			quiet = false;
		} else if (row->kind == ROW_REGION && words_is_news(row)) {
			add_region(&t, row);
		} else if (row->kind == ROW_REGION) {
			if (!quiet)
				buf_addc(&t.out, '\n');
			quiet = true;
			add_line(&t, row);
		}
	}
	prose_print(&t.out, out);
	buf_release(&t.out);
}
