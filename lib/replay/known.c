/*
 * known: corrects results of bursts, which are a part of the run, by the shares of the
 * whole run.
 *
 * A gain is corrected by its change with the share.  The difference between the share in the
 * bursts and that in the run has two causes, which ask for two corrections:
 *
 *     chance   the bursts had few samples: resampled sets of them tell how gain and share change together
 *     phases   the program did something else: the gain is taken to be proportional to the share
 */
#include "replay/replay_parts.h"

#include <math.h>

#include "base/chance.h"

#define OPEN         0.5   /* for time that bursts did not see, the gain is between nothing and all: half of it, with an error of half */
#define TIE_SAMPLES  5     /* samples needed with and without the region: see tie_of */

/* The largest speedup of any stack. */
static double most_shorter(const struct replay *r, const double *shorter)
{
	double most = 0;

	for (size_t i = 1; shorter && i <= r->nstacks; i++)
		most = fmax(most, shorter[i]);
	return fmin(1, most);
}

struct taken_away known_taken(const struct replay *r, const double *shorter, const float *fraction, const float (*change)[REPLICATES])
{
	struct taken_away t = { .part = (double)fraction[SHARES_COMPUTING], .most = most_shorter(r, shorter), .length_ns = r->facts.length_ns };
	double ns = r->sampled_wait_ns / (double)r->nwaiting; /* that one sample of a wait stands for; their mean weight is 1 */

	for (size_t k = 0; k < REPLICATES; k++)
		t.change[k] = (double)change[SHARES_COMPUTING][k];
	t.samples = (double)(r->nsamples - r->nwaiting) / r->alike;
	t.missed = r->missed;
	for (size_t i = 0; i < r->nsamples && r->nwaiting; i++)
		if (r->sample[i].waiting)
			t.waited += shorter[r->sample[i].stack] * (double)r->sample[i].weight * ns / t.length_ns;
	return t;
}

/*
 * The chance variance.  Only samples of stacks that get shorter, by taken->most, count.  Time that samples did not meet is
 * all of the region's, or none of it.
 */
static double variance_of_part(double part, const struct taken_away *taken, double samples)
{
	double most = taken->most;

	return most > 0 ? most * most * (chance_variance(part / most, samples) + taken->missed * taken->missed / 4) : 0;
}

/* The chance variance of `waited`, a number of samples of a period each. */
static double variance_of_wait(double waited, const struct taken_away *taken, double period_ns, double length_ns)
{
	return length_ns > 0 ? CHANCE_ALIKE * waited * taken->most * period_ns / length_ns : 0;
}

/* The change of a gain with the part, if nothing else changes: all gain beside that of waits is due to the part. */
static double gain_by_part(const struct replay *r, const struct compared *c, const struct taken_away *taken)
{
	if (!(taken->part > 0) || isnan(c->gain))
		return OPEN * r->busy;
	return fmin(r->busy, fmax(0, (c->gain - taken->waited) / taken->part));
}

/* The change of a gain with the part, by chance, in resampled sets of samples. */
struct tie {
	double slope;
	double rest; /* the chance of samples that remains when the part is known */
};

/* Are there enough samples with and without the region for resampling? */
static bool is_resampled(const struct taken_away *taken)
{
	double share = taken->most > 0 ? taken->part / taken->most : 0;

	return taken->samples * fmin(share, 1 - share) >= TIE_SAMPLES;
}

/* By least squares. */
static struct tie tie_of(const struct replay *r, const struct compared *c, const struct taken_away *taken)
{
	double xx = 0, xy = 0, square = 0;
	struct tie tie = { 0 };

	if (!is_resampled(taken)) {
		tie.slope = gain_by_part(r, c, taken);
		/* A burst that is full after 15 ms has ten samples: 0.44 (0.39 to 0.49) was said for 0.61. */
		tie.rest = tie.slope * taken->part / sqrt(fmax(1, taken->samples));
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
 * The samples of the whole run tell the share of a region better than those of the bursts:
 * they are more, and from all phases.  A gain is corrected by its change with that share.
 * If the difference is larger than chance allows, the bursts saw other phases than the run,
 * and the gain in the unseen phases is unknown.
 *
 * `openssl speed` hashes blocks of six sizes, one after the other: SHA256_Update had 31 % of
 * the samples in the burst and 55 % in all, and was predicted at 0.32 (0.26 to 0.37).
 */
static void take_known_part(const struct replay *r, struct replay_effect *e, struct compared c[REPLAY_MODELS], const struct taken_away *taken,
			    const struct replay_known *known)
{
	struct tie tie = tie_of(r, &c[MAIN_MODEL], taken);
	double away = known->part - taken->part, known2 = variance_of_part(known->part, taken, known->samples);
	double chance = sqrt(variance_of_part(known->part, taken, taken->samples) + known2);
	double by_chance = fmin(chance, fmax(-chance, away)), by_phases = away - by_chance;
	double change = tie.slope * by_chance + gain_by_part(r, &c[MAIN_MODEL], taken) * by_phases;
	double by_samples = sqrt(tie.rest * tie.rest + tie.slope * tie.slope * known2);

	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		double others = c[k].se * c[k].se - c[k].by_samples * c[k].by_samples;

		set_gain(&c[k], c[k].gain + change);
		c[k].by_samples = k == MAIN_MODEL ? by_samples : 0;
		c[k].se = sqrt(fmax(0, others) + c[k].by_samples * c[k].by_samples);
	}
	e->phases = OPEN * r->busy * fabs(by_phases);
}

/* The same for waits.  The gain from a shorter wait is between nothing and all of it. */
static void take_known_waits(struct replay_effect *e, struct compared c[REPLAY_MODELS], const struct taken_away *taken,
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
 * A single thread: replay is not needed.  sqlite3 writes a temporary file in a third of a
 * second: a function that has 4 % of the processor time was predicted at 0.38 (0.26 to 0.51),
 * from a burst that saw little else.
 */
static void take_known_alone(struct compared c[REPLAY_MODELS], const struct taken_away *taken, const struct replay_known *known)
{
	double busy = known->busy, waited = known->waited_ns / known->length_ns;
	double variance = busy * busy * variance_of_part(known->part, taken, known->samples) +
			  variance_of_wait(waited, taken, known->period_ns, known->length_ns);

	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		set_gain(&c[k], busy * known->part + waited);
		c[k].by_samples = 0;
		c[k].se = sqrt(variance);
	}
}

void known_apply(const struct replay *r, struct replay_effect *e, struct compared c[REPLAY_MODELS], const struct taken_away *taken,
		 const struct replay_known *known)
{
	bool counts_time = e->what == REPLAY_PERIOD || e->what == REPLAY_WHOLE;
	struct taken_away all = *taken;
	struct replay_known run = *known;

	all.most = fmax(taken->most, known->shorter);
	run.samples /= r->alike;
	if (known->alone && counts_time) {
		take_known_alone(c, &all, &run);
		return;
	}
	take_known_part(r, e, c, &all, &run);
	if (counts_time && !isnan(known->waited_ns))
		take_known_waits(e, c, &all, &run);
}
