#include "diff/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/*
 * Least information of a group, as part of the strongest group's: otherwise the noise of
 * the weakest would dominate the mean.
 */
static const double LEAST_INFO = 0.25;

double quantity_of(const struct causal_unit *u, enum quantity what)
{
	switch (what) {
	case QUANTITY_PERIOD:
		return u->ratio.n0 > 0 && u->ratio.d0 > 0 ? log(u->ratio.d0 / u->ratio.n0) : NAN;
	case QUANTITY_SLOPE:
		return causal_ratio_slope(&u->ratio);
	default:
		return causal_ratio_cost(&u->ratio);
	}
}

/* The weight of a run beside others of its kind. */
static double info_of(const struct causal_unit *u, enum quantity what)
{
	return what == QUANTITY_PERIOD ? u->ratio.n0 : u->ratio.den;
}

static bool can_stand_alone(const struct causal_unit *u, enum quantity what, bool whole, double most)
{
	if (!isfinite(quantity_of(u, what)) || info_of(u, what) < LEAST_INFO * most)
		return false;
	/* A run without windows has its value from recorded events. */
	return what == QUANTITY_PERIOD || whole || u->windows == 0 || causal_unit_is_strong(u);
}

/* Runs with equal times are ordered by their content, so that the order of the input does not matter. */
static int by_time(const void *va, const void *vb)
{
	const struct unit *a = va, *b = vb;

	if (a->order < b->order || a->order > b->order)
		return a->order < b->order ? -1 : 1;
	for (int s = 0; s < 2; s++) {
		double x = a->side[s].ratio.num + a->side[s].ratio.d0, y = b->side[s].ratio.num + b->side[s].ratio.d0;

		if (x < y || x > y)
			return x < y ? -1 : 1;
	}
	return text_order(a->block, b->block);
}

static void unit_add(struct unit *into, const struct unit *from)
{
	for (int s = 0; s < 2; s++) {
		causal_unit_add(&into->side[s], &from->side[s]);
		into->runs[s] += from->runs[s];
	}
}

/* Joins neighbours until each group is strong enough, on each of its sides. */
static void join_weak(struct units *g, enum quantity what)
{
	size_t n = 0;
	struct unit open = { .block = NULL };

	for (size_t i = 0; i < g->n; i++) {
		bool good = true;

		unit_add(&open, &g->at[i]);
		for (int s = 0; s < 2; s++)
			good = good && (g->most[s] < 0 || can_stand_alone(&open.side[s], what, g->whole[s], g->most[s]));
		if (!good)
			continue;
		g->at[n++] = open;
		open = (struct unit){ .block = NULL };
	}
	if (open.runs[0] + open.runs[1] && n)
		unit_add(&g->at[n - 1], &open);
	g->n = n;
}

/* The greatest information of a group of a side; -1 when the groups do not have that side. */
static void set_most(struct units *g, enum quantity what, bool base, bool head)
{
	const bool has[2] = { base, head };

	for (int s = 0; s < 2; s++) {
		g->most[s] = has[s] ? 0 : -1;
		for (size_t i = 0; has[s] && i < g->n; i++)
			g->most[s] = fmax(g->most[s], info_of(&g->at[i].side[s], what));
	}
}

/* The unit of a block and a host, which is made if there is none. */
static struct unit *unit_at(struct units *g, const char *block, const char *host, double order)
{
	for (size_t i = 0; i < g->n; i++)
		if (text_order(g->at[i].block, block) == 0 && text_order(g->at[i].host, host) == 0) {
			g->at[i].order = fmin(g->at[i].order, order);
			return &g->at[i];
		}
	g->at[g->n] = (struct unit){ .block = block, .host = host, .order = order };
	return &g->at[g->n++];
}

static void unit_add_run(struct unit *u, int s, const struct replicate *run)
{
	causal_unit_add(&u->side[s], &run->sum);
	u->runs[s]++;
}

struct units units_of_runs(const struct replicates *r, int s, enum quantity what, bool by_host)
{
	struct units g = { .at = xcalloc(r->n + 1, sizeof *g.at) };

	for (size_t i = 0; i < r->n; i++) {
		if (!by_host)
			g.at[g.n++] = (struct unit){ .order = r->at[i].order };
		unit_add_run(by_host ? unit_at(&g, NULL, r->at[i].host, r->at[i].order) : &g.at[i], s, &r->at[i]);
	}
	g.whole[s] = r->whole;
	set_most(&g, what, s == 0, s == 1);
	qsort(g.at, g.n, sizeof *g.at, by_time);
	join_weak(&g, what);
	return g;
}

struct units units_of_blocks(const struct replicates *base, const struct replicates *head, enum quantity what)
{
	const struct replicates *side[2] = { base, head };
	struct units g = { .at = xcalloc(base->n + head->n + 1, sizeof *g.at), .whole = { base->whole, head->whole } };
	size_t n = 0;

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s]->n; i++) {
			const struct replicate *run = &side[s]->at[i];

			if (run->block)
				unit_add_run(unit_at(&g, run->block, run->host, run->order), s, run);
		}
	for (size_t i = 0; i < g.n; i++)
		if (g.at[i].runs[0] && g.at[i].runs[1])
			g.at[n++] = g.at[i];
	g.n = n;
	set_most(&g, what, true, true);
	if (g.n)
		qsort(g.at, g.n, sizeof *g.at, by_time);
	join_weak(&g, what);
	return g;
}

double *units_values(const struct units *g, int s, enum quantity what)
{
	double *v = xcalloc(g->n + 1, sizeof *v);

	for (size_t i = 0; i < g->n; i++)
		v[i] = quantity_of(&g->at[i].side[s], what);
	return v;
}

size_t units_count_runs(const struct units *g, int s)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += g->at[i].runs[s];
	return n;
}

void units_release(struct units *g)
{
	free(g->at);
}
