/* The comment: what to know in ten seconds first, the rest folded away. */
#include "diff/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/escape.h"
#include "diff/match.h"
#include "diff/spark.h"
#include "diff/words.h"
#include "profile/prose.h"

enum { NAME_COLUMNS = 60, FUNCTION_COLUMNS = 40, MOST_POINTS = 20, MOST_NEWS = 20, MOST_REST = 100, MOST_NOTES = 10 };

/* What is smaller is certain enough for anybody. */
static const double LEAST_Q = 0.001;

/* Whole sections are left out when there is no room, the last of these first. */
enum section { SECTION_HEAD, SECTION_NEWS, SECTION_NOTES, SECTION_OPEN, SECTION_REST, SECTION_MATCHES, SECTION_HOW, SECTIONS };

struct markdown {
	const struct report *r;
	struct buf section[SECTIONS];
};

static void add_code(struct buf *b, const char *text, size_t columns)
{
	char *name = words_name(text, columns);

	escape_markdown_code(b, name);
	free(name);
}

static void add_plain(struct buf *b, const char *text, size_t columns)
{
	char *name = words_name(text, columns);

	escape_markdown_text(b, name);
	free(name);
}

static const char *icon(const struct row *row)
{
	if (row->real[REAL_SHIFT] > 0)
		return "🔀";
	if (row->change == CHANGE_CHANGED && row->real[REAL_CONFIRMED] != 0)
		return row_is_worse(row) ? "❌" : "✅";
	if (row->change <= CHANGE_LIKELY || row->change == CHANGE_NEW)
		return row_is_worse(row) || row->change == CHANGE_NEW ? "⚠️" : "🔹";
	return row->change == CHANGE_INCONCLUSIVE || row->change == CHANGE_INSUFFICIENT ? "❔" : "➖";
}

/* ---- head ------------------------------------------------------------------------------- */

static void add_marker(struct markdown *m, const char *id)
{
	const char *base = report_find(m->r, "base_commit"), *head = report_find(m->r, "head_commit");
	struct buf *b = &m->section[SECTION_HEAD];

	buf_adds(b, "<!-- andweorc-diff:v1 id=");
	escape_marker(b, id);
	buf_adds(b, " base=");
	escape_marker(b, base && strlen(base) < 100 ? base : "");
	buf_adds(b, " head=");
	escape_marker(b, head && strlen(head) < 100 ? head : "");
	buf_adds(b, " -->\n");
}

static void add_headline(struct buf *b, const struct markdown *m, const struct row *row, bool first)
{
	buf_addf(b, first ? "### %s andweorc: " : "\n**%s ", icon(row));
	add_code(b, row->text[TEXT_POINT], 30);
	buf_addf(b, " %s", words_verdict(row));
	if (row->text[TEXT_DESIGN] && !isnan(row->real[REAL_PCT])) {
		buf_adds(b, ", throughput ");
		words_change(b, row->real[REAL_PCT], row->real[REAL_PCT_LO], row->real[REAL_PCT_HI], " %");
	}
	buf_adds(b, " · ");
	words_counts(b, m->r, row->text[TEXT_POINT]);
	buf_adds(b, first ? "\n\n" : "**\n\n");
	buf_adds(b, "<sub>");
	words_design(b, row);
	if (!isnan(row->real[REAL_MDE_PCT]))
		buf_addf(b, " · could have seen %.2g %%", row->real[REAL_MDE_PCT]);
	if (row->real[REAL_CONFIRMED] == 0)
		buf_adds(b, " · not seen before, so no alarm");
	if (!isnan(row->real[REAL_NEEDED]))
		buf_adds(b, " · ");
	words_needed(b, row);
	if (!isnan(row->real[REAL_MARGIN_PCT]))
		buf_addf(b, " · margin %g %%, q ≤ %g, 95 %% intervals", row->real[REAL_MARGIN_PCT], CHANGE_Q);
}

static void add_machine(struct buf *b, const struct report *r)
{
	static const char *const names[] = { "cpu_model", "kernel" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = report_find(r, names[i]);

		if (!value)
			continue;
		buf_adds(b, " · ");
		add_plain(b, value, 50);
	}
}

static void add_head(struct markdown *m)
{
	struct buf *b = &m->section[SECTION_HEAD];
	size_t points = 0;

	for (size_t i = 0; i < m->r->n; i++) {
		if (m->r->row[i].kind != ROW_POINT || ++points > MOST_POINTS)
			continue;
		add_headline(b, m, &m->r->row[i], points == 1);
		if (points == 1)
			add_machine(b, m->r);
		buf_adds(b, "</sub>\n");
	}
	if (points > MOST_POINTS)
		buf_addf(b, "\nand %zu more points\n", points - MOST_POINTS);
}

