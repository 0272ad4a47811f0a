/* report_tsv: the table as tab-separated values, for awk and for rendering later. */
#include "base/file.h"
#include "diff/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/num.h"
#include "format/field.h"

/* Longer lines are invalid. */
enum { LINE_MOST = 1 << 20, COLUMNS_MOST = 256, ROWS_MOST = 100000 };

enum {
	COLUMN_ROW = 0,
	COLUMN_TEXT = 1,
	COLUMN_REAL = COLUMN_TEXT + ROW_TEXTS,
	COLUMN_ALL = COLUMN_REAL + ROW_REALS,
	COLUMN_UNKNOWN,
};

static const char *column_name(int column)
{
	if (column == COLUMN_ROW)
		return "row";
	return column < COLUMN_REAL ? row_text_name((enum row_text)(column - COLUMN_TEXT)) :
				      row_real_name((enum row_real)(column - COLUMN_REAL));
}

static void add_cell(struct buf *b, const struct row *row, int column)
{
	const char *text = column < COLUMN_REAL ? row->text[column - COLUMN_TEXT] : NULL;
	char number[32];

	if (text) {
		field_escape(b, text, strlen(text), 0);
	} else if (column >= COLUMN_REAL && isfinite(row->real[column - COLUMN_REAL])) {
		num_format_real(number, row->real[column - COLUMN_REAL]);
		buf_adds(b, number);
	}
}

void report_write_tsv(const struct report *r, FILE *out)
{
	struct buf b = BUF_INIT;

	for (int c = 0; c < COLUMN_ALL; c++)
		buf_addf(&b, "%s%s", c ? "\t" : "", column_name(c));
	buf_addc(&b, '\n');
	for (size_t i = 0; i < r->n; i++) {
		buf_adds(&b, row_kind_name(r->row[i].kind));
		for (int c = COLUMN_TEXT; c < COLUMN_ALL; c++) {
			buf_addc(&b, '\t');
			add_cell(&b, &r->row[i], c);
		}
		buf_addc(&b, '\n');
	}
	fwrite(b.s, 1, b.len, out);
	buf_release(&b);
}

/* ---- reading: the input is untrusted (an artifact of CI) ----------------------------------- */

struct table {
	const char *name;
	unsigned long line;
	int column[COLUMNS_MOST]; /* the column of each field of a line */
	size_t ncolumns;
};

static int column_named(const char *name)
{
	for (int c = 0; c < COLUMN_ALL; c++)
		if (!strcmp(name, column_name(c)))
			return c;
	return COLUMN_UNKNOWN;
}

/* Cuts the next field off. */
static char *next_field(char **rest)
{
	char *field = *rest, *end;

	if (!field)
		return NULL;
	end = strchr(field, '\t');
	*rest = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return field;
}

static bool read_heading(struct table *t, char *line)
{
	bool seen[COLUMN_UNKNOWN + 1] = { false };
	char *name;

	while ((name = next_field(&line))) {
		int c = column_named(name);

		if (t->ncolumns == COLUMNS_MOST || (c != COLUMN_UNKNOWN && seen[c])) {
			msg_error_at(t->name, t->line, "bad column '%.40s'", name);
			return false;
		}
		seen[c] = true;
		t->column[t->ncolumns++] = c;
	}
	if (t->ncolumns && t->column[0] == COLUMN_ROW)
		return true;
	msg_error("%s: not a table of andweorc-diff: the first column is not 'row'", t->name);
	return false;
}

/* Zero has no sign here: it is written without one. */
static bool set_real(double *out, const char *field)
{
	if (!num_real(field, out))
		return false;
	*out += 0.0;
	return true;
}

static bool set_kind(struct row *row, const char *name)
{
	for (enum row_kind k = ROW_META; k < ROW_KINDS; k++)
		if (!strcmp(name, row_kind_name(k))) {
			row->kind = k;
			return true;
		}
	return false;
}

static bool set_cell(struct row *row, int column, char *field)
{
	if (column == COLUMN_UNKNOWN)
		return true;
	if (column == COLUMN_ROW)
		return set_kind(row, field);
	if (!*field)
		return true;
	if (column >= COLUMN_REAL)
		return set_real(&row->real[column - COLUMN_REAL], field);
	if (field_bad_escape(field, strlen(field)))
		return false;
	field_unescape(field);
	row_set(row, (enum row_text)(column - COLUMN_TEXT), field);
	return true;
}

static void drop_last(struct report *r)
{
	for (int t = 0; t < ROW_TEXTS; t++)
		free(r->row[r->n - 1].text[t]);
	r->n--;
}

static void read_row(struct report *r, const struct table *t, char *line)
{
	struct row *row = report_add(r, ROW_META);
	const char *bad = NULL;
	size_t i = 0;
	char *field;

	for (; (field = next_field(&line)) && i < t->ncolumns && !bad; i++)
		if (!set_cell(row, t->column[i], field))
			bad = field;
	if (bad)
		msg_error_at(t->name, t->line, "bad value '%.40s' in column %zu", bad, i);
	else if (field || i < t->ncolumns)
		msg_error_at(t->name, t->line, "there are not %zu columns", t->ncolumns);
	else if (!row_finish(row))
		msg_error_at(t->name, t->line, "row without a name, point, region or verdict that it needs");
	else
		return;
	drop_last(r);
}

static bool read_lines(struct report *r, struct table *t, FILE *in)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	bool ok = false;

	while ((len = getline(&line, &cap, in)) > 0) {
		t->line++;
		if (len > LINE_MOST || t->line > ROWS_MOST || strlen(line) != (size_t)len || line[len - 1] != '\n') {
			msg_error_at(t->name, t->line, "bad line, or one too many");
			ok = false;
			break;
		}
		line[len - 1] = '\0';
		if (t->line > 1)
			read_row(r, t, line);
		else if (!(ok = read_heading(t, line)))
			break;
	}
	if (!t->line)
		msg_error("%s: empty, and not a table of andweorc-diff", t->name);
	free(line);
	return ok;
}

static bool read_table(struct report *r, FILE *in, const char *name)
{
	struct table t = { .name = name };
	bool ok = read_lines(r, &t, in);

	if (ferror(in)) {
		msg_error("cannot read '%s': %s", name, strerror(errno));
		ok = false;
	}
	return ok && report_is_readable(r, name);
}

bool report_read_tsv(struct report *r, const char *path)
{
	FILE *in = file_open(path);
	bool ok = in && read_table(r, in, file_label(path));

	if (in)
		file_close(in);
	return ok;
}

bool report_read(struct report *r, const char *path)
{
	FILE *in = file_open(path);
	const char *name = file_label(path);
	int first;
	bool ok;

	if (!in)
		return false;
	/* A pipe cannot be opened twice. */
	first = getc(in);
	if (first != EOF)
		ungetc(first, in);
	ok = first == '{' ? report_read_json(r, in, name) : read_table(r, in, name);
	file_close(in);
	return ok;
}
