/*
 * answer: combines the results of all models into one answer.
 */
#include "replay/replay.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "replay/replay_parts.h"

/*
 * How good each model is where its check is good: from known-answer programs.  Without REPLAY_STAYING, REPLAY_MONITOR has
 * its weight, too.
 */
static const double prior[REPLAY_MODELS] = { [REPLAY_SIMULATED] = 0.08, [REPLAY_MONITOR] = 0.45, [REPLAY_STAYING] = 0.45 };

#define CHECK_SCALE  0.05  /* a check with this deviation is evidence against a model */
#define UNKNOWN      0.004 /* standard error of a gain, for effects that are in no model */
#define UNSEEN_LEAST 0.001 /* open questions about times of this share of the length of all bursts are simulated */

/* Two ratios of simulated to measured time, which are 1 for a perfect model. */
struct checks {
	double structure; /* about waits for other threads */
	double scheduler; /* about processors */
};

static double nearer_to_one(double a, double b)
{
	if (!(a > 0) || !(b > 0))
		return a > 0 ? a : b;
	return fabs(log(a)) <= fabs(log(b)) ? a : b;
}

/*
 * `own`: the model's time without the recorded waits for processors, over the measured
 * one.  Load of other programs may make that less than 1.  Only a wrong model of the
 * scheduler makes it more than the assumed slowdown of computing.  Queues of threads for
 * processors may make it less, too.  It is as good a check as the other one if the
 * recording has no such waits.
 */
static struct checks checks_of(const struct replay *r, double check, double own)
{
	struct checks c = { .structure = nearer_to_one(check, own), .scheduler = 1 };

	if (own > 0 && r->crowded)
		c.scheduler = own;
	else if (own > r->slowed)
		c.scheduler = own / r->slowed;
	return c;
}

/*
 * In simulations, processors may be idle more rarely than they were.  The model's time without a question, if as many
 * processors as in the recording were idle, but no more than explains the measured time.
 */
static double explained(const struct replay *r, enum replay_model model, double own)
{
	return own < 1 ? fmin(1, own * (1 + r->left_idle[model])) : own;
}

static double worst_of(struct checks c)
{
	return c.structure > 0 && nearer_to_one(c.structure, c.scheduler) == c.structure ? c.scheduler : c.structure;
}

static double weight_of(const struct replay *r, enum replay_model model, struct checks c)
{
	double structure = c.structure > 0 ? log(c.structure) : INFINITY;
	double off = hypot(structure, log(c.scheduler)) / CHECK_SCALE, w = prior[model];

	if (!replay_has_model(r, model))
		return 0;
	if (model == REPLAY_MONITOR && !replay_has_model(r, REPLAY_STAYING))
		w += prior[REPLAY_STAYING];
	return w * fmax(1e-6, exp(-off * off / 2));
}

/* The greatest difference between models, of any weight.  One that failed might have said that nothing is gained. */
static double range_of(const struct replay *r, const struct replay_effect *e)
{
	double least = INFINITY, most = -INFINITY;

	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		double gain = isnan(e->model[k].gain) ? 0 : e->model[k].gain;

		if (!replay_has_model(r, k))
			continue;
		least = fmin(least, gain);
		most = fmax(most, gain);
	}
	return most - least;
}

/*
 * The standard error from time that the most credible model does not explain: the region may
 * have the same part of that as of the rest.
 */
static double misfit_of(const struct replay_effect *e, double part)
{
	double check = e->model[replay_leader(e->model)].check, off = check > 0 ? fabs(log(check)) : 1;

	return off * fmax(fabs(e->gain), part);
}

/*
 * The standard error because threads meet others unseen.  The time that the question removes may be hidden behind waits
 * that no model has, or others may wait for it where the models do not know that.
 *
 * Of 102 values of 14 programs with such meetings (20 s), by replay alone:
 *
 *     times                         0     0.5   1     2
 *     intervals without the truth   29    13    9     2
 *     mean of half the width        3.8   6.9   11.5  21.3
 *     mean error of both methods          3.42  3.42  3.63
 */
static double hidden_of(const struct replay *r, double part)
{
	return r->facts.hidden * part * r->busy;
}

/*
 * The gain of all models together, and their spread.  part: the share of all processor time
 * that the question removes.
 */
static void combine(const struct replay *r, struct replay_effect *e, double part)
{
	double sum = 0, spread = 0, range;

	e->gain = e->chance = e->doubt = e->se = NAN;
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		if (isnan(e->model[k].gain))
			e->model[k].weight = 0;
		sum += e->model[k].weight;
	}
	e->trust = sum;
	if (!(sum > 0))
		return;
	e->gain = e->chance = 0;
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		e->model[k].weight /= sum;
		if (!(e->model[k].weight > 0))
			continue;
		e->gain += e->model[k].weight * e->model[k].gain;
		e->chance += e->model[k].weight * e->model[k].se;
	}
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		if (e->model[k].weight > 0)
			spread += e->model[k].weight * (e->model[k].gain - e->gain) * (e->model[k].gain - e->gain);
	e->doubt = sqrt(spread);
	range = range_of(r, e) * fmax(0, 1 - e->trust);
	e->misfit = misfit_of(e, part);
	e->hidden = hidden_of(r, part);
	e->se = sqrt(e->chance * e->chance + spread + UNKNOWN * UNKNOWN + range * range + e->misfit * e->misfit + e->phases * e->phases +
		     e->hidden * e->hidden + e->open * e->open / 4);
}

