#include "plot/gnuplot.h"

#include <math.h>
#include <string.h>

#include "base/cli.h"
#include "base/num.h"
#include "plot/gnuplot_parts.h"

/* ---- script: the parts ------------------------------------------------------ */

static void add_number(struct buf *b, double x)
{
	char s[32];

	if (isnan(x)) {
		buf_adds(b, "NaN");
		return;
	}
	num_format_real(s, x);
	buf_adds(b, s);
}

static const struct style TITLE = { ROLE_INK, true, CHART_TITLE_SIZE, "" };
static const struct style FUNCTION = { ROLE_INK, false, CHART_NOTE_SIZE, "" };

static const struct style NOTES[CHART_NOTES] = {
	[NOTE_NUMBERS] = { ROLE_QUIET, false, CHART_NOTE_SIZE, "" },
	[NOTE_VERDICT] = { ROLE_INK, false, CHART_NOTE_SIZE, "" },
	[NOTE_BASE] = { ROLE_BASE_TEXT, false, CHART_NOTE_SIZE, "" },
	[NOTE_CHANGE] = { ROLE_INK, true, CHART_NOTE_SIZE, "" },
};
/* With a base, the text about head has the colour of its curve. */
static const struct style HEAD_NUMBERS = { ROLE_HEAD, false, CHART_NOTE_SIZE, "" };

static void add_styles(struct buf *b, const struct chart *c)
{
	static const struct {
		enum role colour;
		const char *rest;
	} styles[] = {
		{ ROLE_HEAD, "linewidth 1.8 pointtype 7 pointsize 0.6  # measured" },
		{ ROLE_BASE, "linewidth 1.6 pointtype 4 pointsize 0.7 dashtype 2  # base" },
		{ ROLE_FAINT, "linewidth 0.8  # zero" },
		{ ROLE_FAINT, "linewidth 0.8 dashtype 4  # one for one" },
		{ ROLE_QUIET, "linewidth 1 dashtype 3  # no gain beyond" },
	};

	for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
		buf_addf(b, "set style line %zu linecolor rgb '%s' %s\n", i + 1, gnuplot_colour(c, styles[i].colour),
			 styles[i].rest);
}

static void add_head(struct buf *b, const struct chart *c)
{
	static const char *const suffix[] = { "txt", "svg", "png" };
	const bool text = c->format == CHART_TEXT;

	buf_addf(b, "# Drawn by andweorc-plot %s.  By hand: gnuplot THIS > chart.%s\n", ANDWEORC_VERSION, suffix[c->format]);
	if (text)
		buf_addf(b, "set terminal dumb noenhanced size %d,%d\n", c->width, c->height);
	else if (c->format == CHART_SVG)
		buf_addf(b, "set terminal svg noenhanced size %d,%d fixed font 'sans-serif,11' background '%s'\n",
			 c->width, c->height, gnuplot_colour(c, ROLE_GROUND));
	else /* twice as fine as the SVG, for screens and print that show it; sizes of its fonts are points, 4/3 of a pixel */
		buf_addf(b,
			 "set terminal pngcairo noenhanced size %d,%d font 'Sans,11' fontscale 1.5 linewidth 2 pointscale 3 "
			 "background '%s'\n",
			 2 * c->width, 2 * c->height, gnuplot_colour(c, ROLE_GROUND));
	/* The screen of the dumb terminal goes from the middle of the first character to the middle of the last. */
	buf_addf(b, "set encoding utf8\nW = %d.\nH = %d.\n", text ? c->width - 1 : c->width, text ? c->height - 1 : c->height);
	if (text)
		return;
	buf_adds(b, "set samples 2\n"); /* lines are straight */
	add_styles(b, c);
}

