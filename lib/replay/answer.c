/*
 * Asks each model, and makes one answer of theirs.
 */
#include "replay/replay.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/chance.h"
#include "replay/replay_parts.h"

/* How good each model is where its check is good: from known-answer programs. */
static const double prior[REPLAY_MODELS] = { [REPLAY_STRICT] = 0.02, [REPLAY_SIMULATED] = 0.08, [REPLAY_MONITOR] = 0.90 };

#define CHECK_SCALE  0.05  /* a check that is off by so much speaks against a model */
#define SCARCE_SCALE 0.05  /* share of time without a processor, which the strict model knows nothing of */
#define LOST         0.05  /* standard error when the model that is believed most cannot answer */
#define UNKNOWN      0.004 /* standard error of a gain by what no model knows; */
#define FAR          0.2   /* a check that says that a model knows nothing: of mpmc, strict (0.73) says 0 and 48 for 15 and 34 */
#define OPEN         0.5   /* of what bursts did not see, something between nothing and all is gained: half of it, give or take half */
#define TIE_SAMPLES  5     /* with and without what is asked about: see tie_of */
#define UNSEEN_LEAST 0.001 /* of the length of all bursts, in waits that nobody saw the end of, from which on they are tried out */
#define UNKNOWN_CROWDED 1.5 /* in a crowd, times how far the models are apart: so much 9 regions of crowd, stages and pzip were off (METHOD.md) */

/* Two ratios of simulated to measured time, which are 1 for a perfect model. */
struct checks {
	double structure; /* who waits for whom */
	double scheduler; /* who gets a processor */
};

static double nearer_to_one(double a, double b)
{
	if (!(a > 0) || !(b > 0))
		return a > 0 ? a : b;
	return fabs(log(a)) <= fabs(log(b)) ? a : b;
}

/*
 * `own`: the model's time without the recorded waits for processors, over the measured
 * one.  Neighbours may make that less than 1.  Nothing but a wrong model of the scheduler
 * makes it more than the factor by which computing is taken to be slowed.  Where threads
 * queue behind each other, that may make it less, too.  It is as good a check as the
 * other one where the recording does not tell of such waits.
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

static double worst_of(struct checks c)
{
	return c.structure > 0 && nearer_to_one(c.structure, c.scheduler) == c.structure ? c.scheduler : c.structure;
}

static double weight_of(const struct replay *r, enum replay_model model, struct checks c)
{
	double structure = c.structure > 0 ? log(c.structure) : INFINITY;
	double off = hypot(structure, log(c.scheduler)) / CHECK_SCALE, w = prior[model];

	if (model == REPLAY_STRICT)
		w *= exp(-r->scarce / SCARCE_SCALE);
	return w * fmax(1e-6, exp(-off * off / 2));
}

/* How far the model's time is from the measured one, for the work as it was. */
static double miss_of(const struct replay_effect *e, enum replay_model model)
{
	return fabs(log(e->model[model].base_ns / e->measured_ns));
}

/* The greatest difference between models, whatever they weigh; but for those that are far off, where two are right. */
static double range_of(const struct replay_effect *e)
{
	double least = INFINITY, most = -INFINITY;
	size_t right = 0;

	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		right += miss_of(e, k) < CHECK_SCALE;
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		if (right >= 2 && miss_of(e, k) > FAR)
			continue;
		least = fmin(least, e->model[k].gain);
		most = fmax(most, e->model[k].gain);
	}
	return most - least;
}

/* By how much the time of the model that is believed most is off. */
static double misfit_of(const struct replay_effect *e)
{
	enum replay_model leader = 0;

	for (enum replay_model k = 1; k < REPLAY_MODELS; k++)
		if (e->model[k].weight > e->model[leader].weight)
			leader = k;
	return e->model[leader].check > 0 ? fabs(log(e->model[leader].check)) : 1;
}

/* The gain of all models, and how far they are apart.  part: what the question takes away of all processor time. */
static void combine(struct replay_effect *e, bool crowded, double part)
{
	double sum = 0, spread = 0, lost = 0, range;

	e->gain = e->chance = e->doubt = e->se = NAN;
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		lost += isnan(e->model[k].gain) ? e->model[k].weight : 0;
		e->model[k].weight -= isnan(e->model[k].gain) ? e->model[k].weight : 0;
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
	spread += LOST * LOST * lost / (lost + sum);
	e->doubt = sqrt(spread);
	range = range_of(e) * (crowded ? UNKNOWN_CROWDED : fmax(0, 1 - e->trust));
	e->misfit = misfit_of(e) * fmax(fabs(e->gain), part);
	e->se = sqrt(e->chance * e->chance + spread + UNKNOWN * UNKNOWN + range * range + e->misfit * e->misfit + e->phases * e->phases +
		     e->open * e->open / 4);
}

