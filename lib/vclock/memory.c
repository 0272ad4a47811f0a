/*
 * memory: what a thread has learned of its segments, from samples.
 *
 * What happens between two sync operations is mostly the same each time.  So for each place
 * where segments begin (the caller of the operation), a thread learns the share of their
 * time that is spent in the region:
 *
 *     share = sum of sampled periods in the region / sum of the segment's time
 *
 * by two things.
 *
 * Position: a segment that does one thing after another has a share for each half period
 * of its length (a bin).  It tells what the thread is to be credited while the segment lasts.
 *
 * Length: segments whose work is never twice the same have a share for each length.  It
 * tells what the whole segment was worth.  Where threads meet at a barrier, the last one
 * decides.  Its segment was long, and the region may be the reason, or other work.  The position
 * does not tell which: late in a segment a thread does what comes last, whatever made it late.
 * Four like threads with 1.45 ms of region and 0.42 of other work, each 80 % more or less, gain
 * 40 % when the region takes half the time.  By position 34 were predicted, by length 40.
 *
 * A sample makes its segment longer, by the time that its signal takes.  Short segments that
 * are all alike are then of one length without samples, and of another, which is rare and
 * doubted, with them.  So the sum by length is too small.  The sum by position is right, and
 * the difference is given little by little.  A thread that reads a byte every 30 us was credited 0.79 of
 * what its samples were worth, every 10 us 0.60.
 */
#include <string.h>

#include "vclock/parts.h"

enum {
	MEMORY_SAMPLES = 512, /* samples of a segment, after which all are halved, so that early errors are forgotten */
	KNOWN_SAMPLES = 24,   /* with fewer samples, a share is a guess */
	PART_SAMPLES = 8,     /* samples in each part of a segment, on average, before the parts are compared */
	FEW_CHANGES = 4,      /* if fewer changes are expected, their absence proves nothing */
	SHORT_PERIODS = VCLOCK_BINS / 2, /* mean length of a segment, in periods, up to which lumps matter */
	ALMOST = 32,          /* "nearly all" is all but 1 in 32 */
	PROBES = 8,           /* entries of the table that are tried for a key */
	SHORTEST = 64,        /* lengths are told apart from this part of a period on */
	DOUBT_PERIODS = 4,    /* samples of segments of one length, with which the share by length counts as much as the one by position */
};

static const uint64_t SPREAD = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio: Fibonacci hashing (Knuth, TAOCP 3, 6.4) */

/*
 * The key of segments that begin there, while that region is sped up that much.  Where a
 * thread spins, the position in the segment at which it goes on depends on the speedup.
 * The length of a segment's parts depends on the period.
 */
static uint64_t key_at(const struct vclock *c, uint64_t site)
{
	uint64_t conditions = (uint64_t)vclock_period(c->world) << 17 | vclock_speedup(c->world);

	return (site ^ (uint64_t)vclock_region(c->world) << 48 ^ conditions * SPREAD) | 1;
}

struct vclock_site *memory_find(const struct vclock *c, const void *site)
{
	uint64_t key = key_at(c, (uint64_t)(uintptr_t)site << 1); /* the lowest bit is taken */
	uint64_t at = key * SPREAD >> 32; /* the highest bits depend on all bits of the key */

	for (unsigned i = 0; i < PROBES; i++) {
		unsigned n = (at + i) % VCLOCK_SITES;
		struct vclock_site *s = &c->memory->site[n];

		if (s->key == key)
			return s;
		if (s->key == 0) {
			/* It may hold data of the previous thread that used this memory. */
			memset(s, 0, sizeof(*s));
			c->memory->used[n / 64] |= 1ull << n % 64;
			s->key = key;
			return s;
		}
	}
	return NULL;
}

void vclock_forget(struct vclock_memory *m)
{
	for (unsigned i = 0; i < VCLOCK_SITES / 64; i++) {
		for (; m->used[i]; m->used[i] &= m->used[i] - 1)
			m->site[64 * i + (unsigned)__builtin_ctzll(m->used[i])].key = 0;
	}
}

