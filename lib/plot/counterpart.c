#include "plot/counterpart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "diff/place.h"
#include "diff/words.h"
#include "plot/panel.h"

/* Records of old analyses have no scope; then a function has only its label. */
static struct match_place place_or_label_of(const struct finding *m)
{
	struct match_place p = place_of(m);

	if (!p.scope)
		p.scope = p.file && p.line ? "line" : "function";
	if (!p.function && strcmp(p.scope, "line") != 0)
		p.function = m->region;
	return p;
}

static struct match_place *places_of(const struct found_point *p)
{
	struct match_place *v = xcalloc(p ? p->regions.n + 1 : 1, sizeof *v);

	for (size_t i = 0; p && i < p->regions.n; i++)
		v[i] = place_or_label_of(p->regions.entry[i].value);
	return v;
}

/* There are neither hashes nor a line map for more evidence; the curve is drawn even then. */
static bool stands_where_it_stood(const struct match_place *b, const struct match_place *h)
{
	return b->line == h->line && text_same(b->file, h->file) && text_same(b->function, h->function);
}

/* base_of[i]: head's region i in base, or NULL. */
static const struct finding **pair(const struct found_point *base, const struct found_point *head, const struct linemap *map)
{
	struct match_place *b = places_of(base), *h = places_of(head);
	const struct finding **base_of = xcalloc(head ? head->regions.n + 1 : 1, sizeof *base_of);
	struct match *match = NULL;
	size_t n = base && head ? match_places(b, base->regions.n, h, head->regions.n, map, &match) : 0;

	for (size_t i = 0; i < n; i++)
		if (match[i].confidence >= MATCH_SURE || match[i].kind == MATCH_SAME ||
		    stands_where_it_stood(&b[match[i].base], &h[match[i].head]))
			base_of[match[i].head] = base->regions.entry[match[i].base].value;
	free(match);
	free(b);
	free(h);
	return base_of;
}

static bool is_known(const struct finding *m)
{
	return m && finding_is_known(m);
}

/* Half of the interval; without one, nothing is certain. */
static double doubt_of(const struct finding *m)
{
	return isnan(m->slope_lo) || isnan(m->slope_hi) ? INFINITY : (m->slope_hi - m->slope_lo) / 2;
}

/* Negative if a side has no slope, which differs from a slope of 0. */
static double change_of(const struct counterpart *c)
{
	return is_known(c->head) && is_known(c->base) ? fabs(c->head->slope - c->base->slope) : -1;
}

static double least_change_of(const struct counterpart *c)
{
	double change = change_of(c);

	return change < 0 ? change : fmax(0, change - hypot(doubt_of(c->head), doubt_of(c->base)));
}

static int order(double a, double b)
{
	return a > b ? -1 : a < b;
}

/* The rank of a region: the most important first. */
static int class_of(const struct counterpart *c)
{
	if (c->row && c->row->change <= CHANGE_MINOR)
		return 0;
	if (least_change_of(c) > 0 && !(c->row && c->row->change == CHANGE_UNCHANGED))
		return 1;
	if (c->row && words_is_news(c->row))
		return 2; /* new, or gone */
	return change_of(c) < 0 ? 4 : 3;
}

static int by_change(const void *x, const void *y)
{
	const struct counterpart *a = x, *b = y;
	int class = class_of(a), d = class - class_of(b);

	/* Rows are one array, in the order in which they are to be read. */
	if (!d && (class == 0 || class == 2))
		return a->row < b->row ? -1 : a->row > b->row;
	d = d ? d : order(least_change_of(a), least_change_of(b));
	d = d ? d : order(change_of(a), change_of(b));
	d = d ? d : !a->head - !b->head;
	return d ? d : panel_order(a->head ? a->head : a->base, b->head ? b->head : b->base);
}

/* A row has head's label, or base's if only base has the region; a region of head has an impact there. */
static bool is_row_of(const struct row *row, const char *point, const struct counterpart *c)
{
	const char *was = row->text[TEXT_BASE_REGION];

	if (row->kind != ROW_REGION || strcmp(row->text[TEXT_POINT], point) != 0)
		return false;
	if (!c->head != !row->text[TEXT_HEAD_IMPACT] || !c->base != !was)
		return false;
	return !strcmp(row->text[TEXT_REGION], c->head ? c->head->region : c->base->region) &&
	       (!c->base || !strcmp(was, c->base->region));
}

static void find_row(struct counterpart *c, const char *point, const struct report *changes)
{
	for (size_t i = 0; changes && !c->row && i < changes->n; i++)
		if (is_row_of(&changes->row[i], point, c))
			c->row = &changes->row[i];
}

static bool is_paired(const struct counterpart *v, size_t n, const struct finding *base)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].base == base)
			return true;
	return false;
}

static bool is_drawn(const struct finding *m)
{
	return m && (m->n || finding_is_known(m));
}

struct counterpart *counterparts(const struct found_point *base, const struct found_point *head, const struct linemap *map,
				 const struct report *changes, size_t *n)
{
	size_t nbase = base ? base->regions.n : 0, nhead = head ? head->regions.n : 0;
	const struct finding **base_of = pair(base, head, map);
	struct counterpart *v = xcalloc(nbase + nhead + 1, sizeof *v);

	*n = 0;
	for (size_t i = 0; i < nhead; i++)
		v[(*n)++] = (struct counterpart){ .head = head->regions.entry[i].value, .base = base_of[i] };
	for (size_t i = 0; i < nbase; i++) {
		const struct finding *m = base->regions.entry[i].value;

		if (!is_paired(v, nhead, m))
			v[(*n)++] = (struct counterpart){ .base = m };
	}
	for (size_t i = 0; i < *n; i++)
		find_row(&v[i], head ? head->name : base->name, changes);
	nhead = *n;
	*n = 0;
	for (size_t i = 0; i < nhead; i++)
		if (is_drawn(v[i].head) || is_drawn(v[i].base))
			v[(*n)++] = v[i];
	qsort(v, *n, sizeof *v, by_change);
	free(base_of);
	return v;
}
