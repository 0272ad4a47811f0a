/* record: reads and writes the fields of one record.  reader.c reads lines. */
#include "format/record.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/msg.h"
#include "base/num.h"
#include "format/field.h"

/* strcmp, for keys: they are so short that the call would be most of it. */
static bool is_key(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* The field from `from` on, before `to`; `to` when there is none. */
static size_t find_field(const struct record *rec, const char *key, size_t from, size_t to)
{
	while (from < to && !is_key(rec->field[from].key, key))
		from++;
	return from;
}

const char *record_get(struct record *rec, const char *key)
{
	size_t start = rec->next < rec->n ? rec->next : 0, at = find_field(rec, key, start, rec->n);
	struct field *f;

	if (at == rec->n) {
		at = find_field(rec, key, 0, start);
		if (at == start)
			return NULL;
	}
	rec->next = at + 1;
	f = &rec->field[at];
	if (!f->decoded)
		field_unescape(f->value);
	f->decoded = true;
	return f->value;
}

static bool bad_number(const struct record *rec, const char *key, const char *value)
{
	msg_error_at(rec->path, rec->line, "bad number '%s' for '%s'", value, key);
	return false;
}

bool record_need_str(struct record *rec, const char *key, const char **out)
{
	const char *value = record_get(rec, key);

	if (!value) {
		msg_error_at(rec->path, rec->line, "no '%s' in '%s'", key, rec->type);
		return false;
	}
	*out = value;
	return true;
}

bool record_opt_u64(struct record *rec, const char *key, uint64_t *out)
{
	const char *value = record_get(rec, key);

	return !value || num_u64(value, out) || bad_number(rec, key, value);
}

bool record_opt_real(struct record *rec, const char *key, double *out)
{
	const char *value = record_get(rec, key);

	return !value || num_real(value, out) || bad_number(rec, key, value);
}

bool record_need_u64(struct record *rec, const char *key, uint64_t *out)
{
	const char *value;

	return record_need_str(rec, key, &value) && (num_u64(value, out) || bad_number(rec, key, value));
}

bool record_need_real(struct record *rec, const char *key, double *out)
{
	const char *value;

	return record_need_str(rec, key, &value) && (num_real(value, out) || bad_number(rec, key, value));
}

/* Keys are escaped too, since some hold a name that the user chose. */
static void add_key(struct buf *b, const char *key)
{
	buf_addc(b, '\t');
	field_escape(b, key, strlen(key), '=');
	buf_addc(b, '=');
}

void record_begin(struct buf *b, const char *type)
{
	buf_adds(b, type);
}

void record_strn(struct buf *b, const char *key, const char *value, size_t len)
{
	add_key(b, key);
	field_escape(b, value, len, '\0');
}

void record_str(struct buf *b, const char *key, const char *value)
{
	record_strn(b, key, value, strlen(value));
}

void record_escaped(struct buf *b, const char *key, const char *value, size_t len)
{
	add_key(b, key);
	buf_add(b, value, len);
}

void record_u64(struct buf *b, const char *key, uint64_t value)
{
	add_key(b, key);
	buf_addf(b, "%" PRIu64, value);
}

void record_i64(struct buf *b, const char *key, int64_t value)
{
	add_key(b, key);
	buf_addf(b, "%" PRId64, value);
}

void record_hex(struct buf *b, const char *key, uint64_t value)
{
	add_key(b, key);
	buf_addf(b, "0x%" PRIx64, value);
}

/* The format has no "nan" and no "inf": unknown numbers are left out. */
void record_real(struct buf *b, const char *key, double value)
{
	char text[32];

	if (!isfinite(value))
		return;
	num_format_real(text, value);
	add_key(b, key);
	buf_adds(b, text);
}

void record_end(struct buf *b)
{
	buf_addc(b, '\n');
}

void record_copy(struct buf *b, const struct record *rec)
{
	buf_add(b, rec->raw, rec->raw_len);
}