/* ---- is it known? -------------------------------------------------------------------- */

/*
 * Does the position of a sample in the segment tell whether it is in the region?  Of n samples
 * with h hits, two differ with a chance of 2 h (n - h) / n (n - 1).  Two of one part of the
 * segment differ half as often at the most, if it does.  There must be so many that those of one
 * part are not all of one phase of the program.
 */
static bool is_told_by_part(const struct vclock_site *s)
{
	double n = 0, h = 0, differ = 0;
	unsigned parts = 0;

	for (unsigned i = 0; i < VCLOCK_PARTS; i++) {
		double ni = s->part[i].samples, hi = s->part[i].hits;

		n += ni;
		h += hi;
		parts += ni > 0;
		differ += ni > 1 ? 2 * hi * (ni - hi) / (ni - 1) : 0;
	}
	return parts > 0 && n >= PART_SAMPLES * parts && differ <= h * (n - h) / (n - 1);
}

/*
 * Are all segments alike?  Then whether a sample is in the region tells nothing of the
 * next one, and of n samples with h hits about 2 h (n - h) / n differ from the one
 * before.  A program with phases has far fewer changes: the share is that of no single
 * phase, and what little was seen of each is not the rest.
 *
 * Samples that come once in a segment, or once in two, walk through it by small steps.  They
 * change rarely, too.  But then their position tells whether they are in the region.
 */
static bool is_uniform(const struct vclock_site *s)
{
	double expected = 2. * s->hits * (s->samples - s->hits) / s->samples;

	return expected < FEW_CHANGES || 2 * s->changes >= expected || is_told_by_part(s);
}

static int64_t whole_time(const struct vclock_site *s)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < VCLOCK_BINS; i++)
		sum += s->time_ns[i];
	return sum;
}

bool memory_is_known(const struct vclock *c, const struct vclock_site *s)
{
	int64_t longest = SHORT_PERIODS * vclock_period(c->world);

	return s->samples >= KNOWN_SAMPLES && whole_time(s) < (int64_t)s->seen * longest && is_uniform(s);
}

/* ---- learning -------------------------------------------------------------------------- */

void memory_fade(struct vclock_site *s)
{
	if (s->samples < MEMORY_SAMPLES)
		return;
	s->seen /= 2;
	s->samples /= 2;
	s->hits /= 2;
	s->changes /= 2;
	for (unsigned i = 0; i < VCLOCK_BINS; i++) {
		s->time_ns[i] /= 2;
		s->hit_ns[i] /= 2;
	}
	for (unsigned i = 0; i < VCLOCK_PARTS; i++) {
		s->part[i].samples /= 2;
		s->part[i].hits /= 2;
	}
	for (unsigned i = 0; i < VCLOCK_LENGTHS; i++) {
		s->length_time_ns[i] /= 2;
		s->length_hit_ns[i] /= 2;
	}
}

static void count_part(struct vclock_site *s, int64_t into_ns, int64_t period, bool hit)
{
	uint64_t part = (uint64_t)into_ns * 16 / (uint64_t)period;
	unsigned i = part < VCLOCK_PARTS - 1 ? (unsigned)part : VCLOCK_PARTS - 1;

	if (s->part[i].samples == UINT8_MAX)
		return;
	s->part[i].samples++;
	s->part[i].hits += hit;
}

void memory_sample(const struct vclock *c, struct vclock_site *s, int64_t into_ns, unsigned bin, bool hit, int64_t hit_ns)
{
	s->changes += s->samples > 0 && s->last_hit != hit;
	s->last_hit = hit;
	s->hits += hit;
	s->samples++;
	s->hit_ns[bin] += hit_ns;
	count_part(s, into_ns, vclock_period(c->world), hit);
}

/* Lengths are told apart in steps of a half and a third: 1/64 of a period, 1/43, 1/32, 1/21, ... 1/2, 3/4, 1, 3/2, ... */
static unsigned length_of(int64_t ns, int64_t period)
{
	int64_t edge = period / SHORTEST;
	unsigned i = 0;

	for (; i < VCLOCK_LENGTHS - 1 && ns >= edge; i++)
		edge += i % 2 ? edge / 3 : edge / 2;
	return i;
}

