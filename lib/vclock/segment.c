/*
 * segment: what a thread does between two sync operations, and what share of that is
 * spent in the region.
 *
 * A sample credits a whole period or nothing: a lump.  Over many periods lumps average
 * out, but threads meet in between.  When two threads do the same work to a barrier in
 * half a period each, one is credited by chance and waits for the other.  The average of
 * the later of two is not the later of two averages.  So near a barrier, a lock or a join,
 * lumps hide what a real speedup would gain.
 *
 * But what happens between two sync operations is mostly the same each time.  So for each
 * place that a segment begins at (the caller of the operation) a thread learns from its
 * samples which share of the segment is spent in the region:
 *
 *     share = sum of sampled periods in the region / sum of the segment's time
 *
 * It is then credited s * share * time, smoothly, at each sample and at the end of the
 * segment.  In the sum that is the same as by lumps, whatever clock the time is taken
 * from, as the same clock is in numerator and denominator.
 *
 * A segment that does one thing after another has a share for each half period of its
 * length (a bin).  What is credited late is paid late, and a thread that waits meanwhile
 * for this one in a way that nobody sees (spinning) would go on too early.
 *
 * A visit of a progress point ends a segment too.  Then a window, which runs from visit to
 * visit, holds no half-credited work.
 *
 * Where a thread meets others hundreds of times in a period, what it does in between is not
 * told apart.  Its segment is *fine*: it lasts from sample to sample (or to a wait), and has
 * one share.  The thread is credited at each meeting as well, because a clock that is told
 * or compared must have all that was done until then.  Else a lock would be marked with a
 * time that is too late by what its holder is yet to be credited.  Who takes the lock next,
 * be it the same thread, would lose its own credit to that (the acquire rule).
 *
 * Lumps remain for segments that are too rare to be known yet, for those that are not all
 * alike, and for those of many periods.  There a lump is small, and what the thread does now
 * matters more than what it does on average.
 */
#include <string.h>

#include "vclock/parts.h"

enum {
	MANY = 100,           /* ends between two samples: from there on segments are fine */
	MEMORY_SAMPLES = 512, /* of a segment: then each counts for half, so that errors of the first are forgotten */
	KNOWN_SAMPLES = 24,   /* below this many, a share is a guess */
	PART_SAMPLES = 8,     /* of each part of a segment, on average, before they tell anything */
	FEW_CHANGES = 4,      /* below so many expected, their absence proves nothing */
	SHORT_PERIODS = VCLOCK_BINS / 2, /* mean length of a segment, in periods, up to which lumps matter */
	ALMOST = 32,          /* all but one of so many */
	RECENT_LUMPS = 16,    /* samples that tell what lumps are to be expected */
	PROBES = 8,           /* places that a segment may be found in */
};

static const uint64_t SPREAD = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio: Fibonacci hashing (Knuth, TAOCP 3, 6.4) */
static const char fine_site;                        /* where all fine segments are taken to begin */

static uint64_t current_region(const struct vclock *c)
{
	return atomic_load_explicit(&c->world->region, memory_order_relaxed);
}

static int64_t period_of(const struct vclock *c)
{
	return (int64_t)c->world->period_ns;
}

/*
 * What is known of segments that begin there, with that region sped up that much: where
 * a thread waits, spinning, the place in the segment at which it goes on depends on that.
 */
static uint64_t key_at(const struct vclock *c, uint64_t site)
{
	return (site ^ current_region(c) << 48 ^ (uint64_t)vclock_speedup(c->world) * SPREAD) | 1;
}

static struct vclock_parts *parts_of(const struct vclock *c, const struct vclock_segment *s)
{
	return &c->memory->parts[s - c->memory->segment];
}

static struct vclock_segment *find_segment(const struct vclock *c, const void *site)
{
	uint64_t key = key_at(c, (uint64_t)(uintptr_t)site << 1); /* the lowest bit is taken */
	uint64_t at = key * SPREAD >> 32; /* to the highest bits all of the key contributes */

	for (unsigned i = 0; i < PROBES; i++) {
		unsigned n = (at + i) % VCLOCK_SEGMENTS;
		struct vclock_segment *s = &c->memory->segment[n];

		if (s->key == key)
			return s;
		if (s->key == 0) {
			memset(parts_of(c, s), 0, sizeof(struct vclock_parts));
			memset(s, 0, sizeof(*s)); /* of another thread, that had the memory before */
			c->memory->used[n / 64] |= 1ull << n % 64;
			s->key = key;
			return s;
		}
	}
	return NULL;
}

