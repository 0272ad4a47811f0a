#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "format.h"
#include "format/record.h"
#include "recorder/absent.h"
#include "recorder/collect.h"
#include "recorder/conductor_parts.h"
#include "recorder/whole_runs.h"
#include "target/shared.h"

enum {
	DISCOVER_MS = 400, /* time for gathering samples before regions are chosen */
	DISCOVER_SAMPLES = 150,
	DISCOVER_MAX_MS = 3000,
	UNMARKED_MS = 400, /* after so long in the run without a visit, automatic points are tried */
	NAMED_MS = 20,     /* with named regions: time for measuring the rate of visits before the first window */
	KILL_AFTER_MS = 2000,
};

static bool has_reported(const struct conductor *c)
{
	return atomic_load_explicit(&c->arena->runtime, memory_order_acquire) != RUNTIME_ABSENT;
}

static bool wait_until_ready(struct conductor *c)
{
	while (!has_reported(c)) {
		/* A short program may have begun and ended since the last look. */
		if (conductor_over(c) || conductor_time_is_up(c))
			return has_reported(c);
		conductor_sleep(c, now_ns() + TICK_MS * MS);
	}
	return true;
}

/* Is there progress to measure? */
static bool progresses(const struct conductor *c)
{
	return points_most_visits(&c->points) > 0 || c->points.automatic.on;
}

/* A program that has not visited a point by now is assumed to have none. */
static void look_for_progress(struct conductor *c)
{
	struct automatic *a = &c->points.automatic;

	if (a->on || !conductor_is_unmarked(c) || now_ns() - c->going_from_ns < UNMARKED_MS * MS)
		return;
	automatic_watch(a, c->arena);
	if (automatic_look(a, c->arena, now_ns()))
		automatic_use(a, c->arena);
}

/* If no line has this share of the samples, no line can be worth much. */
static const double FLAT = 0.03;

/* In a flat profile, lines tell nothing, but functions may. */
static bool coarsen_if_flat(struct conductor *c)
{
	if (c->plan->nnames > 0 || c->block > 0 || c->regions->all_samples < DISCOVER_SAMPLES || regions_greatest_share(c->regions) >= FLAT)
		return false;
	return regions_coarsen(c->regions);
}

/* Gathers samples until regions can be chosen.  False when the run ended first. */
static bool discover(struct conductor *c)
{
	int64_t began = now_ns();
	bool named = c->plan->nnames > 0;

	/* Before the first visit no window can open, so nothing is sped up. */
	while (!progresses(c) || (c->plan->given && !c->given_found)) {
		if (!conductor_rest(c, now_ns() + NAMED_MS * MS))
			return false;
		look_for_progress(c);
		if (now_ns() >= c->look_ns) {
			c->look_ns = now_ns() + LOOK_AGAIN_MS * MS;
			conductor_read_modules(c, true);
		}
	}

	do {
		bool known = named || c->block > 0 || c->regions->all_samples >= DISCOVER_SAMPLES;

		if (!conductor_rest(c, now_ns() + (known ? NAMED_MS : DISCOVER_MS) * MS)) {
			/* The samples of all runs count together, so short runs tell it, too. */
			coarsen_if_flat(c);
			return false;
		}
		conductor_read_modules(c, true);
	} while (!named && ((c->regions->all_samples < DISCOVER_SAMPLES && now_ns() - began < DISCOVER_MAX_MS * MS) || coarsen_if_flat(c)));
	return true;
}

/* Lets the program warm up.  False when the run ended first. */
static bool wait_for_warmth(struct conductor *c)
{
	int64_t end = c->began_ns + c->plan->wait_ns;

	while (now_ns() < end) {
		int64_t next = now_ns() + LOOK_AGAIN_MS * MS;

		if (!conductor_rest(c, next < end ? next : end))
			return false;
		conductor_read_modules(c, true);
	}
	conductor_drain(c);
	c->waiting = false;
	return true;
}

/* Ends the target and all that it has started, because its time is used up. */
static void stop_target(struct conductor *c)
{
	int64_t kill_at = now_ns() + KILL_AFTER_MS * MS;

	c->cut = true;
	if (c->plan->attached)
		return;
	c->stopped = !c->ended;
	if (!c->ended)
		kill(c->pid, SIGTERM);
	for (conductor_reap(c); !c->ended; conductor_reap(c)) {
		if (now_ns() > kill_at)
			kill(c->pid, SIGKILL);
		conductor_sleep(c, now_ns() + TICK_MS * MS);
	}
	orphans_end(&c->orphans, &c->processes, KILL_AFTER_MS * MS);
}

