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
#include "format/schema.h"

struct field {
	char *key;     /* NUL-terminated */
	char *value;   /* NUL-terminated; still escaped until record_get has decoded it in place */
	uint32_t hash; /* of the key, for the reader */
	bool decoded;
	enum schema_kind kind;
	union {
		uint64_t u;
		int64_t i;
		double r;
	} number;      /* the value, if it is a number of that kind */
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
	bool bad;             /* it has a value that is not of its kind; only filters see such records */
	bool incomplete;      /* it lacks a key that its type needs; the same */
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
 * last line without LF (a log cut short: reported, not used); and of a type in
 * schema.h, a needed key that is not there, or a value that is not of its kind.
 *
 * An `andweorc` record is checked here: version missing or greater than
 * AW_FORMAT_VERSION is an error.  Any record before the first `andweorc` record
 * is an error at that line (said once).
 */
bool reader_next(struct reader *r, struct record *rec);

/*
 * For a filter, which passes on what it does not use: comment and blank lines are copied to the
 * sink verbatim, and a record is returned even if it is bad by its schema.  It may lack needed keys.
 * Values that are not of their kind are reported.
 */
void reader_filter(struct reader *r, FILE *sink);

/* Closes; false, after a message, when reading had failed (EIO, EISDIR). NULL is allowed. */
bool reader_close(struct reader *r);

/*
 * The decoded value of key, or NULL when the record has no such key. Valid as
 * long as the record.  Takes constant time for keys that are asked for in the
 * order of the line.
 */
const char *record_get(struct record *rec, const char *key);

/*
 * The number of a key that is one by schema.h; 0, or NAN, when the record has no such key.
 * Any number can be got as a real one.
 */
uint64_t record_get_u64(struct record *rec, const char *key);
int64_t record_get_i64(struct record *rec, const char *key);
double record_get_real(struct record *rec, const char *key);

/* Has the record a key that only some records of its type need?  False after a message. */
bool record_need(const struct record *rec, const char *key);

/* As record_need, for all keys that its type needs. */
bool record_need_all(const struct record *rec);

/*
 * For the reader: reads the numbers of a record of that type, and sets `bad` and `incomplete`.
 * Values that are not of their kind are reported.
 */
void record_check(struct record *rec, const struct schema *s);

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
