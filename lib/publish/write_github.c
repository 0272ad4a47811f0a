/* write_github: annotations, one a line, in order of importance, as many as a runner shows. */
#include "publish/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/gate.h"
#include "diff/words.h"
#include "publish/escape.h"

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTICE, SEVERITIES };

static const char *const names[] = { "error", "warning", "notice" };

static bool is_worth_one(const struct row *row)
{
	return (row->kind == ROW_POINT || row->kind == ROW_REGION) &&
	       (row->change <= CHANGE_LIKELY || row->change == CHANGE_NEW || row->change == CHANGE_VANISHED);
}

/* An error (red) only if the step fails because of it. */
static enum severity severity_of(const struct row *row, unsigned gates)
{
	if (gate_is_met_by(row, gates))
		return SEVERITY_ERROR;
	if (row_is_regression(row))
		return SEVERITY_WARNING;
	return SEVERITY_NOTICE;
}

static void add_property(struct buf *b, const char *key, const char *value, bool *first)
{
	buf_addf(b, "%c%s=", *first ? ' ' : ',', key);
	escape_command_property(b, value);
	*first = false;
}

/* The place in head's source; a vanished region has none. */
static void add_place(struct buf *b, const struct row *row, bool *first)
{
	char *file = words_name(row->text[TEXT_FILE], 0);
	char line[32];

	if (*file) {
		add_property(b, "file", file, first);
		if (row->real[REAL_LINE] >= 1) {
			snprintf(line, sizeof line, "%.0f", row->real[REAL_LINE]);
			add_property(b, "line", line, first);
		}
	}
	free(file);
}

static void add_message(struct buf *b, const struct row *row)
{
	char *name = words_name(row->kind == ROW_POINT ? row->text[TEXT_POINT] : row->text[TEXT_REGION], 80);

	buf_addf(b, "%s %s", name, words_verdict(row));
	if (!isnan(row->real[REAL_PCT])) {
		buf_adds(b, ": ");
		words_pct(b, row, row->kind == ROW_POINT ? " % throughput" : " % of a visit");
	}
	if (row->text[TEXT_DESIGN] && strcmp(row->text[TEXT_DESIGN], design_name(DESIGN_NONE)) != 0) {
		buf_adds(b, ", ");
		words_design(b, row);
	}
	if (!isnan(row->real[REAL_Q]))
		buf_addf(b, ", q %.2g", row->real[REAL_Q]);
	if (row->real[REAL_CONFIDENCE] < 1) {
		buf_adds(b, "; ");
		words_match(b, row);
	}
	words_calm(b, row, "; ");
	free(name);
}

static void add_annotation(struct buf *b, const struct row *row, enum severity severity)
{
	struct buf message = BUF_INIT;
	bool first = true;

	buf_addf(b, "::%s", names[severity]);
	add_place(b, row, &first);
	add_property(b, "title", "andweorc", &first);
	buf_adds(b, "::");
	add_message(&message, row);
	escape_command_message(b, message.s);
	buf_addc(b, '\n');
	buf_release(&message);
}

/* One annotation for the whole, so that a missing one means that the tool did not run. */
static void add_summary(struct buf *b, const struct report *r, size_t left_out)
{
	struct buf message = BUF_INIT;

	for (size_t i = 0; i < r->n; i++) {
		const struct row *row = &r->row[i];

		if (row->kind != ROW_POINT)
			continue;
		if (message.len)
			buf_adds(&message, "; ");
		add_message(&message, row);
		buf_adds(&message, "; ");
		words_counts(&message, r, row->text[TEXT_POINT]);
		if (message.len > 3000)
			break;
	}
	if (left_out)
		buf_addf(&message, "; %zu more finding%s without annotation", left_out, left_out == 1 ? "" : "s");
	buf_adds(b, "::notice title=andweorc::");
	escape_command_message(b, message.s ? message.s : "nothing to compare");
	buf_addc(b, '\n');
	buf_release(&message);
}

void write_github(const struct report *r, unsigned gates, size_t most, FILE *out)
{
	size_t used[SEVERITIES] = { 0, 0, 1 /* the summary */ }, left_out = 0;
	struct buf b = BUF_INIT, all = BUF_INIT;

	for (size_t i = 0; i < r->n; i++) {
		const struct row *row = &r->row[i];
		enum severity severity = severity_of(row, gates);

		if (!is_worth_one(row) && severity != SEVERITY_ERROR)
			continue;
		if (used[severity] == most) {
			left_out++;
			continue;
		}
		used[severity]++;
		add_annotation(&b, row, severity);
	}
	add_summary(&all, r, left_out);
	buf_add(&all, b.s ? b.s : "", b.len);
	fwrite(all.s, 1, all.len, out);
	buf_release(&all);
	buf_release(&b);
}
