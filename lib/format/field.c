#include "format/field.h"

#include <string.h>

/* The value of a hexadecimal digit, or -1. */
static int escape_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *field_bad_escape(const char *s, size_t len)
{
	const char *end = s + len;

	for (; (s = memchr(s, '%', (size_t)(end - s))); s += 3)
		if (end - s < 3 || escape_digit(s[1]) < 0 || escape_digit(s[2]) < 0 || (s[1] == '0' && s[2] == '0'))
			return s;
	return NULL;
}

void field_unescape(char *s)
{
	char *in = strchr(s, '%'), *out = in;

	if (!in)
		return;
	while (*in) {
		if (*in == '%') {
			*out++ = (char)(escape_digit(in[1]) << 4 | escape_digit(in[2]));
			in += 3;
		} else {
			*out++ = *in++;
		}
	}
	*out = '\0';
}

void field_escape(struct buf *b, const char *s, size_t len, char also)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t plain = 0; /* bytes before s[i] that need no escape and are not copied yet */

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c > 0x20 && c != 0x7f && c != '%' && (!also || c != (unsigned char)also)) {
			plain++;
			continue;
		}
		buf_add(b, s + i - plain, plain);
		buf_add(b, (char[]){ '%', hex[c >> 4], hex[c & 15] }, 3);
		plain = 0;
	}
	buf_add(b, s + len - plain, plain);
}
