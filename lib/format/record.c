/* record: checks, reads and writes the fields of one record.  reader.c reads lines. */
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

static const char *decoded(struct field *f)
{
	if (!f->decoded)
		field_unescape(f->value);
	f->decoded = true;
	return f->value;
}

/* The field with that key; NULL when there is none. */
static struct field *field_of(struct record *rec, const char *key)
{
	size_t start = rec->next < rec->n ? rec->next : 0, at = find_field(rec, key, start, rec->n);

	if (at == rec->n) {
		at = find_field(rec, key, 0, start);
		if (at == start)
			return NULL;
	}
	rec->next = at + 1;
	return &rec->field[at];
}

const char *record_get(struct record *rec, const char *key)
{
	struct field *f = field_of(rec, key);

	return f ? decoded(f) : NULL;
}

/* ---- numbers ---------------------------------------------------------------- */

static bool read_number(struct field *f)
{
	switch (f->kind) {
	case SCHEMA_UNSIGNED:
		return num_u64(decoded(f), &f->number.u);
	case SCHEMA_SIGNED:
		return num_i64(decoded(f), &f->number.i);
	case SCHEMA_REAL:
		return num_real(decoded(f), &f->number.r);
	default:
		return true;
	}
}

bool record_need(const struct record *rec, const char *key)
{
	if (find_field(rec, key, 0, rec->n) < rec->n)
		return true;
	msg_error_at(rec->path, rec->line, "no '%s' in '%s'", key, rec->type);
	return false;
}

bool record_need_all(const struct record *rec)
{
	const struct schema *s = rec->incomplete ? schema_of(rec->type) : NULL;

	for (size_t i = 0; s && i < s->n; i++)
		if (s->key[i].needed)
			record_need(rec, s->key[i].name);
	return !rec->incomplete;
}

void record_check(struct record *rec, const struct schema *s)
{
	size_t needed = 0, next = 0;

	for (size_t i = 0; i < rec->n; i++) {
		struct field *f = &rec->field[i];
		const struct schema_key *k = schema_key(s, f->key, next);

		if (!k)
			continue;
		next = (size_t)(k - s->key) + 1;
		needed += k->needed;
		f->kind = k->kind;
		if (!read_number(f)) {
			msg_error_at(rec->path, rec->line, "bad number '%s' for '%s'", f->value, f->key);
			rec->bad = true;
		}
	}
	rec->incomplete = needed < s->needed;
}

uint64_t record_get_u64(struct record *rec, const char *key)
{
	const struct field *f = field_of(rec, key);

	return f && f->kind == SCHEMA_UNSIGNED ? f->number.u : 0;
}

int64_t record_get_i64(struct record *rec, const char *key)
{
	const struct field *f = field_of(rec, key);

	return f && f->kind == SCHEMA_SIGNED ? f->number.i : 0;
}

double record_get_real(struct record *rec, const char *key)
{
	const struct field *f = field_of(rec, key);

	switch (f ? f->kind : SCHEMA_TEXT) {
	case SCHEMA_UNSIGNED:
		return (double)f->number.u;
	case SCHEMA_SIGNED:
		return (double)f->number.i;
	case SCHEMA_REAL:
		return f->number.r;
	default:
		return NAN;
	}
}

/* ---- writing ---------------------------------------------------------------- */

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
