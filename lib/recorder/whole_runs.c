/*
 * The window begins when the runtime in the target is ready and knows where its
 * modules are (it waits for us, arena->attend_first), and ends when the target
 * is dead.  Its length in virtual time is the real length less D of the target's first
 * thread: the time that this thread has paused, and its credit.
 *
 * One run in ten is no experiment, but a burst (observe.c).  A run that the recorder
 * had to end, or that ended in another way than the first, did other work.  It is no
 * experiment, or is set aside.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/msg.h"
#include "format.h"
#include "format/kind.h"
#include "format/record.h"
#include "recorder/conductor_parts.h"
#include "recorder/diagnose.h"
#include "recorder/whole_runs.h"
#include "target/shared.h"

enum {
	REST_MS = 1000,
	FEW_RUNS = 6,
	WINDOWS_MS = 250, /* a run of this length has room for five windows of 40 ms */
};

static void warn_of_few(struct conductor *c)
{
	char *text, *longer;

	if (c->plan->runs ? c->plan->runs >= FEW_RUNS : c->last_run_ns * FEW_RUNS <= c->plan->duration_ns)
		return;
	longer = diagnose_longer(c->plan);
	text = xasprintf("without a progress point each run is one experiment, and one takes %.1f s: give %s, or name a function with -P "
			 "that is called for each unit of work",
			 (double)c->last_run_ns / 1e9, longer);
	msg_warn("%s", text);
	journal_warning(c->journal, c->run, "few-runs", text);
	free(longer);
	free(text);
}

/* Logs, in each run, all regions that take turns in being sped up: their shares are over all runs. */
static void log_regions(struct conductor *c)
{
	for (size_t i = 0; c->picked && c->picked[i]; i++)
		journal_know(c->journal, c->picked[i]);
	conductor_know_given(c);
}

void whole_runs_decide(struct conductor *c)
{
	if (c->whole.on || c->points.automatic.asked || c->plan->attach_only || c->plan->runs == 1 || (!c->plan->runs && !c->plan->duration_ns))
		return;
	/* A run with excluded parts is not a whole run. */
	if (c->plan->start_paused || c->held_ns > 0)
		return;
	if (!c->ready || c->cut || c->experiments > 0 || points_most_visits(&c->points) > 0)
		return;
	/* A whole run contains its warm-up, so --wait excludes whole runs. */
	if (c->plan->wait_ns)
		return;
	/* As for windows: nothing is measured before the given region is found. */
	if (c->plan->given && !c->given_found)
		return;
	/* In a run that is long enough, windows tell more, unless a whole run had none. */
	if (conductor_is_unmarked(c) && c->last_run_ns >= WINDOWS_MS * MS && !c->points.automatic.was_on) {
		automatic_use(&c->points.automatic, c->arena);
		return;
	}
	automatic_give_up(&c->points.automatic);
	c->whole.on = true;
	c->whole.status = c->wait_status;
	conductor_trial(c, &c->whole.region);
	log_regions(c);
	warn_of_few(c);
}

void whole_runs_prepare(struct conductor *c)
{
	const struct trial *t;

	if (!c->whole.on)
		return;
	c->arena->attend_first = 1;
	c->whole.observed = conductor_run_is_due(c);
	if (c->whole.observed)
		return;
	t = conductor_trial(c, &c->whole.region);
	c->whole.pct = t->pct;
	conductor_switch(c, c->whole.region, c->whole.pct);
}

void whole_runs_conduct(struct conductor *c)
{
	log_regions(c);
	if (c->whole.observed)
		conductor_observe_run(c);
	c->whole.others = machine_now(&c->processes);
	while (conductor_rest(c, now_ns() + REST_MS * MS))
		;
}

/* D of the target's first thread; its slot keeps it after its end. */
static bool clock_of_main(const struct conductor *c, int64_t *began, int64_t *delay)
{
	uint32_t slot = atomic_load_explicit(&c->arena->main_slot, memory_order_acquire);

	if (slot == 0 || slot > shared_threads(c->arena))
		return false;
	*began = atomic_load(&c->arena->main_began_ns);
	*delay = atomic_load(&shared_thread(c->arena, slot - 1)->account.delay_ns) + atomic_load(&c->arena->main_waited_ns);
	return *began > 0;
}

void whole_runs_log(struct conductor *c)
{
	struct window w = { .region = c->whole.region, .pct = c->whole.pct };
	struct buf *b = &c->journal->line;
	int64_t delay;
	bool disturbed;

	if (!c->ready || c->cut || c->whole.observed || !clock_of_main(c, &w.before.at_ns, &delay) || c->ended_ns - w.before.at_ns - delay <= 0)
		return;
	w.after = conductor_tally(c);
	w.after.at_ns = c->ended_ns;
	w.others = machine_since(machine_now(&c->processes), c->whole.others);
	w.spoilt = c->wait_status != c->whole.status || (c->speedup && atomic_load(&c->arena->clock.speedup) == 0);
	disturbed = conductor_log(c, &w);
	record_begin(b, AW_VISITS);
	record_u64(b, "experiment", c->experiments);
	record_str(b, "point", "run");
	record_str(b, "kind", kind_name(KIND_RUN));
	record_u64(b, "count", 1);
	record_i64(b, "virtual_ns", c->ended_ns - w.before.at_ns - delay);
	record_end(b);
	conductor_put(c, &w);
	if (!disturbed) {
		struct causal_obs obs = { .block = c->block,
					  .start_ns = (double)c->run,
					  .whole = true,
					  .s = w.pct / 100.0,
					  .count = 1,
					  .time_ns = (double)(c->ended_ns - w.before.at_ns - delay) };
		conductor_learn(c, "run", w.region, &obs);
	}
	conductor_tried(c, disturbed);
}
