/*
 * The sentences are those of the text report (report.c), so that both say the same.  The table and the
 * pictures are made here, from the same rows.
 */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "format/region_class.h"
#include "report/page_parts.h"
#include "report/report_table.h"
#include "text/markup.h"
#include "text/prose.h"

enum {
	MOST_CURVES = 12,  /* rows with a large curve; all others have a small one in the table */
	LABEL_BYTES = 9,   /* columns of the label of a line of the report */
};

/* ---- sentences --------------------------------------------------------------------- */

/* Takes the text up to the end of the line off *rest; NULL: there is none. */
static char *next_line(char **rest)
{
	return *rest && **rest ? strsep(rest, "\n") : NULL;
}

static void add_lead(struct buf *b, struct report *r)
{
	char *rest, *line;
	bool first = true;

	buf_clear(&r->out);
	report_lead(r);
	rest = r->out.s;
	while ((line = next_line(&rest))) {
		buf_adds(b, first ? "<p class=\"lead\">" : "<p class=\"more\">");
		markup_add_clean(b, line);
		buf_adds(b, "</p>\n");
		first = false;
	}
}

/* The label of the line, which ends with a blank or a colon, as text. */
static void add_label(struct buf *b, const char *line)
{
	char label[LABEL_BYTES + 1];

	memcpy(label, line, LABEL_BYTES);
	label[LABEL_BYTES] = '\0';
	label[strcspn(label, ": ") ? strcspn(label, ":") : 0] = '\0';
	for (size_t n = strlen(label); n && label[n - 1] == ' '; n--)
		label[n - 1] = '\0';
	markup_add_clean(b, label);
}

/* The lines of a report, each a label and a text: "why      4: the threads that run it wait ...". */
static void add_lines(struct buf *b, char *text)
{
	const char *last = "";
	char *line;
	bool open = false;

	while ((line = next_line(&text))) {
		bool same;

		if (strlen(line) <= LABEL_BYTES || !strncmp(line, "terms", 5))
			continue;
		same = !strncmp(line, REPORT_INDENT, LABEL_BYTES) || !strncmp(line, last, LABEL_BYTES);
		if (!open)
			buf_adds(b, "<dl>\n");
		if (!same || !open) {
			buf_addf(b, "%s<div%s><dt>", open ? "</dd></div>\n" : "", strncmp(line, "warning", 7) ? "" : " class=\"warning\"");
			add_label(b, line);
			buf_adds(b, "</dt><dd>");
			last = line;
		}
		open = true;
		buf_adds(b, "<p>");
		markup_add_clean(b, line + LABEL_BYTES);
		buf_adds(b, "</p>");
	}
	if (open)
		buf_adds(b, "</dd></div>\n</dl>\n");
}

/* ---- the table --------------------------------------------------------------------- */

static void open_cell(struct buf *b, const char *class, const char *head, double value, int digits)
{
	buf_addf(b, "<td role=\"cell\" class=\"%s\" data-head=\"%s\" data-value=\"", class, head);
	if (isfinite(value))
		prose_add_number(b, value, digits);
	buf_adds(b, "\">");
}

static void add_place(struct buf *b, const struct profile_region *r)
{
	bool is_line = region_is_line(r->scope);
	const char *words = region_is_class(r->scope) ? region_class_words(r->symbol) : NULL;

	buf_adds(b, "<td role=\"cell\" class=\"place\" data-head=\"place\" data-value=\"");
	markup_add_clean(b, r->label);
	buf_adds(b, "\">");
	markup_add_clean(b, r->label);
	buf_adds(b, " <small>");
	if (words) {
		buf_adds(b, words);
	} else if (is_line) {
		markup_add_clean(b, r->function ? r->function : "");
	} else if (r->file) {
		markup_add_clean(b, path_name(r->file));
		if (r->line)
			buf_addf(b, ":%llu", (unsigned long long)r->line);
	}
	buf_adds(b, "</small></td>");
}

