/*
 * A window goes through
 *
 *     switch   target, floor and speedup are published under a new number
 *     settle   queues and caches adapt; nothing is measured
 *     open     the next visit of each point opens its count   (PHASE_OPEN)
 *     run      until the deadline                             (PHASE_IDLE)
 *     close    the next visit of each point closes its count  (PHASE_CLOSE)
 *
 * and the speedup stays on until the next switch, so that a late visitor closes
 * a window under the conditions that it was opened in.
 */
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/msg.h"
#include "format.h"
#include "format/record.h"
#include "recorder/conductor_parts.h"
#include "recorder/tick.h"
#include "recorder/whole.h"

#define MS 1000000ll

enum {
	TICK_MS = 1,       /* how often a visit is looked for */
	LOOK_NS = 200000,  /* and how often at counters, where the time of the look is taken for that of the visit, */
	LOOK_SPIN_NS = 100000, /* after looking without a pause for so long: many are visited all the time */
	DRAIN_MS = 50,     /* how often samples are fetched: well before ARENA_RING of them, and each time costs the target a little */
	LOOK_AGAIN_MS = 200, /* between looks at what is mapped, when there is unknown code */
	DISCOVER_MS = 400, /* samples are gathered this long before regions are chosen */
	DISCOVER_SAMPLES = 150,
	DISCOVER_MAX_MS = 3000,
	PATIENCE_WINDOWS = 8, /* windows' lengths to wait for a visit */
	GRACE_WINDOWS = 4,    /* and for points that are visited more rarely than the first */
	VISITS_WANTED = 12,   /* per window: it is lengthened until it holds this many */
	WINDOW_MAX_MS = 2000,
	KILL_AFTER_MS = 2000,
	WINDOWS_IN_A_RUN = 5, /* at the least, of a program that is run again and again */
	NAMED_MS = 20,     /* with regions named, only the rate of visits is to be seen before the first window */
	CROWD = 64,        /* so many processes at once come and go quickly: */
	CROWD_MS = 5,      /* the dead are looked for this often */
	LEFTOVER_MS = 5,   /* how often it is asked, as the command has ended, whether the rest matters */
};

static void read_modules(struct conductor *c, bool all);
static void reap(struct conductor *c);

static struct arena *watched; /* whose news a child's end is */

static void on_child(int sig)
{
	(void)sig;
	if (watched)
		atomic_fetch_add(&watched->news, 1);
}

/* Looks at what is new. */
static void attend(struct conductor *c)
{
	uint32_t news = atomic_load_explicit(&c->arena->news, memory_order_acquire);

	if (news == c->news)
		return;
	c->news = news;
	if (c->ready)
		read_modules(c, false);
}

/*
 * Sleeps until `at`, or until there is news: a process has joined or ended, a
 * thread waits in the region.  A signal's handler changes the word that the sleep
 * is on, so none comes too early to wake us.
 */
static void sleep_until(struct conductor *c, int64_t at)
{
	int64_t now = now_ns(), look;
	struct timespec t;

	atomic_store_explicit(&c->arena->expires_ns, now + ALIVE_NS, memory_order_relaxed);
	if (tick(c->arena, now) && !c->ticking) {
		c->ticking = true;
		machine_release(&c->machine);
	}
	/* From the first time on in all windows alike: our waking up takes a processor from somebody. */
	if (c->ticking)
		at = at < now + TICK_NS ? at : now + TICK_NS;
	look = spans_look(&c->points.spans, now);
	if (look)
		at = at < now + look ? at : now + look;
	atomic_store_explicit(&c->arena->ticking, c->ticking, memory_order_relaxed);
	t = (struct timespec){ .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 };
	syscall(SYS_futex, &c->arena->news, FUTEX_WAIT_BITSET, c->news, &t, NULL, FUTEX_BITSET_MATCH_ANY);
	reap(c); /* when the command has ended is to be known exactly */
	attend(c);
}

/* ---- samples ------------------------------------------------------------------------ */

