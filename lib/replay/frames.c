/*
 * frames: waits for moments that follow the thread.
 *
 * A loop of frames sleeps until a moment that is one frame after the one before it.  If a
 * frame is late, most loops begin to count anew at its end.  Then the moments are on no
 * grid: a late frame that takes less time moves all later moments.  A loop may also sleep
 * for the rest of a frame, as many games do; and a device may have a clock of its own.
 * Nothing of that is a wait of a fixed length, or until a fixed moment.
 *
 * Such a place is known by the times from one end of a wait to the next: many are alike,
 * the frame.  For sleeps and devices, they vary much less than the lengths of the waits.
 * For moments of the clock, others are longer by no multiple of the frame: there was a late
 * frame between.  It ended a frame before the wait did.  If the thread did not look at the
 * clock there, a wait of no length is added.
 *
 * A loop that sleeps for whole milliseconds has the same length of sleep in each frame.
 * But it does not sleep at all in late ones.  So if the thread visits a progress point in
 * each round, and sleeps in just those rounds that have less work, the place is one, too.
 *
 * A game that sleeps for the rest of its frames, each fourth one late: half of "draw", a
 * third of the time, was worth 16.4 (15.1 to 17.8), and is 4.0 (2.5 to 5.5); really 3.7
 * (0.3).  A browser with moments of the clock, each third frame late: half of "paint" was 0.1
 * (-1.4 to 1.6), and is 6.0 (4.5 to 7.4); really 5.8 (0.2).  A game that sleeps for whole
 * milliseconds, each third frame late: half of "draw" was 12.8 (8.5 to 16.4), and is 4.0 (1.7 to
 * 6.5); really 4.4 (0.3).
 */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "replay/replay_parts.h"

enum {
	FRAMES_LEAST = 20, /* times that are alike, to know the frame */
	ROUNDS_LEAST = 8,  /* rounds with a sleep, and rounds without, to know that these have more work */
	STEADIER = 2,      /* by so much they vary less than the lengths of waits; of 20, it is more than 1.9 by chance once in 20 places */
};

#define ALIKE_PART 0.05 /* such times differ from the frame by less than this part of it */
#define FRAME_PART 0.25 /* from this part of the times on, the ones that are alike are a frame */
#define LATE_PART  0.1  /* from this part of the times on, late frames begin to count anew */

/* The waits of a thread at one place. */
struct paced {
	size_t *event; /* owned */
	size_t n, cap;
};

struct places {
	struct idmap site;
	struct paced *at; /* owned */
	size_t cap;
};

static bool is_moment(const struct burst_event *e)
{
	return (e->kind == BURST_CLOCK || e->kind == BURST_OUTSIDE) && e->site;
}

static struct places list_waits(const struct burst_thread *t)
{
	struct places p = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		struct paced *of;
		size_t k;

		if (!is_moment(&t->event[i]) || came_late(t->event[i].waited_ns))
			continue;
		k = idmap_number(&p.site, t->event[i].site);
		p.at = idmap_room(&p.site, p.at, &p.cap, sizeof(*p.at));
		of = &p.at[k];
		of->event = xgrow(of->event, of->n, &of->cap, sizeof(*of->event));
		of->event[of->n++] = i;
	}
	return p;
}

static double between(const struct burst_thread *t, const struct paced *of, size_t k)
{
	return (double)t->event[of->event[k]].at_ns - (double)t->event[of->event[k - 1]].at_ns;
}

static bool is_multiple(double ns, double frame)
{
	return fabs(ns / frame - round(ns / frame)) < 2 * ALIKE_PART;
}

/* The times between ends of waits that are about as long as the given one, and the lengths of these waits.  Returns their number. */
static size_t list_alike(const struct burst_thread *t, const struct paced *of, double frame, double *time, double *length)
{
	size_t n = 0;

	for (size_t k = 1; k < of->n; k++) {
		if (fabs(between(t, of, k) - frame) >= ALIKE_PART * frame)
			continue;
		time[n] = between(t, of, k);
		length[n++] = (double)t->event[of->event[k]].waited_ns;
	}
	return n;
}

/*
 * How often a frame was late.  Where moments are on a grid and threads wake up late, the next time is as much too short,
 * so that as many are too short as are too long.
 */
static double count_late(const struct burst_thread *t, const struct paced *of, double frame)
{
	double n = 0;

	for (size_t k = 1; k < of->n; k++) {
		n += between(t, of, k) > frame * (1 + ALIKE_PART) && !is_multiple(between(t, of, k), frame);
		n -= between(t, of, k) < frame * (1 - ALIKE_PART);
	}
	return n;
}

/* Rounds, from visit to visit of the thread, with sleeps at the place and without. */
struct rounds {
	double most, least; /* the longest work of the first, and the shortest of the others, ns */
	double *length;     /* of the first, with their sleeps */
	size_t slept, others;
};

