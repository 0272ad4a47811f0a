#include "profile/caption.h"

#include <math.h>
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

/* The next character that stays, as out[0..*len), and its code; false at the end. */
static bool next(const char **text, char out[4], size_t *len, uint32_t *c)
{
	while (**text) {
		size_t n = decode((const unsigned char *)*text, c);

		if (!n) {
			*len = 3;
			*c = 0xfffd;
			memcpy(out, "\xef\xbf\xbd", 3);
			*text += 1;
			return true;
		}
		*len = n;
		memcpy(out, *text, n);
		*text += n;
		if (!is_dropped(*c))
			return true;
	}
	return false;
}

double caption_width(const char *text, const struct letters *l)
{
	double width = 0;
	uint32_t code;
	size_t len;
	char c[4];

	while (next(&text, c, &len, &code))
		width += letters_width(l, code);
	return width;
}

double caption_fit_end(struct buf *out, const char *text, double end, const struct letters *l, double room)
{
	/* Sums of widths are compared with sums of the same widths in another order. */
	const double total = caption_width(text, l), dots = letters_width(l, 0x2026), rounding = 1e-6;
	double at = 0, head = total, tail = 0, used, w;
	uint32_t code;
	size_t len;
	char c[4];
	bool cut = room > 0 && total > room + rounding, more;

	buf_add(out, "", 0); /* never NULL, even when nothing stays */
	if (cut) {
		head = l->size > 0 ? (room - dots) / 2 : floor(room / 2);
		head = fmin(head, fmax(0, room - dots - end));
		tail = room - head - dots;
	}
	while ((more = next(&text, c, &len, &code)) && at + (w = letters_width(l, code)) <= head + rounding) {
		buf_add(out, c, len);
		at += w;
	}
	if (!cut)
		return total;
	buf_adds(out, ELLIPSIS);
	used = at + dots;
	for (; more; more = next(&text, c, &len, &code)) {
		w = letters_width(l, code);
		if (at + tail >= total - rounding) {
			buf_add(out, c, len);
			used += w;
		}
		at += w;
	}
	return used;
}

double caption_fit(struct buf *out, const char *text, const struct letters *l, double room)
{
	return caption_fit_end(out, text, 0, l, room);
}

double caption_share(double room, double first, double second)
{
	/* A room of 0 would be none. */
	return fmax(1, fmin(first, fmax(room / 2, room - second)));
}

size_t caption_add(struct buf *out, const char *text, size_t columns)
{
	return (size_t)caption_fit(out, text, &(struct letters){ 0 }, (double)columns);
}
