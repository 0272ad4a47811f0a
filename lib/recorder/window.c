/*
 * A window goes through
 *
 *     switch   target, floor and speedup are published under a new number
 *     settle   queues and caches adapt; nothing is measured
 *     open     the next visit of each point opens its count   (PHASE_OPEN)
 *     run      until the deadline                             (PHASE_IDLE)
 *     close    the next visit of each point closes its count  (PHASE_CLOSE)
 *
 * and the speedup stays on until the next switch, so that a late visit closes the
 * window under the same conditions.
 */
#include <math.h>

#include "base/clock.h"
#include "format.h"
#include "format/kind.h"
#include "format/record.h"
#include "recorder/conductor_parts.h"
#include "target/shared.h"

enum {
	LOOK_NS = 200000,  /* time between looks at counters; the time of a look counts as that of the visit */
	LOOK_SPIN_NS = 100000, /* looks without a pause before that, since many counters change all the time */
	PATIENCE_WINDOWS = 8, /* time to wait for a visit, in lengths of the window */
	GRACE_WINDOWS = 4,    /* the same for points that are visited more rarely than the first */
	VISITS_WANTED = 12,   /* visits in a window: it is lengthened until it holds this many */
	WINDOW_MAX_MS = 2000,
	RECENT_MS = 5000, /* rates of visits are those of about this time */
	RARE_MAX_MS = 500, /* a window is not made longer than this for a point that is visited more rarely than the first */
	WINDOWS_IN_A_RUN = 5, /* least number of windows in each run of a program that is run repeatedly */
};

/*
 * A point takes part in windows in which its next visit comes in time, almost certainly: the mean time between visits is at most
 * this part of the window.  A window that is dropped because a visit was late is dropped for what it would have shown.  Of a
 * point that is visited every 0.8 s, at random times, windows of 0.2 s would have told 0.43 s, and 3.5 % of a gain of 10.
 */
static const double RARELY = 5 / 8.;

static uint64_t recent_visits(const struct conductor *c, uint32_t point)
{
	return points_visits(&c->points, point) - c->rates[0].visits[point];
}

/* Notes the visits every RECENT_MS.  So recent_visits are those of the last one to two RECENT_MS. */
static void note_rates(struct conductor *c)
{
	int64_t now = now_ns();

	if (now - c->rates[1].at_ns < RECENT_MS * MS)
		return;
	c->rates[0] = c->rates[1];
	c->rates[1].at_ns = now;
	for (uint32_t i = 0; i < arena_points(c->arena); i++)
		c->rates[1].visits[i] = points_visits(&c->points, i);
}

/* The mean time between the recent visits of the point; INFINITY: it had none. */
static double gap_ns(const struct conductor *c, uint32_t point)
{
	uint64_t visits = recent_visits(c, point);

	return visits ? (double)(now_ns() - c->rates[0].at_ns) / (double)visits : INFINITY;
}

/* Which points take part in a window of that length?  The most visited one does in any case. */
static void choose_points(const struct conductor *c, int64_t length_ns, bool part[ARENA_POINTS])
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < arena_points(c->arena); i++)
		if (shared_kind(c->arena, i) != POINT_AUTOMATIC && recent_visits(c, i) > most)
			most = recent_visits(c, i);
	for (uint32_t i = 0; i < arena_points(c->arena); i++)
		part[i] = shared_kind(c->arena, i) == POINT_AUTOMATIC || recent_visits(c, i) >= most ||
			  gap_ns(c, i) <= RARELY * (double)length_ns;
}