/* ---- what is known of shares beside the bursts ------------------------------------------------ */

/* What a question takes away, by the samples of the bursts. */
struct taken {
	double part, change[REPLICATES]; /* of all computing */
	double most;      /* of what any stack gives */
	double samples;
	double waited;    /* in waits for the outside, of all threads, by the length of the bursts */
	double length_ns;
};

/* By chance.  Those samples count that are of a stack which gets shorter, by `most`. */
static double variance_of_part(double part, double most, double samples)
{
	return most > 0 ? most * most * chance_variance(part / most, samples) : 0;
}

/* The variance of `waited`, by chance, when each sample stands for a period: that of a number of samples. */
static double variance_of_wait(double waited, const struct taken *taken, double period_ns, double length_ns)
{
	return length_ns > 0 ? CHANCE_ALIKE * waited * taken->most * period_ns / length_ns : 0;
}

/* How a gain changes with the part, all else being as it was: all of what is gained beside waits is gained by that. */
static double gain_by_part(const struct replay *r, const struct compared *c, const struct taken *taken)
{
	if (!(taken->part > 0) || isnan(c->gain))
		return OPEN * r->busy;
	return fmin(r->busy, fmax(0, (c->gain - taken->waited) / taken->part));
}

/* How a gain changes with the part as it is by chance, in resampled sets of samples. */
struct tie {
	double slope;
	double rest; /* what is left of the chance in samples, when the part is known */
};

/* Are there enough samples of what is taken away, and of what is not, for resampling to tell anything? */
static bool is_resampled(const struct taken *taken)
{
	double share = taken->most > 0 ? taken->part / taken->most : 0;

	return taken->samples * fmin(share, 1 - share) >= TIE_SAMPLES;
}

/* By least squares. */
static struct tie tie_of(const struct replay *r, const struct compared *c, const struct taken *taken)
{
	double xx = 0, xy = 0, square = 0;
	struct tie tie = { 0 };

	if (!is_resampled(taken)) {
		tie.slope = gain_by_part(r, c, taken);
		return tie;
	}
	for (size_t k = 0; k < REPLICATES; k++) {
		xx += taken->change[k] * taken->change[k];
		xy += taken->change[k] * c->change[k];
	}
	tie.slope = xx > 0 ? xy / xx : 0;
	for (size_t k = 0; k < REPLICATES; k++) {
		double left = c->change[k] - tie.slope * taken->change[k];

		square += left * left;
	}
	tie.rest = sqrt(square / (REPLICATES - 1));
	return tie;
}

static void set_gain(struct compared *c, double gain)
{
	c->gain = gain;
	c->ns = c->base_ns * (1 - gain);
}

/*
 * The samples of the whole run say better than those of the bursts which part of the time a
 * region has: by number, and because they see all phases.  A gain is corrected by what it
 * changes with that part.  Where the difference is more than chance makes, the bursts saw
 * other phases than there are, and what less work is worth in those is not known.
 *
 * `openssl speed` hashes blocks of six sizes, one after the other: SHA256_Update had 31 % of
 * the samples in the burst and 55 % in all, and was predicted at 0.32 (0.26 to 0.37).
 */
static void take_known_part(const struct replay *r, struct replay_effect *e, struct compared c[REPLAY_MODELS], const struct taken *taken,
			    const struct replay_known *known, enum replay_model leader)
{
	struct tie tie = tie_of(r, &c[leader], taken);
	double away = known->part - taken->part, known2 = variance_of_part(known->part, taken->most, known->samples);
	double chance = sqrt(variance_of_part(known->part, taken->most, taken->samples) + known2);
	double by_chance = fmin(chance, fmax(-chance, away)), by_phases = away - by_chance;
	double change = tie.slope * by_chance + gain_by_part(r, &c[leader], taken) * by_phases;
	double by_samples = sqrt(tie.rest * tie.rest + tie.slope * tie.slope * known2);

	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		double others = c[k].se * c[k].se - c[k].by_samples * c[k].by_samples;

		set_gain(&c[k], c[k].gain + change);
		c[k].by_samples = k == leader ? by_samples : 0;
		c[k].se = sqrt(fmax(0, others) + c[k].by_samples * c[k].by_samples);
	}
	e->phases = OPEN * r->busy * fabs(by_phases);
}