static void drain_thread(struct conductor *c, struct arena_thread *t)
{
	uint32_t process = atomic_load_explicit(&t->process, memory_order_relaxed);
	/* Pairs with the release in keep_sample: what the head covers is complete. */
	uint32_t head = atomic_load_explicit(&t->ring_head, memory_order_acquire);
	uint32_t tail = atomic_load_explicit(&t->ring_tail, memory_order_relaxed);

	for (; tail != head; tail++) {
		processes_name(&c->processes, process, &t->ring[tail % ARENA_RING]);
		regions_sample(c->regions, &t->ring[tail % ARENA_RING]);
	}
	atomic_store_explicit(&t->ring_tail, tail, memory_order_release);
}

/* Samples in code of no known module: something has been loaded, or there is a compiler at work in the target. */
static void look_again(struct conductor *c)
{
	uint32_t unknown = atomic_load_explicit(&c->arena->unknown_code, memory_order_relaxed);

	if (unknown == c->unknown_code || now_ns() < c->look_ns)
		return;
	c->unknown_code = unknown;
	c->look_ns = now_ns() + LOOK_AGAIN_MS * MS;
	read_modules(c, true);
}

/* Reaps our children: the command, and what has lost its parent and so become our child. */
static void reap(struct conductor *c)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		processes_reaped(&c->processes, pid, status);
		if (pid == c->pid && !c->ended) {
			c->wait_status = status;
			c->ended = true;
			c->ended_ns = now_ns();
		}
	}
}

static int64_t drain_ns(const struct conductor *c)
{
	return (c->processes.alive < CROWD ? DRAIN_MS : CROWD_MS) * MS;
}

static void drain(struct conductor *c)
{
	uint32_t n = atomic_load_explicit(&c->arena->threads_used, memory_order_acquire);

	processes_look(&c->processes);
	reap(c); /* for the status of those who have ended */
	for (uint32_t i = 0; i < n; i++)
		drain_thread(c, &c->arena->thread[i]);
	if (c->regions->passed_more) {
		mapping_publish(c->modules, c->arena);
		c->regions->passed_more = false;
	}
	processes_bury(&c->processes);
	points_cool(&c->points, now_ns());
	look_again(c);
}

struct tally conductor_tally(const struct conductor *c)
{
	uint32_t n = atomic_load_explicit(&c->arena->threads_used, memory_order_acquire);
	struct tally t = { .delay_ns = atomic_load(&c->arena->delay_ns), .at_ns = now_ns() };

	for (uint32_t i = 0; i < n; i++) {
		const struct arena_thread *of = &c->arena->thread[i];

		t.samples += atomic_load_explicit(&of->samples, memory_order_relaxed);
		t.hits += atomic_load_explicit(&of->hits, memory_order_relaxed);
		t.sampled_ns += atomic_load_explicit(&of->sampled_ns, memory_order_relaxed);
		t.credit_ns += atomic_load_explicit(&of->credit_ns, memory_order_relaxed);
	}
	return t;
}

/* ---- waiting, with the target's life in view ---------------------------------------- */

static uint64_t all_visits(const struct conductor *c)
{
	uint32_t n = atomic_load_explicit(&c->arena->points_used, memory_order_acquire);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += points_visits(&c->points, i);
	return sum;
}

/* Has the target ended, with what it has left behind? */
static bool target_ended(struct conductor *c)
{
	int64_t now;

	if (c->over)
		return true;
	reap(c);
	if (!c->ended)
		return false;
	c->alone = 1;
	now = now_ns();
	if (now < c->leftover_ns)
		return false;
	c->leftover_ns = now + LEFTOVER_MS * MS;
	if (c->ready)
		read_modules(c, false);
	drain(c);
	c->over = !leftover_goes_on(&c->leftover, &c->processes, all_visits(c), now);
	return c->over;
}

static bool time_is_up(const struct conductor *c)
{
	if (*c->plan->stop || c->enough)
		return true;
	return c->plan->until_ns && now_ns() >= c->plan->until_ns;
}

