/* write_markdown: the comment.  The most important results come first, the rest is folded. */
#include "publish/write.h"

#include <math.h>
#include <string.h>

#include "diff/words.h"
#include "publish/escape.h"
#include "publish/markdown_parts.h"

enum { POINT_COLUMNS = 30, MACHINE_COLUMNS = 50, COMMIT_COLUMNS = 12, NOTE_COLUMNS = 300, MOST_POINTS = 20, MOST_NOTES = 10 };

/* Whole sections are left out when there is no room, the last of these first. */
enum section { SECTION_HEAD, SECTION_NEWS, SECTION_NOTES, SECTION_OPEN, SECTION_REST, SECTION_MATCHES, SECTION_HOW, SECTIONS };

struct markdown {
	const struct report *r;
	struct buf section[SECTIONS];
};

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
	buf_addf(b, first ? "### %s andweorc: " : "\n**%s ", markdown_icon(row));
	markdown_code(b, row->text[TEXT_POINT], POINT_COLUMNS);
	buf_addf(b, " %s", words_verdict(row));
	if (row->text[TEXT_DESIGN] && !isnan(row->real[REAL_PCT])) {
		buf_adds(b, ", throughput ");
		words_pct(b, row, " %");
	}
	buf_adds(b, " · ");
	words_counts(b, m->r, row->text[TEXT_POINT]);
	buf_adds(b, first ? "\n\n" : "**\n\n");
}

static void add_facts(struct buf *b, const struct report *r, const struct row *row)
{
	double regions = report_number(r, "region_margin_pct");

	words_design(b, row);
	if (!isnan(row->real[REAL_MDE_PCT])) {
		buf_adds(b, " · could have seen ");
		words_mde(b, row);
	}
	words_calm(b, row, " · ");
	words_needed(b, row, " · ");
	if (isnan(row->real[REAL_MARGIN_PCT]))
		return;
	buf_addf(b, " · margin %g %%", row->real[REAL_MARGIN_PCT]);
	if (!isnan(regions))
		buf_addf(b, ", of regions %g %%", regions);
	buf_addf(b, ", q ≤ %g, 95 %% intervals", CHANGE_Q);
}

static void add_machine(struct buf *b, const struct report *r)
{
	static const char *const names[] = { "cpu_model", "kernel" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = report_find(r, names[i]);

		if (!value)
			continue;
		buf_adds(b, " · ");
		markdown_plain(b, value, MACHINE_COLUMNS);
	}
}

/* So that a comment that was not brought up to date can be told. */
static void add_commits(struct buf *b, const struct report *r)
{
	static const char *const side[] = { "base", "head" };

	for (int s = 0; s < 2; s++) {
		const char *commit = report_find(r, s ? "head_commit" : "base_commit");

		if (!commit)
			continue;
		buf_addf(b, " · %s ", side[s]);
		markdown_code(b, commit, COMMIT_COLUMNS);
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
		buf_adds(b, "<sub>");
		add_facts(b, m->r, &m->r->row[i]);
		if (points == 1) {
			add_machine(b, m->r);
			add_commits(b, m->r);
		}
		buf_adds(b, "</sub>\n");
	}
	if (points > MOST_POINTS)
		buf_addf(b, "\nand %zu more points\n", points - MOST_POINTS);
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
		markdown_plain(b, row->text[TEXT_VALUE], NOTE_COLUMNS);
		buf_addc(b, '\n');
	}
	if (n > MOST_NOTES)
		buf_addf(b, ">\n> and %zu more notes\n", n - MOST_NOTES);
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
	/* room for the line about omitted sections */
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
	markdown_table(&m.section[SECTION_NEWS], r, MARKDOWN_NEWS);
	add_notes(&m);
	markdown_table(&m.section[SECTION_OPEN], r, MARKDOWN_OPEN);
	markdown_table(&m.section[SECTION_REST], r, MARKDOWN_REST);
	markdown_table(&m.section[SECTION_MATCHES], r, MARKDOWN_MATCHES);
	add_how(&m);
	write_sections(&m, most, out);
	for (int s = 0; s < SECTIONS; s++)
		buf_release(&m.section[s]);
}