void vclock_forget(struct vclock_memory *m)
{
	for (unsigned i = 0; i < VCLOCK_SEGMENTS / 64; i++) {
		for (; m->used[i]; m->used[i] &= m->used[i] - 1)
			m->segment[64 * i + (unsigned)__builtin_ctzll(m->used[i])].key = 0;
	}
}

/* ---- what is known of a segment --------------------------------------------------- */

/*
 * Does it depend on where in the segment a sample is, whether it is in the region?  Of n samples
 * with h hits, two differ with a chance of 2 h (n - h) / n (n - 1).  Two of one part of the
 * segment differ half as often at the most, if it does.  There must be so many that those of
 * one part are not all of one phase of the program.
 */
static bool is_told_by_part(const struct vclock_parts *p)
{
	double n = 0, h = 0, differ = 0;
	unsigned parts = 0;

	for (unsigned i = 0; i < VCLOCK_PARTS; i++) {
		double ni = p->part[i].samples, hi = p->part[i].hits;

		n += ni;
		h += hi;
		parts += ni > 0;
		differ += ni > 1 ? 2 * hi * (ni - hi) / (ni - 1) : 0;
	}
	return n >= PART_SAMPLES * parts && differ <= h * (n - h) / (n - 1);
}

/*
 * Is one segment like the other?  Then whether a sample is in the region tells
 * nothing of the next one, and of n samples with h hits about 2 h (n - h) / n differ
 * from the one before.  A program with phases has far fewer changes: the share is
 * that of no single phase, and what little was seen of each is not the rest.
 *
 * Samples that come once in a segment, or once in two, walk through it by small steps.  They
 * change rarely, too.  But then where they are tells whether they are in the region.
 */
static bool is_uniform(const struct vclock *c, const struct vclock_segment *s)
{
	double expected = 2. * s->hits * (s->samples - s->hits) / s->samples;

	return expected < FEW_CHANGES || 2 * s->changes >= expected || is_told_by_part(parts_of(c, s));
}

static int64_t whole_time(const struct vclock_segment *s)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < VCLOCK_BINS; i++)
		sum += s->time_ns[i];
	return sum;
}

static bool is_known(const struct vclock *c, const struct vclock_segment *s)
{
	return s->samples >= KNOWN_SAMPLES && whole_time(s) < (int64_t)s->seen * SHORT_PERIODS * period_of(c) && is_uniform(c, s);
}

/* What follows tells as much as all before. */
static void halve(struct vclock_segment *s, struct vclock_parts *p)
{
	s->seen /= 2;
	s->samples /= 2;
	s->hits /= 2;
	s->changes /= 2;
	for (unsigned i = 0; i < VCLOCK_BINS; i++) {
		s->time_ns[i] /= 2;
		s->hit_ns[i] /= 2;
	}
	for (unsigned i = 0; i < VCLOCK_PARTS; i++) {
		p->part[i].samples /= 2;
		p->part[i].hits /= 2;
	}
}

/* ---- the segment that the thread is in -------------------------------------------- */

static void leave_segment(struct vclock *c)
{
	c->segment.of = NULL;
	c->first.same = c->first.similar = NULL;
}

/* One that began in another window, with another region, is not followed to its end. */
static struct vclock_segment *current_segment(struct vclock *c)
{
	if (c->segment.of && c->segment.window != vclock_window(c->world))
		leave_segment(c);
	return c->segment.of;
}

static unsigned bin_of(const struct vclock *c, int64_t into_ns)
{
	uint64_t bin = c->segment.fine ? 0 : (uint64_t)into_ns / (c->world->period_ns / 2);

	return bin < VCLOCK_BINS - 1 ? (unsigned)bin : VCLOCK_BINS - 1;
}

/*
 * Accounts for the time since the last account, and tells what it is credited at
 * a speedup of 1, by the shares known so far.
 */
static double account_for(struct vclock *c, struct vclock_segment *s, int64_t now)
{
	struct vclock_current *at = &c->segment;
	int64_t half = period_of(c) / 2;
	int64_t from = at->into_ns, to = from + (now > at->accounted_ns ? now - at->accounted_ns : 0);
	/* In floating point: a signal handler may use it, its registers are part of the context. */
	double credit = 0;

	at->accounted_ns += to - from;
	at->into_ns = to;
	while (from < to) {
		unsigned bin = bin_of(c, from);
		int64_t end = !at->fine && bin < VCLOCK_BINS - 1 ? (int64_t)(bin + 1) * half : to;
		int64_t passed = (end < to ? end : to) - from;

		s->time_ns[bin] += passed;
		credit += (double)s->hit_ns[bin] / (double)s->time_ns[bin] * (double)passed;
		from += passed;
	}
	return credit;
}

static int64_t at_speedup(const struct vclock *c, double credit)
{
	return (int64_t)(credit * vclock_speedup(c->world) / 65536);
}

