/* gnuplot_parts: functions for the writers of the script: texts, colours, and which knees are drawn. */
#include "plot/gnuplot_parts.h"

#include <string.h>

/*
 * 'it''s' would do by the book, but gnuplot 5.4 takes two single quotes in a
 * row at the start of a string, or next to two others, for an empty string.
 * Its SVG leaves > as it is, and "]]>" must not stand in XML: a blank parts it.
 */
static void add_text(struct buf *b, const char *text)
{
	buf_addc(b, '\'');
	for (; *text; text++)
		if (*text == '\'')
			buf_adds(b, "'.\"'\".'");
		else if (!strncmp(text, "]]>", 3))
			buf_adds(b, "] ");
		else
			buf_addc(b, *text);
	buf_addc(b, '\'');
}

const char *gnuplot_colour(const struct chart *c, enum role r)
{
	return theme_colour(c->theme, r);
}

/*
 * The svg terminal (5.4) knows bold in enhanced text only, and copies the
 * family between the quotes of an attribute: so the weight goes with it.
 */
void gnuplot_font(struct buf *b, const struct chart *c, bool bold, int size)
{
	const char *family = c->format == CHART_SVG ? (bold ? "sans-serif\" font-weight=\"bold" : "sans-serif")
			     : bold                 ? "Sans:Bold"
						    : "Sans";

	buf_addf(b, " font '%s,%d'", family, size);
}

void gnuplot_label(struct buf *b, const struct chart *c, int x, int y, const struct style *s, const char *text)
{
	buf_adds(b, "set label ");
	add_text(b, text);
	buf_addf(b, " at screen %d/W, 1-%d/H", x, y);
	buf_adds(b, s->place);
	if (c->format != CHART_TEXT) {
		gnuplot_font(b, c, s->bold, s->size);
		buf_addf(b, " textcolor rgb '%s'", gnuplot_colour(c, s->colour));
	}
	buf_adds(b, " noenhanced\n");
}

bool gnuplot_has_knee(const struct page *p, const struct panel *l)
{
	return l->head && l->head->max_useful_pct <= p->x.max; /* not when NAN */
}
