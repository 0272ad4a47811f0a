/*
 * segment: what a thread does between two sync operations, and what share of
 * that is spent in the region.
 *
 * A sample credits a whole period or nothing: a lump.  Over many periods lumps
 * average out, but threads meet in between.  When two threads do the same work
 * to a barrier in half a period each, one is credited by chance and waits for
 * the other; the average of the later of two is not the later of two averages.
 * So near a barrier, a lock or a join, lumps hide what a real speedup would gain.
 *
 * But what happens between two sync operations is mostly the same each time.  So
 * for each place that a segment begins (the caller of the operation) a thread
 * learns from its samples which share of the segment is spent in the region:
 *
 *     share = sum of sampled periods in the region / sum of the segment's time
 *
 * and is then credited s * share * time, smoothly, at each sample and at the end
 * of the segment: in the sum the same as by lumps, whatever clock the time is
 * taken from, as the same clock is in numerator and denominator.
 *
 * A segment that does one thing after another has a share for each half period of
 * its length (a bin): what is credited late is paid late, and who waits meanwhile
 * for this thread in ways that nobody sees, spinning, would go on too early.
 *
 * A visit of a progress point ends a segment too: then a window, which runs from
 * visit to visit, holds no half-credited work.
 *
 * Where a thread meets others hundreds of times in a period, what it does in between is
 * not told apart: its segment is *fine*, lasts from sample to sample (or to a wait), and
 * has one share.  It is credited at each meeting as well, for a clock that is told or
 * compared must have all that was done until then: a lock would else be marked with a
 * time that is too late by what its holder is yet to be credited, and who takes it next,
 * be it the same thread, would lose its own credit to that (the acquire rule).
 *
 * Lumps remain for segments that are too rare to be known yet, for those that are
 * not all alike, and for those of many periods: there a lump is small, and what the
 * thread does now matters more than what it does on average.
 */
#include <string.h>

#include "runtime.h"

enum {
	MANY = 100,          /* ends between two samples: from there on segments are fine */
	MEMORY_SAMPLES = 512, /* of a segment: then each counts for half, so that errors of the first are forgotten */
	KNOWN_SAMPLES = 24,  /* below this many, a share is a guess */
	FEW_CHANGES = 4,     /* below so many expected, their absence proves nothing */
	SHORT_PERIODS = ARENA_BINS / 2, /* mean length of a segment, in periods, up to which lumps matter */
	ALMOST = 32,         /* all but one of so many */
	RECENT_LUMPS = 16,   /* samples that tell what lumps are to be expected */
	PROBES = 8,          /* places that a segment may be found in */
};

static const char fine_site; /* where all fine segments are taken to begin */

static uint64_t current_region(void)
{
	return atomic_load_explicit(&arena->region, memory_order_relaxed);
}

/*
 * What is known of segments that begin there, with that region sped up that much: where
 * a thread waits, spinning, the place in the segment at which it goes on depends on that.
 */
static uint64_t key_at(uint64_t site)
{
	return (site ^ current_region() << 48 ^ (uint64_t)window_speedup() * 0x9e3779b97f4a7c15u) | 1;
}

static struct arena_segment *find(struct arena_thread *t, const void *site)
{
	uint64_t key = key_at((uint64_t)(uintptr_t)site << 1); /* the lowest bit is taken */
	uint64_t at = key * 0x9e3779b97f4a7c15u >> 32; /* to the highest bits all of the key contributes */

	for (unsigned i = 0; i < PROBES; i++) {
		unsigned n = (at + i) % ARENA_SEGMENTS;
		struct arena_segment *s = &t->segment[n];

		if (s->key == key)
			return s;
		if (s->key == 0) {
			memset(s, 0, sizeof(*s)); /* of another thread, that had the slot before */
			t->has_segments[n / 64] |= 1ull << n % 64;
			s->key = key;
			return s;
		}
	}
	return NULL;
}

/*
 * Is one segment like the other?  Then whether a sample is in the region tells
 * nothing of the next one, and of n samples with h hits about 2 h (n - h) / n differ
 * from the one before.  A program with phases has far fewer changes: the share is
 * that of no single phase, and what little was seen of each is not the rest.
 */