/* Waits until every point in `want` (NULL: any point) has the window's mark; false when none has it in time. */
static bool wait_for_points(struct conductor *c, bool *done, const bool *want, bool closing, int64_t patience, int64_t grace)
{
	int64_t began = now_ns(), give_up = began + patience, drained = began;
	bool any = false, counters;

	for (;;) {
		uint32_t n = arena_points(c->arena);
		bool all = n > 0;
		int64_t now;

		counters = points_look(&c->points, c->window, closing);
		for (uint32_t i = 0; i < n; i++) {
			struct arena_point *p = &c->arena->point[i];
			uint32_t mark = atomic_load_explicit(closing ? &p->closed : &p->opened, memory_order_acquire);

			if (mark == c->window && !done[i]) {
				done[i] = true;
				if (!any && (!want || want[i]) && now_ns() + grace < give_up)
					give_up = now_ns() + grace;
				any = any || !want || want[i];
			}
			if (!done[i] && (!want || want[i]) && points_is_live(&c->points, i))
				all = false;
		}
		now = now_ns();
		if (all || now >= give_up || conductor_over(c) || conductor_time_is_up(c) || conductor_is_interrupted(c))
			return any;
		if (!counters)
			conductor_sleep(c, now + TICK_MS * MS);
		else if (now - began > LOOK_SPIN_NS)
			conductor_sleep(c, now + LOOK_NS);
		if (now - drained > conductor_drain_ns(c)) {
			conductor_drain(c);
			drained = now;
		}
	}
}

static uint64_t count_of(const struct conductor *c, uint32_t point)
{
	return c->arena->point[point].close_count - c->arena->point[point].open_count;
}

static int64_t virtual_of(const struct conductor *c, uint32_t point)
{
	return c->arena->point[point].close_ns - c->arena->point[point].open_ns;
}

/* Returns whether it was disturbed. */
static bool log_window(struct conductor *c, struct window *w)
{
	struct buf *b = &c->journal->line;
	uint32_t n = arena_points(c->arena);
	bool disturbed = conductor_log(c, w);

	for (uint32_t i = 0; i < n; i++)
		spans_log(&c->points.spans, i, c->experiments, b);
	for (uint32_t i = 0; i < n; i++) {
		int64_t virt = virtual_of(c, i);

		if (!w->opened[i] || !w->closed[i] || virt <= 0)
			continue;
		record_begin(b, AW_VISITS);
		record_u64(b, "experiment", c->experiments);
		record_str(b, "point", shared_name(c->arena, i));
		record_str(b, "kind", kind_name(shared_kind(c->arena, i) == POINT_LATENCY ? KIND_LATENCY : KIND_THROUGHPUT));
		record_u64(b, "count", count_of(c, i));
		if (shared_kind(c->arena, i) == POINT_LATENCY && c->arena->point[i].counted)
			record_u64(b, "begins", c->arena->point[i].close_begins - c->arena->point[i].open_begins);
		record_i64(b, "virtual_ns", virt);
		if (spans_in_flight(&c->points.spans, i) >= 0)
			record_u64(b, "in_flight_ns", (uint64_t)(spans_in_flight(&c->points.spans, i) * (double)virt));
		record_end(b);
		if (!disturbed) {
			struct causal_obs obs = { .run = c->run,
						  .block = c->block,
						  .start_ns = (double)conductor_going_ns(c, w->before.at_ns),
						  .s = w->pct / 100.0,
						  .count = (double)count_of(c, i),
						  .time_ns = (double)virt };

			spans_as_visits(&c->points.spans, i, &obs.count, &obs.time_ns);
			conductor_learn(c, shared_name(c->arena, i), w->region, &obs);
		}
	}
	conductor_put(c, w);
	return disturbed;
}

/*
 * Performs a window of `length_ns`, and logs it.  If it is cut short, or no visit comes in time, it is not logged.  Was it
 * disturbed?  Then it has to be repeated.
 */