/* ---- each effect ------------------------------------------------------------------------------- */

/* Runs of each model, of each script. */
struct runs {
	struct run *of[REPLAY_MODELS];
	struct run *open[OPEN_QUESTIONS]; /* runs of MAIN_MODEL with another assumption about an open question; NULL: the question does not arise */
	const struct replay_known *known;
	struct taken_away taken;
	double bound; /* of polled_bound */
};

/* The range of gains over all assumptions but COMPUTES_AWAKE; models without an answer are ignored. */
static double open_range(double gain, const double with[OPEN_QUESTIONS])
{
	double least = gain, most = gain;

	for (int u = 0; u < COMPUTES_AWAKE; u++) {
		least = fmin(least, with[u]);
		most = fmax(most, with[u]);
	}
	return most > least ? most - least : 0; /* all are unknown: the main model has failed */
}

/*
 * Either the waits make all of the difference that COMPUTES_AWAKE makes, or the work: one is as likely as the other.
 * range: the difference; NAN: the question does not arise.
 */
static void allow_for_awake(struct replay_effect *e, double range)
{
	if (!(range > 0))
		return;
	e->gain += range / 2;
	e->se = hypot(e->se, range / 2);
}

/* The results for one effect.  with: gains of the main model, by assumption. */
static void set_models(const struct replay *r, struct replay_effect *e, struct compared c[REPLAY_MODELS], const double check[REPLAY_MODELS],
		       const double with[OPEN_QUESTIONS], const struct runs *runs)
{
	double awake = with[COMPUTES_AWAKE] - c[MAIN_MODEL].gain;

	/* Gains with another assumption are not corrected, so they are compared first. */
	e->open = open_range(c[MAIN_MODEL].gain, with);
	if (runs->known)
		known_apply(r, e, c, &runs->taken, runs->known);
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		double more = k == MAIN_MODEL || !(c[MAIN_MODEL].by_samples > 0) ? 0 : c[MAIN_MODEL].by_samples;
		double own = c[k].base_ns / e->measured_ns;

		e->model[k] = (struct replay_modelled){
			.base_ns = c[k].base_ns, .ns = c[k].ns, .gain = c[k].gain, .se = hypot(c[k].se, more),
			.weight = weight_of(r, k, checks_of(r, check[k], explained(r, k, own))),
			.check = worst_of(checks_of(r, check[k], own)),
		};
	}
	combine(r, e, runs->taken.part);
	allow_for_awake(e, awake);
}

/*
 * Nothing tells whether others wait for a thread that polls.  The gain lies between that of both
 * cases, anywhere as likely as elsewhere: a uniform distribution.
 */
static void allow_for_polls(struct replay_effect *e, double bound)
{
	double range = e->gain > bound ? e->gain - bound : 0;

	e->gain -= range / 2;
	e->se = hypot(e->se, range / sqrt(12));
}

static void answer_point(const struct replay *r, const struct runs *runs, size_t point, struct replay_effect *e)
{
	struct compared c[REPLAY_MODELS];
	double check[REPLAY_MODELS], with[OPEN_QUESTIONS];

	*e = (struct replay_effect){ .what = REPLAY_PERIOD, .point = r->point[point], .measured_ns = measured_period(r, point) };
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		struct compared base = compare_visits(r, NULL, k, point, false);

		c[k] = compare_visits(r, runs->of[k], k, point, runs->known);
		check[k] = base.ns / base.base_ns;
	}
	for (int u = 0; u < OPEN_QUESTIONS; u++)
		with[u] = runs->open[u] ? compare_visits(r, runs->open[u], MAIN_MODEL, point, false).gain : NAN;
	for (size_t b = 0; b < r->nscripts; b++)
		e->count += r->script[b].recorded.visits[point];
	set_models(r, e, c, check, with, runs);
	allow_for_polls(e, runs->bound);
}

static void answer_whole(const struct replay *r, const struct runs *runs, struct replay_effect *e)
{
	struct compared c[REPLAY_MODELS];
	double with[OPEN_QUESTIONS];

	*e = (struct replay_effect){ .what = REPLAY_WHOLE, .count = r->nscripts, .measured_ns = r->facts.length_ns };
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		c[k] = compare_whole(r, runs->of[k], k);
	for (int u = 0; u < OPEN_QUESTIONS; u++)
		with[u] = runs->open[u] ? compare_whole(r, runs->open[u], MAIN_MODEL).gain : NAN;
	set_models(r, e, c, r->facts.check, with, runs);
	allow_for_polls(e, runs->bound);
}