static void log_end(struct conductor *c)
{
	struct buf *b = &c->journal->line;
	uint32_t n = arena_points(c->arena);
	char status[JOURNAL_STATUS];

	if (c->plan->attached)
		strcpy(status, c->ended ? "unknown" : "running");
	else
		journal_status(status, c->wait_status);
	record_begin(b, AW_END);
	record_u64(b, "run", c->run);
	record_str(b, "status", status);
	if (c->cut)
		record_str(b, "ended_by", "recorder");
	record_i64(b, "wall_ns", c->ran_ns);
	if (c->stopped_ns > 0)
		record_i64(b, "stopped_ns", c->stopped_ns);
	record_u64(b, "experiments", c->windows);
	record_u64(b, "disturbed", c->disturbed);
	record_u64(b, "samples", c->regions->samples);
	record_u64(b, "lost", shared_lost(c->arena));
	record_u64(b, "threads", atomic_load(&c->arena->threads_used));
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
	quota_release(&c->quota);
	bursts_release(&c->bursts);
	processes_release(&c->processes);
	orphans_release(&c->orphans);
	c->trials = NULL;
	c->picked = NULL;
}

void conductor_prepare(struct conductor *c)
{
	if (c->plan->start_paused)
		arena_control(c->arena, true, now_ns());
	/* Points at places must exist before the program begins. */
	c->arena->attend_first = c->points.nwanted > 0;
	c->arena->want_breaks = c->points.nwanted > 0;
	points_prepare(&c->points, c->arena);
	conductor_set_period(c);
	orphans_begin(&c->orphans);
	whole_runs_prepare(c);
}

void conductor_meet(struct conductor *c, unsigned run, pid_t pid)
{
	c->run = run;
	c->pid = pid;
	c->pidfd = c->plan->attached ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (run == 1)
		schedule_init(&c->observing.random, ~c->arena->seed);
	c->began_ns = now_ns();
	c->before = usage_of_children();
	quota_begin(&c->quota, pid);
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
	bursts_release(&c->bursts);
	bursts_init(&c->bursts, c->arena, c->journal, c->regions, &c->processes, run);
	processes_release(&c->processes);
	processes_init(&c->processes, c->arena, c->modules, c->journal, run);
	collect_begin(c->arena);
	conductor_watch(c);
	c->waiting = c->plan->wait_ns > 0;
	conductor_control_begin(c);
	c->ready = false;
	c->ready = wait_until_ready(c);
}

static void hold(struct conductor *c)
{
	c->held_from_ns = now_ns();
	c->held = true;
	conductor_to_normal(c);
}

static void go_on(struct conductor *c)
{
	/* Takes the samples that have come in the meantime. */
	conductor_drain(c);
	c->held = false;
	c->going_from_ns = now_ns();
	c->held_ns += c->going_from_ns - c->held_from_ns;
	c->visits_before = points_most_visits(&c->points);
}

/*
 * Between experiments: waits while they are stopped, without a speedup or a burst.
 * False when the run is over, or the time is up.
 */
static bool wait_while_stopped(struct conductor *c)
{
	while (!conductor_over(c) && !conductor_time_is_up(c)) {
		uint32_t word = atomic_load_explicit(&c->arena->control, memory_order_acquire);
		bool stopped = (word & 1) != 0;

		c->control = word;
		if (stopped && !c->held)
			hold(c);
		if (!stopped && c->held)
			go_on(c);
		if (!stopped)
			return true;
		conductor_rest(c, now_ns() + LOOK_AGAIN_MS * MS);
	}
	return false;
}

/* Performs experiments, or bursts alone, each time that they are started. */
static void perform_or_observe(struct conductor *c)
{
	bool observes_run = c->block > 0 && conductor_run_is_due(c);

	while (wait_while_stopped(c)) {
		if (observes_run)
			conductor_observe_run(c);
		observes_run = false;
		if (wait_for_warmth(c) && discover(c))
			(c->plan->attach_only ? conductor_observe_only : conductor_experiment)(c);
	}
	conductor_to_normal(c);
}

void conduct(struct conductor *c)
{
	int64_t ended;

	if (c->ready) {
		conductor_read_modules(c, true);
		(c->whole.on ? whole_runs_conduct : perform_or_observe)(c);
	}
	while (!conductor_over(c) && !conductor_time_is_up(c))
		conductor_rest(c, now_ns() + 1000 * MS);
	if (!c->over)
		stop_target(c);
	ended = now_ns();
	absent_end(c);
	c->ran_ns = conductor_going_ns(c, ended);
	c->stopped_ns = ended - c->began_ns - c->ran_ns;
	c->observing.earlier_ns += c->ran_ns;
	if (!c->cut)
		c->last_run_ns = c->ran_ns;
	if (c->status)
		status_clear(c->status);
	conductor_drain(c);
	if (c->whole.on)
		whole_runs_log(c);
	conductor_let_go(c);
	whole_runs_decide(c);
	processes_take_leave(&c->processes);
	journal_samples(c->journal, c->run, c->regions);
	points_log(&c->points);
	log_end(c);
	/* Ends the sampling of processes that live on.  The next run has another arena. */
	atomic_store(&c->arena->expires_ns, INT64_MIN / 2);
	conductor_watch(NULL);
	conductor_control_end();
	collect_end();
	if (c->pidfd >= 0)
		close(c->pidfd);
}
