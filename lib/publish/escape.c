#include "publish/escape.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c >= 0x80;
}

/* A dot is part of an address only before a letter. */
static bool means_something(const char *at)
{
	return strchr("\\`*_{}[]<>#!|&~$^:\"", *at) ||
	       (*at == '.' && !(at[1] >= '0' && at[1] <= '9') && is_plain((unsigned char)at[1]));
}

/* What makes a name of somebody, or the number of an issue (also "GH-12"), a reference. */
static bool makes_reference(const char *begin, const char *at)
{
	return *at == '@' || *at == '#' || (*at == '-' && at > begin && strchr("Hh", at[-1]) && at[1] >= '0' && at[1] <= '9');
}

/*
 * An entity is never part of Markdown's syntax, whatever it stands for.  But addresses
 * and references are looked for after entities have been replaced: elements on both
 * sides of the character leave it alone.
 */
void escape_markdown_text(struct buf *b, const char *text)
{
	const char *begin = text;

	for (; *text; text++) {
		if (makes_reference(begin, text))
			buf_addf(b, "<span>&#%u;</span>", (unsigned char)*text);
		else if (means_something(text))
			buf_addf(b, "&#%u;", (unsigned char)*text);
		else
			buf_addc(b, *text);
	}
}

void escape_markdown_code(struct buf *b, const char *text)
{
	/* in a code span everything is literal except these, which end it or a table's cell */
	bool span = *text && !text[strcspn(text, "`|\\@#[")] && text[strspn(text, " ")];

	/* for tools that search for an HTML comment without parsing Markdown */
	span = span && !strstr(text, "-->") && !strstr(text, "<!--");
	if (span && text[0] != ' ' && text[strlen(text) - 1] != ' ') {
		buf_addf(b, "`%s`", text);
		return;
	}
	buf_adds(b, "<code>");
	escape_markdown_text(b, text);
	buf_adds(b, "</code>");
}

void escape_marker(struct buf *b, const char *text)
{
	char last = '\0';

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		/* two dashes may end a comment */
		bool good = (is_plain(c) && c < 0x80) || strchr("._", c) || (c == '-' && last != '-');

		last = good ? *text : '_';
		buf_addc(b, last);
	}
}

static void escape_command(struct buf *b, const char *text, const char *special)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			buf_addf(b, "%%%02X", (unsigned char)*text);
		else
			buf_addc(b, *text);
	}
}

void escape_command_message(struct buf *b, const char *text)
{
	escape_command(b, text, "%\r\n");
}

void escape_command_property(struct buf *b, const char *text)
{
	escape_command(b, text, "%\r\n:,");
}