/*
 * Whether a segment is known enough is decided as it begins, and holds until it
 * ends: were lumps to begin in the middle of it, its beginning would have been
 * credited by what it mostly is, and its end by what it was this time.
 */
void segment_begin(struct vclock *c, const void *site, int64_t now)
{
	struct vclock_current *at = &c->segment;

	at->accounted_ns = now;
	at->into_ns = 0;
	at->window = vclock_window(c->world);
	at->of = find_segment(c, at->fine ? &fine_site : site);
	if (at->of && at->of->samples >= MEMORY_SAMPLES)
		halve(at->of, parts_of(c, at->of));
	at->known = at->of && is_known(c, at->of);
}

/* After a sample: whether the thread meets others so often that what it does in between is not told apart. */
static void look_how_fine(struct vclock *c, struct vclock_segment *s, int64_t now)
{
	bool was = c->segment.fine;

	c->segment.fine = c->segment.ends > MANY;
	c->segment.ends = 0;
	if (!was && !c->segment.fine)
		return;
	s->seen++; /* a fine one lasts until the next sample, if no wait ends it before */
	leave_segment(c);
	if (c->segment.fine)
		segment_begin(c, &fine_site, now);
}

/* ---- what samples are still to credit ------------------------------------------- */

/* A sample in a segment that is not known, and is credited as a lump. */
static void learn_lump(struct vclock *c, uint32_t weight)
{
	struct vclock_lumps *l = &c->lumps;

	if (l->region != current_region(c))
		*l = (struct vclock_lumps){ .region = current_region(c) };
	l->share += (int32_t)(weight - l->share) / RECENT_LUMPS;
}

/* What lumps are expected to credit, at a speedup of 1, for work of before `at` since the last sample. */
static double pending(const struct vclock *c, int64_t at, bool goes_on)
{
	const struct vclock_lumps *l = &c->lumps;
	int64_t ns = l->pending_ns, since = c->segment.of ? c->segment.accounted_ns : l->last_ns;

	if (l->region != current_region(c))
		return 0;
	if (goes_on && at > since && !(c->segment.of && c->segment.known))
		ns += at - since;
	if (ns > period_of(c))
		ns = period_of(c);
	return (double)ns * l->share / 65536;
}

int64_t segment_expected(struct vclock *c, int64_t at, bool goes_on, uint32_t *rate)
{
	const struct vclock_segment *s = current_segment(c);
	double credit = pending(c, at, goes_on), share = 0;
	unsigned bin = bin_of(c, c->segment.into_ns);

	if (goes_on && s && c->segment.known) {
		share = s->time_ns[bin] > 0 ? (double)s->hit_ns[bin] / (double)s->time_ns[bin] : 0;
		credit += at > c->segment.accounted_ns ? share * (double)(at - c->segment.accounted_ns) : 0;
	} else if (goes_on && c->lumps.region == current_region(c)) {
		share = c->lumps.share / 65536.;
	}
	*rate = (uint32_t)(share * vclock_speedup(c->world));
	return at_speedup(c, credit);
}

int64_t segment_interrupted(struct vclock *c, int64_t at, int64_t ns)
{
	struct vclock_segment *s = current_segment(c);
	struct vclock_lumps *l = &c->lumps;
	int64_t advance = at_speedup(c, pending(c, at, true));
	double credit = s ? account_for(c, s, at) : 0;

	vclock_skip(c, ns);
	if (l->window != vclock_window(c->world))
		l->advance_ns = 0;
	l->window = vclock_window(c->world);
	l->advance_ns += advance;
	l->pending_ns = 0;
	l->last_ns = at + ns;
	return s && c->segment.known ? advance + at_speedup(c, credit) : advance;
}

/* A lump, without what has been credited of it already. */
static int64_t less_advance(struct vclock *c, int64_t lump)
{
	struct vclock_lumps *l = &c->lumps;
	int64_t rest = lump;

	if (l->advance_ns && l->window == vclock_window(c->world)) {
		rest = lump > l->advance_ns ? lump - l->advance_ns : 0;
		l->advance_ns -= lump - rest;
	}
	return rest;
}

/* In which part of the segment the sample was. */
static void count_part(const struct vclock *c, const struct vclock_segment *s, bool hit)
{
	struct vclock_parts *p = parts_of(c, s);
	uint64_t part = (uint64_t)c->segment.into_ns * 16 / c->world->period_ns;
	unsigned i = part < VCLOCK_PARTS - 1 ? (unsigned)part : VCLOCK_PARTS - 1;

	if (p->part[i].samples == UINT16_MAX)
		return;
	p->part[i].samples++;
	p->part[i].hits += hit;
}

