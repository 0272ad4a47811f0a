/* report_json: the table as one JSON object: properties of the comparison, notes, points and regions. */
#include "diff/report.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/msg.h"

/* Invalid UTF-8 becomes \xNN, since JSON does not allow it. */
static json_t *text_value(const char *text)
{
	json_t *value = json_string(text);
	struct buf b = BUF_INIT;

	if (value)
		return value;
	for (; *text; text++)
		if ((unsigned char)*text < 0x80)
			buf_addc(&b, *text);
		else
			buf_addf(&b, "\\x%02x", (unsigned char)*text);
	value = json_string(b.s);
	buf_release(&b);
	return value;
}

static json_t *row_value(const struct row *row)
{
	json_t *o = json_object();

	for (int t = 0; t < ROW_TEXTS; t++)
		if (row->text[t])
			json_object_set_new(o, row_text_name((enum row_text)t), text_value(row->text[t]));
	for (int x = 0; x < ROW_REALS; x++)
		if (isfinite(row->real[x]))
			json_object_set_new(o, row_real_name((enum row_real)x), json_real(row->real[x]));
	return o;
}

static const char *const lists[] = {
	[ROW_META] = "meta", [ROW_NOTE] = "notes", [ROW_POINT] = "points", [ROW_REGION] = "regions",
};

void report_write_json(const struct report *r, FILE *out)
{
	json_t *root = json_object();

	for (int k = 0; k < ROW_KINDS; k++) {
		json_t *list = k == ROW_META ? json_object() : json_array();

		for (size_t i = 0; i < r->n; i++) {
			const struct row *row = &r->row[i];

			if (row->kind != (enum row_kind)k)
				continue;
			if (k == ROW_META)
				json_object_set_new(list, row->text[TEXT_NAME], text_value(row->text[TEXT_VALUE]));
			else
				json_array_append_new(list, row_value(row));
		}
		json_object_set_new(root, lists[k], list);
	}
	json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	fputc('\n', out);
	json_decref(root);
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool read_member(struct row *row, const char *key, const json_t *value)
{
	for (int t = 0; t < ROW_TEXTS; t++)
		if (!strcmp(key, row_text_name((enum row_text)t))) {
			if (!json_is_string(value))
				return false;
			row_set(row, (enum row_text)t, json_string_value(value));
			return true;
		}
	for (int x = 0; x < ROW_REALS; x++)
		if (!strcmp(key, row_real_name((enum row_real)x))) {
			if (!json_is_number(value))
				return false;
			row->real[x] = json_number_value(value);
			return true;
		}
	return true;
}

static bool read_row(struct report *r, enum row_kind kind, json_t *from)
{
	struct row *row = report_add(r, kind);
	const char *key;
	json_t *value;

	if (!json_is_object(from))
		return false;
	json_object_foreach(from, key, value)
		if (!read_member(row, key, value))
			return false;
	return row_finish(row);
}

/* The version of the table, among the properties of the comparison. */
static void read_version(struct report *r, const json_t *root)
{
	const char *version = json_string_value(json_object_get(json_object_get(root, lists[ROW_META]), REPORT_NAME));

	report_meta(r, REPORT_NAME, version);
}

bool report_read_json(struct report *r, FILE *in, const char *name)
{
	json_error_t error;
	json_t *root = json_loadf(in, JSON_REJECT_DUPLICATES, &error), *item;
	bool ok = root && json_is_array(json_object_get(root, lists[ROW_POINT]));
	size_t i;

	if (!root)
		msg_error("%s:%d: %s", name, error.line, error.text);
	else if (!ok)
		msg_error("%s: not the JSON of andweorc-diff: no list 'points'", name);
	read_version(r, root);
	ok = ok && report_is_readable(r, name);
	for (int k = ROW_POINT; ok && k <= ROW_REGION; k++)
		json_array_foreach(json_object_get(root, lists[k]), i, item)
			if (ok && !read_row(r, (enum row_kind)k, item)) {
				msg_error("%s: bad member %zu of '%s'", name, i, lists[k]);
				ok = false;
			}
	json_decref(root);
	return ok;
}