double memory_end(const struct vclock *c, struct vclock_site *s)
{
	const struct vclock_segment *at = &c->segment;
	unsigned i = length_of(at->into_ns, vclock_period(c->world));
	double doubt = DOUBT_PERIODS * (double)vclock_period(c->world), credit;

	s->length_time_ns[i] += (float)at->into_ns;
	s->length_hit_ns[i] += (float)at->hit_ns;
	/* For a length that was rarely seen, the positions tell more. */
	credit = ((double)s->length_hit_ns[i] * (double)at->into_ns + doubt * at->credit) / ((double)s->length_time_ns[i] + doubt);
	credit += s->behind_ns * ((double)at->into_ns < doubt ? (double)at->into_ns / doubt : 1);
	s->behind_ns += at->credit - credit;
	return credit;
}

/* ---- the first segment of a thread ----------------------------------------------------- */

struct vclock_birth *memory_birth(const struct vclock *c, uint64_t routine, uint64_t arg)
{
	uint64_t free_key = 0, key = key_at(c, routine * SPREAD ^ arg);
	struct vclock_birth *b = &c->world->birth[key * SPREAD >> 52 & (VCLOCK_BIRTHS - 1)];

	return atomic_compare_exchange_strong_explicit(&b->key, &free_key, key, memory_order_relaxed, memory_order_relaxed) ||
	       free_key == key ? b : NULL;
}

void memory_teach(const struct vclock *c, struct vclock_birth *b, const struct vclock_site *s)
{
	const struct vclock_site *before = &c->memory->before;
	const struct vclock_segment *at = &c->segment;
	unsigned length;

	if (!b)
		return;
	length = length_of(at->into_ns, vclock_period(c->world));
	atomic_fetch_add_explicit(&b->seen, s->seen - before->seen, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->samples, s->samples - before->samples, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->hits, s->hits - before->hits, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->changes, s->changes - before->changes, memory_order_relaxed);
	for (unsigned i = 0; i < VCLOCK_BINS; i++) {
		atomic_fetch_add_explicit(&b->time_ns[i], s->time_ns[i] - before->time_ns[i], memory_order_relaxed);
		atomic_fetch_add_explicit(&b->hit_ns[i], s->hit_ns[i] - before->hit_ns[i], memory_order_relaxed);
	}
	atomic_fetch_add_explicit(&b->length_time_ns[length], at->into_ns, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->length_hit_ns[length], at->hit_ns, memory_order_relaxed);
}

void memory_recall(struct vclock_site *s, const struct vclock_birth *b)
{
	s->seen = atomic_load_explicit(&b->seen, memory_order_relaxed);
	s->samples = atomic_load_explicit(&b->samples, memory_order_relaxed);
	s->hits = atomic_load_explicit(&b->hits, memory_order_relaxed);
	s->changes = atomic_load_explicit(&b->changes, memory_order_relaxed);
	s->last_hit = 2 * s->hits > s->samples; /* the more usual */
	for (unsigned i = 0; i < VCLOCK_BINS; i++) {
		s->time_ns[i] = atomic_load_explicit(&b->time_ns[i], memory_order_relaxed);
		s->hit_ns[i] = atomic_load_explicit(&b->hit_ns[i], memory_order_relaxed);
	}
	for (unsigned i = 0; i < VCLOCK_LENGTHS; i++) {
		s->length_time_ns[i] = (float)atomic_load_explicit(&b->length_time_ns[i], memory_order_relaxed);
		s->length_hit_ns[i] = (float)atomic_load_explicit(&b->length_hit_ns[i], memory_order_relaxed);
	}
	/* Threads do not teach each other positions.  What is there, is of another history. */
	memset(s->part, 0, sizeof(s->part));
}

bool memory_is_all_or_nothing(const struct vclock_site *s)
{
	return s->hits <= s->samples / ALMOST || s->samples - s->hits <= s->samples / ALMOST;
}