/* ---- tables ------------------------------------------------------------------------------- */

static void add_time(struct buf *b, double ns)
{
	char text[32];

	buf_adds(b, isnan(ns) ? "–" : prose_time(ns, text));
}

static void add_name_cell(struct buf *b, const struct row *row)
{
	bool is_line = row->text[TEXT_SCOPE] && !strcmp(row->text[TEXT_SCOPE], "line");

	buf_addf(b, "| %s | ", icon(row));
	add_code(b, row->text[TEXT_REGION], NAME_COLUMNS);
	if (is_line && row->text[TEXT_FUNCTION]) {
		buf_addc(b, ' ');
		add_code(b, row->text[TEXT_FUNCTION], FUNCTION_COLUMNS);
	}
	buf_addf(b, " | %s | ", words_verdict(row));
}

static void add_cost_cells(struct buf *b, const struct row *row)
{
	words_change(b, row->real[REAL_PCT], row->real[REAL_PCT_LO], row->real[REAL_PCT_HI], " %");
	buf_adds(b, " | ");
	add_time(b, row->real[REAL_BASE_NS]);
	buf_adds(b, " → ");
	add_time(b, row->real[REAL_HEAD_NS]);
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

/* Rows of a table that some are in; says how many were left out. */
static void add_table(struct buf *b, const struct report *r, bool (*belongs)(const struct row *row), size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct row *row = &r->row[i];

		if (row->kind != ROW_REGION || !belongs(row) || ++n > most)
			continue;
		if (n == 1)
			buf_adds(b, "| | region | verdict | Δ cost, % of a visit | cost per visit | q | impact | curve |\n"
				    "|---|---|---|---|---|---|---|---|\n");
		add_name_cell(b, row);
		add_cost_cells(b, row);
		add_slope_cell(b, row);
		add_curve_cell(b, row);
		buf_addc(b, '\n');
	}
	if (n > most)
		buf_addf(b, "\nand %zu more\n", n - most);
}

static bool is_open(const struct row *row)
{
	return row->change == CHANGE_INCONCLUSIVE || row->change == CHANGE_INSUFFICIENT;
}

static bool is_rest(const struct row *row)
{
	return !words_is_news(row) && !is_open(row);
}

static size_t count(const struct report *r, bool (*belongs)(const struct row *row))
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->row[i].kind == ROW_REGION && belongs(&r->row[i]);
	return n;
}

static void add_folded(struct markdown *m, enum section s, const char *title, bool (*belongs)(const struct row *row),
		       size_t most)
{
	struct buf *b = &m->section[s];
	size_t n = count(m->r, belongs);

	if (!n)
		return;
	buf_addf(b, "\n<details><summary>%zu %s%s</summary>\n\n", n, title, n == 1 ? "" : "s");
	add_table(b, m->r, belongs, most);
	buf_adds(b, "\n</details>\n");
}

/* How many runs would tell, where it cannot be told yet. */
static void add_open(struct markdown *m)
{
	struct buf *b = &m->section[SECTION_OPEN];
	size_t n = count(m->r, is_open), shown = 0;

	if (!n)
		return;
	buf_addf(b, "\n<details><summary>%zu region%s of which it cannot be told yet</summary>\n\n"
		    "| region | so far, %% of a visit | could have seen | to tell |\n|---|---|---|---|\n", n, n == 1 ? "" : "s");
	for (size_t i = 0; i < m->r->n && shown < MOST_REST; i++) {
		const struct row *row = &m->r->row[i];

		if (row->kind != ROW_REGION || !is_open(row))
			continue;
		shown++;
		buf_adds(b, "| ");
		add_code(b, row->text[TEXT_REGION], NAME_COLUMNS);
		buf_adds(b, " | ");
		words_change(b, row->real[REAL_PCT], row->real[REAL_PCT_LO], row->real[REAL_PCT_HI], " %");
		if (isnan(row->real[REAL_MDE_PCT]))
			buf_adds(b, " | – | ");
		else
			buf_addf(b, " | %.2g %% | ", row->real[REAL_MDE_PCT]);
		words_needed(b, row);
		buf_adds(b, " |\n");
	}
	if (n > shown)
		buf_addf(b, "\nand %zu more\n", n - shown);
	buf_adds(b, "\n</details>\n");
}

