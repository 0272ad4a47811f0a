#include "plot/svg.h"

#include <string.h>

#include "text/markup.h"

/* Texts of a chart are characters that XML allows (text/caption.h). */

/* The pages of one point have one heading. */
static bool is_new_heading(const struct chart *c, size_t i)
{
	return i == 0 || strcmp(c->page[i].heading, c->page[i - 1].heading) != 0;
}

static void add_title(struct buf *b, const struct chart *c)
{
	buf_adds(b, "<title id=\"andweorc-title\">");
	for (size_t i = 0; i < c->n; i++) {
		if (!is_new_heading(c, i))
			continue;
		buf_adds(b, i ? "; " : "");
		markup_add(b, c->page[i].heading);
	}
	buf_adds(b, "</title>\n");
}

static void add_panel(struct buf *b, const struct panel *l)
{
	const char *parting = ": ";

	buf_addc(b, '\n');
	markup_add(b, l->title);
	if (l->function) {
		buf_addc(b, ' ');
		markup_add(b, l->function);
	}
	for (size_t i = 0; i < CHART_NOTES; i++)
		if (l->note[i]) {
			buf_adds(b, parting);
			markup_add(b, l->note[i]);
			parting = "; ";
		}
}

/* All texts, in the order in which they are drawn. */
static void add_description(struct buf *b, const struct chart *c)
{
	buf_adds(b, "<desc id=\"andweorc-desc\">");
	for (size_t i = 0; i < c->n; i++) {
		const struct page *p = &c->page[i];

		if (i) {
			buf_addc(b, '\n');
			markup_add(b, p->heading);
			buf_addc(b, '\n');
		}
		markup_add(b, p->subheading);
		for (size_t k = 0; k < p->n; k++)
			add_panel(b, &p->panel[k]);
	}
	buf_adds(b, "</desc>\n");
}

/* Skips an element without attributes, and the white space before it, where the text goes on with it. */
static const char *skip_element(const char *s, const char *open, const char *close)
{
	const char *from = s + strspn(s, " \t\r\n"), *end;

	if (strncmp(from, open, strlen(open)) != 0)
		return s;
	end = strstr(from, close);
	return end ? end + strlen(close) : s;
}

/*
 * Removes titles like "$head0 using 1:3:4", which viewers would show as tooltips of curves.
 * Drawn texts contain no '<'.
 */
static void add_without_titles(struct buf *b, const char *s)
{
	const char *title, *end;

	while ((title = strstr(s, "<title>")) && (end = strstr(title, "</title>"))) {
		buf_add(b, s, (size_t)(title - s));
		s = end + strlen("</title>");
	}
	buf_adds(b, s);
}

void svg_finish(struct buf *picture, const struct chart *c)
{
	const char *tag = picture->len ? strstr(picture->s, "<svg") : NULL, *end = tag ? strchr(tag, '>') : NULL, *rest;
	struct buf b = BUF_INIT;

	if (!end)
		return;
	buf_add(&b, picture->s, (size_t)(end - picture->s));
	buf_adds(&b, " role=\"img\" aria-labelledby=\"andweorc-title andweorc-desc\">\n");
	add_title(&b, c);
	add_description(&b, c);
	if (c->theme == THEME_AUTO)
		theme_add_style(&b);
	rest = skip_element(end + 1, "<title>", "</title>");
	rest = skip_element(rest, "<desc>", "</desc>");
	add_without_titles(&b, rest);
	buf_release(picture);
	*picture = b;
}
