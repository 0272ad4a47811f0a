#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cli.h"
#include "base/msg.h"

/* Room for `extra` bytes more and the terminator. */
static void make_room(struct buf *b, size_t extra)
{
	size_t cap = b->cap ? b->cap : 64;

	if (extra >= SIZE_MAX / 2 - b->len)
		msg_die(EXIT_TROUBLE, "out of memory");
	if (b->len + extra < b->cap)
		return;
	while (cap <= b->len + extra)
		cap *= 2;
	b->s = xrealloc(b->s, cap, 1);
	b->cap = cap;
}

void buf_init(struct buf *b)
{
	*b = (struct buf)BUF_INIT;
}

void buf_release(struct buf *b)
{
	free(b->s);
	buf_init(b);
}

void buf_clear(struct buf *b)
{
	make_room(b, 0);
	b->len = 0;
	b->s[0] = '\0';
}

void buf_add(struct buf *b, const void *bytes, size_t len)
{
	make_room(b, len);
	if (len)
		memcpy(b->s + b->len, bytes, len);
	b->len += len;
	b->s[b->len] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	make_room(b, 0);
	n = vsnprintf(b->s + b->len, b->cap - b->len, fmt, ap);
	va_end(ap);
	if (n < 0)
		msg_die(EXIT_TROUBLE, "out of memory");
	if ((size_t)n >= b->cap - b->len) {
		make_room(b, (size_t)n);
		vsnprintf(b->s + b->len, b->cap - b->len, fmt, again);
	}
	va_end(again);
	b->len += (size_t)n;
}

char *buf_detach(struct buf *b)
{
	char *s;

	make_room(b, 0);
	b->s[b->len] = '\0';
	s = b->s;
	buf_init(b);
	return s;
}