static bool is_uniform(const struct arena_segment *s)
{
	double expected = 2. * s->hits * (s->samples - s->hits) / s->samples;

	return expected < FEW_CHANGES || 2 * s->changes >= expected;
}

static int64_t whole_time(const struct arena_segment *s)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < ARENA_BINS; i++)
		sum += s->time_ns[i];
	return sum;
}

static bool is_known(const struct arena_segment *s)
{
	return s->samples >= KNOWN_SAMPLES && whole_time(s) < (int64_t)s->seen * SHORT_PERIODS * (int64_t)arena->period_ns &&
	       is_uniform(s);
}

/* The segment that the thread is in.  One that began in another window, with another region, is not followed to its end. */
static struct arena_segment *current(void)
{
	if (self.segment && self.segment_window != current_window()) {
		self.segment = NULL;
		self.birth = self.sort = NULL;
	}
	return self.segment;
}

static unsigned bin_of(int64_t into_segment)
{
	uint64_t bin = self.segment_fine ? 0 : (uint64_t)into_segment / (arena->period_ns / 2);

	return bin < ARENA_BINS - 1 ? (unsigned)bin : ARENA_BINS - 1;
}

/*
 * Accounts for the time since the last account, and tells what it is credited at
 * a speedup of 1, by the shares known so far.
 */
static double account(struct arena_segment *s, int64_t now)
{
	int64_t half = (int64_t)arena->period_ns / 2;
	int64_t from = self.segment_at, to = from + (now > self.segment_ns ? now - self.segment_ns : 0);
	/* In floating point: a signal handler may use it, its registers are part of the context. */
	double credit = 0;

	self.segment_ns += to - from;
	self.segment_at = to;
	while (from < to) {
		unsigned bin = bin_of(from);
		int64_t end = !self.segment_fine && bin < ARENA_BINS - 1 ? (int64_t)(bin + 1) * half : to;
		int64_t passed = (end < to ? end : to) - from;

		s->time_ns[bin] += passed;
		credit += (double)s->hit_ns[bin] / (double)s->time_ns[bin] * (double)passed;
		from += passed;
	}
	return credit;
}

static int64_t at_speedup(double credit, uint32_t speedup)
{
	return (int64_t)(credit * speedup / 65536);
}

int64_t segment_lump(int64_t period, uint32_t weight, uint32_t speedup)
{
	return (period * speedup >> 16) * weight >> 16;
}

/* What follows tells as much as all before. */
static void halve(struct arena_segment *s)
{
	s->seen /= 2;
	s->samples /= 2;
	s->hits /= 2;
	s->changes /= 2;
	for (unsigned i = 0; i < ARENA_BINS; i++) {
		s->time_ns[i] /= 2;
		s->hit_ns[i] /= 2;
	}
}

/*
 * Whether a segment is known enough is decided as it begins, and holds until it
 * ends: were lumps to begin in the middle of it, its beginning would have been
 * credited by what it mostly is, and its end by what it was this time.
 */
static void begin(struct arena_thread *t, const void *site, int64_t now)
{
	self.segment_ns = now;
	self.segment_at = 0;
	self.segment_window = current_window();
	self.segment = find(t, site);
	if (self.segment && self.segment->samples >= MEMORY_SAMPLES)
		halve(self.segment);
	self.segment_known = self.segment && is_known(self.segment);
}

/* After a sample: whether the thread meets others so often that what it does in between is not told apart. */
static void look_how_fine(struct arena_segment *s)
{
	bool was = self.segment_fine;

	self.segment_fine = self.segment_ends > MANY;
	self.segment_ends = 0;
	if (!was && !self.segment_fine)
		return;
	s->seen++; /* a fine one lasts until the next sample, if no wait ends it before */
	self.segment = NULL;
	self.birth = self.sort = NULL;
	if (self.segment_fine)
		begin(self.slot, &fine_site, now_ns());
}

/* ---- what samples are still to credit ------------------------------------------- */

/* A sample in a segment that is not known, and is credited as a lump. */
static void learn_lump(uint32_t weight)
{
	struct lumps *l = &self.lumps;

	if (l->region != current_region())
		*l = (struct lumps){ .region = current_region() };
	l->share += (int32_t)(weight - l->share) / RECENT_LUMPS;
}

