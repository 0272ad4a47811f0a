#include "profile/latency.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Share of ends with a measured span, from which on these represent all. */
static const double MOST_MEASURED = 0.9;

/* The smallest sum of lengths: clocks of two threads may differ by more than the length of a span. */
static const double LEAST_NS = 1;

struct tally {
	double ends, measured, in_flight; /* counts */
	unsigned measure;                 /* enum profile_measure */
};

static unsigned measure_of(const struct tally *t)
{
	if (t->measured > 0 && t->measured >= MOST_MEASURED * t->ends)
		return MEASURE_SPANS;
	return t->in_flight > 0 ? MEASURE_IN_FLIGHT : MEASURE_ENDS;
}

static struct tally *count_spans(const struct context *c)
{
	struct tally *t = xcalloc(c->p->npoints + 1, sizeof *t);

	for (size_t i = 0; i < c->nends; i++) {
		const struct profile_visits *v = &c->visits[c->ends[i].at];

		t[v->point].ends += (double)v->count;
		t[v->point].in_flight += isnan(c->ends[i].in_flight_ns) ? 0 : (double)v->count;
	}
	for (size_t i = 0; i < c->nspans; i++)
		t[c->spans[i].point].measured += (double)c->spans[i].count;
	for (size_t i = 0; i < c->p->npoints; i++)
		t[i].measure = measure_of(&t[i]);
	return t;
}

/* By spans in flight; without usable data, count is 0. */
static void replace_ends(struct context *c, const struct tally *t)
{
	for (size_t i = 0; i < c->nends; i++) {
		struct profile_visits *v = &c->visits[c->ends[i].at];
		double in_flight_ns = c->ends[i].in_flight_ns;

		c->p->point[v->point].measures |= t[v->point].measure;
		if (t[v->point].measure == MEASURE_ENDS)
			continue;
		if (t[v->point].measure == MEASURE_SPANS || isnan(in_flight_ns))
			v->count = 0;
		else
			v->virtual_ns = fmax(in_flight_ns, LEAST_NS);
	}
}

static void remove_empty(struct context *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->nvisits; i++)
		if (c->visits[i].count)
			c->visits[kept++] = c->visits[i];
	c->nvisits = kept;
}

void latency_join(struct context *c)
{
	struct tally *t;

	if (!c->nends && !c->nspans)
		return;
	t = count_spans(c);
	replace_ends(c, t);
	remove_empty(c);
	for (size_t i = 0; i < c->nspans; i++) {
		struct context_spans *s = &c->spans[i];

		if (t[s->point].measure != MEASURE_SPANS) {
			s->count = 0;
			continue;
		}
		c->p->point[s->point].measures |= MEASURE_SPANS;
		c->visits = xgrow(c->visits, c->nvisits, &c->cap_visits, sizeof *c->visits);
		c->visits[c->nvisits++] = (struct profile_visits){
			.window = s->window, .point = s->point, .count = s->count, .virtual_ns = fmax(s->virtual_ns, LEAST_NS)
		};
	}
	free(t);
}

void latency_keep(struct context *c)
{
	struct profile *p = c->p;

	for (size_t i = 0; i < c->nspans; i++) {
		const struct context_spans *s = &c->spans[i];
		size_t place = c->window[s->window].place;
		const struct profile_window *w;
		struct lengths_of name;

		if (place == PROFILE_NONE || !s->count || p->window[place].disturbed)
			continue;
		w = &p->window[place];
		name = (struct lengths_of){
			.point = s->point, .region = w->region, .s = w->s, .run = p->run[w->run].hash, .block = w->block
		};
		p->point[s->point].spans += (double)s->count;
		p->point[s->point].crossing += (double)s->crossing;
		lengths_table_add(&p->lengths, &name, c->bucket + s->first, s->n);
	}
}
