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
 * So a thread is credited s * share * time, smoothly, by the share of such segments that was
 * spent in the region until now (memory.c): at each sample by the position in the segment, and at
 * its end by its length.  In the sum that is the same as by lumps, whatever clock the time is taken
 * from, as the same clock is in numerator and denominator.
 *
 * The position matters because what is credited late is paid late.  A thread that waits for this
 * one by spinning, which is not seen, would go on too early.
 *
 * A visit of a progress point ends a segment too.  Then a window, which runs from visit to
 * visit, holds no half-credited work.
 *
 * Where a thread meets others more than a hundred times a millisecond, single segments are not
 * distinguished.  Its segment is *fine*: it lasts from sample to sample (or to a wait), and
 * has one share.  The thread is credited at each meeting as well, because a clock must be up
 * to date before it is stored or compared.  Otherwise a lock would be marked with a time
 * that is too late by the pending credit of its holder.  The next thread that takes the
 * lock, even the same one, would lose its own credit to that (the acquire rule).
 *
 * Lumps remain for segments that are too rare to be known yet, for those that are not all
 * alike, and for those of many periods.  There a lump is small, and what the thread does now
 * matters more than what it does on average.
 */
#include "vclock/parts.h"

enum {
	MANY_EACH_MS = 100, /* with so many ends between two samples, for each ms of the period, segments are fine */
	RECENT_LUMPS = 16,  /* samples from which the expected lumps are estimated */
};

static const char fine_site; /* the site of all fine segments */

/* ---- the segment that the thread is in -------------------------------------------- */

static void leave_segment(struct vclock *c)
{
	c->segment.of = NULL;
	c->first.same = c->first.similar = NULL;
}

/* A segment that began in another window had another region, so it is not followed to its end. */
static struct vclock_site *current_segment(struct vclock *c)
{
	if (c->segment.of && c->segment.window != vclock_window(c->world))
		leave_segment(c);
	return c->segment.of;
}

static unsigned bin_of(const struct vclock *c, int64_t into_ns)
{
	uint64_t bin = c->segment.fine ? 0 : (uint64_t)(into_ns / (vclock_period(c->world) / 2));

	return bin < VCLOCK_BINS - 1 ? (unsigned)bin : VCLOCK_BINS - 1;
}

/*
 * Accounts for the time since the last account, and tells what it is credited at
 * a speedup of 1, by the shares known so far.
 */
static double account_for(struct vclock *c, struct vclock_site *s, int64_t now)
{
	struct vclock_segment *at = &c->segment;
	int64_t half = vclock_period(c->world) / 2;
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
	at->credit += credit;
	return credit;
}

static int64_t at_speedup(const struct vclock *c, double credit)
{
	return (int64_t)(credit * vclock_speedup(c->world) / 65536);
}

/*
 * Whether a segment is known well enough is decided when it begins, and does not change
 * until it ends.  If lumps began in the middle of a segment, its beginning would be
 * credited by the average of such segments, and its end by this one.
 */
void segment_begin(struct vclock *c, const void *site, int64_t now)
{
	struct vclock_segment *at = &c->segment;

	at->accounted_ns = now;
	at->into_ns = at->hit_ns = 0;
	at->credit = 0;
	at->window = vclock_window(c->world);
	at->of = memory_find(c, at->fine ? &fine_site : site);
	if (at->of)
		memory_fade(at->of);
	at->known = at->of && memory_is_known(c, at->of);
}

/* After a sample: do segments end so often that they are to be fine? */
static void look_how_fine(struct vclock *c, struct vclock_site *s, int64_t now)
{
	bool was = c->segment.fine;

	c->segment.fine = c->segment.ends > MANY_EACH_MS * vclock_period(c->world) / 1000000;
	c->segment.ends = 0;
	if (!was && !c->segment.fine)
		return;
	s->seen++; /* a fine one lasts until the next sample, if no wait ends it before */
	leave_segment(c);
	if (c->segment.fine)
		segment_begin(c, &fine_site, now);
}

/* ---- credit that samples will give later ------------------------------------------- */

/* A sample in a segment that is not known, and is credited as a lump. */
static void learn_lump(struct vclock *c, uint32_t weight)
{
	struct vclock_lumps *l = &c->lumps;

	if (l->region != vclock_region(c->world))
		*l = (struct vclock_lumps){ .region = vclock_region(c->world) };
	l->share += (int32_t)(weight - l->share) / RECENT_LUMPS;
}

/* The credit that lumps are expected to give, at a speedup of 1, for work between the last sample and `at`. */
static double pending(const struct vclock *c, int64_t at, bool goes_on)
{
	const struct vclock_lumps *l = &c->lumps;
	int64_t ns = l->pending_ns, since = c->segment.of ? c->segment.accounted_ns : l->last_ns;

	if (l->region != vclock_region(c->world))
		return 0;
	if (goes_on && at > since && !(c->segment.of && c->segment.known))
		ns += at - since;
	if (ns > vclock_period(c->world))
		ns = vclock_period(c->world);
	return (double)ns * l->share / 65536;
}

