/*
 * names: names from an image, ready to be written.
 *
 * A log has many addresses and few names; each name is demangled and escaped
 * once.  Names are known by their address, not their text: an image keeps one
 * string for one name, for as long as it lives.
 */
#ifndef ANDWEORC_RESOLVE_NAMES_H
#define ANDWEORC_RESOLVE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *s;
	size_t len;
};

struct name {
	const char *key;    /* the image's; NULL: a free slot */
	char *plain;        /* for people: demangled when it is a function */
	struct text value;  /* plain, escaped as the value of a field */
	struct text member; /* plain, escaped as a member of the list inlined_by=, which is a value */
};

struct names {
	bool functions;     /* demangle? */
	struct name **slot; /* slot[0..nslots), a power of two, or 0 */
	size_t n, nslots;
};

void names_init(struct names *names, bool functions);
void names_release(struct names *names);

/* The name of an image's string (not NULL); lives as long as names. */
const struct name *names_of(struct names *names, const char *key);

#endif