bool conductor_rest(struct conductor *c, int64_t at)
{
	int64_t now;

	while ((now = now_ns()) < at) {
		int64_t next = now + drain_ns(c);

		next = next < at ? next : at;
		sleep_until(c, next);
		drain(c);
		if (target_ended(c) || time_is_up(c))
			return false;
	}
	if (c->status)
		status_draw(c->status, now, c->windows, c->regions, &c->adapt.evidence);
	return !target_ended(c) && !time_is_up(c);
}

/* ---- windows --------------------------------------------------------------------------- */

static void set_phase(struct conductor *c, uint32_t phase)
{
	/* Pairs with the acquire of visitors: they see the switch that came before. */
	atomic_store_explicit(&c->arena->window, c->window << 2 | phase, memory_order_release);
}

/* Nothing is sped up any more, and what is given is not. */
static void to_normal(struct conductor *c)
{
	conductor_switch(c, NULL, 0);
	atomic_store(&c->arena->speedup, 0);
}

/* Waits until every point in `want` (NULL: any) bears the window's mark; false when none does in time. */
static bool wait_for_points(struct conductor *c, bool *done, const bool *want, bool closing, int64_t patience, int64_t grace)
{
	int64_t began = now_ns(), give_up = began + patience, drained = began;
	bool any = false, counters;

	for (;;) {
		uint32_t n = atomic_load_explicit(&c->arena->points_used, memory_order_acquire);
		bool all = n > 0;
		int64_t now;

		counters = points_look(&c->points, c->window, closing);
		for (uint32_t i = 0; i < n; i++) {
			struct arena_point *p = &c->arena->point[i];
			uint32_t mark = atomic_load_explicit(closing ? &p->closed : &p->opened, memory_order_acquire);

			if (mark == c->window && !done[i]) {
				done[i] = true;
				if (!any && now_ns() + grace < give_up)
					give_up = now_ns() + grace;
				any = true;
			}
			if (!done[i] && (!want || want[i]) && points_is_live(&c->points, i))
				all = false;
		}
		now = now_ns();
		if (all || now >= give_up || target_ended(c) || time_is_up(c))
			return any;
		if (!counters)
			sleep_until(c, now + TICK_MS * MS);
		else if (now - began > LOOK_SPIN_NS)
			sleep_until(c, now + LOOK_NS);
		if (now - drained > drain_ns(c)) {
			drain(c);
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

bool conductor_log(struct conductor *c, const struct window *w)
{
	struct buf *b = &c->journal->line;
	bool disturbed = machine_is_disturbed(&c->machine, &w->others, w->after.at_ns - w->before.at_ns) || w->spoilt;

	c->experiments++;
	c->windows++;
	c->disturbed += disturbed;
	record_begin(b, AW_EXPERIMENT);
	record_u64(b, "id", c->experiments);
	record_u64(b, "run", c->run);
	record_u64(b, "block", c->block);
	if (w->region)
		record_u64(b, "region", w->region->id);
	else
		record_str(b, "region", "-");
	record_u64(b, "speedup_pct", w->pct);
	if (c->plan->given)
		conductor_log_given(c, b);
	record_i64(b, "start_ns", w->before.at_ns - c->began_ns);
	record_i64(b, "wall_ns", w->after.at_ns - w->before.at_ns);
	record_i64(b, "delay_ns", w->after.delay_ns - w->before.delay_ns);
	record_u64(b, "samples", w->after.samples - w->before.samples);
	record_u64(b, "region_samples", w->after.hits - w->before.hits);
	record_u64(b, "sampled_ns", w->after.sampled_ns - w->before.sampled_ns);
	/* Where something is given, others are credited too. */
	if (w->region && !c->plan->given)
		record_u64(b, "credit_ns", w->after.credit_ns - w->before.credit_ns);
	record_i64(b, "steal_ns", w->others.stolen_ns);
	record_i64(b, "waited_ns", w->others.waited_ns);
	/* Ticks against nanoseconds: the difference may come out below nothing. */
	record_i64(b, "foreign_ns", w->others.foreign_ns > 0 ? w->others.foreign_ns : 0);
	if (disturbed)
		record_u64(b, "disturbed", 1);
	record_end(b);
	return disturbed;
}

/* Returns whether it was disturbed. */
static bool log_window(struct conductor *c, const struct window *w)
{
	struct buf *b = &c->journal->line;
	uint32_t n = atomic_load_explicit(&c->arena->points_used, memory_order_acquire);
	bool disturbed = conductor_log(c, w);

	for (uint32_t i = 0; i < n; i++)
		spans_log(&c->points.spans, i, c->experiments, b);
	for (uint32_t i = 0; i < n; i++) {
		int64_t virt = virtual_of(c, i);

		if (!w->closed[i] || virt <= 0)
			continue;
		record_begin(b, AW_VISITS);
		record_u64(b, "experiment", c->experiments);
		record_str(b, "point", c->arena->point[i].name);
		record_str(b, "kind", c->arena->point[i].kind == POINT_LATENCY ? "latency" : "throughput");
		record_u64(b, "count", count_of(c, i));
		if (c->arena->point[i].kind == POINT_LATENCY && c->arena->point[i].counted)
			record_u64(b, "begins", c->arena->point[i].close_begins - c->arena->point[i].open_begins);
		record_i64(b, "virtual_ns", virt);
		if (spans_in_flight(&c->points.spans, i) >= 0)
			record_i64(b, "in_flight_ns", (int64_t)(spans_in_flight(&c->points.spans, i) * (double)virt));
		record_end(b);
		if (!disturbed) {
			struct causal_obs obs = { .run = c->run,
						  .block = c->block,
						  .start_ns = (double)(w->before.at_ns - c->began_ns),
						  .s = w->pct / 100.0,
						  .count = (double)count_of(c, i),
						  .time_ns = (double)virt };

			spans_as_visits(&c->points.spans, i, &obs.count, &obs.time_ns);
			conductor_learn(c, c->arena->point[i].name, w->region, &obs);
		}
	}
	journal_flush(c->journal);
	return disturbed;
}

/* One window of `length_ns`; nothing is logged of one that is cut short.  False when it was disturbed. */
static bool perform(struct conductor *c, struct region *region, unsigned pct, int64_t length_ns)
{
	struct window w = { .region = region, .pct = pct, .length_ns = length_ns };
	int64_t settle = length_ns / 4 > c->plan->settle_ns ? length_ns / 4 : c->plan->settle_ns;
	int64_t patience = PATIENCE_WINDOWS * length_ns > 1000 * MS ? PATIENCE_WINDOWS * length_ns : 1000 * MS;
	int64_t grace = GRACE_WINDOWS * length_ns;

	if (region)
		journal_know(c->journal, region);
	conductor_know_given(c);
	conductor_switch(c, region, pct);
	if (!conductor_rest(c, now_ns() + settle))
		return true;
	points_expect(&c->points);
	set_phase(c, PHASE_OPEN);
	if (!wait_for_points(c, w.opened, NULL, false, patience, length_ns / 2))
		return true;
	w.before = conductor_tally(c);
	w.others = machine_now(&c->processes);
	spans_open(&c->points.spans, w.before.at_ns);
	set_phase(c, PHASE_IDLE);
	if (!conductor_rest(c, w.before.at_ns + length_ns))
		return true;
	points_expect(&c->points);
	set_phase(c, PHASE_CLOSE);
	if (!wait_for_points(c, w.closed, w.opened, true, patience, grace))
		return true;
	w.after = conductor_tally(c);
	w.others = machine_since(machine_now(&c->processes), w.others);
	spans_close(&c->points.spans, w.after.at_ns);
	w.spoilt = atomic_load(&c->arena->speedup) != c->speedup;
	set_phase(c, PHASE_IDLE);
	return !log_window(c, &w);
}

/* ---- a run ------------------------------------------------------------------------------ */

/*
 * How long windows are: as long as the busiest point needs for enough visits, but
 * short enough for a program that ends early to hold a few.
 */
static int64_t window_length(const struct conductor *c)
{
	int64_t elapsed = now_ns() - c->began_ns, wanted = c->plan->window_ns, visits_take;
	uint64_t most = points_most_visits(&c->points);

	visits_take = most ? elapsed / (int64_t)most * VISITS_WANTED : 0;
	if (visits_take > wanted)
		wanted = visits_take < WINDOW_MAX_MS * MS ? visits_take : WINDOW_MAX_MS * MS;
	if (c->last_run_ns && wanted > c->last_run_ns / WINDOWS_IN_A_RUN)
		wanted = c->last_run_ns / WINDOWS_IN_A_RUN;
	return wanted;
}

static bool has_reported(const struct conductor *c)
{
	return atomic_load_explicit(&c->arena->runtime, memory_order_acquire) != RUNTIME_ABSENT;
}

static bool wait_until_ready(struct conductor *c)
{
	while (!has_reported(c)) {
		/* A short program may have come and gone since the last look. */
		if (target_ended(c) || time_is_up(c))
			return has_reported(c);
		sleep_until(c, now_ns() + TICK_MS * MS);
	}
	return true;
}

/*
 * What was asked for by name is looked up in every module that is new: in that of
 * a program that has been exec'd, or of a plugin.
 */
static void search(struct conductor *c)
{
	for (size_t i = 0; i < c->modules->n; i++)
		if (c->modules->v[i].mapped && !c->modules->v[i].logged)
			journal_module(c->journal, c->run, &c->modules->v[i]);
	if (c->plan->given) {
		c->regions->giving = true;
		c->given_found |= regions_name(c->regions, c->plan->given, c->given_found) > 0;
		c->regions->giving = false;
	}
	for (size_t i = 0; i < c->plan->nnames; i++)
		c->name_found[i] |= regions_name(c->regions, c->plan->names[i], c->name_found[i]) > 0;
	points_place(&c->points);
	for (size_t i = 0; i < c->modules->n; i++)
		c->modules->v[i].searched = c->modules->v[i].searched || c->modules->v[i].mapped;
}

/* Looks at who has joined, and at what is mapped (`all`: by everybody, else by those alone). */
static void read_modules(struct conductor *c, bool all)
{
	if (processes_meet(&c->processes, all))
		search(c);
	processes_attended(&c->processes);
}

/* Gathers samples until there is something to choose from.  False when the run ended meanwhile. */
static bool discover(struct conductor *c)
{
	int64_t began = now_ns();
	bool named = c->plan->nnames > 0;

	/* Before something is visited no window can open, and nothing needs to be slowed down. */
	while (points_most_visits(&c->points) == 0 || (c->plan->given && !c->given_found)) {
		if (!conductor_rest(c, now_ns() + NAMED_MS * MS))
			return false;
		if (now_ns() >= c->look_ns) {
			c->look_ns = now_ns() + LOOK_AGAIN_MS * MS;
			read_modules(c, true);
		}
	}

	do {
		if (!conductor_rest(c, now_ns() + (named || c->block ? NAMED_MS : DISCOVER_MS) * MS))
			return false;
		read_modules(c, true);
	} while (!named && c->regions->all_samples < DISCOVER_SAMPLES && now_ns() - began < DISCOVER_MAX_MS * MS);
	return true;
}

static void experiment(struct conductor *c)
{
	while (!target_ended(c) && !time_is_up(c)) {
		struct region *region;
		const struct trial *t;
		bool done;

		if (c->next_trial == c->ntrials)
			read_modules(c, true);
		t = conductor_trial(c, &region);
		done = perform(c, region, t->pct, window_length(c));
		/* What the end of the run has cut short is done again in the next one. */
		if (!target_ended(c))
			conductor_tried(c, !done);
	}
}

/* Ends the target, as its time is used up, and what it has started. */
static void stop_target(struct conductor *c)
{
	int64_t kill_at = now_ns() + KILL_AFTER_MS * MS;

	c->cut = true;
	c->stopped = !c->ended;
	if (!c->ended)
		kill(c->pid, SIGTERM);
	for (reap(c); !c->ended; reap(c)) {
		if (now_ns() > kill_at)
			kill(c->pid, SIGKILL);
		sleep_until(c, now_ns() + TICK_MS * MS);
	}
	leftover_end(&c->leftover, &c->processes, KILL_AFTER_MS * MS);
}

uint64_t conductor_lost(const struct conductor *c)
{
	uint32_t n = atomic_load(&c->arena->threads_used);
	uint64_t lost = 0;

	for (uint32_t i = 0; i < n; i++)
		lost += atomic_load_explicit(&c->arena->thread[i].lost, memory_order_relaxed);
	return lost;
}

static void log_end(struct conductor *c, int64_t ended)
{
	struct buf *b = &c->journal->line;
	uint32_t n = atomic_load_explicit(&c->arena->points_used, memory_order_acquire);
	char status[JOURNAL_STATUS];

	journal_status(status, c->wait_status);
	record_begin(b, AW_END);
	record_u64(b, "run", c->run);
	record_str(b, "status", status);
	if (c->cut)
		record_str(b, "ended_by", "recorder");
	record_i64(b, "wall_ns", ended - c->began_ns);
	record_u64(b, "experiments", c->windows);
	record_u64(b, "disturbed", c->disturbed);
	record_u64(b, "samples", c->regions->samples);
	record_u64(b, "lost", conductor_lost(c));
	record_u64(b, "threads_refused", atomic_load(&c->arena->threads_refused));
	record_u64(b, "processes_refused", atomic_load(&c->arena->processes_refused));
	for (uint32_t i = 0; i < n; i++) {
		char key[24];

		snprintf(key, sizeof(key), "visits%u", i + 1);
		record_u64(b, key, points_visits(&c->points, i));
	}
	record_end(b);
	journal_flush(c->journal);
}

void conductor_release(struct conductor *c)
{
	adapt_release(&c->adapt);
	free(c->trials);
	free(c->picked);
	free(c->name_found);
	points_release(&c->points);
	machine_release(&c->machine);
	processes_release(&c->processes);
	leftover_release(&c->leftover);
	c->trials = NULL;
	c->picked = NULL;
}

void conductor_prepare(struct conductor *c)
{
	/* Points at places are to be there before the program is. */
	c->arena->attend_first = c->points.nwanted > 0;
	c->arena->want_breaks = c->points.nwanted > 0;
	leftover_begin(&c->leftover);
	whole_prepare(c);
}

void conductor_meet(struct conductor *c, unsigned run, pid_t pid)
{
	c->run = run;
	c->pid = pid;
	c->began_ns = now_ns();
	c->news = 0;
	c->unknown_code = 0;
	c->look_ns = 0;
	c->windows = c->disturbed = 0;
	c->ended = c->over = c->stopped = c->cut = false;
	c->alone = 0;
	c->leftover_ns = 0;
	regions_new_run(c->regions);
	points_new_run(&c->points, c->arena, run);
	mapping_new_run(c->modules);
	processes_release(&c->processes);
	processes_init(&c->processes, c->arena, c->modules, c->journal, run);
	watched = c->arena;
	signal(SIGCHLD, on_child);
	c->ready = false;
	c->ready = wait_until_ready(c);
}

void conduct(struct conductor *c)
{
	int64_t ended;

	if (c->ready) {
		read_modules(c, true);
		if (c->whole.on)
			whole_conduct(c);
		else if (!c->plan->attach_only && discover(c))
			experiment(c);
		if (!c->whole.on)
			to_normal(c);
	}
	while (!target_ended(c) && !time_is_up(c))
		conductor_rest(c, now_ns() + 1000 * MS);
	if (!c->over)
		stop_target(c);
	ended = now_ns();
	c->ran_ns = ended - c->began_ns;
	if (!c->cut)
		c->last_run_ns = ended - c->began_ns;
	if (c->status)
		status_clear(c->status);
	drain(c);
	if (c->whole.on)
		whole_log(c);
	whole_decide(c);
	processes_take_leave(&c->processes);
	journal_samples(c->journal, c->run, c->regions);
	points_log(&c->points);
	log_end(c, ended);
	/* What lives on is not sampled any more, and the next run has another arena. */
	atomic_store(&c->arena->expires_ns, INT64_MIN / 2);
	watched = NULL;
}