/* The same for waits.  Of a shorter wait, something between nothing and all is gained. */
static void take_known_waits(struct replay_effect *e, struct compared c[REPLAY_MODELS], const struct taken *taken,
			     const struct replay_known *known)
{
	double waited = known->waited_ns / known->length_ns, variance;

	variance = variance_of_wait(waited, taken, known->period_ns, taken->length_ns) +
		   variance_of_wait(waited, taken, known->period_ns, known->length_ns);
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		set_gain(&c[k], c[k].gain + OPEN * (waited - taken->waited));
	e->phases = hypot(e->phases, OPEN * chance_excess(waited, taken->waited, variance));
}

/*
 * One thread: nothing has to be replayed.  sqlite3 writes a temporary file in a third of a
 * second: a function that has 4 % of the processor time was predicted at 0.38 (0.26 to 0.51),
 * from a burst that saw little else.
 */
static void take_known_alone(struct compared c[REPLAY_MODELS], const struct taken *taken, const struct replay_known *known)
{
	double busy = fmin(1, known->samples * known->period_ns / known->length_ns), waited = known->waited_ns / known->length_ns;
	double variance = busy * busy * variance_of_part(known->part, taken->most, known->samples) +
			  variance_of_wait(waited, taken, known->period_ns, known->length_ns);

	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		set_gain(&c[k], busy * known->part + waited);
		c[k].by_samples = 0;
		c[k].se = sqrt(variance);
	}
}

static void take_known(const struct replay *r, struct replay_effect *e, struct compared c[REPLAY_MODELS], const struct taken *taken,
		       const struct replay_known *known, enum replay_model leader)
{
	bool counts_time = e->what == REPLAY_PERIOD || e->what == REPLAY_WHOLE;

	if (known->alone && counts_time) {
		take_known_alone(c, taken, known);
		return;
	}
	take_known_part(r, e, c, taken, known, leader);
	if (counts_time)
		take_known_waits(e, c, taken, known);
}

/* ---- each effect ------------------------------------------------------------------------------- */

/* Runs of each model, of each script. */
struct runs {
	struct run *of[REPLAY_MODELS];
	struct run *open[OPEN_QUESTIONS]; /* of the leader, with another answer to what nobody recorded; NULL: it makes no difference */
	enum replay_model leader;    /* the model that is believed most.  Its runs carried the chance in samples, which the others share */
	const struct replay_known *known;
	struct taken taken;
};

/* How far gains are apart, whatever the answers; a model that cannot tell says nothing. */
static double open_range(double gain, const double with[OPEN_QUESTIONS])
{
	double least = gain, most = gain;

	for (int u = 0; u < OPEN_QUESTIONS; u++) {
		least = fmin(least, with[u]);
		most = fmax(most, with[u]);
	}
	return most - least;
}

/* Of one effect, by model. */
static void set_models(const struct replay *r, struct replay_effect *e, struct compared c[REPLAY_MODELS], const double check[REPLAY_MODELS],
		       const struct runs *runs)
{
	enum replay_model leader = runs->leader;

	if (runs->known)
		take_known(r, e, c, &runs->taken, runs->known, leader);
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		double more = k == leader || !(c[leader].by_samples > 0) ? 0 : c[leader].by_samples;
		struct checks checks = checks_of(r, check[k], c[k].base_ns / e->measured_ns);

		e->model[k] = (struct replay_modelled){
			.base_ns = c[k].base_ns, .ns = c[k].ns, .gain = c[k].gain, .se = hypot(c[k].se, more), .weight = weight_of(r, k, checks),
			.check = worst_of(checks),
		};
	}
	combine(e, r->crowded, runs->taken.part);
}

static void answer_point(const struct replay *r, const struct runs *runs, size_t point, struct replay_effect *e)
{
	struct compared c[REPLAY_MODELS];
	double check[REPLAY_MODELS], with[OPEN_QUESTIONS], tie = 0;

	*e = (struct replay_effect){ .what = REPLAY_PERIOD, .point = r->point[point], .measured_ns = measured_period(r, point) };
	if (runs->known) {
		struct compared of_leader = compare_visits(r, runs->of[runs->leader], runs->leader, point, 0);

		tie = tie_of(r, &of_leader, &runs->taken).slope;
	}
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		struct compared base = compare_visits(r, NULL, k, point, 0);

		c[k] = compare_visits(r, runs->of[k], k, point, tie);
		check[k] = base.ns / base.base_ns;
	}
	for (int u = 0; u < OPEN_QUESTIONS; u++)
		with[u] = runs->open[u] ? compare_visits(r, runs->open[u], runs->leader, point, 0).gain : NAN;
	for (size_t b = 0; b < r->nscripts; b++)
		e->count += r->script[b].recorded.visits[point];
	e->open = open_range(c[runs->leader].gain, with);
	set_models(r, e, c, check, runs);
}

