/*
 * buf: a byte string that grows.
 *
 * Life cycle as in git's strbuf: BUF_INIT or buf_init, any of the verbs, then
 * buf_release.  `s` is always NUL-terminated (the terminator is not counted in
 * `len`) and never NULL after the first verb.
 */
#ifndef ANDWEORC_BASE_BUF_H
#define ANDWEORC_BASE_BUF_H

#include <stddef.h>

struct buf {
	char *s;    /* owned; NULL only before the first verb */
	size_t len; /* bytes in use, without the terminator */
	size_t cap; /* bytes allocated */
};

#define BUF_INIT { 0 }

void buf_init(struct buf *b);
void buf_release(struct buf *b); /* frees; b is as after buf_init */
void buf_clear(struct buf *b);   /* length 0, memory kept */
void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Gives the string to the caller, who frees it; b is as after buf_init. */
char *buf_detach(struct buf *b);

#endif