static void add_round(struct rounds *r, double work, double slept)
{
	if (slept > 0) {
		r->most = fmax(r->most, work);
		r->length[r->slept++] = work + slept;
	} else {
		r->least = fmin(r->least, work);
		r->others++;
	}
}

/* after: the thread visits before it sleeps, so the sleep is for the work of the round before. */
static struct rounds list_rounds(const struct burst_thread *t, uint32_t site, bool after)
{
	struct rounds r = { .least = INFINITY, .length = xcalloc(t->n + 1, sizeof(*r.length)) };
	const struct burst_event *before = NULL;
	double slept = 0, work = -1;

	for (size_t i = 0; i < t->n; i++) {
		const struct burst_event *e = &t->event[i];

		if (e->kind == BURST_OUTSIDE && e->site == site)
			slept += (double)e->waited_ns;
		if (e->kind != BURST_VISIT)
			continue;
		if (before && after && work >= 0)
			add_round(&r, work, slept);
		work = before ? (double)e->at_ns - (double)before->at_ns - slept : -1;
		if (before && !after)
			add_round(&r, work, slept);
		before = e;
		slept = 0;
	}
	return r;
}

/* The length of a frame whose sleeps are of whole milliseconds; 0: the place has none. */
static double coarse_frame_of(const struct burst_thread *t, const struct paced *of, bool after)
{
	const struct burst_event *first = &t->event[of->event[0]];
	struct rounds r = first->kind == BURST_OUTSIDE ? list_rounds(t, first->site, after) : (struct rounds){ 0 };
	double frame = 0;

	if (r.slept >= ROUNDS_LEAST && r.others >= ROUNDS_LEAST && r.most < r.least) {
		gsl_sort(r.length, 1, r.slept);
		frame = r.length[r.slept / 2];
	}
	free(r.length);
	return frame < r.least ? frame : 0;
}

/* The length of a frame; 0: the place has none. */
static double frame_of(const struct burst_thread *t, const struct paced *of)
{
	size_t n = of->n > 0 ? of->n - 1 : 0, alike;
	double *time, *length, *work, frame;
	bool paced;

	if (!n)
		return 0;
	time = xcalloc(n, sizeof(*time));
	length = xcalloc(n, sizeof(*length));
	work = xcalloc(n, sizeof(*work));
	for (size_t k = 1; k <= n; k++)
		time[k - 1] = between(t, of, k);
	gsl_sort(time, 1, n);
	frame = time[n / 4];
	alike = list_alike(t, of, frame, time, length);
	gsl_sort(time, 1, alike);
	frame = alike ? time[alike / 2] : 0;
	if (alike < FRAMES_LEAST || (double)alike < FRAME_PART * (double)n)
		paced = false;
	else if (t->event[of->event[0]].kind == BURST_CLOCK)
		paced = count_late(t, of, frame) >= LATE_PART * (double)n;
	else
		paced = gsl_stats_mad0(length, 1, alike, work) > STEADIER * gsl_stats_mad0(time, 1, alike, work);
	free(time);
	free(length);
	free(work);
	return paced ? frame : 0;
}

/*
 * Marks the ends of frames at the place.  A look at a moment that is over is one, too, if a frame has passed since the
 * last one; where a late frame ended without any, one is added.
 */
static void pace(struct burst_thread *t, const struct paced *of, uint32_t frame_ns, struct burst_thread *added)
{
	uint32_t site = t->event[of->event[0]].site;
	int64_t end_ns = t->event[of->event[0]].at_ns;

	for (size_t i = of->event[0]; i < t->n; i++) {
		struct burst_event *e = &t->event[i], late;
		double since = (double)(e->at_ns - end_ns);
		bool waited = !came_late(e->waited_ns);

		if (!is_moment(e) || e->site != site || (!waited && since < frame_ns * (1 - ALIKE_PART)))
			continue;
		e->kind = BURST_CLOCK;
		e->other = frame_ns;
		end_ns = e->at_ns;
		if (!waited || since < frame_ns * (1 + ALIKE_PART))
			continue;
		late = *e;
		late.at_ns -= frame_ns;
		late.waited_ns = 0;
		burst_add(added, &late);
	}
}

/* Returns the number of added events. */
static size_t find_frames(struct burst_thread *t)
{
	struct places p = list_waits(t);
	struct burst_thread added = { 0 };

	for (size_t k = 0; k < p.site.n; k++) {
		double frame = frame_of(t, &p.at[k]);

		frame = frame > 0 ? frame : fmax(coarse_frame_of(t, &p.at[k], false), coarse_frame_of(t, &p.at[k], true));

		if (frame > 0 && frame < UINT32_MAX)
			pace(t, &p.at[k], (uint32_t)frame, &added);
		free(p.at[k].event);
	}
	burst_insert(t, &added);
	free(added.event);
	free(p.at);
	idmap_release(&p.site);
	return added.n;
}

size_t frames_find(struct burst *b)
{
	size_t added = 0;

	for (size_t t = 0; t < b->n; t++)
		added += find_frames(&b->thread[t]);
	return added;
}
