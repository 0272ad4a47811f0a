/*
 * The record of an experiment: the counts from its begin to its end, and whether it was
 * disturbed.  An experiment that cannot be judged yet is kept back.
 */
#include "base/clock.h"
#include "format.h"
#include "format/record.h"
#include "recorder/conductor_parts.h"
#include "target/shared.h"

struct tally conductor_tally(const struct conductor *c)
{
	uint32_t n = shared_threads(c->arena);
	struct tally t = { .delay_ns = vclock_owed(&c->arena->clock), .at_ns = now_ns() };

	for (uint32_t i = 0; i < n; i++) {
		const struct arena_thread *of = shared_thread(c->arena, i);

		t.samples += atomic_load_explicit(&of->samples, memory_order_relaxed);
		t.hits += atomic_load_explicit(&of->hits, memory_order_relaxed);
		t.worked_ns += atomic_load_explicit(&of->worked_ns, memory_order_relaxed);
		t.sampled_ns += atomic_load_explicit(&of->sampled_ns, memory_order_relaxed);
		t.own_ns += atomic_load_explicit(&of->own_ns, memory_order_relaxed);
		t.credit_ns += atomic_load_explicit(&of->account.credit_ns, memory_order_relaxed);
	}
	return t;
}

/* The fields of a verdict in the record of an experiment. */
#define DISTURBED "\tdisturbed=1"

bool conductor_log(struct conductor *c, struct window *w)
{
	struct buf *b = &c->journal->line;
	int64_t credit = (int64_t)(w->after.credit_ns - w->before.credit_ns), delay = w->after.delay_ns - w->before.delay_ns;

	w->verdict = w->spoilt ? MACHINE_DISTURBED : machine_judge(&c->machine, &w->others, w->after.at_ns - w->before.at_ns);
	c->experiments++;
	c->windows++;
	c->disturbed += w->verdict == MACHINE_DISTURBED;
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
	record_i64(b, "start_ns", conductor_going_ns(c, w->before.at_ns));
	if (w->before.worked_ns)
		record_u64(b, "done_us", w->before.worked_ns / 1000);
	record_i64(b, "wall_ns", w->after.at_ns - w->before.at_ns);
	record_u64(b, "delay_ns", delay > 0 ? (uint64_t)delay : 0);
	record_u64(b, "samples", w->after.samples - w->before.samples);
	record_u64(b, "region_samples", w->after.hits - w->before.hits);
	record_u64(b, "sampled_ns", w->after.sampled_ns - w->before.sampled_ns);
	if (w->after.own_ns > w->before.own_ns)
		record_u64(b, "own_ns", w->after.own_ns - w->before.own_ns);
	/*
	 * With a given region, baselines have credits, too.  The credit may fall when the
	 * last segments turn out to be worth less than expected.
	 */
	if (w->region && !c->plan->given)
		record_u64(b, "credit_ns", credit > 0 ? (uint64_t)credit : 0);
	record_i64(b, "steal_ns", w->others.stolen_ns);
	record_i64(b, "waited_ns", w->others.waited_ns);
	record_i64(b, "queued_ns", w->others.queued_ns);
	/* One is in ticks, the other in nanoseconds, so the difference may be negative. */
	record_i64(b, "foreign_ns", w->others.foreign_ns > 0 ? w->others.foreign_ns : 0);
	w->mark = b->len;
	if (w->verdict == MACHINE_DISTURBED)
		buf_adds(b, DISTURBED);
	record_end(b);
	return w->verdict == MACHINE_DISTURBED;
}

void conductor_let_go(struct conductor *c)
{
	for (size_t i = 0; i < c->journal->nheld; i++) {
		bool disturbed = machine_first(&c->machine, c->journal->held[i].number) == MACHINE_DISTURBED;

		c->disturbed += disturbed;
		journal_let_go(c->journal, i, disturbed ? DISTURBED : "");
	}
	journal_held_none(c->journal);
}

void conductor_put(struct conductor *c, const struct window *w)
{
	journal_hold(c->journal, w->mark, w->verdict == MACHINE_UNKNOWN ? c->machine.taken.n - 1 : SIZE_MAX);
	if (w->verdict != MACHINE_UNKNOWN)
		conductor_let_go(c);
}