/* ---- samples, ends ------------------------------------------------------------------ */

int64_t segment_sample(struct vclock *c, int64_t period, uint32_t weight, int64_t now)
{
	struct vclock_segment *s = current_segment(c);
	int64_t lump = vclock_lump(period, weight, vclock_speedup(c->world));
	bool hit = weight != 0, known = c->segment.known;
	double credit;

	if (!s || !known)
		learn_lump(c, weight);
	/* A period has been accounted for. */
	c->lumps.pending_ns = 0;
	c->lumps.last_ns = now;
	if (!s)
		return less_advance(c, lump);
	credit = account_for(c, s, now);
	s->changes += s->samples > 0 && s->last_hit != hit;
	s->last_hit = hit;
	s->hits += hit;
	s->samples++;
	if (hit)
		s->hit_ns[bin_of(c, c->segment.into_ns)] += period * weight >> 16;
	count_part(c, s, hit);
	look_how_fine(c, s, now);
	return known ? at_speedup(c, credit) : less_advance(c, lump);
}

static void teach(struct vclock_birth *b, const struct vclock_segment *s, const struct vclock_segment *before)
{
	if (!b)
		return;
	atomic_fetch_add_explicit(&b->seen, s->seen - before->seen, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->samples, s->samples - before->samples, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->hits, s->hits - before->hits, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->changes, s->changes - before->changes, memory_order_relaxed);
	for (unsigned i = 0; i < VCLOCK_BINS; i++) {
		atomic_fetch_add_explicit(&b->time_ns[i], s->time_ns[i] - before->time_ns[i], memory_order_relaxed);
		atomic_fetch_add_explicit(&b->hit_ns[i], s->hit_ns[i] - before->hit_ns[i], memory_order_relaxed);
	}
}

int64_t segment_end(struct vclock *c, int64_t now)
{
	struct vclock_segment *s = current_segment(c);
	int64_t began;
	double credit;

	if (!s)
		return 0;
	began = c->segment.accounted_ns;
	credit = account_for(c, s, now);
	if (!c->segment.known)
		c->lumps.pending_ns += c->segment.accounted_ns - began;
	s->seen++;
	/* What this thread has learned of its first segment, all that begin like it will know. */
	teach(c->first.same, s, &c->first.before);
	teach(c->first.similar, s, &c->first.before);
	leave_segment(c);
	return c->segment.known ? at_speedup(c, credit) : 0;
}

int64_t segment_so_far(struct vclock *c, int64_t now)
{
	struct vclock_segment *s = current_segment(c);

	return s && c->segment.known ? at_speedup(c, account_for(c, s, now)) : 0;
}

/* ---- the first one of a thread ------------------------------------------------------- */

/* NULL: another kind has the place, and keeps it. */
static struct vclock_birth *birth_of(const struct vclock *c, uint64_t routine, uint64_t arg)
{
	uint64_t free_key = 0, key = key_at(c, routine * SPREAD ^ arg);
	struct vclock_birth *b = &c->world->birth[key * SPREAD >> 52 & (VCLOCK_BIRTHS - 1)];

	return atomic_compare_exchange_strong_explicit(&b->key, &free_key, key, memory_order_relaxed, memory_order_relaxed) ||
	       free_key == key ? b : NULL;
}

static void recall(struct vclock_segment *s, const struct vclock_birth *b)
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
}

static bool is_all_or_nothing(const struct vclock_segment *s)
{
	return s->hits <= s->samples / ALMOST || s->samples - s->hits <= s->samples / ALMOST;
}

/*
 * A thread that lives for one task has no second segment to learn from the
 * first.  Threads that run the same routine with the same argument (a pointer
 * that stays the same from round to round tells their roles apart) learn from
 * each other.  Where the argument is new each time, those with the same routine do,
 * if all are in the region, or none: they may have roles that nothing tells apart.
 */
void segment_be_born(struct vclock *c, uint64_t routine, uint64_t arg, int64_t now)
{
	struct vclock_birth *same = birth_of(c, routine, arg), *similar = birth_of(c, routine, 0);
	struct vclock_current *at = &c->segment;

	segment_begin(c, (const void *)(uintptr_t)routine, now);
	if (!at->of)
		return;
	if (same)
		recall(at->of, same);
	at->known = same && is_known(c, at->of);
	if (!at->known && similar) {
		recall(at->of, similar);
		at->known = is_known(c, at->of) && is_all_or_nothing(at->of);
	}
	c->first.before = *at->of;
	c->first.same = same;
	c->first.similar = similar != same ? similar : NULL;
}

void vclock_skip(struct vclock *c, int64_t ns)
{
	c->segment.accounted_ns += ns;
	c->lumps.last_ns += ns;
}
