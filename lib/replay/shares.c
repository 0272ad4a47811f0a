/*
 * shares: the share of each stack in stretches of computing, and in waits for the
 * outside.
 *
 * A sample shows a thread at one moment, which is too little to describe its stretch.
 * So stretches are sorted into cells: of one kind (between the same two places), within
 * it of about one length, within that of one thread.  A cell combines its own samples
 * with the shares of the cell above, which count as a few samples more.
 *
 * Waits for the outside have cells of their own, of one place each, and samples of their
 * own: code that reads a file takes the time that the device takes.
 */
#include "replay/replay_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

enum {
	THREAD_SAMPLES_LEAST = 20, /* samples needed by a thread to have cells of its own */
	/*
	 * In t/workload/spans, spans take 1.6 ms, and one in eight 2.4 ms, so that code in the longest only, 50 % faster, makes their
	 * p99 16.7 % shorter.  With 1, where a guest beside us stretched some of the short ones: 8.7 %; with 2: 14.8; 4: 17.6; 8: 17.5.
	 * Means are alike with all of these.
	 */
	CLASSES_PER_OCTAVE = 4,
	ABOVE_SAMPLES = 5,         /* samples of its own that the cell above counts for: 2 to 20 predict alike (EVIDENCE.md) */
	RAN_SAMPLES_LEAST = 10,    /* samples of a cell that are needed to tell which part of its stretches threads really ran */
};

enum {
	PARTS = 16,       /* of a stretch, */
	PART_SAMPLES = 5, /* with at least so many samples each, in the mean: the rule for chi-square */
};

#define QUEUED_MOST 0.1F      /* with more time without a processor in a stretch, nobody knows how much of it had passed */
#define MISSED 0.2            /* a part with less than this of the mean number of samples */
#define STRETCH_LEAST_NS 1e5F /* a tick meets shorter ones at any part of them */
#define CROWDED 1.02 /* share of the processors' capacity: time beyond this was not computing */

/* ---- cells --------------------------------------------------------------------------------- */

static uint32_t add_cell(struct replay *r, struct idmap *keys, uint64_t key, uint32_t above)
{
	uint32_t k = (uint32_t)idmap_number(keys, keys_mix(key, above)) + ROOTS;

	if (k < r->ncells)
		return k;
	r->above = xgrow(r->above, r->ncells, &r->cell_cap, sizeof(*r->above));
	r->above[r->ncells] = above;
	return (uint32_t)r->ncells++;
}

/* The place in the program that the step is at. */
static uint64_t place_of_step(const struct step *s)
{
	return keys_mix(s->kind, s->site ? s->site : (UINT64_C(1) << 32) + s->object);
}

static uint64_t length_class(float ns)
{
	return ns > 1 ? (uint64_t)(CLASSES_PER_OCTAVE * log2f(ns)) : 0;
}

/* The cell of a kind, of about that length, of a thread. */
static uint32_t make_cell(struct replay *r, struct idmap *keys, uint32_t root, uint64_t kind, float ns, uint64_t thread)
{
	return add_cell(r, keys, thread, add_cell(r, keys, length_class(ns), add_cell(r, keys, kind, root)));
}

/* A key for each thread: its own when it has enough samples, else that of all that were created at the same place. */
static uint64_t *own_cells(const struct replay *r, const struct script *s, size_t before)
{
	size_t *n = xcalloc(s->nactors + 1, sizeof(*n)), at = 0;
	uint64_t *own = xcalloc(s->nactors + 1, sizeof(*own));

	for (size_t i = 0; i < r->nsamples; i++) {
		if (r->sample[i].waiting || r->sample[i].cell < before || r->sample[i].cell >= before + s->n)
			continue;
		if (at && r->sample[i].cell - before < s->actor[at].first)
			at = 0;
		while (r->sample[i].cell - before >= s->actor[at].end)
			at++;
		n[at]++;
	}
	for (size_t t = 0; t < s->nactors; t++)
		own[t] = n[t] >= THREAD_SAMPLES_LEAST ? (uint64_t)s->actor[t].id + 1 : keys_mix(s->actor[t].birth_site, 1);
	free(n);
	return own;
}

uint32_t shares_kind(const struct replay *r, uint32_t cell)
{
	return r->above[r->above[cell]];
}