/* A period has been accounted for. */
static void end_lump(void)
{
	self.lumps.pending_ns = 0;
	self.lumps.last_ns = now_ns();
}

/* What lumps are expected to credit, at a speedup of 1, for work of before `at` since the last sample. */
static double pending(int64_t at, bool goes_on)
{
	const struct lumps *l = &self.lumps;
	int64_t ns = l->pending_ns, since = self.segment ? self.segment_ns : l->last_ns;

	if (l->region != current_region())
		return 0;
	if (goes_on && at > since && !(self.segment && self.segment_known))
		ns += at - since;
	if (ns > (int64_t)arena->period_ns)
		ns = (int64_t)arena->period_ns;
	return (double)ns * l->share / 65536;
}

int64_t segment_expected(int64_t at, bool goes_on, uint32_t *rate)
{
	const struct arena_segment *s = current();
	uint32_t speedup = window_speedup();
	double credit = pending(at, goes_on), share = 0;
	unsigned bin = bin_of(self.segment_at);

	if (goes_on && s && self.segment_known) {
		share = s->time_ns[bin] > 0 ? (double)s->hit_ns[bin] / (double)s->time_ns[bin] : 0;
		credit += at > self.segment_ns ? share * (double)(at - self.segment_ns) : 0;
	} else if (goes_on && self.lumps.region == current_region()) {
		share = self.lumps.share / 65536.;
	}
	*rate = (uint32_t)(share * speedup);
	return at_speedup(credit, speedup);
}

int64_t segment_interrupted(int64_t at, int64_t ns)
{
	struct arena_segment *s = current();
	struct lumps *l = &self.lumps;
	uint32_t speedup = window_speedup();
	int64_t advance = at_speedup(pending(at, true), speedup);
	double credit = s ? account(s, at) : 0;

	segment_skip(ns);
	if (l->window != current_window())
		l->advance_ns = 0;
	l->window = current_window();
	l->advance_ns += advance;
	l->pending_ns = 0;
	l->last_ns = at + ns;
	return s && self.segment_known ? advance + at_speedup(credit, speedup) : advance;
}

/* A lump, without what has been credited of it already. */
static int64_t less_advance(int64_t lump)
{
	struct lumps *l = &self.lumps;
	int64_t rest = lump;

	if (l->advance_ns && l->window == current_window()) {
		rest = lump > l->advance_ns ? lump - l->advance_ns : 0;
		l->advance_ns -= lump - rest;
	}
	return rest;
}

int64_t segment_sample(int64_t period, uint32_t weight, uint32_t speedup)
{
	struct arena_segment *s = current();
	int64_t lump = segment_lump(period, weight, speedup);
	bool hit = weight != 0, known = self.segment_known;
	double credit;

	if (!s || !known)
		learn_lump(weight);
	end_lump();
	if (!s)
		return less_advance(lump);
	credit = account(s, now_ns());
	s->changes += s->samples > 0 && s->last_hit != hit;
	s->last_hit = hit;
	s->hits += hit;
	s->samples++;
	if (hit)
		s->hit_ns[bin_of(self.segment_at)] += period * weight >> 16;
	look_how_fine(s);
	return known ? at_speedup(credit, speedup) : less_advance(lump);
}

static void tell(struct arena_birth *b, const struct arena_segment *s)
{
	if (!b)
		return;
	atomic_fetch_add_explicit(&b->seen, s->seen - self.before.seen, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->samples, s->samples - self.before.samples, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->hits, s->hits - self.before.hits, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->changes, s->changes - self.before.changes, memory_order_relaxed);
	for (unsigned i = 0; i < ARENA_BINS; i++) {
		atomic_fetch_add_explicit(&b->time_ns[i], s->time_ns[i] - self.before.time_ns[i], memory_order_relaxed);
		atomic_fetch_add_explicit(&b->hit_ns[i], s->hit_ns[i] - self.before.hit_ns[i], memory_order_relaxed);
	}
}

/* What this thread has learned of its first segment, all that begin like it will know. */
static void tell_birth(const struct arena_segment *s)
{
	tell(self.birth, s);
	tell(self.sort, s);
	self.birth = self.sort = NULL;
}

