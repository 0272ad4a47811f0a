/* gnuplot_frame: the texts around the panels of a page: headings, names of the axes, the legend. */
#include "plot/gnuplot_parts.h"

#include "text/caption.h"

static const struct style HEADING = { ROLE_INK, true, CHART_HEADING_SIZE, "" };
static const struct style SUBHEADING = { ROLE_QUIET, false, CHART_MORE_SIZE, "" };
static const struct style LEGEND = { ROLE_QUIET, false, CHART_NOTE_SIZE, "" };
static const struct style X_NAME = { ROLE_INK, false, CHART_MORE_SIZE, " center" };
static const struct style Y_NAME = { ROLE_INK, false, CHART_MORE_SIZE, " center rotate by 90" };

static bool has_any_knee(const struct page *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (gnuplot_has_knee(p, &p->panel[i]))
			return true;
	return false;
}

/* An entry of the legend: a piece of line 28 long with a point on it, and its name. */
struct entry {
	const char *name;
	const char *line;
	const char *point; /* NULL: none */
	enum role colour;  /* of the point */
};

static const struct entry MEASURED = { "measured, 95 % interval", "linestyle 1 linewidth 1", "pointtype 7 pointsize 0.6",
				       ROLE_HEAD };
static const struct entry HEAD = { "head, 95 % interval", "linestyle 1 linewidth 1", "pointtype 7 pointsize 0.6", ROLE_HEAD };
static const struct entry BASE = { "base", "linestyle 2 linewidth 1 dashtype 1", "pointtype 4 pointsize 0.7", ROLE_BASE };
static const struct entry FITTED = { "fitted slope", "linestyle 1", NULL, ROLE_HEAD };
static const struct entry ONE = { "one for one", "linestyle 4", NULL, ROLE_FAINT };
static const struct entry KNEE = { "no gain beyond", "linestyle 5", NULL, ROLE_QUIET };

static void add_entry(struct buf *b, const struct chart *c, int *x, int y, const struct entry *e)
{
	const struct letters letters = { LEGEND.size, LEGEND.bold };

	buf_addf(b, "set arrow from screen %d/W, 1-%d/H to screen %d/W, 1-%d/H nohead %s\n", *x, y, *x + 28, y, e->line);
	if (e->point)
		buf_addf(b, "set label '' at screen %d/W, 1-%d/H point %s linecolor rgb '%s'\n", *x + 14, y, e->point,
			 gnuplot_colour(c, e->colour));
	gnuplot_label(b, c, *x + 36, y, &LEGEND, e->name);
	*x += 36 + (int)caption_width(e->name, &letters) + 20;
}

static void add_legend(struct buf *b, const struct chart *c, const struct page *p)
{
	int x = p->panel[0].left, y = p->bottom - 16;

	add_entry(b, c, &x, y, c->has_base ? &HEAD : &MEASURED);
	if (c->has_base)
		add_entry(b, c, &x, y, &BASE);
	add_entry(b, c, &x, y, &FITTED);
	add_entry(b, c, &x, y, &ONE);
	if (has_any_knee(p))
		add_entry(b, c, &x, y, &KNEE);
}

static void add_legend_text(struct buf *b, const struct chart *c, const struct page *p)
{
	struct buf s = BUF_INIT;

	buf_adds(&s, "o measured  | 95 % interval  ");
	if (c->has_base)
		buf_adds(&s, "b base  ");
	buf_adds(&s, "* fitted slope  . one for one");
	if (has_any_knee(p))
		buf_adds(&s, "  ^ no gain beyond");
	gnuplot_label(b, c, p->panel[0].left, p->bottom - 2, &LEGEND,
		  "x: virtual speedup of the region (%), y: speedup of the program (%)");
	gnuplot_label(b, c, p->panel[0].left, p->bottom - 1, &LEGEND, s.s);
	buf_release(&s);
}

void gnuplot_frame(struct buf *b, const struct chart *c, const struct page *p)
{
	int left = p->panel[0].left, right = left;

	for (size_t i = 0; i < p->n; i++)
		if (p->panel[i].right > right)
			right = p->panel[i].right;
	buf_adds(b, "\n# page\nunset label\nunset arrow\n");
	if (c->format == CHART_TEXT) {
		gnuplot_label(b, c, 0, p->top, &HEADING, p->heading);
		gnuplot_label(b, c, 0, p->top + 1, &SUBHEADING, p->subheading);
		add_legend_text(b, c, p);
		return;
	}
	gnuplot_label(b, c, left, p->top + 36, &HEADING, p->heading);
	gnuplot_label(b, c, left, p->top + 58, &SUBHEADING, p->subheading);
	gnuplot_label(b, c, (left + right) / 2, p->bottom - 46, &X_NAME, "virtual speedup of the region (%)");
	gnuplot_label(b, c, 18, (p->panel[0].top + p->panel[p->n - 1].bottom) / 2, &Y_NAME, "speedup of the program (%)");
	add_legend(b, c, p);
}