uint32_t stretch_end(const struct script *s, uint32_t i, uint32_t end, float *cpu_ns)
{
	*cpu_ns = s->step[i].cpu_ns;
	while (s->step[i].counts_work && i + 1 < end)
		*cpu_ns += s->step[++i].cpu_ns;
	return i;
}

/* A stretch of an actor. */
struct stretch {
	uint32_t first, end; /* its steps */
	uint64_t kind;
	float cpu_ns;
	unsigned samples;    /* in it */
};

/* The stretch after p, at first one that is all zeros.  False: there is none.  samples: numbers of samples, by step of the script. */
static bool next_stretch(const struct script *s, const struct actor *a, const unsigned *samples, struct stretch *p)
{
	bool begins = p->end == 0;
	uint32_t last;

	p->first = begins ? a->first : p->end;
	if (p->first >= a->end)
		return false;
	last = stretch_end(s, p->first, a->end, &p->cpu_ns);
	p->end = last + 1;
	p->kind = keys_mix(begins ? a->birth_site : place_of_step(&s->step[p->first - 1]), place_of_step(&s->step[last]));
	p->samples = 0;
	for (uint32_t i = p->first; i < p->end; i++)
		p->samples += samples[i];
	return true;
}

/* By step of all scripts.  The caller frees it. */
static unsigned *count_samples(const struct replay *r)
{
	size_t steps = 0;
	unsigned *samples;

	for (size_t b = 0; b < r->nscripts; b++)
		steps += r->script[b].n;
	samples = xcalloc(steps + 1, sizeof(*samples));
	for (size_t i = 0; i < r->nsamples; i++)
		samples[r->sample[i].cell] += !r->sample[i].waiting;
	return samples;
}

/* How long a sample takes, ns. */
static float learn_sample_time(const struct replay *r, const unsigned *samples)
{
	struct sample_time *t = sample_time_begin();

	for (size_t b = 0; b < r->nscripts; samples += r->script[b++].n) {
		for (size_t i = 0; i < r->script[b].nactors; i++) {
			struct stretch p = { 0 };

			while (next_stretch(&r->script[b], &r->script[b].actor[i], samples, &p))
				sample_time_add(t, p.kind, (double)p.cpu_ns, p.samples);
		}
	}
	return sample_time_end(t);
}

/* Adds all stretches of an actor. */
static void make_cells_of(struct replay *r, struct idmap *keys, struct script *s, const struct actor *a, uint64_t own,
			  const unsigned *samples, float sample_ns)
{
	struct stretch p = { 0 };

	while (next_stretch(s, a, samples, &p)) {
		struct step *last = &s->step[p.end - 1];
		uint32_t cell = make_cell(r, keys, SHARES_COMPUTING, p.kind, p.cpu_ns - (float)p.samples * sample_ns, own);

		for (uint32_t i = p.first; i < p.end; i++)
			s->step[i].cell = cell;
		if (step_is_for_outside(last))
			last->wait_cell = make_cell(r, keys, SHARES_WAITING, place_of_step(last), last->waited_ns, own);
	}
}

static void make_cells(struct replay *r)
{
	struct idmap keys = { 0 };
	unsigned *samples = count_samples(r);
	float sample_ns = learn_sample_time(r, samples);
	size_t before = 0;

	r->above = xgrow(r->above, ROOTS, &r->cell_cap, sizeof(*r->above));
	for (unsigned root = 0; root < ROOTS; root++)
		r->above[r->ncells++] = NOBODY;
	for (size_t b = 0; b < r->nscripts; b++) {
		struct script *s = &r->script[b];
		uint64_t *own = own_cells(r, s, before);

		for (size_t t = 0; t < s->nactors; t++)
			make_cells_of(r, &keys, s, &s->actor[t], own[t], samples + before, sample_ns);
		before += s->n;
		free(own);
	}
	free(samples);
	idmap_release(&keys);
}

/* The part of its stretch that has passed at a sample; negative where that is not known. */
static float part_passed(const struct step *step, const struct sample *sample)
{
	float length = step->cpu_ns + step->queued_ns;
	bool is_known = step->kind != BURST_KINDS && !step->counts_work && step->queued_ns < QUEUED_MOST * length && length >= STRETCH_LEAST_NS;

	return is_known && !sample->waiting && sample->passed <= length ? sample->passed / length : -1;
}