static void add_share(struct buf *b, const char *head, double pct)
{
	open_cell(b, "number nowrap", head, pct, 3);
	if (pct > 0 && pct < 0.5)
		buf_adds(b, "&lt;1 %");
	else if (!isnan(pct))
		buf_addf(b, "%.0f %%", pct);
	buf_adds(b, "</td>");
}

/* "0.45 (0.38 to 0.52)", the interval in smaller letters. */
static void add_estimate(struct buf *b, const struct estimate *e, double unit, int digits)
{
	prose_add_number(b, unit * e->value, digits);
	if (!isfinite(e->lo) || !isfinite(e->hi))
		return;
	buf_adds(b, " <small class=\"quiet\">(");
	prose_add_number(b, unit * e->lo, digits);
	buf_adds(b, " to ");
	prose_add_number(b, unit * e->hi, digits);
	buf_adds(b, ")</small>");
}

static void add_impact(struct buf *b, const struct page_axis *axis, const struct report_row *row)
{
	const struct estimate *slope = &row->im->effect.fit.slope;

	open_cell(b, "", "impact", row->class == REPORT_UNKNOWN ? NAN : slope->value, 6);
	if (row->class == REPORT_UNKNOWN) {
		buf_adds(b, "?</td>");
		return;
	}
	buf_adds(b, "<div><span class=\"nowrap\">");
	add_estimate(b, slope, 1, 2);
	buf_adds(b, "</span>");
	page_interval(b, axis, slope);
	buf_adds(b, "</div></td>");
}

static void add_gain(struct buf *b, const struct report_row *row)
{
	const struct causal_level *level = table_level(row);

	open_cell(b, "", "gain", level ? level->gain.value : NAN, 6);
	if (level) {
		buf_adds(b, "<div><span class=\"nowrap\">");
		add_estimate(b, &level->gain, 100, 0);
		buf_addf(b, " %%</span> <small class=\"quiet nowrap\">at %.0f %%</small></div>", 100 * level->s);
	} else {
		buf_addc(b, '?');
	}
	buf_adds(b, "</td>");
}

static void add_verdict(struct buf *b, const struct report *r, const struct report_row *row)
{
	const struct report_verdict *v = report_verdict(row);

	buf_addf(b, "<td role=\"cell\" data-head=\"verdict\" data-value=\"%s\"><span class=\"verdict %s\">%s%s</span></td>", v->words, v->class,
		 v->words, report_states(row) && r->a->nundermined ? ", in doubt" : "");
}

static void add_head(struct buf *b, const char *class, const char *sort, const char *words)
{
	buf_addf(b, "<th role=\"columnheader\" scope=\"col\" class=\"%s\"%s%s%s>%s</th>", class, *sort ? " data-sort=\"" : "", sort,
		 *sort ? "\"" : "", words);
}

static void add_row(struct buf *b, const struct report *r, const struct page_axis *axis, size_t i, bool blocked)
{
	const struct report_row *row = &r->row[i];

	buf_adds(b, "<tr role=\"row\">");
	open_cell(b, "number rank", "#", (double)(i + 1), 0);
	buf_addf(b, "%zu</td>", i + 1);
	add_place(b, row->im->region);
	add_share(b, "CPU", row->cpu_pct);
	if (blocked)
		add_share(b, "wait", row->blocked_pct);
	add_impact(b, axis, row);
	add_gain(b, row);
	buf_adds(b, "<td role=\"cell\" data-head=\"curve\">");
	page_spark(b, row);
	buf_adds(b, "</td>");
	add_verdict(b, r, row);
	buf_adds(b, "</tr>\n");
}

static bool has_blocked(const struct report *r)
{
	for (size_t i = 0; i < r->nshown; i++)
		if (r->row[i].blocked_pct >= 0.5)
			return true;
	return false;
}

