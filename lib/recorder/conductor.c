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
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "format.h"
#include "format/record.h"
#include "recorder/conductor.h"

#define MS 1000000ll

enum {
	TICK_MS = 1,       /* how often a visit is looked for */
	DRAIN_MS = 50,     /* how often samples are fetched: well before ARENA_RING of them, and each time costs the target a little */
	READY_MS = 3000,   /* after this without a word from the runtime something is wrong */
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
	USUAL_WINDOWS = 5, /* before one can say what is usual */
	EXPIRES_MS = 120000, /* a window is over by then, or we are no more */
};

/*
 * Above what is usual, so much is more than noise that averages out: of the
 * processors' time, taken by others (which is counted in ticks of 10 ms); and of
 * the window, with a thread waiting for a processor.
 */
static const double TAKEN_SHARE = 1 / 16., WAITED_SHARE = 1 / 64.;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Sleeps until `at`, or until the target ends or a signal comes. */
static void sleep_until(const struct conductor *c, int64_t at)
{
	struct pollfd end = { .fd = c->pidfd, .events = POLLIN };
	int64_t ns = at - now_ns();
	struct timespec t = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	if (ns > 0)
		ppoll(&end, c->pidfd >= 0, &t, NULL);
}

/* ---- samples ------------------------------------------------------------------------ */

static void drain_thread(struct conductor *c, struct arena_thread *t)
{
	/* Pairs with the release in keep_sample: what the head covers is complete. */
	uint32_t head = atomic_load_explicit(&t->ring_head, memory_order_acquire);
	uint32_t tail = atomic_load_explicit(&t->ring_tail, memory_order_relaxed);

	for (; tail != head; tail++)
		regions_sample(c->regions, &t->ring[tail % ARENA_RING]);
	atomic_store_explicit(&t->ring_tail, tail, memory_order_release);
}

static void drain(struct conductor *c)
{
	uint32_t n = atomic_load_explicit(&c->arena->threads_used, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++)
		drain_thread(c, &c->arena->thread[i]);
	if (c->regions->passed_more) {
		mapping_publish(c->modules, c->arena);
		c->regions->passed_more = false;
	}
}

struct tally {
	uint64_t samples, hits;
	int64_t delay_ns; /* G */
	int64_t at_ns;
};

static struct tally tally(const struct conductor *c)
{
	uint32_t n = atomic_load_explicit(&c->arena->threads_used, memory_order_acquire);
	struct tally t = { .delay_ns = atomic_load(&c->arena->delay_ns), .at_ns = now_ns() };

	for (uint32_t i = 0; i < n; i++) {
		t.samples += atomic_load_explicit(&c->arena->thread[i].samples, memory_order_relaxed);
		t.hits += atomic_load_explicit(&c->arena->thread[i].hits, memory_order_relaxed);
	}
	return t;
}

/* ---- waiting, with the target's life in view ---------------------------------------- */

/* Has the target ended?  Leaves it unreaped until the run's records are written. */
static bool target_ended(struct conductor *c)
{
	siginfo_t info = { 0 };

	if (c->ended)
		return true;
	if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == c->pid)
		c->ended = true;
	return c->ended;
}

static bool time_is_up(const struct conductor *c)
{
	if (*c->plan->stop)
		return true;
	return c->plan->until_ns && now_ns() >= c->plan->until_ns;
}

/* Sleeps until `at`, fetching samples meanwhile.  False when the target ended or the time is up. */
static bool rest_until(struct conductor *c, int64_t at)
{
	int64_t now;

	while ((now = now_ns()) < at) {
		int64_t next = now + DRAIN_MS * MS;

		next = next < at ? next : at;
		sleep_until(c, next);
		drain(c);
		if (target_ended(c) || time_is_up(c))
			return false;
	}
	if (c->status)
		status_draw(c->status, now, c->windows, c->regions);
	return !target_ended(c) && !time_is_up(c);
}