/* Columns: speedup, program, low, high.  The first row is not a measurement, but the begin of the band. */
static void add_data(struct buf *b, const char *name, size_t number, const struct finding *m)
{
	if (!m || !m->n)
		return;
	buf_addf(b, "\n$%s%zu << EOD\n0 0 0 0\n", name, number);
	for (size_t i = 0; i < m->n; i++) {
		const double v[] = { m->curve[i].speedup_pct, m->curve[i].program_pct, m->curve[i].lo, m->curve[i].hi };

		for (size_t k = 0; k < 4; k++) {
			add_number(b, v[k]);
			buf_addc(b, k < 3 ? ' ' : '\n');
		}
	}
	buf_adds(b, "EOD\n");
}

static void add_axes(struct buf *b, const struct chart *c, const struct page *p)
{
	buf_addf(b, "set xrange [0:%g]\nset yrange [%g:%g]\nset xtics %g\nset ytics %g\n", p->x.max, p->y.min, p->y.max,
		 p->x.step, p->y.step);
	if (c->format == CHART_TEXT) {
		buf_adds(b, "set border 3\nset tics nomirror out scale 0.5\n");
		return;
	}
	buf_addf(b, "set border 3 linecolor rgb '%s' linewidth 0.8\nset tics nomirror out scale 0.4",
		 gnuplot_colour(c, ROLE_FAINT));
	gnuplot_font(b, c, false, 10);
	buf_addf(b, " textcolor rgb '%s'\nset grid linetype 1 linecolor rgb '%s' linewidth 0.7\n",
		 gnuplot_colour(c, ROLE_QUIET), gnuplot_colour(c, ROLE_GRID));
}

/* ---- script: one panel ------------------------------------------------------- */

/* Between the curves of a plot command. */
#define AND ", \\\n  "

#define BAND      "with filledcurves fillcolor rgb '%s' fillstyle transparent solid %g noborder"
/* With the point of the style: librsvg draws nothing of a picture in which one has the size 0. */
#define BAR       "linestyle %d linewidth 1 dashtype 1"

/* The fitted line ends at the highest level of the fit. */
static double fit_end(const struct page *p, const struct finding *m)
{
	double last = m->n ? m->curve[m->n - 1].speedup_pct : p->x.max;

	return isnan(m->max_useful_pct) ? last : fmin(m->max_useful_pct, last);
}

/* gnuplot 5.4 can crash where no row of a plot is defined. */
static bool has_interval(const struct finding *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->curve[i].lo <= m->curve[i].hi)
			return true;
	return false;
}

static void add_curve(struct buf *b, const struct chart *c, const struct page *p, const struct panel *l, bool is_base,
		      size_t number)
{
	const char *name = is_base ? "base" : "head";
	const struct finding *m = is_base ? l->base : l->head;
	/* Two measurements at one place stand side by side. */
	double aside = !l->base || !l->head ? 0 : (is_base ? -0.005 : 0.005) * p->x.max;
	int style = is_base ? 2 : 1;

	if (has_interval(m))
		buf_addf(b, AND "$%s%zu using 1:3:4 " BAND, name, number, gnuplot_colour(c, is_base ? ROLE_BASE : ROLE_HEAD),
			 is_base ? 0.14 : 0.2);
	if (finding_is_known(m))
		buf_addf(b, AND "[0:%g] %g*x with lines linestyle %d", fit_end(p, m), m->slope, style);
	if (!m->n)
		return;
	if (has_interval(m))
		buf_addf(b, AND "$%s%zu every ::1 using ($3 <= $4 ? $1+%g : NaN):2:3:4 with yerrorbars " BAR, name, number,
			 aside, style);
	buf_addf(b, AND "$%s%zu every ::1 using ($1+%g):2 with points linestyle %d", name, number, aside, style);
}

static void add_curve_text(struct buf *b, const struct page *p, const struct panel *l, bool is_base, size_t number)
{
	const struct finding *m = is_base ? l->base : l->head;

	if (is_base) {
		if (m->n)
			buf_addf(b, AND "$base%zu every ::1 using 1:2 with points pointtype 'b'", number);
		return;
	}
	if (finding_is_known(m))
		buf_addf(b, AND "[0:%g] %g*x with points pointtype '*'", fit_end(p, m), m->slope);
	if (!m->n)
		return;
	if (has_interval(m))
		buf_addf(b, AND "$head%zu every ::1 using ($3 <= $4 ? $1 : NaN):3:(0):($4-$3) with vectors nohead linetype -1",
			 number);
	buf_addf(b, AND "$head%zu every ::1 using 1:2 with points pointtype 'o'", number);
}