static void answer_spans(const struct replay *r, const struct runs *runs, size_t point, struct replay_effect e[REPLAY_WHATS - REPLAY_MEAN])
{
	struct compared c[REPLAY_MODELS][REPLAY_WHATS], base[REPLAY_WHATS], open[OPEN_QUESTIONS][REPLAY_WHATS];
	double check[REPLAY_MODELS];

	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		compare_spans(r, runs->of[k], k, point, c[k]);
		compare_spans(r, NULL, k, point, base);
		check[k] = base[REPLAY_MEAN].ns / base[REPLAY_MEAN].base_ns;
	}
	for (int u = 0; u < OPEN_QUESTIONS; u++)
		if (runs->open[u])
			compare_spans(r, runs->open[u], MAIN_MODEL, point, open[u]);
	for (int what = REPLAY_MEAN; what < REPLAY_WHATS; what++) {
		struct replay_effect *to = &e[what - REPLAY_MEAN];
		struct compared of[REPLAY_MODELS];
		double with[OPEN_QUESTIONS];

		for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
			of[k] = c[k][what];
		for (int u = 0; u < OPEN_QUESTIONS; u++)
			with[u] = runs->open[u] ? open[u][what].gain : NAN;
		*to = (struct replay_effect){
			.what = (enum replay_what)what, .point = r->latency_point[point], .count = base[what].count, .measured_ns = base[what].base_ns,
		};
		set_models(r, to, of, check, with, runs);
	}
}

/* ---- runs ------------------------------------------------------------------------------------ */

static struct run *run_scripts(const struct replay *r, const struct setting *how)
{
	struct run *run = xcalloc(r->nscripts + 1, sizeof(*run));

	for (size_t b = 0; b < r->nscripts; b++)
		simulate(r, &r->script[b], how, &run[b]);
	return run;
}

static bool misses_ticks(const struct replay *r)
{
	for (size_t b = 0; b < r->nscripts; b++)
		if (r->script[b].nticks)
			return true;
	return false;
}

static double spared_by(const struct replay *r, const struct run *run)
{
	double ns = 0;

	for (size_t b = 0; b < r->nscripts; b++)
		ns += run[b].spared_ns;
	return ns;
}

/*
 * Does the question arise?  It does where there are enough waits with an unknown end, or stretches that no longer follow a wait
 * in the runs of the main model; and where ticks may be missed.
 */
static bool arises(const struct replay *r, enum open_question open, const struct run *main)
{
	double unseen_ns = r->any_ns + (open == WAITS_FIXED ? r->fixed_ns : r->facts.unexplained_ns + r->facts.timeouts_ns);

	if (open == COMPUTES_AWAKE)
		return spared_by(r, main) > UNSEEN_LEAST * r->facts.length_ns;
	if (open == WAITS_FIXED && misses_ticks(r))
		return true;
	return open == LATENCIES_RECORDED || unseen_ns > UNSEEN_LEAST * r->facts.length_ns;
}

static void run_all(const struct replay *r, const struct replay_question *q, struct runs *runs)
{
	float *fraction = NULL, (*change)[REPLICATES] = NULL;

	*runs = (struct runs){ .bound = INFINITY };
	if (q && q->shorter) {
		shares_ask(r, q->shorter, &fraction, &change);
		runs->known = q->known;
		runs->taken = known_taken(r, q->shorter, fraction, change);
		runs->bound = polled_bound(r, fraction);
	}
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		runs->of[k] = run_scripts(r, &(struct setting){
			.model = k, .cpus = q ? q->cpus : 0, .fraction = fraction, .change = k == MAIN_MODEL ? change : NULL, .asked = q,
		});
	for (enum open_question u = AS_RECORDED + 1; q && u < OPEN_QUESTIONS; u++) {
		if (!arises(r, u, runs->of[MAIN_MODEL]))
			continue;
		runs->open[u] = run_scripts(r, &(struct setting){
			.model = MAIN_MODEL, .open = u, .shorter = runs->taken.most, .cpus = q->cpus, .fraction = fraction, .asked = q,
		});
	}
	free(fraction);
	free(change);
}

static void release_runs(const struct replay *r, struct run *run)
{
	for (size_t b = 0; run && b < r->nscripts; b++)
		run_release(&run[b]);
	free(run);
}

static void release_all(const struct replay *r, struct runs *runs)
{
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		release_runs(r, runs->of[k]);
	for (int u = 0; u < OPEN_QUESTIONS; u++)
		release_runs(r, runs->open[u]);
}

void replay_ask(const struct replay *r, const struct replay_question *q, struct replay_answer *out)
{
	struct runs runs;

	run_all(r, q, &runs);
	*out = (struct replay_answer){ 0 };
	out->effect = xcalloc(r->npoints + 1 + r->nlatency * (REPLAY_WHATS - REPLAY_MEAN), sizeof(*out->effect));
	for (size_t p = 0; p < r->npoints; p++)
		answer_point(r, &runs, p, &out->effect[out->n++]);
	answer_whole(r, &runs, &out->effect[out->n++]);
	for (size_t p = 0; p < r->nlatency; p++) {
		answer_spans(r, &runs, p, &out->effect[out->n]);
		out->n += REPLAY_WHATS - REPLAY_MEAN;
	}
	release_all(r, &runs);
}

void replay_answer_release(struct replay_answer *a)
{
	free(a->effect);
	*a = (struct replay_answer){ 0 };
}