/* ---- the machine --------------------------------------------------------------------- */

/*
 * What others did to our processors: time that the hypervisor gave away, and time
 * that programs other than the target and us were running.  /proc/stat counts in
 * ticks of 10 ms; evidence from outside the outcome, if coarse.
 */
struct others {
	int64_t stolen_ns;
	int64_t foreign_ns;
	int64_t waited_ns; /* during which some thread was ready to run and had no processor (pressure stall information) */
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) == 0 ? t.tv_sec * 1000000000ll + t.tv_nsec : 0;
}

static int64_t pressure_ns(void)
{
	unsigned long long us = 0;
	FILE *f = fopen("/proc/pressure/cpu", "re");

	if (!f)
		return 0;
	if (fscanf(f, "some avg10=%*f avg60=%*f avg300=%*f total=%llu", &us) != 1)
		us = 0;
	fclose(f);
	return (int64_t)us * 1000;
}

static struct others others_now(const struct conductor *c)
{
	/* user nice system idle iowait irq softirq steal; see proc(5) */
	unsigned long long v[8] = { 0 };
	int64_t tick = 1000000000 / sysconf(_SC_CLK_TCK);
	struct others o = { 0 };
	clockid_t target;
	FILE *f = fopen("/proc/stat", "re");

	o.waited_ns = pressure_ns();
	if (!f)
		return o;
	if (fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) == 8) {
		o.stolen_ns = (int64_t)v[7] * tick;
		o.foreign_ns = (int64_t)(v[0] + v[1] + v[2]) * tick - clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		if (clock_getcpuclockid(c->pid, &target) == 0)
			o.foreign_ns -= clock_ns(target);
	}
	fclose(f);
	return o;
}

/* ---- windows --------------------------------------------------------------------------- */

struct window {
	const struct region *region; /* NULL: a baseline */
	unsigned pct;
	int64_t length_ns;
	struct tally before, after;
	struct others others;
	bool opened[ARENA_POINTS], closed[ARENA_POINTS];
};

static void set_phase(struct conductor *c, uint32_t phase)
{
	/* Pairs with the acquire of visitors: they see the switch that came before. */
	atomic_store_explicit(&c->arena->window, c->window << 2 | phase, memory_order_release);
}

static void switch_to(struct conductor *c, const struct region *region, unsigned pct)
{
	struct arena *a = c->arena;
	uint32_t next = !(atomic_load(&a->target) & 1);

	atomic_store(&a->speedup, 0);
	regions_target(c->regions, region, &a->targets[next]);
	atomic_store_explicit(&a->region, region ? region->id : 0, memory_order_relaxed);
	atomic_store_explicit(&a->target, next, memory_order_release);
	atomic_store(&a->floor_ns, atomic_load(&a->delay_ns));
	atomic_store(&a->began_ns, now_ns());
	atomic_store(&a->expires_ns, now_ns() + EXPIRES_MS * MS);
	/* 28 bits of window numbers suffice for a year; 0 means none. */
	c->window = (c->window + 1) & 0x0fffffff;
	set_phase(c, PHASE_IDLE);
	atomic_store(&a->speedup, (uint32_t)(((uint64_t)pct << 16) / 100));
}

static void to_baseline(struct conductor *c)
{
	switch_to(c, NULL, 0);
}

