#include "profile/caption.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"

/* Decodes one character at s; its length, or 0 when the bytes there are no shortest-form UTF-8 of a character. */
static size_t decode(const unsigned char *s, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80 ? 1 : (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : (s[0] & 0xf8) == 0xf0 ? 4 : 0;

	*c = s[0];
	if (len < 2)
		return len;
	*c &= 0xffu >> (len + 1);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	if (*c < least[len] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
		return 0;
	return len;
}

/* Invisible, able to reorder or break the line, or no character of XML. */
static bool is_dropped(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

static bool is_wide(uint32_t c)
{
	return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
	       (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
	       (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
}

/* The next character that stays, as out[0..*len); the columns that it takes, 0 at the end. */
static size_t next(const char **text, char out[4], size_t *len)
{
	while (**text) {
		uint32_t c;
		size_t n = decode((const unsigned char *)*text, &c);

		if (!n) {
			*len = 3;
			memcpy(out, "\xef\xbf\xbd", 3);
			*text += 1;
			return 1;
		}
		*len = n;
		memcpy(out, *text, n);
		*text += n;
		if (!is_dropped(c))
			return is_wide(c) ? 2 : 1;
	}
	return 0;
}

size_t caption_add(struct buf *out, const char *text, size_t columns)
{
	size_t total = 0, at = 0, used, head, tail, w, len;
	const char *s = text;
	char c[4];
	bool cut;

	buf_add(out, "", 0); /* never NULL, even when nothing stays */
	while ((w = next(&s, c, &len)))
		total += w;
	cut = columns && total > columns;
	head = cut ? columns / 2 : total;
	tail = cut ? columns - head - 1 : 0; /* the ellipsis takes a column */
	for (s = text; (w = next(&s, c, &len)) && at + w <= head; at += w)
		buf_add(out, c, len);
	if (!cut)
		return total;
	buf_adds(out, ELLIPSIS);
	used = at + 1;
	for (; w; w = next(&s, c, &len)) {
		if (at + tail >= total) {
			buf_add(out, c, len);
			used += w;
		}
		at += w;
	}
	return used;
}