/* ---- the rest ---------------------------------------------------------------------------- */

static void add_notes(struct markdown *m)
{
	struct buf *b = &m->section[SECTION_NOTES];
	size_t n = 0;

	for (size_t i = 0; i < m->r->n; i++) {
		const struct row *row = &m->r->row[i];

		if (row->kind != ROW_NOTE || ++n > MOST_NOTES)
			continue;
		buf_addf(b, "%s> %s ", n == 1 ? "\n" : ">\n", !strcmp(row->text[TEXT_NAME], "unlike") ? "⚠️" : "ℹ️");
		add_plain(b, row->text[TEXT_VALUE], 300);
		buf_addc(b, '\n');
	}
	if (n > MOST_NOTES)
		buf_addf(b, ">\n> and %zu more notes\n", n - MOST_NOTES);
}

static bool is_moved(const struct row *row)
{
	return row->text[TEXT_MATCH] && (row->real[REAL_CONFIDENCE] < MATCH_SURE || strcmp(row->text[TEXT_MATCH], "same") != 0);
}

static void add_matches(struct markdown *m)
{
	struct buf *b = &m->section[SECTION_MATCHES];
	size_t n = count(m->r, is_moved), shown = 0;

	if (!n)
		return;
	buf_addf(b, "\n<details><summary>How %zu region%s found again</summary>\n\n"
		    "| region | in base | by | confidence |\n|---|---|---|---|\n", n, n == 1 ? " was" : "s were");
	for (size_t i = 0; i < m->r->n && shown < MOST_REST; i++) {
		const struct row *row = &m->r->row[i];

		if (row->kind != ROW_REGION || !is_moved(row))
			continue;
		shown++;
		buf_adds(b, "| ");
		add_code(b, row->text[TEXT_REGION], NAME_COLUMNS);
		buf_adds(b, " | ");
		add_code(b, row->text[TEXT_BASE_REGION], NAME_COLUMNS);
		buf_adds(b, " | ");
		add_plain(b, row->text[TEXT_MATCH], 20);
		buf_addf(b, " | %.2f |\n", row->real[REAL_CONFIDENCE]);
	}
	if (n > shown)
		buf_addf(b, "\nand %zu more\n", n - shown);
	buf_adds(b, "\n</details>\n");
}

static void add_how(struct markdown *m)
{
	buf_adds(&m->section[SECTION_HOW],
		 "\n<details><summary>How to read this</summary>\n\n"
		 "- **Throughput** is the rate of the progress point: what the program does, and what to judge a change by.\n"
		 "- **Δ cost** is by how much more time of a visit the region holds the program up. It does not move when "
		 "another region changes; **impact**, the share that speeding the region up would gain, does.\n"
		 "- **Changed** (❌ ✅): the 95 % interval lies beyond the margin, and the false discovery rate q over all regions is "
		 "at most 0.05. **Likely**: it reaches inside. **Unchanged**: known to be within the margin.\n"
		 "- **Curve**: what the program would gain if the region were faster, base above head.\n"
		 "\n</details>\n");
}

static void write_sections(struct markdown *m, size_t most, FILE *out)
{
	/* room for the line that says so */
	const size_t reserve = 120;
	size_t total = 0, last = SECTIONS, left_out = 0;

	for (int s = 0; s < SECTIONS; s++)
		total += m->section[s].len;
	while (last > 1 && total + reserve > most) {
		last--;
		total -= m->section[last].len;
		left_out += m->section[last].len > 0;
	}
	for (size_t s = 0; s < last; s++)
		fwrite(m->section[s].s ? m->section[s].s : "", 1, m->section[s].len, out);
	if (left_out)
		fprintf(out, "\n<sub>%zu section%s left out: the comment would be too long</sub>\n", left_out, left_out == 1 ? "" : "s");
}

void write_markdown(const struct report *r, const char *id, size_t most, FILE *out)
{
	struct markdown m = { .r = r };

	if (id)
		add_marker(&m, id);
	add_head(&m);
	if (count(r, words_is_news)) {
		buf_addc(&m.section[SECTION_NEWS], '\n');
		add_table(&m.section[SECTION_NEWS], r, words_is_news, MOST_NEWS);
	}
	add_notes(&m);
	add_open(&m);
	add_folded(&m, SECTION_REST, "other region", is_rest, MOST_REST);
	add_matches(&m);
	add_how(&m);
	write_sections(&m, most, out);
	for (int s = 0; s < SECTIONS; s++)
		buf_release(&m.section[s]);
}
