/*
 * schema: the types of records in andweorc(5), their keys, what kind of value each has,
 * and which ones a record must have.
 *
 * This is the one table.  The reader holds each record to it, so code that reads records need
 * not check them.  t/0001-format.t holds the manual, and what the tools write, to it.
 */
#ifndef ANDWEORC_FORMAT_SCHEMA_H
#define ANDWEORC_FORMAT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

enum schema_kind {
	SCHEMA_TEXT,     /* any text, or numbers in a notation of their own */
	SCHEMA_UNSIGNED, /* as num_u64 reads it */
	SCHEMA_SIGNED,   /* as num_i64 */
	SCHEMA_REAL,     /* as num_real */
};

struct schema_key {
	const char *name;
	enum schema_kind kind;
	bool needed;
};

/* A type of record.  The keys are in the order in which the tools write them. */
struct schema {
	const char *type; /* as AW_RUN in format.h */
	const struct schema_key *key;
	size_t n;
	size_t needed;    /* so many keys are needed */
};

/* All types; *n: how many.  Not for several threads: the first call makes the table. */
const struct schema *schema_all(size_t *n);

/* The type of that name; NULL: there is none in this version of the format. */
const struct schema *schema_of(const char *type);

/* The key of that name, which is looked for from number `from` on, and then from the first on; NULL: there is none. */
const struct schema_key *schema_key(const struct schema *s, const char *name, size_t from);

#endif
