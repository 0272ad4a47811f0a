#include "text/prose.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"

/* Longer lines of text are hard to read, however wide the page is. */
enum { MOST_COLUMNS = 120 };

static struct prose_page the_page = { .columns = 100, .utf8 = true };

void prose_set_page(struct prose_page page)
{
	the_page = page;
}

struct prose_page prose_page(void)
{
	return the_page;
}

char *prose_clean(const char *text)
{
	struct buf b = BUF_INIT;
	uint32_t c;

	buf_adds(&b, "");
	while (*text) {
		size_t len = utf8_decode(text, &c);

		if (!len || (utf8_is_hidden(c) && c < 0x100))
			buf_addf(&b, "\\x%02x", c);
		else if (utf8_is_hidden(c) || (c >= 0x80 && !the_page.utf8))
			buf_addf(&b, "\\u%04x", c);
		else
			buf_add(&b, text, len);
		text += len ? len : 1;
	}
	return buf_detach(&b);
}

/* The width of clean text. */
static size_t width_of(const char *text, size_t bytes)
{
	size_t width = 0;
	uint32_t c;

	for (size_t i = 0, len; i < bytes; i += len ? len : 1) {
		len = utf8_decode(text + i, &c);
		width += utf8_columns(c);
	}
	return width;
}

size_t prose_width(const char *text)
{
	return width_of(text, strlen(text));
}

/* Bytes of whole characters at the begin of text that fit into `columns`. */
static size_t bytes_that_fit(const char *text, size_t columns)
{
	size_t at = 0, width = 0;
	uint32_t c;

	while (text[at]) {
		size_t len = utf8_decode(text + at, &c);

		width += utf8_columns(c);
		if (width > columns)
			break;
		at += len ? len : 1;
	}
	return at;
}

char *prose_short(const char *text, size_t columns)
{
	const char *gap = the_page.utf8 ? "…" : "..";
	char *clean = prose_clean(text), *out;
	size_t width = prose_width(clean), room = columns - prose_width(gap), head, skip;

	if (width <= columns)
		return clean;
	head = bytes_that_fit(clean, room - room / 2);
	/* the same width from the end; one column more is skipped if a wide character lies on the cut */
	skip = bytes_that_fit(clean, width - room / 2);
	if (width_of(clean, skip) < width - room / 2)
		skip += bytes_that_fit(clean + skip, 2);
	out = xasprintf("%.*s%s%s", (int)head, clean, gap, clean + skip);
	free(clean);
	return out;
}

/* Bytes up to the next blank at which a line may end: not between a number and its "%". */
static size_t word_at(const char *text)
{
	size_t bytes = strcspn(text, " ");

	while (text[bytes] && text[bytes + 1] == '%')
		bytes += 1 + strcspn(text + bytes + 1, " ");
	return bytes;
}

void prose_wrap(struct buf *b, const char *first, const char *indent, const char *fmt, ...)
{
	size_t column = prose_width(first), most = the_page.columns < MOST_COLUMNS ? the_page.columns : MOST_COLUMNS;
	char *text, *safe;
	bool at_start = true;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	safe = prose_clean(text ? text : "");
	free(text);
	buf_adds(b, first);
	for (const char *word = safe; *word;) {
		size_t bytes = word_at(word), width = width_of(word, bytes);

		if (!at_start && column + 1 + width > most && !the_page.unbroken) {
			buf_addf(b, "\n%s", indent);
			column = prose_width(indent);
		} else if (!at_start) {
			buf_addc(b, ' ');
			column++;
		}
		at_start = false;
		buf_add(b, word, bytes);
		column += width;
		word += bytes;
		word += strspn(word, " ");
	}
	buf_addc(b, '\n');
	free(safe);
}

/*
 * A runner takes "::" for a command at the begin of a line, blanks before it or
 * not, and "##[" anywhere.  It knows more blanks than ASCII has.
 */
void prose_print(const struct buf *text, FILE *out)
{
	struct buf safe = BUF_INIT;
	bool begins = true;

	for (const char *s = text->s; s && *s; s++) {
		if (begins && s[0] == ':' && s[1] == ':')
			buf_addc(&safe, '\\');
		begins = *s == '\n' || (begins && (*s == ' ' || *s == '\t' || (unsigned char)*s >= 0x80));
		buf_addc(&safe, *s);
		if (s[0] == '#' && s[1] == '#' && s[2] == '[')
			buf_addc(&safe, '\\');
	}
	fwrite(safe.s, 1, safe.len, out);
	buf_release(&safe);
}

void prose_add_number(struct buf *b, double x, int digits)
{
	char text[64];

	snprintf(text, sizeof text, "%.*f", digits, x);
	buf_adds(b, text[0] == '-' && !text[strspn(text, "-0.")] ? text + 1 : text);
}

void prose_add_interval(struct buf *b, double value, double lo, double hi, int digits)
{
	prose_add_number(b, value, digits);
	if (!isfinite(lo) || !isfinite(hi))
		return;
	buf_adds(b, " (");
	prose_add_number(b, lo, digits);
	buf_adds(b, " to ");
	prose_add_number(b, hi, digits);
	buf_addc(b, ')');
}

const char *prose_time(double ns, char out[32])
{
	static const struct {
		double least;
		const char *unit;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	size_t u = 0;

	/* What is rounded to a thousand of one unit is one of the next. */
	while (u < 3 && fabs(ns) < 0.9995 * units[u].least)
		u++;
	snprintf(out, 32, fabs(ns) < 999.5e9 ? "%.3g %s" : "%.0f %s", ns / units[u].least, units[u].unit);
	return out;
}
