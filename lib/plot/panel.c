#include "plot/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "diff/words.h"
#include "text/caption.h"
#include "text/shortname.h"

/* Classes as andweorc-analyze reports them: to act on, to know of, to find out, to leave alone. */
static int class_of(const struct finding *m)
{
	static const char *const last[] = { "harmful", "not-enough-data", "none" };

	for (int i = 0; m->verdict && i < 3; i++)
		if (!strcmp(m->verdict, last[i]))
			return 1 + i;
	return m->verdict ? 0 : 4;
}

int panel_order(const struct finding *a, const struct finding *b)
{
	double p = isnan(a->slope) ? -INFINITY : a->slope, q = isnan(b->slope) ? -INFINITY : b->slope;

	if (class_of(a) != class_of(b))
		return class_of(a) - class_of(b);
	if (p != q)
		return p > q ? -1 : 1;
	return strcmp(a->region, b->region);
}

static int by_rank(const void *x, const void *y)
{
	return panel_order(*(const struct finding *const *)x, *(const struct finding *const *)y);
}

const struct finding **panel_rank(const struct found_point *p, size_t *n)
{
	const struct finding **v = xcalloc(p->regions.n + 1, sizeof *v);

	*n = 0;
	for (size_t i = 0; i < p->regions.n; i++) {
		const struct finding *m = p->regions.entry[i].value;

		if (m->n || finding_is_known(m))
			v[(*n)++] = m;
	}
	qsort(v, *n, sizeof *v, by_rank);
	return v;
}

static const char *verdict_words(const struct finding *m)
{
	static const char *const words[][2] = {
		{ "high", "high value" },
		{ "moderate", "moderate value" },
		{ "low", "low value" },
		{ "none", "not a bottleneck" },
		{ "harmful", "harmful: slows the program down" },
		{ "not-enough-data", "not enough data" },
	};

	if (finding_is_below_share(m))
		return "below its share";
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(m->verdict, words[i][0]))
			return words[i][1];
	return m->verdict;
}

static bool fits(const char *text, const struct room *r)
{
	return caption_width(text, &r->letters) <= r->width;
}

/* Cleaned and cut, as a string of its own. */
static char *fit_text(char *owned, const struct room *r)
{
	struct buf b = BUF_INIT;

	caption_fit(&b, owned, &r->letters, r->width);
	free(owned);
	return buf_detach(&b);
}

/* Uses the first text that fits, and frees the others.  If none fits, the last one is cut. */
static char *choose(struct buf *longest_first, size_t n, const struct room *r)
{
	char *chosen = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!chosen && (i + 1 == n || fits(longest_first[i].s, r)))
			chosen = fit_text(buf_detach(&longest_first[i]), r);
		buf_release(&longest_first[i]);
	}
	return chosen;
}

/* Two decimals, and no "-0.00"; very large numbers stay short. */
static void add_slope(struct buf *b, double x)
{
	if (fabs(x) < 1000)
		buf_addf(b, "%.2f", fabs(x) < 0.005 ? 0 : x);
	else
		buf_addf(b, "%.3g", x);
}

static void add_slope_interval(struct buf *b, const struct finding *m)
{
	if (isnan(m->slope)) {
		buf_adds(b, "slope unknown");
		return;
	}
	buf_adds(b, "slope ");
	add_slope(b, m->slope);
	if (isnan(m->slope_lo) || isnan(m->slope_hi))
		return;
	buf_adds(b, " [");
	add_slope(b, m->slope_lo);
	buf_adds(b, ", ");
	add_slope(b, m->slope_hi);
	buf_adds(b, "]");
}

/* A region that only waits has no share of the CPU samples, which all others have. */
static bool only_waits(const struct finding *m)
{
	return m->blocked_pct > 0 && !(m->share_pct >= 0.05);
}

char *panel_numbers(const struct finding *m, const char *who, const struct room *r)
{
	struct buf text[3] = { BUF_INIT, BUF_INIT, BUF_INIT };
	double share;
	int digits;

	if (!m)
		return fit_text(xasprintf("%sno data", who), r);
	for (size_t i = 0; i < 3; i++) {
		buf_adds(&text[i], who);
		add_slope_interval(&text[i], m);
	}
	share = only_waits(m) ? m->blocked_pct : m->share_pct;
	digits = share < 9.95 ? 1 : 0;
	if (!isnan(share)) {
		buf_addf(&text[0], " · %.*f %% of %s", digits, share, only_waits(m) ? "blocked time" : "samples");
		buf_addf(&text[1], " · %s %.*f %%", only_waits(m) ? "blocked" : "share", digits, share);
	}
	return choose(text, 3, r);
}