/* Waits until every point in `want` (NULL: any) bears the window's mark; false when none does in time. */
static bool wait_for_points(struct conductor *c, bool *done, const bool *want, bool closing, int64_t patience, int64_t grace)
{
	int64_t give_up = now_ns() + patience, drained = now_ns();
	bool any = false;

	for (;;) {
		uint32_t n = atomic_load_explicit(&c->arena->points_used, memory_order_acquire);
		bool all = n > 0;
		int64_t now;

		for (uint32_t i = 0; i < n; i++) {
			struct arena_point *p = &c->arena->point[i];
			uint32_t mark = atomic_load_explicit(closing ? &p->closed : &p->opened, memory_order_acquire);

			if (mark == c->window && !done[i]) {
				done[i] = true;
				if (!any && now_ns() + grace < give_up)
					give_up = now_ns() + grace;
				any = true;
			}
			if (!done[i] && (!want || want[i]))
				all = false;
		}
		now = now_ns();
		if (all || now >= give_up || target_ended(c) || time_is_up(c))
			return any;
		sleep_until(c, now + TICK_MS * MS);
		if (now - drained > DRAIN_MS * MS) {
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

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Remembers x; is it above one and a half times the median of what has been seen so far, and the margin? */
static bool is_unusual(struct usual *u, double x, double margin)
{
	double median = u->n >= USUAL_WINDOWS ? u->v[u->n / 2] : 0;

	u->v = xgrow(u->v, u->n, &u->cap, sizeof(*u->v));
	u->v[u->n++] = x;
	qsort(u->v, u->n, sizeof(*u->v), by_value);
	median = median > 0 ? median : 0;
	return x > median * 1.5 + margin;
}

/*
 * A disturbed window is logged, but set aside: one in which others used the
 * processors, or threads that could run waited for one.  The latter is also how
 * a scheduler shows that has put two threads on one processor for a while and
 * left the other idle.  What goes on all the time (a busy neighbour, more threads
 * than processors) goes on in all windows alike: only more than usual disturbs.
 * Processes that the target has started are not strangers.
 */
static bool is_disturbed(struct conductor *c, const struct window *w)
{
	double wall = (double)(w->after.at_ns - w->before.at_ns);
	double taken = (double)w->others.stolen_ns;
	bool busy, queued;

	if (atomic_load_explicit(&c->arena->attached, memory_order_relaxed) == 0)
		taken += (double)w->others.foreign_ns;
	busy = is_unusual(&c->taken, taken / wall / (double)sysconf(_SC_NPROCESSORS_ONLN), TAKEN_SHARE);
	queued = is_unusual(&c->waited, (double)w->others.waited_ns / wall, WAITED_SHARE);
	return busy || queued;
}

static void log_window(struct conductor *c, const struct window *w)
{
	struct buf *b = &c->journal->line;
	uint32_t n = atomic_load_explicit(&c->arena->points_used, memory_order_acquire);
	bool disturbed = is_disturbed(c, w);

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
	record_i64(b, "start_ns", w->before.at_ns - c->began_ns);
	record_i64(b, "wall_ns", w->after.at_ns - w->before.at_ns);
	record_i64(b, "delay_ns", w->after.delay_ns - w->before.delay_ns);
	record_u64(b, "samples", w->after.samples - w->before.samples);
	record_u64(b, "region_samples", w->after.hits - w->before.hits);
	record_i64(b, "steal_ns", w->others.stolen_ns);
	record_i64(b, "waited_ns", w->others.waited_ns);
	/* Ticks against nanoseconds: the difference may come out below nothing. */
	record_i64(b, "foreign_ns", w->others.foreign_ns > 0 ? w->others.foreign_ns : 0);
	if (disturbed)
		record_u64(b, "disturbed", 1);
	record_end(b);
	for (uint32_t i = 0; i < n; i++) {
		int64_t virt = virtual_of(c, i);

		if (!w->closed[i] || virt <= 0)
			continue;
		record_begin(b, AW_VISITS);
		record_u64(b, "experiment", c->experiments);
		record_str(b, "point", c->arena->point[i].name);
		record_str(b, "kind", "throughput");
		record_u64(b, "count", count_of(c, i));
		record_i64(b, "virtual_ns", virt);
		record_end(b);
		if (c->status && !disturbed && i == 0) {
			struct causal_obs obs = { .run = c->run,
						  .block = c->block,
						  .start_ns = (double)(w->before.at_ns - c->began_ns),
						  .s = w->pct / 100.0,
						  .count = (double)count_of(c, i),
						  .time_ns = (double)virt };
			status_window(c->status, w->region, &obs);
		}
	}
	journal_flush(c->journal);
}

/* One window of `length_ns`.  False when it was cut short; then nothing is logged. */
static bool perform(struct conductor *c, struct region *region, unsigned pct, int64_t length_ns)
{
	struct window w = { .region = region, .pct = pct, .length_ns = length_ns };
	int64_t settle = length_ns / 4 > c->plan->settle_ns ? length_ns / 4 : c->plan->settle_ns;
	int64_t patience = PATIENCE_WINDOWS * length_ns > 1000 * MS ? PATIENCE_WINDOWS * length_ns : 1000 * MS;
	int64_t grace = GRACE_WINDOWS * length_ns;
	struct others now;

	if (region && region->logged_ranges != region->nranges)
		journal_region(c->journal, region);
	switch_to(c, region, pct);
	if (!rest_until(c, now_ns() + settle))
		return false;
	set_phase(c, PHASE_OPEN);
	if (!wait_for_points(c, w.opened, NULL, false, patience, length_ns / 2))
		return false;
	w.before = tally(c);
	w.others = others_now(c);
	set_phase(c, PHASE_IDLE);
	if (!rest_until(c, w.before.at_ns + length_ns))
		return false;
	set_phase(c, PHASE_CLOSE);
	if (!wait_for_points(c, w.closed, w.opened, true, patience, grace))
		return false;
	w.after = tally(c);
	now = others_now(c);
	w.others.stolen_ns = now.stolen_ns - w.others.stolen_ns;
	w.others.foreign_ns = now.foreign_ns - w.others.foreign_ns;
	w.others.waited_ns = now.waited_ns - w.others.waited_ns;
	set_phase(c, PHASE_IDLE);
	log_window(c, &w);
	return true;
}

/* ---- a run ------------------------------------------------------------------------------ */

uint64_t conductor_visits(const struct conductor *c, uint32_t point)
{
	uint32_t n = atomic_load_explicit(&c->arena->threads_used, memory_order_acquire);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += atomic_load_explicit(&c->arena->thread[i].visits[point], memory_order_relaxed);
	return sum;
}

/*
 * How long windows are: as long as the busiest point needs for enough visits, but
 * short enough for a program that ends early to hold a few.
 */
static int64_t window_length(const struct conductor *c)
{
	uint32_t n = atomic_load_explicit(&c->arena->points_used, memory_order_acquire);
	int64_t elapsed = now_ns() - c->began_ns, wanted = c->plan->window_ns, visits_take;
	uint64_t most = 0;

	for (uint32_t i = 0; i < n; i++)
		most = conductor_visits(c, i) > most ? conductor_visits(c, i) : most;
	visits_take = most ? elapsed / (int64_t)most * VISITS_WANTED : 0;
	if (visits_take > wanted)
		wanted = visits_take < WINDOW_MAX_MS * MS ? visits_take : WINDOW_MAX_MS * MS;
	if (c->last_run_ns && wanted > c->last_run_ns / WINDOWS_IN_A_RUN)
		wanted = c->last_run_ns / WINDOWS_IN_A_RUN;
	return wanted;
}

static bool wait_until_ready(struct conductor *c)
{
	int64_t give_up = now_ns() + READY_MS * MS;

	while (atomic_load_explicit(&c->arena->runtime, memory_order_acquire) == RUNTIME_ABSENT) {
		if (target_ended(c) || time_is_up(c) || now_ns() > give_up)
			return false;
		sleep_until(c, now_ns() + TICK_MS * MS);
	}
	return true;
}

static void warn_of_point(struct conductor *c, const char *name, const char *why)
{
	char *text = xasprintf("no progress point at '%s': %s", name, why);

	if (c->run == 1)
		msg_warn("%s", text);
	journal_warning(c->journal, c->run, "no-such-point", text);
	free(text);
}

/* Makes a progress point of a place in the program.  Threads see it at their next sample. */
static void place_point(struct conductor *c, size_t which)
{
	struct arena *a = c->arena;
	const char *name = c->plan->points[which];
	uint32_t breaks = atomic_load(&a->breaks_used);
	uint64_t pc[ARENA_BREAKS];
	size_t n = regions_locate(c->regions, name, pc, ARENA_BREAKS);
	int point;

	if (n == 0)
		return; /* perhaps in the program that this one becomes; else diagnose says so */
	c->point_found[which] = true;
	if (atomic_load(&a->sampler) != SAMPLER_PERF) {
		warn_of_point(c, name, "breakpoints need perf, which is refused");
		return;
	}
	if (n > ARENA_BREAKS - breaks) {
		warn_of_point(c, name, "the processor has four breakpoints in all");
		return;
	}
	point = arena_add_point(a, name);
	for (size_t k = 0; k < n; k++)
		a->brk[breaks + k] = (struct arena_break){ pc[k], (uint32_t)point };
	/* Pairs with the acquire in arm_breaks. */
	atomic_store_explicit(&a->breaks_used, breaks + (uint32_t)n, memory_order_release);
}

/*
 * Looks at what the target has mapped.  After an exec it is another program: what
 * was asked for by name is looked up again.
 */
static void read_modules(struct conductor *c)
{
	uint32_t incarnation = atomic_load_explicit(&c->arena->incarnation, memory_order_acquire);

	if (!mapping_read(c->modules, c->pid) && incarnation == c->incarnation)
		return;
	for (size_t i = 0; i < c->modules->n; i++)
		if (c->modules->v[i].mapped && !c->modules->v[i].logged)
			journal_module(c->journal, c->run, &c->modules->v[i]);
	mapping_publish(c->modules, c->arena);
	/* A name that was not found may be that of a plugin's function. */
	for (size_t i = 0; i < c->plan->nnames; i++)
		if (incarnation != c->incarnation || !c->name_found[i])
			c->name_found[i] |= regions_name(c->regions, c->plan->names[i]) > 0;
	for (size_t i = 0; i < c->plan->npoints; i++)
		if (incarnation != c->incarnation || !c->point_found[i])
			place_point(c, i);
	c->incarnation = incarnation;
}

/* Gathers samples until there is something to choose from.  False when the run ended meanwhile. */
static bool discover(struct conductor *c)
{
	int64_t began = now_ns();
	bool named = c->plan->nnames > 0;

	do {
		if (!rest_until(c, now_ns() + (named || c->block ? NAMED_MS : DISCOVER_MS) * MS))
			return false;
		read_modules(c);
	} while (!named && c->regions->all_samples < DISCOVER_SAMPLES && now_ns() - began < DISCOVER_MAX_MS * MS);
	return true;
}

static void new_block(struct conductor *c)
{
	size_t n;

	free(c->trials);
	free(c->picked);
	c->picked = xcalloc(c->plan->max_regions + 1, sizeof(*c->picked));
	n = regions_pick(c->regions, c->plan->max_regions, c->plan->min_share, c->picked);
	c->ntrials = schedule_block(c->schedule, n, c->plan->levels, c->plan->nlevels, &c->trials);
	c->next_trial = 0;
	c->block++;
}

static void experiment(struct conductor *c)
{
	while (!target_ended(c) && !time_is_up(c)) {
		const struct trial *t;

		if (c->next_trial == c->ntrials) {
			read_modules(c);
			new_block(c);
		}
		t = &c->trials[c->next_trial];
		perform(c, t->region == (size_t)TRIAL_BASELINE ? NULL : c->picked[t->region], t->pct, window_length(c));
		/* What the end of the run has cut short is done again in the next one. */
		if (!target_ended(c))
			c->next_trial++;
	}
}

/*
 * Signals what the target has left behind; returns how many that were.  When its
 * parent ends, a process becomes our child (we are the reaper of the subtree).
 */
static unsigned signal_orphans(struct conductor *c, int sig)
{
	char name[64];
	unsigned n = 0;
	long pid;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/self/task/%ld/children", (long)getpid());
	f = fopen(name, "re");
	while (f && fscanf(f, "%ld", &pid) == 1) {
		if (pid == c->pid || waitpid((pid_t)pid, NULL, WNOHANG) == (pid_t)pid)
			continue;
		kill((pid_t)pid, sig);
		n++;
	}
	if (f)
		fclose(f);
	return n;
}

/* Ends the target, as its time is used up, and what it has started. */
static void stop_target(struct conductor *c)
{
	int64_t kill_at = now_ns() + KILL_AFTER_MS * MS;

	c->stopped = true;
	kill(c->pid, SIGTERM);
	while (!target_ended(c)) {
		if (now_ns() > kill_at)
			kill(c->pid, SIGKILL);
		sleep_until(c, now_ns() + TICK_MS * MS);
	}
	while (signal_orphans(c, now_ns() > kill_at ? SIGKILL : SIGTERM) > 0)
		usleep(TICK_MS * 1000);
}

static void log_end(struct conductor *c, int64_t ended)
{
	struct buf *b = &c->journal->line;
	uint32_t n = atomic_load_explicit(&c->arena->points_used, memory_order_acquire);
	char status[32];

	if (WIFSIGNALED(c->wait_status))
		snprintf(status, sizeof(status), "signal:%d", WTERMSIG(c->wait_status));
	else
		snprintf(status, sizeof(status), "exit:%d", WEXITSTATUS(c->wait_status));
	record_begin(b, AW_END);
	record_u64(b, "run", c->run);
	record_str(b, "status", status);
	if (c->stopped)
		record_str(b, "ended_by", "recorder");
	record_i64(b, "wall_ns", ended - c->began_ns);
	record_u64(b, "experiments", c->windows);
	record_u64(b, "disturbed", c->disturbed);
	record_u64(b, "samples", c->regions->samples);
	for (uint32_t i = 0; i < n; i++) {
		char key[24];

		snprintf(key, sizeof(key), "visits%u", i + 1);
		record_u64(b, key, conductor_visits(c, i));
	}
	record_end(b);
	journal_flush(c->journal);
}

void conductor_release(struct conductor *c)
{
	free(c->trials);
	free(c->picked);
	free(c->name_found);
	free(c->point_found);
	free(c->taken.v);
	free(c->waited.v);
	c->trials = NULL;
	c->picked = NULL;
	c->taken = c->waited = (struct usual){ 0 };
}

void conductor_meet(struct conductor *c, unsigned run, pid_t pid)
{
	c->run = run;
	c->pid = pid;
	c->began_ns = now_ns();
	c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	c->incarnation = 0;
	c->windows = c->disturbed = 0;
	c->ended = c->stopped = false;
	regions_new_run(c->regions);
	for (size_t i = 0; i < c->modules->n; i++)
		c->modules->v[i].mapped = c->modules->v[i].logged = false;
	c->ready = wait_until_ready(c);
}

void conduct(struct conductor *c)
{
	int64_t ended;

	if (c->ready) {
		read_modules(c);
		if (!c->plan->attach_only && discover(c))
			experiment(c);
		to_baseline(c);
	}
	while (!target_ended(c) && !time_is_up(c))
		rest_until(c, now_ns() + 1000 * MS);
	if (!target_ended(c))
		stop_target(c);
	ended = now_ns();
	if (!c->stopped)
		c->last_run_ns = ended - c->began_ns;
	if (c->status)
		status_clear(c->status);
	while (waitpid(c->pid, &c->wait_status, 0) < 0 && errno == EINTR)
		;
	if (c->pidfd >= 0)
		close(c->pidfd);
	drain(c);
	journal_samples(c->journal, c->run, c->regions);
	log_end(c, ended);
}