static bool perform(struct conductor *c, struct region *region, unsigned pct, int64_t length_ns)
{
	struct window w = { .region = region, .pct = pct };
	int64_t settle = length_ns / 4 > c->plan->settle_ns ? length_ns / 4 : c->plan->settle_ns;
	int64_t patience = PATIENCE_WINDOWS * length_ns > 1000 * MS ? PATIENCE_WINDOWS * length_ns : 1000 * MS;
	int64_t grace = GRACE_WINDOWS * length_ns;
	bool part[ARENA_POINTS] = { false };

	if (region)
		journal_know(c->journal, region);
	conductor_know_given(c);
	conductor_switch(c, region, pct);
	if (!conductor_rest(c, now_ns() + settle))
		return false;
	points_expect(&c->points);
	note_rates(c);
	choose_points(c, length_ns, part);
	conductor_phase(c, PHASE_OPEN);
	automatic_mark(&c->points.automatic, c->arena, c->window, false);
	if (!wait_for_points(c, w.opened, part, false, patience, length_ns / 2))
		return false;
	for (size_t i = 0; i < ARENA_POINTS; i++)
		w.opened[i] = w.opened[i] && part[i];
	w.before = conductor_tally(c);
	w.others = machine_now(&c->processes);
	spans_open(&c->points.spans, w.before.at_ns);
	conductor_phase(c, PHASE_IDLE);
	if (!conductor_rest(c, w.before.at_ns + length_ns))
		return false;
	points_expect(&c->points);
	conductor_phase(c, PHASE_CLOSE);
	automatic_mark(&c->points.automatic, c->arena, c->window, true);
	if (!wait_for_points(c, w.closed, w.opened, true, patience, grace))
		return false;
	if (conductor_is_interrupted(c))
		return false;
	w.after = conductor_tally(c);
	w.others = machine_since(machine_now(&c->processes), w.others);
	spans_close(&c->points.spans, w.after.at_ns);
	w.spoilt = atomic_load(&c->arena->clock.speedup) != c->speedup;
	conductor_phase(c, PHASE_IDLE);
	return log_window(c, &w);
}

/* The greatest length that a rarer point needs to take part, of those that are worth it; 0: none. */
static int64_t length_for_rare(const struct conductor *c)
{
	double longest = 0;

	for (uint32_t i = 0; i < arena_points(c->arena); i++) {
		double needed = gap_ns(c, i) / RARELY;

		if (shared_kind(c->arena, i) != POINT_AUTOMATIC && points_is_live(&c->points, i) && needed <= RARE_MAX_MS * MS)
			longest = needed > longest ? needed : longest;
	}
	return (int64_t)longest;
}

/*
 * The length of windows: long enough for enough visits of the busiest point, and for points
 * that are visited a little more rarely, but short enough for a few windows in a program that
 * ends early.
 */
static int64_t window_length(const struct conductor *c)
{
	int64_t elapsed = now_ns() - c->going_from_ns, wanted = c->plan->window_ns, visits_take;
	int64_t rare = length_for_rare(c);
	uint64_t visits = points_most_visits(&c->points), most = visits > c->visits_before ? visits - c->visits_before : 0;

	visits_take = most ? elapsed / (int64_t)most * VISITS_WANTED : 0;
	if (visits_take > wanted)
		wanted = visits_take < WINDOW_MAX_MS * MS ? visits_take : WINDOW_MAX_MS * MS;
	if (rare > wanted)
		wanted = rare;
	if (c->last_run_ns && wanted > c->last_run_ns / WINDOWS_IN_A_RUN)
		wanted = c->last_run_ns / WINDOWS_IN_A_RUN;
	return wanted;
}

void conductor_experiment(struct conductor *c)
{
	while (!conductor_over(c) && !conductor_time_is_up(c) && !conductor_is_interrupted(c)) {
		struct region *region;
		const struct trial *t;
		bool disturbed;

		if (c->next_trial == c->ntrials)
			conductor_read_modules(c, true);
		/* A mark that the program first visits late. */
		if (points_most_visits(&c->points) > 0)
			automatic_give_up(&c->points.automatic);
		conductor_observe(c);
		t = conductor_trial(c, &region);
		disturbed = perform(c, region, t->pct, window_length(c));
		/* A window that was cut short by the end of the run, or by a stop, is repeated. */
		if (!conductor_over(c) && !conductor_is_interrupted(c))
			conductor_tried(c, disturbed);
	}
}