static void answer_whole(const struct replay *r, const struct runs *runs, struct replay_effect *e)
{
	struct compared c[REPLAY_MODELS];
	double with[OPEN_QUESTIONS];

	*e = (struct replay_effect){ .what = REPLAY_WHOLE, .count = r->nscripts, .measured_ns = r->facts.length_ns };
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		c[k] = compare_whole(r, runs->of[k], k);
	for (int u = 0; u < OPEN_QUESTIONS; u++)
		with[u] = runs->open[u] ? compare_whole(r, runs->open[u], runs->leader).gain : NAN;
	e->open = open_range(c[runs->leader].gain, with);
	set_models(r, e, c, r->facts.check, runs);
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
			compare_spans(r, runs->open[u], runs->leader, point, open[u]);
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
			.open = open_range(of[runs->leader].gain, with),
		};
		set_models(r, to, of, check, runs);
	}
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* The model that is believed most. */
static enum replay_model leader_of(const struct replay *r)
{
	enum replay_model best = REPLAY_MONITOR;

	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		if (weight_of(r, k, checks_of(r, r->facts.check[k], 1)) > weight_of(r, best, checks_of(r, r->facts.check[best], 1)))
			best = k;
	return best;
}

static struct run *run_scripts(const struct replay *r, const struct setting *how)
{
	struct run *run = xcalloc(r->nscripts + 1, sizeof(*run));

	for (size_t b = 0; b < r->nscripts; b++)
		simulate(r, &r->script[b], how, &run[b]);
	return run;
}

/* The greatest part by which any stack gets shorter. */
static double most_shorter(const struct replay *r, const double *shorter)
{
	double most = 0;

	for (size_t i = 1; shorter && i <= r->nstacks; i++)
		most = fmax(most, shorter[i]);
	return fmin(1, most);
}

/* There is enough of such waits for their end to matter. */
static bool has_unseen(const struct replay *r)
{
	return r->facts.unexplained_ns + r->facts.timeouts_ns > UNSEEN_LEAST * r->facts.length_ns;
}

static struct taken taken_of(const struct replay *r, const double *shorter, const float *fraction, const float (*change)[REPLICATES])
{
	struct taken t = { .part = (double)fraction[SHARES_COMPUTING], .most = most_shorter(r, shorter), .length_ns = r->facts.length_ns };
	double waits = 0;

	for (size_t k = 0; k < REPLICATES; k++)
		t.change[k] = (double)change[SHARES_COMPUTING][k];
	for (size_t i = 0; i < r->nsamples; i++)
		if (r->sample[i].waiting)
			waits++;
	t.samples = (double)r->nsamples - waits;
	/* The mean weight of samples of waits is 1. */
	for (size_t i = 0; i < r->nsamples; i++)
		if (r->sample[i].waiting)
			t.waited += shorter[r->sample[i].stack] * (double)r->sample[i].weight * r->sampled_wait_ns / waits / t.length_ns;
	return t;
}

static void run_all(const struct replay *r, const struct replay_question *q, struct runs *runs)
{
	float *fraction = NULL, (*change)[REPLICATES] = NULL;

	*runs = (struct runs){ .leader = leader_of(r) };
	if (q && q->shorter) {
		shares_ask(r, q->shorter, &fraction, &change);
		runs->known = q->known;
		runs->taken = taken_of(r, q->shorter, fraction, change);
	}
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		runs->of[k] = run_scripts(r, &(struct setting){
			.model = k, .cpus = q ? q->cpus : 0, .fraction = fraction, .change = k == runs->leader ? change : NULL, .asked = q,
		});
	for (enum open_question u = has_unseen(r) ? WAITS_SHORTER : LATENCIES_SHORTER; q && u < OPEN_QUESTIONS; u++)
		runs->open[u] = run_scripts(r, &(struct setting){
			.model = runs->leader, .open = u, .shorter = most_shorter(r, q->shorter), .cpus = q->cpus, .fraction = fraction, .asked = q,
		});
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
