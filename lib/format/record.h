/*
 * record: the reader and writer of the line format andweorc(5).
 *
 * A record is one line: a type, then TAB-separated key=value fields.  Bytes
 * <= 0x20, 0x7f and '%' inside a value are written %XX.
 *
 * Reading never stops at a bad line: it is reported as PATH:LINE (msg_error_at,
 * so that the tool ends with status 2), counted, and skipped.
 */
#ifndef ANDWEORC_FORMAT_RECORD_H
#define ANDWEORC_FORMAT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

struct field {
	char *key;     /* NUL-terminated */
	char *value;   /* NUL-terminated; still escaped until record_get has decoded it in place */
	uint32_t hash; /* of the key, for the reader */
	bool decoded;
};

struct record {
	const char *path;     /* for messages; the reader's */
	unsigned long line;   /* 1-based, for messages */
	const char *raw;      /* the line as it was read, escaped, without its LF; the reader's */
	size_t raw_len;
	const char *type;
	struct field *field;  /* field[0..n), in the order of the line; the reader's */
	size_t n;
	size_t next;          /* where record_get looks first */
};

struct reader;

/*
 * Opens a log.  "-" is standard input.  NULL, after a message, when it cannot
 * be opened (then msg_failed).  Memory is bounded by the longest line.
 */
struct reader *reader_open(const char *path);

/*
 * The next well-formed record, valid until the next call; false at the end.
 * Comments, blank lines and bad lines are passed over.  Bad means: no type, a
 * field without '=' or with an empty key, a key twice, a bad %XX, a NUL byte, a
 * last line without LF (a log cut short: reported, not used).
 *
 * An `andweorc` record is checked here: version missing or greater than
 * AW_FORMAT_VERSION is an error.  Any record before the first `andweorc` record
 * is an error at that line (said once).
 */
bool reader_next(struct reader *r, struct record *rec);

/*
 * With a non-NULL sink, comment and blank lines are copied there verbatim:
 * filters keep them.
 */
void reader_keep_comments(struct reader *r, FILE *sink);

/* Closes; false, after a message, when reading had failed (EIO, EISDIR). NULL is allowed. */
bool reader_close(struct reader *r);

/*
 * The decoded value of key, or NULL when the record has no such key. Valid as
 * long as the record.  Takes constant time for keys that are asked for in the
 * order of the line.
 */
const char *record_get(struct record *rec, const char *key);

/*
 * Typed values.  `need` asks for the key to be there: absent or malformed is
 * reported at the record's line and false returned.  `opt` leaves *out alone
 * when the key is absent (true) and reports a malformed one (false).
 */
bool record_need_str(struct record *rec, const char *key, const char **out);
bool record_need_u64(struct record *rec, const char *key, uint64_t *out);
bool record_need_real(struct record *rec, const char *key, double *out);
bool record_opt_u64(struct record *rec, const char *key, uint64_t *out);
bool record_opt_real(struct record *rec, const char *key, double *out);

/* Writing: record_begin, fields, record_end; the line lands in `b`, which is the caller's to write and clear. */
void record_begin(struct buf *b, const char *type);
void record_str(struct buf *b, const char *key, const char *value); /* escaped */
void record_strn(struct buf *b, const char *key, const char *value, size_t len);
void record_escaped(struct buf *b, const char *key, const char *value, size_t len); /* field_escape was here already */
void record_u64(struct buf *b, const char *key, uint64_t value);
void record_i64(struct buf *b, const char *key, int64_t value);
void record_hex(struct buf *b, const char *key, uint64_t value);
void record_real(struct buf *b, const char *key, double value); /* shortest text that reads back the same */
void record_end(struct buf *b);

/* Copies the record as it was read, without its LF, so that a filter can add fields; then record_end. */
void record_copy(struct buf *b, const struct record *rec);

#endif