int64_t segment_expected(struct vclock *c, int64_t at, bool goes_on, uint32_t *rate)
{
	const struct vclock_site *s = current_segment(c);
	double credit = pending(c, at, goes_on), share = 0;
	unsigned bin = bin_of(c, c->segment.into_ns);

	if (goes_on && s && c->segment.known) {
		share = s->time_ns[bin] > 0 ? (double)s->hit_ns[bin] / (double)s->time_ns[bin] : 0;
		credit += at > c->segment.accounted_ns ? share * (double)(at - c->segment.accounted_ns) : 0;
	} else if (goes_on && c->lumps.region == vclock_region(c->world)) {
		share = c->lumps.share / 65536.;
	}
	*rate = (uint32_t)(share * vclock_speedup(c->world));
	return at_speedup(c, credit);
}

int64_t segment_interrupted(struct vclock *c, int64_t at, int64_t ns)
{
	struct vclock_site *s = current_segment(c);
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

/* A lump, minus the part of it that has been credited in advance. */
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

/* ---- samples, ends ------------------------------------------------------------------ */

int64_t segment_sample(struct vclock *c, int64_t period, uint32_t weight, int64_t now)
{
	struct vclock_site *s = current_segment(c);
	int64_t lump = vclock_lump(period, weight, vclock_speedup(c->world));
	int64_t hit_ns = period * weight >> 16;
	bool known = c->segment.known;
	double credit;

	if (!s || !known)
		learn_lump(c, weight);
	/* The sample accounts for one period. */
	c->lumps.pending_ns = 0;
	c->lumps.last_ns = now;
	if (!s)
		return less_advance(c, lump);
	credit = account_for(c, s, now);
	c->segment.hit_ns += hit_ns;
	memory_sample(c, s, c->segment.into_ns, bin_of(c, c->segment.into_ns), weight != 0, hit_ns);
	look_how_fine(c, s, now);
	return known ? at_speedup(c, credit) : less_advance(c, lump);
}

/* The credit for the whole of the ended segment, at a speedup of 1, less the credit that it has already got.  It may be negative. */
static double by_its_length(struct vclock *c, struct vclock_site *s)
{
	return c->segment.fine ? 0 : memory_end(c, s) - c->segment.credit;
}

int64_t segment_end(struct vclock *c, int64_t now)
{
	struct vclock_site *s = current_segment(c);
	int64_t began;
	double credit;

	if (!s)
		return 0;
	began = c->segment.accounted_ns;
	credit = account_for(c, s, now);
	credit += by_its_length(c, s);
	if (!c->segment.known)
		c->lumps.pending_ns += c->segment.accounted_ns - began;
	s->seen++;
	/* Shares the knowledge of the first segment with all threads that begin alike. */
	memory_teach(c, c->first.same, s);
	memory_teach(c, c->first.similar, s);
	leave_segment(c);
	return c->segment.known ? at_speedup(c, credit) : 0;
}

int64_t segment_so_far(struct vclock *c, int64_t now)
{
	struct vclock_site *s = current_segment(c);

	return s && c->segment.known ? at_speedup(c, account_for(c, s, now)) : 0;
}

/* ---- the first one of a thread ------------------------------------------------------- */

/*
 * A thread that lives for one task has no second segment to learn from the
 * first.  Threads that run the same routine with the same argument (a pointer
 * that stays the same from round to round tells their roles apart) learn from
 * each other.  Where the argument is new each time, threads with the same routine learn
 * from each other, but only if all of them are in the region, or none: they may have
 * different roles that cannot be distinguished.
 */
void segment_be_born(struct vclock *c, uint64_t routine, uint64_t arg, int64_t now)
{
	struct vclock_birth *same = memory_birth(c, routine, arg), *similar = memory_birth(c, routine, 0);
	struct vclock_segment *at = &c->segment;

	segment_begin(c, (const void *)(uintptr_t)routine, now);
	if (!at->of)
		return;
	if (same)
		memory_recall(at->of, same);
	at->known = same && memory_is_known(c, at->of);
	if (!at->known && similar) {
		memory_recall(at->of, similar);
		at->known = memory_is_known(c, at->of) && memory_is_all_or_nothing(at->of);
	}
	c->memory->before = *at->of;
	c->first.same = same;
	c->first.similar = similar != same ? similar : NULL;
}

void vclock_skip(struct vclock *c, int64_t ns)
{
	c->segment.accounted_ns += ns;
	c->lumps.last_ns += ns;
}
