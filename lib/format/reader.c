/*
 * A line stays in the read buffer unchanged, for record_copy.  It is split, and its
 * values decoded, in a copy: one memcpy, a few percent of the time.  Nothing is
 * allocated for a field or a line once the buffers have their size.
 */
#include "format/record.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "format.h"
#include "format/field.h"

#define FIRST_READ ((size_t)1 << 18)

/* TABs behind a line, so that a search that takes 8 bytes at a time ends there. */
enum { SENTINEL = 8 };

enum context {
	BEFORE_HEADER, /* no andweorc record yet */
	READABLE,
	UNREADABLE,    /* after an andweorc record with a version that is not ours: skipped up to the next one */
};

struct reader {
	const char *path;
	int fd;
	unsigned long line;
	enum context context;
	bool said;           /* "before the first header" */
	bool io_failed;
	bool at_end;         /* read(2) has nothing more */
	FILE *comments;      /* or NULL */
	char *in;            /* in[start..end): read, not used yet */
	size_t start, end, in_cap;
	char *split;         /* the line, split */
	size_t split_cap;
	struct field *field; /* field[0..nfield) */
	size_t nfield, field_cap;
	struct field **sorted;
	size_t sorted_cap;
	const struct schema *schema; /* of the last record; or NULL */
};

struct reader *reader_open(const char *path)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct reader *r;

	if (fd < 0) {
		msg_error("cannot open '%s': %s", path, strerror(errno));
		return NULL;
	}
	r = xcalloc(1, sizeof *r);
	r->path = standard ? "standard input" : xstrdup(path);
	r->fd = fd;
	return r;
}

bool reader_close(struct reader *r)
{
	bool ok;

	if (!r)
		return true;
	ok = !r->io_failed;
	if (r->fd != STDIN_FILENO) {
		close(r->fd);
		free((void *)(uintptr_t)r->path);
	}
	free(r->in);
	free(r->split);
	free(r->field);
	free(r->sorted);
	free(r);
	return ok;
}

void reader_filter(struct reader *r, FILE *sink)
{
	r->comments = sink;
}

/* More bytes behind in[end]; false at the end of the file. */
static bool fill_buffer(struct reader *r)
{
	ssize_t n;

	if (r->at_end)
		return false;
	if (r->start) {
		memmove(r->in, r->in + r->start, r->end - r->start);
		r->end -= r->start;
		r->start = 0;
	}
	if (r->end == r->in_cap) {
		r->in_cap = r->in_cap ? 2 * r->in_cap : FIRST_READ;
		r->in = xrealloc(r->in, r->in_cap, 1);
	}
	do
		n = read(r->fd, r->in + r->end, r->in_cap - r->end);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		msg_error("cannot read '%s': %s", r->path, strerror(errno));
		r->io_failed = true;
	}
	r->at_end = n <= 0;
	r->end += n > 0 ? (size_t)n : 0;
	return !r->at_end;
}

/* The next line, without its LF; false at the end. */
static bool next_line(struct reader *r, const char **line, size_t *len)
{
	size_t seen = 0; /* bytes of the line known to be without LF */
	char *lf;

	for (;;) {
		lf = r->end > r->start + seen ? memchr(r->in + r->start + seen, '\n', r->end - r->start - seen) : NULL;
		if (lf)
			break;
		seen = r->end - r->start;
		if (fill_buffer(r))
			continue;
		if (seen && !r->io_failed)
			msg_error_at(r->path, r->line + 1, "last line has no end: the log was cut short here");
		return false;
	}
	*line = r->in + r->start;
	*len = (size_t)(lf - *line);
	r->start += *len + 1;
	r->line++;
	return true;
}

static bool is_blank(const char *line, size_t len)
{
	while (len && (*line == ' ' || *line == '\t' || *line == '\r'))
		line++, len--;
	return !len;
}

/* False, after a message, when an escape is bad. */
static bool escapes_are_good(struct reader *r, const char *line, size_t len)
{
	const char *bad = field_bad_escape(line, len);

	if (bad)
		msg_error_at(r->path, r->line, "bad escape '%.*s'", (int)(line + len - bad < 3 ? line + len - bad : 3), bad);
	return !bad;
}

