#include "text/caption.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* The next character that is kept, as out[0..*len), and its code; false at the end. */
static bool next_char(const char **text, char out[4], size_t *len, uint32_t *c)
{
	while (**text) {
		size_t n = utf8_decode(*text, c);

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
		if (!utf8_is_hidden(*c))
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

	while (next_char(&text, c, &len, &code))
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
	while ((more = next_char(&text, c, &len, &code)) && at + (w = letters_width(l, code)) <= head + rounding) {
		buf_add(out, c, len);
		at += w;
	}
	if (!cut)
		return total;
	buf_adds(out, ELLIPSIS);
	used = at + dots;
	for (; more; more = next_char(&text, c, &len, &code)) {
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
	/* A room of 0 would mean no limit. */
	return fmax(1, fmin(first, fmax(room / 2, room - second)));
}

size_t caption_add(struct buf *out, const char *text, size_t columns)
{
	return (size_t)caption_fit(out, text, &(struct letters){ 0 }, (double)columns);
}
