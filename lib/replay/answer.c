/*
 * Asks each model, and makes one answer of theirs.
 */
#include "replay/replay.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "replay/replay_parts.h"

/* How good each model is where its check is good: from known-answer programs. */
static const double prior[REPLAY_MODELS] = { [REPLAY_STRICT] = 0.03, [REPLAY_SIMULATED] = 0.12, [REPLAY_MONITOR] = 0.85 };

#define CHECK_SCALE  0.05  /* a check that is off by so much speaks against a model */
#define SCARCE_SCALE 0.05  /* share of time without a processor, which the strict model knows nothing of */
#define UNKNOWN      0.004 /* standard error of a gain by what no model knows */

static double weight_of(const struct replay *r, enum replay_model model, double check)
{
	double off = check > 0 ? log(check) / CHECK_SCALE : INFINITY, w = prior[model];

	if (model == REPLAY_STRICT)
		w *= exp(-r->scarce / SCARCE_SCALE);
	return w * fmax(1e-6, exp(-off * off / 2));
}

/* The gain of all models, and how far they are apart.  The spread counts a model that is believed less for more than the mean does. */
static void combine(struct replay_effect *e)
{
	double sum = 0, spread = 0, chance = 0, roots = 0;

	e->gain = 0;
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		sum += isnan(e->model[k].gain) ? 0 : e->model[k].weight;
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		e->model[k].weight = isnan(e->model[k].gain) || !(sum > 0) ? 0 : e->model[k].weight / sum;
		if (!(e->model[k].weight > 0))
			continue;
		e->gain += e->model[k].weight * e->model[k].gain;
		chance += e->model[k].weight * e->model[k].se;
	}
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		double d = e->model[k].gain - e->gain, root = sqrt(e->model[k].weight);

		if (!(root > 0))
			continue;
		spread += root * d * d;
		roots += root;
	}
	if (!(sum > 0)) {
		e->gain = e->chance = e->doubt = e->se = NAN;
		return;
	}
	e->chance = chance;
	e->doubt = sqrt(spread / roots);
	e->se = sqrt(e->chance * e->chance + e->doubt * e->doubt + UNKNOWN * UNKNOWN);
}

static void set_model(const struct replay *r, struct replay_effect *e, enum replay_model model, const struct compared *c, double check)
{
	e->model[model] = (struct replay_modelled){ .base_ns = c->base_ns, .ns = c->ns, .gain = c->gain, .se = c->se, .weight = weight_of(r, model, check) };
}

static void answer_point(const struct replay *r, struct run *const *run, size_t point, struct replay_effect *e)
{
	*e = (struct replay_effect){ .what = REPLAY_PERIOD, .point = r->point[point] };
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		struct compared c = compare_visits(r, run[k], k, point), check = compare_visits(r, NULL, k, point);

		set_model(r, e, k, &c, check.ns / check.base_ns);
	}
	e->count = 0;
	for (size_t b = 0; b < r->nscripts; b++)
		e->count += r->script[b].recorded.visits[point];
	e->measured_ns = measured_period(r, point);
	combine(e);
}

static void answer_whole(const struct replay *r, struct run *const *run, struct replay_effect *e)
{
	*e = (struct replay_effect){ .what = REPLAY_WHOLE, .count = r->nscripts, .measured_ns = r->facts.length_ns };
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		struct compared c = compare_whole(r, run[k], k);

		set_model(r, e, k, &c, r->facts.check[k]);
	}
	combine(e);
}

static void answer_spans(const struct replay *r, struct run *const *run, size_t point, struct replay_effect e[REPLAY_WHATS - REPLAY_MEAN])
{
	for (int what = REPLAY_MEAN; what < REPLAY_WHATS; what++)
		e[what - REPLAY_MEAN] = (struct replay_effect){ .what = (enum replay_what)what, .point = r->latency_point[point] };
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		struct compared c[REPLAY_WHATS], check[REPLAY_WHATS];

		compare_spans(r, run[k], k, point, c);
		compare_spans(r, NULL, k, point, check);
		for (int what = REPLAY_MEAN; what < REPLAY_WHATS; what++) {
			e[what - REPLAY_MEAN].count = check[what].count;
			e[what - REPLAY_MEAN].measured_ns = check[what].base_ns;
			set_model(r, &e[what - REPLAY_MEAN], k, &c[what], check[REPLAY_MEAN].ns / check[REPLAY_MEAN].base_ns);
		}
	}
	for (int what = REPLAY_MEAN; what < REPLAY_WHATS; what++)
		combine(&e[what - REPLAY_MEAN]);
}

void replay_ask(const struct replay *r, const struct replay_question *q, struct replay_answer *out)
{
	struct run *run[REPLAY_MODELS];
	float *fraction = NULL, (*change)[REPLICATES] = NULL;

	if (q && q->shorter)
		shares_ask(r, q->shorter, &fraction, &change);
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		const struct setting how = { .model = k, .cpus = q ? q->cpus : 0, .fraction = fraction, .change = change, .asked = q };

		run[k] = xcalloc(r->nscripts + 1, sizeof(*run[k]));
		for (size_t b = 0; b < r->nscripts; b++)
			simulate(r, &r->script[b], &how, &run[k][b]);
	}
	*out = (struct replay_answer){ 0 };
	out->effect = xcalloc(r->npoints + 1 + r->nlatency * (REPLAY_WHATS - REPLAY_MEAN), sizeof(*out->effect));
	for (size_t p = 0; p < r->npoints; p++)
		answer_point(r, run, p, &out->effect[out->n++]);
	answer_whole(r, run, &out->effect[out->n++]);
	for (size_t p = 0; p < r->nlatency; p++) {
		answer_spans(r, run, p, &out->effect[out->n]);
		out->n += REPLAY_WHATS - REPLAY_MEAN;
	}
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		for (size_t b = 0; b < r->nscripts; b++)
			run_release(&run[k][b]);
		free(run[k]);
	}
	free(fraction);
	free(change);
}

void replay_answer_release(struct replay_answer *a)
{
	free(a->effect);
	*a = (struct replay_answer){ 0 };
}