static void add_knee(struct buf *b, const struct chart *c, double at)
{
	if (c->format == CHART_TEXT)
		buf_addf(b, "set label '^' at %g, graph 0 center noenhanced front\n", at);
	else
		buf_addf(b, "set arrow from %g, graph 0 to %g, graph 1 nohead linestyle 5 front\n", at, at);
}

static void add_margins(struct buf *b, const struct panel *l)
{
	buf_addf(b, "set lmargin at screen %d/W\nset rmargin at screen %d/W\n", l->left, l->right);
	buf_addf(b, "set tmargin at screen 1-%d/H\nset bmargin at screen 1-%d/H\n", l->top, l->bottom);
	buf_addf(b, "set format y '%s'\n", l->outer_left ? "%g" : "");
}

/* Upwards from the axes, so that the notes of panels side by side stand on lines. */
static void add_words(struct buf *b, const struct chart *c, const struct panel *l)
{
	const bool text = c->format == CHART_TEXT;
	int y = l->top - (text ? 1 : 14);

	for (int i = CHART_NOTES - 1; i >= 0; i--) {
		if (!l->note[i])
			continue;
		gnuplot_label(b, c, l->left, y, i == NOTE_NUMBERS && c->has_base ? &HEAD_NUMBERS : &NOTES[i], l->note[i]);
		y -= c->line;
	}
	if (l->function) {
		gnuplot_label(b, c, l->left, y - 2, &FUNCTION, l->function);
		y -= c->line;
	}
	gnuplot_label(b, c, l->left, y - (text ? 0 : 3), &TITLE, l->title);
}

static void add_panel(struct buf *b, const struct chart *c, const struct page *p, const struct panel *l, size_t number,
		      bool first)
{
	const bool text = c->format == CHART_TEXT;

	/* The first plot of a page also draws the texts around the panels. */
	buf_addf(b, "\n# panel %zu\n%s", number, first ? "" : "unset label\nunset arrow\n");
	add_margins(b, l);
	add_words(b, c, l);
	if (gnuplot_has_knee(p, l))
		add_knee(b, c, l->head->max_useful_pct);
	buf_addf(b, "plot sample [0:%g] 0 with lines %s" AND "[0:%g] x with %s", p->x.max, text ? "linetype 0" : "linestyle 3",
		 p->x.max, text ? "points pointtype '.'" : "lines linestyle 4");
	for (int is_base = 1; is_base >= 0; is_base--) {
		if (!(is_base ? l->base : l->head))
			continue;
		if (text)
			add_curve_text(b, p, l, is_base, number);
		else
			add_curve(b, c, p, l, is_base, number);
	}
	buf_addc(b, '\n');
}

static void add_page(struct buf *b, const struct chart *c, const struct page *p, size_t *number)
{
	gnuplot_frame(b, c, p);
	add_axes(b, c, p);
	for (size_t i = 0; i < p->n; i++)
		add_panel(b, c, p, &p->panel[i], (*number)++, i == 0);
}

void gnuplot_script(struct buf *b, const struct chart *c)
{
	size_t number = 0;

	add_head(b, c);
	buf_adds(b, "\n# virtual speedup %, program speedup %, low and high end of its interval");
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->page[i].n; k++, number++) {
			add_data(b, "head", number, c->page[i].panel[k].head);
			add_data(b, "base", number, c->page[i].panel[k].base);
		}
	buf_adds(b, "\nunset key\nset multiplot\n");
	number = 0;
	for (size_t i = 0; i < c->n; i++)
		add_page(b, c, &c->page[i], &number);
	buf_adds(b, "unset multiplot\n");
}