static void settle_samples(struct replay *r)
{
	const struct step *step;
	size_t before = 0, b = 0;

	for (size_t i = 0; i < r->nsamples; i++) {
		while (r->sample[i].cell >= before + r->script[b].n)
			before += r->script[b++].n;
		step = &r->script[b].step[r->sample[i].cell - before];
		r->sample[i].passed = part_passed(step, &r->sample[i]);
		r->sample[i].cell = r->sample[i].waiting ? step->wait_cell : step->cell;
	}
}

/* A mean of 1 for samples of a kind, so that weights are numbers of samples. */
static void normalize_samples(struct replay *r)
{
	double sum[2] = { 0 };
	size_t n[2] = { 0 };

	for (size_t i = 0; i < r->nsamples; i++) {
		sum[r->sample[i].waiting] += (double)r->sample[i].weight;
		n[r->sample[i].waiting]++;
	}
	r->nwaiting = n[1];
	r->sampled_wait_ns = sum[1];
	for (size_t i = 0; i < r->nsamples; i++)
		r->sample[i].weight *= (float)((double)n[r->sample[i].waiting] / sum[r->sample[i].waiting]);
}

/* ---- unrecorded time without a processor ------------------------------------------- */

/* Stretches of a cell and of those below: their time, and the time that samples stand for. */
struct taken {
	double wall_ns, sampled_ns;
	size_t samples;
};

/* Waits at the end of sleeps are guessed (oversleep.c), so they do not tell that context switches were recorded. */
static bool is_crowded(const struct script *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->step[i].queued_ns > 0 || (s->step[i].late_ns > 0 && !step_is_for_outside(&s->step[i])))
			return false;
		sum += (double)s->step[i].cpu_ns;
	}
	return sum > CROWDED * s->cpus * s->length_ns;
}

static double ran(const struct replay *r, const struct taken *t, uint32_t cell)
{
	while (cell >= ROOTS && t[cell].samples < RAN_SAMPLES_LEAST)
		cell = r->above[cell];
	return t[cell].wall_ns > 0 && t[cell].samples >= RAN_SAMPLES_LEAST ? fmin(1, t[cell].sampled_ns / t[cell].wall_ns) : 1;
}

/*
 * If context switches were not recorded, and threads together computed for longer than the
 * processors' capacity, a part of that was waiting for a processor.  Samples of processor
 * time tell which part.
 */
static void take_out_queues(struct replay *r)
{
	struct taken *t = xcalloc(r->ncells + 1, sizeof(*t));
	bool crowded = r->nscripts > 0;

	for (size_t b = 0; b < r->nscripts; b++) {
		crowded = crowded && is_crowded(&r->script[b]);
		for (size_t i = 0; i < r->script[b].n; i++)
			t[r->script[b].step[i].cell].wall_ns += (double)r->script[b].step[i].cpu_ns;
	}
	for (size_t i = 0; i < r->nsamples; i++) {
		t[r->sample[i].cell].samples++;
		t[r->sample[i].cell].sampled_ns += (double)r->sample[i].weight;
	}
	for (size_t i = r->ncells; i-- > ROOTS;) {
		t[r->above[i]].wall_ns += t[i].wall_ns;
		t[r->above[i]].sampled_ns += t[i].sampled_ns;
		t[r->above[i]].samples += t[i].samples;
	}
	for (size_t b = 0; crowded && b < r->nscripts; b++) {
		for (size_t i = 0; i < r->script[b].n; i++) {
			struct step *s = &r->script[b].step[i];
			float cpu = s->cpu_ns * (float)ran(r, t, s->cell);

			s->queued_ns += s->cpu_ns - cpu;
			s->cpu_ns = cpu;
		}
	}
	free(t);
}

/* ---- samples in step with the program ---------------------------------------------------------- */

/* The samples of one kind and length, by the part of their stretch that had passed. */
struct parts {
	size_t n[PARTS], all;
};

/* Sums over all of them. */
struct evenness {
	double square, freedom; /* chi-square for equal numbers, and its degrees of freedom */
	double missed, all;     /* samples that parts without any should have, and all samples */
};

static void add_parts(const struct parts *p, struct evenness *e)
{
	double mean = (double)p->all / PARTS;

	if (p->all < PARTS * PART_SAMPLES)
		return;
	for (size_t i = 0; i < PARTS; i++) {
		e->square += ((double)p->n[i] - mean) * ((double)p->n[i] - mean) / mean;
		e->missed += (double)p->n[i] < MISSED * mean ? mean : 0;
	}
	e->freedom += PARTS - 1;
	e->all += (double)p->all;
}