static void add_table(struct buf *b, const struct report *r, const struct page_axis *axis)
{
	bool blocked = has_blocked(r);

	if (!r->nshown)
		return;
	buf_adds(b, "<table role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">");
	add_head(b, "number", "up", "#");
	add_head(b, "", "text", "place");
	add_head(b, "number", "down", "CPU");
	if (blocked)
		add_head(b, "number", "down", "wait");
	add_head(b, "", "down", "impact");
	add_head(b, "", "down", "gain");
	add_head(b, "", "", "curve");
	add_head(b, "", "text", "verdict");
	buf_adds(b, "</tr></thead>\n<tbody role=\"rowgroup\">\n");
	for (size_t i = 0; i < r->nshown; i++)
		add_row(b, r, axis, i, blocked);
	buf_adds(b, "</tbody>\n</table>\n");
	if (r->nshown < r->nrows)
		buf_addf(b, "<p class=\"quiet\">and %zu more (--top %zu)</p>\n", r->nrows - r->nshown, r->nrows);
}

static void add_curves(struct buf *b, const struct report *r, const struct page_axis *axis)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nshown && n < MOST_CURVES; i++) {
		if (!r->row[i].im->effect.nlevels || r->row[i].class == REPORT_UNKNOWN)
			continue;
		if (!n++)
			buf_adds(b, "<h3>What the program gains, in per cent (dotted: one for one; hollow: no interval yet; pale: no verdict yet)</h3>\n<div class=\"curves\">\n");
		page_curve(b, axis, &r->row[i], i + 1);
	}
	if (n)
		buf_adds(b, "</div>\n");
}

/* ---- the document ------------------------------------------------------------------ */

static void add_point(struct buf *b, struct report *r, size_t top)
{
	struct page_axis axis;

	report_take_rows(r, top);
	axis = page_axis(r);
	buf_adds(b, "<section>\n<h2>");
	markup_add_clean(b, r->point->whole ? "run time" : r->point->name);
	buf_adds(b, "</h2>\n");
	add_lead(b, r);
	add_table(b, r, &axis);
	add_curves(b, r, &axis);
	buf_clear(&r->out);
	report_below(r);
	report_point(&r->out, r->point);
	buf_adds(b, "<h3>Details</h3>\n");
	add_lines(b, r->out.s);
	buf_adds(b, "</section>\n");
	free(r->row);
	r->row = NULL;
}

static void add_begin(struct buf *b, const struct profile *p)
{
	const char *command = p->nruns && p->run[0].command ? p->run[0].command : "unknown program";

	buf_adds(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	buf_addf(b, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; "
		 "base-uri 'none'; form-action 'none'\">\n", page_style_hash, page_script_hash);
	buf_adds(b, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
		 "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
	markup_add_clean(b, command);
	buf_addf(b, " \xc2\xb7 andweorc</title>\n<style>%s</style>\n</head>\n<body>\n<header>\n<h1>", page_style);
	markup_add_clean(b, command);
	buf_adds(b, "</h1>\n<p>What it would gain if parts of it were faster</p>\n</header>\n<main>\n");
}

static void add_end(struct buf *b, struct report *r)
{
	buf_clear(&r->out);
	report_setup(&r->out, r->a->profile);
	report_end(&r->out, r->a);
	buf_adds(b, "<section>\n<h2>How it was measured</h2>\n");
	add_lines(b, r->out.s);
	buf_adds(b, "</section>\n</main>\n<footer>Impact: of each per cent off the time of a place, so many per cent arrive at the program. "
		 "In brackets, and as lines and bands: 95 % intervals. All terms: andweorc-analyze --explain</footer>\n");
	buf_addf(b, "<script>%s</script>\n</body>\n</html>\n", page_script);
}

void page_write(const struct analysis *a, size_t top, FILE *out)
{
	struct report r = { .a = a };
	struct buf b = BUF_INIT;

	/* A line of the report is a paragraph here. */
	prose_set_page((struct prose_page){ .columns = 240, .utf8 = true, .unbroken = true });
	add_begin(&b, a->profile);
	for (size_t i = 0; i < a->npoints; i++) {
		r.point = &a->point[i];
		add_point(&b, &r, top);
	}
	if (!a->npoints)
		buf_adds(&b, "<p class=\"lead\">There is no result. The warnings below say why.</p>\n");
	add_end(&b, &r);
	fwrite(b.s, 1, b.len, out);
	buf_release(&r.out);
	buf_release(&b);
}