static int by_key(const void *a, const void *b)
{
	const struct field *const *x = a, *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

/* Sorting is for unusually long lines, which would take quadratic time otherwise. */
static const char *doubled_key_of_many(struct reader *r)
{
	if (r->sorted_cap < r->nfield) {
		r->sorted_cap = r->field_cap;
		r->sorted = xrealloc(r->sorted, r->sorted_cap, sizeof *r->sorted);
	}
	for (size_t i = 0; i < r->nfield; i++)
		r->sorted[i] = &r->field[i];
	qsort(r->sorted, r->nfield, sizeof *r->sorted, by_key);
	for (size_t i = 1; i < r->nfield; i++)
		if (!strcmp(r->sorted[i - 1]->key, r->sorted[i]->key))
			return r->sorted[i]->key;
	return NULL;
}

/* A key that is there twice, or NULL. */
static const char *doubled_key(struct reader *r)
{
	const struct field *f = r->field;
	uint64_t seen = 0; /* a bit for some keys */

	if (r->nfield > 32)
		return doubled_key_of_many(r);
	for (size_t i = 0; i < r->nfield; i++) {
		uint64_t bit = (uint64_t)1 << f[i].hash % 64;

		for (size_t j = 0; seen & bit && j < i; j++)
			if (f[i].hash == f[j].hash && !strcmp(f[i].key, f[j].key))
				return f[i].key;
		seen |= bit;
	}
	return NULL;
}

/* The highest bit of each byte of x that is 0, and maybe of bytes above such a one. */
static uint64_t zeros(uint64_t x)
{
	return (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);
}

/* The first a or b at s or behind it, where there is one.  Keys and values are a few bytes: a call of memchr costs more. */
static inline char *find_either(char *s, char a, char b)
{
	for (;; s += 8) {
		const uint64_t every = UINT64_C(0x0101010101010101);
		uint64_t x, found;

		memcpy(&x, s, 8);
		x = le64toh(x);
		found = zeros(x ^ every * (unsigned char)a) | zeros(x ^ every * (unsigned char)b);
		if (found)
			return s + __builtin_ctzll(found) / 8;
	}
}

/*
 * Splits the line at s in place, `plain` when it has no escapes; false, after a
 * message, when it is bad.  A TAB stands at end, and bytes to read behind it.
 */
static bool split_fields(struct reader *r, char *s, char *end, bool plain)
{
	r->nfield = 0;
	while (s < end) {
		char *key = ++s, *value;
		uint32_t hash;

		s = find_either(s, '=', '\t');
		if (*s != '=') {
			*s = '\0';
			msg_error_at(r->path, r->line, "field '%s' has no '='", key);
			return false;
		}
		if (s == key) {
			msg_error_at(r->path, r->line, "field without a key");
			return false;
		}
		*s = '\0';
		hash = (uint32_t)(s - key) * 7 + (uint32_t)s[-1] * 3 + (uint32_t)key[0];
		value = s + 1;
		s = find_either(value, '\t', '\t');
		*s = '\0';
		if (r->nfield == r->field_cap)
			r->field = xgrow(r->field, r->nfield, &r->field_cap, sizeof *r->field);
		r->field[r->nfield++] = (struct field){ .key = key, .value = value, .hash = hash, .decoded = plain };
	}
	return true;
}

/* Makes *rec of the line; false, after a message, when it is bad. */
static bool parse_line(struct reader *r, const char *line, size_t len, struct record *rec)
{
	const char *twice;
	char *end, *s;
	bool plain;

	if (memchr(line, '\0', len)) {
		msg_error_at(r->path, r->line, "NUL byte in the line");
		return false;
	}
	plain = !memchr(line, '%', len);
	if (!plain && !escapes_are_good(r, line, len))
		return false;
	if (r->split_cap < len + SENTINEL) {
		r->split_cap = r->in_cap + SENTINEL;
		r->split = xrealloc(r->split, r->split_cap, 1);
	}
	memcpy(r->split, line, len);
	memset(r->split + len, '\t', SENTINEL);

	end = r->split + len;
	s = find_either(r->split, '\t', '=');
	if (*s == '=' || s == r->split) {
		msg_error_at(r->path, r->line, "no record type before the first TAB");
		return false;
	}
	*s = '\0';
	if (!split_fields(r, s, end, plain))
		return false;
	twice = doubled_key(r);
	if (twice) {
		msg_error_at(r->path, r->line, "key '%s' twice", twice);
		return false;
	}
	*rec = (struct record){
		.path = r->path,
		.line = r->line,
		.raw = line,
		.raw_len = len,
		.type = r->split,
		.field = r->field,
		.n = r->nfield,
	};
	return true;
}

/* Mostly, a record is of the same type as the one before it. */
static void check_by_schema(struct reader *r, struct record *rec)
{
	const struct schema *s = r->schema && !strcmp(r->schema->type, rec->type) ? r->schema : schema_of(rec->type);

	if (!s)
		return;
	r->schema = s;
	record_check(rec, s);
}

/* A header decides whether the records that follow can be read. */
static bool begin_context(struct reader *r, struct record *rec)
{
	r->context = UNREADABLE;
	if (rec->bad || !record_need_all(rec))
		return false;
	if (record_get_u64(rec, "version") > AW_FORMAT_VERSION) {
		msg_error_at(r->path, r->line, "format version %s is newer than this program's %d", record_get(rec, "version"),
			     AW_FORMAT_VERSION);
		return false;
	}
	r->context = READABLE;
	return true;
}

/* Is the record to be returned? */
static bool in_context(struct reader *r, struct record *rec)
{
	bool header = rec->type[0] == AW_HEADER[0] && !strcmp(rec->type, AW_HEADER);

	if (r->context == BEFORE_HEADER && !header && !r->said) {
		msg_error_at(r->path, r->line, "'%s' before the first 'andweorc' record", rec->type);
		r->said = true;
	}
	if (r->context != READABLE && !header)
		return false;
	check_by_schema(r, rec);
	return header ? begin_context(r, rec) : r->comments || (record_need_all(rec) && !rec->bad);
}

bool reader_next(struct reader *r, struct record *rec)
{
	const char *line;
	size_t len;

	while (next_line(r, &line, &len)) {
		if ((len && line[0] == '#') || is_blank(line, len)) {
			if (r->comments)
				fwrite(line, 1, len + 1, r->comments);
			continue;
		}
		if (parse_line(r, line, len, rec) && in_context(r, rec))
			return true;
	}
	return false;
}