/*
 * A timer that goes by the kernel's ticks may be in step with the program: of rounds of 2 ms, a region with half of the time
 * had 9 to 65 % of the samples of a second.  But events tell when each stretch began, and how long it was.  All parts of a stretch take
 * the same time, so they must have about as many samples.  If these differ by more than chance, the variance is that many times
 * larger; and nobody knows what runs in a part without samples.
 */
static void check_evenness(struct replay *r)
{
	struct parts *parts = xcalloc(r->ncells + 1, sizeof(*parts));
	struct evenness e = { 0 };

	for (size_t i = 0; i < r->nsamples; i++) {
		const struct sample *s = &r->sample[i];
		struct parts *p = s->passed >= 0 ? &parts[r->above[s->cell]] : NULL;
		size_t part = p ? (size_t)(s->passed * PARTS) : 0;

		if (!p)
			continue;
		p->n[part < PARTS ? part : PARTS - 1]++;
		p->all++;
	}
	for (size_t i = 0; i < r->ncells; i++)
		add_parts(&parts[i], &e);
	free(parts);
	r->alike = e.freedom > 0 ? fmax(1, e.square / e.freedom) : 1;
	r->missed = e.all > 0 ? e.missed / e.all : 0;
}

/* ---- resampling ---------------------------------------------------------------------------------------- */

/* A number of copies, of mean 1: Poisson. */
static uint8_t copies(uint64_t random)
{
	double u = (double)(random >> 11) / 9007199254740992.0, p = exp(-1.0);
	uint8_t n = 0;

	for (double sum = p; u > sum && n < 8; sum += p)
		p /= ++n;
	return n;
}

void shares_learn(struct replay *r)
{
	make_cells(r);
	settle_samples(r);
	take_out_queues(r);
	normalize_samples(r);
	check_evenness(r);
	for (size_t i = 0; i < r->nsamples; i++)
		for (uint64_t k = 0; k < REPLICATES; k++)
			r->sample[i].copies[k] = copies(keys_mix(i, k + 1));
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

struct sums {
	double shorter[REPLICATES + 1], weight[REPLICATES + 1];
};

static void add_samples(const struct replay *r, const double *shorter, struct sums *sum)
{
	for (size_t i = 0; i < r->nsamples; i++) {
		const struct sample *s = &r->sample[i];
		struct sums *to = &sum[s->cell];
		double f = fmin(1, fmax(0, shorter[s->stack])), w = (double)s->weight;

		to->shorter[REPLICATES] += f * w;
		to->weight[REPLICATES] += w;
		for (size_t k = 0; k < REPLICATES; k++) {
			to->shorter[k] += f * w * s->copies[k];
			to->weight[k] += w * s->copies[k];
		}
	}
	for (size_t i = r->ncells; i-- > ROOTS;) {
		struct sums *to = &sum[r->above[i]];

		for (size_t k = 0; k <= REPLICATES; k++) {
			to->shorter[k] += sum[i].shorter[k];
			to->weight[k] += sum[i].weight[k];
		}
	}
}

void shares_ask(const struct replay *r, const double *shorter, float **fraction, float (**change)[REPLICATES])
{
	struct sums *sum = xcalloc(r->ncells, sizeof(*sum));
	double more = sqrt(r->alike);

	*fraction = xcalloc(r->ncells, sizeof(**fraction));
	*change = xcalloc(r->ncells, sizeof(**change));
	add_samples(r, shorter, sum);
	for (size_t i = 0; i < r->ncells; i++) {
		const struct sums *above = i < ROOTS ? NULL : &sum[r->above[i]];
		double m = above ? ABOVE_SAMPLES : 0;

		/* From here on, `shorter` is the fraction itself. */
		for (size_t k = 0; k <= REPLICATES; k++) {
			double of_above = above ? above->shorter[k] * m : 0, weight = sum[i].weight[k] + m;

			sum[i].shorter[k] = weight > 0 ? (sum[i].shorter[k] + of_above) / weight : 0;
		}
		(*fraction)[i] = (float)sum[i].shorter[REPLICATES];
		for (size_t k = 0; k < REPLICATES; k++)
			(*change)[i][k] = (float)((sum[i].shorter[k] - sum[i].shorter[REPLICATES]) * more);
	}
	free(sum);
}