/* For "about 5 times as many windows (record with -d 120)", the command is enough; "(there are 5)" would not be. */
char *panel_verdict(const struct finding *m, const struct room *r)
{
	struct buf text[3] = { BUF_INIT, BUF_INIT, BUF_INIT };
	const char *open, *close;

	if (!m->verdict)
		return NULL;
	for (size_t i = 0; i < 3; i++)
		buf_adds(&text[i], verdict_words(m));
	if (m->need) {
		open = strstr(m->need, "(record ");
		close = open ? strchr(open, ')') : NULL;
		buf_addf(&text[0], ": needs %s", m->need);
		if (close)
			buf_addf(&text[1], ": %.*s", (int)(close - open - 1), open + 1);
	} else if (!isnan(m->max_useful_pct)) {
		for (size_t i = 0; i < 2; i++)
			buf_addf(&text[i], ", no gain past %g %%", m->max_useful_pct);
	}
	return choose(text, 3, r);
}

/* A label is the shortest end of a path that is not ambiguous: it can differ where the place does not. */
static bool is_same_place(const struct finding *a, const struct finding *b)
{
	return a->file && b->file && !strcmp(a->file, b->file) && a->line == b->line;
}

char *panel_base(const struct finding *base, const struct finding *head, const struct room *r)
{
	struct buf text[2] = { BUF_INIT, BUF_INIT };

	if (!base)
		return fit_text(xstrdup("base: no data"), r);
	/* its former place is less important than its numbers */
	if (head && strcmp(base->region, head->region) && !is_same_place(base, head)) {
		buf_adds(&text[0], "base, ");
		caption_add(&text[0], base->region, 32);
		buf_adds(&text[0], ": ");
	} else {
		buf_adds(&text[0], "base: ");
	}
	buf_adds(&text[1], "base: ");
	for (size_t i = 0; i < 2; i++)
		add_slope_interval(&text[i], base);
	return choose(text, 2, r);
}

/* With an interval if andweorc-diff has compared the slopes, too. */
static void add_slope_change(struct buf *b, const struct counterpart *c, bool with_interval)
{
	const struct row *row = c->row;

	buf_adds(b, "slope ");
	if (row && !isnan(row->real[REAL_SLOPE_DELTA]))
		words_change(b, row->real[REAL_SLOPE_DELTA], with_interval ? row->real[REAL_SLOPE_LO] : NAN,
			     with_interval ? row->real[REAL_SLOPE_HI] : NAN, "");
	else
		words_change(b, c->head->slope - c->base->slope, NAN, NAN, "");
}

char *panel_change(const struct counterpart *c, const struct room *r)
{
	struct buf text[4] = { BUF_INIT, BUF_INIT, BUF_INIT, BUF_INIT };
	bool known = c->head && c->base && finding_is_known(c->head) && finding_is_known(c->base);

	if (!c->row && !known)
		return NULL;
	for (size_t i = 0; i < 4; i++) {
		buf_adds(&text[i], c->row ? words_verdict(c->row) : "change");
		if (!known)
			continue;
		if (c->row && i < 3 && !isnan(c->row->real[REAL_PCT])) {
			buf_adds(&text[i], ": ");
			words_pct(&text[i], c->row, " % of a visit");
		}
		if (i < 2 || !c->row) {
			buf_adds(&text[i], !c->row || isnan(c->row->real[REAL_PCT]) ? ": " : " · ");
			add_slope_change(&text[i], c, i == 0);
		}
	}
	return choose(text, 4, r);
}

/* ---- the region ------------------------------------------------------------------ */

static const char IN[] = " in ";

static bool has_function(const struct finding *m)
{
	return m->function && strcmp(m->function, m->region) != 0;
}

/* The label, of which the name of the file and the line are cut last. */
static double add_place(struct buf *b, const struct finding *m, const struct room *r, double room)
{
	const char *name = strrchr(m->region, '/');

	return caption_fit_end(b, m->region, name ? caption_width(name, &r->letters) : 0, &r->letters, room);
}

bool panel_title_is_whole(const struct finding *m, const struct room *r)
{
	double width = caption_width(m->region, &r->letters);

	if (has_function(m))
		width += caption_width(IN, &r->letters) + caption_width(m->function, &r->letters);
	return width <= r->width;
}

char *panel_title(const struct finding *m, const struct room *r)
{
	double room = r->width - caption_width(IN, &r->letters);
	struct buf b = BUF_INIT;

	if (!has_function(m))
		return panel_place(m, r);
	room -= add_place(&b, m, r,
			  caption_share(room, caption_width(m->region, &r->letters), caption_width(m->function, &r->letters)));
	buf_adds(&b, IN);
	shortname_add(&b, m->function, &r->letters, room);
	return buf_detach(&b);
}

char *panel_place(const struct finding *m, const struct room *r)
{
	struct buf b = BUF_INIT;

	if (has_function(m))
		add_place(&b, m, r, r->width);
	else
		shortname_add(&b, m->region, &r->letters, r->width);
	return buf_detach(&b);
}

char *panel_function(const struct finding *m, const struct room *r)
{
	struct buf b = BUF_INIT;

	if (!has_function(m))
		return NULL;
	buf_adds(&b, "in ");
	shortname_add(&b, m->function, &r->letters, r->width - caption_width("in ", &r->letters));
	return buf_detach(&b);
}
