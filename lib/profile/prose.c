#include "profile/prose.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

char *prose_clean(const char *text)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text, next = (unsigned char)text[1];

		if (c < 0x20 || c == 0x7f)
			buf_addf(&b, "\\x%02x", c);
		else if (c == 0xc2 && next >= 0x80 && next <= 0x9f) /* U+0080 to U+009F: some terminals obey them */
			buf_addf(&b, "\\x%02x", (unsigned char)*++text);
		else
			buf_addc(&b, *text);
	}
	return buf_detach(&b);
}

static size_t width_of(const char *text, size_t bytes)
{
	size_t width = 0;

	for (size_t i = 0; i < bytes; i++)
		width += starts_character(text[i]);
	return width;
}

size_t prose_width(const char *text)
{
	return width_of(text, strlen(text));
}

char *prose_short(const char *text, size_t columns)
{
	char *clean = prose_clean(text), *out;
	size_t keep = (columns - 1) / 2, head = 0, tail = strlen(clean);

	if (width_of(clean, tail) <= columns)
		return clean;
	for (size_t seen = 0; seen < keep || !starts_character(clean[head]); head++)
		seen += starts_character(clean[head]);
	while (keep)
		keep -= starts_character(clean[--tail]);
	out = xasprintf("%.*s…%s", (int)head, clean, clean + tail);
	free(clean);
	return out;
}

void prose_wrap(struct buf *b, const char *first, const char *indent, const char *fmt, ...)
{
	size_t column = prose_width(first);
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
		size_t bytes = strcspn(word, " "), width = width_of(word, bytes);

		if (!at_start && column + 1 + width > PROSE_COLUMNS) {
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

const char *prose_time(double ns, char out[32])
{
	static const struct {
		double least;
		const char *unit;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	size_t u = 0;

	while (u < 3 && fabs(ns) < units[u].least)
		u++;
	snprintf(out, 32, "%.3g %s", ns / units[u].least, units[u].unit);
	return out;
}