/* What the thread is to be credited for its segment, which has ended. */
static int64_t end(uint32_t speedup, int64_t now)
{
	struct arena_segment *s = current();
	int64_t began;
	double credit;

	if (!s)
		return 0;
	began = self.segment_ns;
	credit = account(s, now);
	if (!self.segment_known)
		self.lumps.pending_ns += self.segment_ns - began;
	s->seen++;
	tell_birth(s);
	self.segment = NULL;
	return self.segment_known ? at_speedup(credit, speedup) : 0;
}

/* What the thread is to be credited for its segment up to now; the segment goes on. */
static int64_t so_far(uint32_t speedup, int64_t now)
{
	struct arena_segment *s = current();

	return s && self.segment_known ? at_speedup(account(s, now), speedup) : 0;
}

static void settle(struct arena_thread *t, int64_t now, bool goes_on)
{
	uint32_t speedup = window_speedup();
	int64_t credit;

	if (!speedup)
		return;
	processor_look(t);
	self.segment_ends++;
	credit = goes_on ? so_far(speedup, now) : end(speedup, now);
	if (credit)
		delay_credit_work(t, credit);
}

void segment_leave(struct arena_thread *t)
{
	settle(t, now_ns(), false);
	self.segment = NULL;
}

bool segment_settle(struct arena_thread *t, int64_t now)
{
	bool goes_on = self.segment_fine && self.segment;

	settle(t, now, goes_on);
	return goes_on;
}

void segment_renew(struct arena_thread *t, const void *site)
{
	int64_t now;

	if (!window_speedup())
		return;
	now = now_ns();
	if (!segment_settle(t, now))
		segment_begin(t, site, now);
	processor_keep(t, now);
}

void segment_begin(struct arena_thread *t, const void *site, int64_t now)
{
	begin(t, self.segment_fine ? &fine_site : site, now);
}

/* NULL: another kind has the place, and keeps it. */
static struct arena_birth *birth_of(uint64_t routine, uint64_t arg)
{
	uint64_t free_key = 0, key = key_at(routine * 0x9e3779b97f4a7c15u ^ arg);
	struct arena_birth *b = &arena->birth[key * 0x9e3779b97f4a7c15u >> 52 & (ARENA_BIRTHS - 1)];

	return atomic_compare_exchange_strong_explicit(&b->key, &free_key, key, memory_order_relaxed, memory_order_relaxed) ||
	       free_key == key ? b : NULL;
}

static void recall(struct arena_segment *s, const struct arena_birth *b)
{
	s->seen = atomic_load_explicit(&b->seen, memory_order_relaxed);
	s->samples = atomic_load_explicit(&b->samples, memory_order_relaxed);
	s->hits = atomic_load_explicit(&b->hits, memory_order_relaxed);
	s->changes = atomic_load_explicit(&b->changes, memory_order_relaxed);
	s->last_hit = 2 * s->hits > s->samples; /* the more usual */
	for (unsigned i = 0; i < ARENA_BINS; i++) {
		s->time_ns[i] = atomic_load_explicit(&b->time_ns[i], memory_order_relaxed);
		s->hit_ns[i] = atomic_load_explicit(&b->hit_ns[i], memory_order_relaxed);
	}
}

static bool is_all_or_nothing(const struct arena_segment *s)
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
void segment_be_born(struct arena_thread *t, uint64_t routine, uint64_t arg)
{
	struct arena_birth *birth = birth_of(routine, arg), *sort = birth_of(routine, 0);

	segment_begin(t, (const void *)(uintptr_t)routine, now_ns());
	if (!self.segment)
		return;
	if (birth)
		recall(self.segment, birth);
	self.segment_known = birth && is_known(self.segment);
	if (!self.segment_known && sort) {
		recall(self.segment, sort);
		self.segment_known = is_known(self.segment) && is_all_or_nothing(self.segment);
	}
	self.before = *self.segment;
	self.birth = birth;
	self.sort = sort != birth ? sort : NULL;
}

void segment_skip(int64_t ns)
{
	self.segment_ns += ns;
	self.lumps.last_ns += ns;
}
