#include "profile/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/caption.h"

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

static int compare(const void *x, const void *y)
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
	qsort(v, *n, sizeof *v, compare);
	return v;
}

static const char *verdict_words(const char *verdict)
{
	static const char *const words[][2] = {
		{ "high", "high value" },
		{ "moderate", "moderate value" },
		{ "low", "low value" },
		{ "none", "not a bottleneck" },
		{ "harmful", "harmful: slows the program down" },
		{ "not-enough-data", "not enough data" },
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(verdict, words[i][0]))
			return words[i][1];
	return verdict;
}

/* Cleaned and cut, as a string of its own. */
static char *fit(char *owned, size_t room)
{
	struct buf b = BUF_INIT;

	caption_add(&b, owned, room);
	free(owned);
	return buf_detach(&b);
}

/* Two decimals, and no "-0.00"; what is out of all proportion stays short. */
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

/* What only waits has no share of the samples that all others have one of. */
static bool only_waits(const struct finding *m)
{
	return m->blocked_pct > 0 && !(m->share_pct >= 0.05);
}

char *panel_numbers(const struct finding *m, size_t room)
{
	bool waits = only_waits(m);
	double share = waits ? m->blocked_pct : m->share_pct;
	struct buf slope = BUF_INIT, all = BUF_INIT;
	int digits = share < 9.95 ? 1 : 0;

	add_slope_interval(&slope, m);
	if (isnan(share))
		return buf_detach(&slope);
	buf_addf(&all, "%s · %.*f %% of %s", slope.s, digits, share, waits ? "blocked time" : "samples");
	if (all.len - 1 > room) { /* "·" is two bytes */
		buf_clear(&all);
		buf_addf(&all, "%s · %s %.*f %%", slope.s, waits ? "blocked" : "share", digits, share);
	}
	if (all.len - 1 > room) {
		buf_release(&all);
		return buf_detach(&slope);
	}
	buf_release(&slope);
	return buf_detach(&all);
}

/* Of "about 5 times as many windows (record with -d 120)", what stands in the parentheses says enough. */
static void add_need(struct buf *b, const char *need, size_t room)
{
	const char *open = strrchr(need, '('), *close = open ? strchr(open, ')') : NULL;

	if (b->len + strlen(": needs ") + strlen(need) <= room) {
		buf_addf(b, ": needs %s", need);
	} else if (close && b->len + 2 + (size_t)(close - open - 1) <= room) {
		buf_adds(b, ": ");
		buf_add(b, open + 1, (size_t)(close - open - 1));
	}
}

char *panel_verdict(const struct finding *m, size_t room)
{
	struct buf b = BUF_INIT;

	if (!m->verdict)
		return NULL;
	buf_adds(&b, verdict_words(m->verdict));
	if (m->need)
		add_need(&b, m->need, room);
	else if (!isnan(m->max_useful_pct))
		buf_addf(&b, ", no gain past %g %%", m->max_useful_pct);
	return fit(buf_detach(&b), room);
}

/* A label is the shortest end of a path that is not ambiguous: it can differ where the place does not. */
static bool is_same_place(const struct finding *a, const struct finding *b)
{
	return a->file && b->file && !strcmp(a->file, b->file) && a->line == b->line;
}

char *panel_base(const struct finding *base, const struct finding *head, size_t room)
{
	struct buf b = BUF_INIT, slope = BUF_INIT;

	if (!base)
		return fit(xstrdup("base: no such region"), room);
	add_slope_interval(&slope, base);
	if (head && strcmp(base->region, head->region) && !is_same_place(base, head)) {
		buf_adds(&b, "base, ");
		caption_add(&b, base->region, 32);
		buf_addf(&b, ": %s", slope.s);
		if (b.len > room) /* where it was is worth less than what it was */
			buf_clear(&b);
	}
	if (!b.len)
		buf_addf(&b, "base: %s", slope.s);
	buf_release(&slope);
	return fit(buf_detach(&b), room);
}

char *panel_title(const struct finding *m, size_t room)
{
	struct buf b = BUF_INIT;
	size_t used = caption_add(&b, m->region, room);

	if (m->function && strcmp(m->function, m->region) && used + 4 + 8 <= room) {
		buf_adds(&b, " in ");
		caption_add(&b, m->function, room - used - 4);
	}
	return buf_detach(&b);
}
