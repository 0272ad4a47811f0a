/*
 * Chooses the next trial, and plans blocks by the results so far.
 *
 * A block belongs to the recording, not to a run: if a run ends in the middle of a
 * block, the next run continues it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "format.h"
#include "format/record.h"
#include "recorder/conductor_parts.h"

static bool decides(const struct conductor *c)
{
	return c->plan->adaptive || c->plan->until > 0;
}

/* A log line for one region: its trials in the block, and the reason. */
static void log_region(struct conductor *c, const struct region *region)
{
	const struct adapt_region *r = &c->adapt.region[region->id];
	const char *point = evidence_point(&c->adapt.evidence);
	struct buf *b = &c->journal->line;

	record_begin(b, AW_PLAN);
	record_u64(b, "run", c->run);
	record_u64(b, "block", c->block);
	record_u64(b, "region", region->id);
	record_str(b, "role", adapt_role_name(r->role));
	if (c->plan->adaptive)
		record_u64(b, "windows", r->given);
	if (r->known) {
		record_str(b, "point", point);
		record_real(b, "slope", r->slope.value);
		record_real(b, "slope_lo", r->slope.lo);
		record_real(b, "slope_hi", r->slope.hi);
		record_u64(b, "treated", r->treated);
		if (!isnan(r->knee))
			record_real(b, "max_useful_pct", r->knee * 100);
	}
	record_end(b);
}

static size_t picked_ids(struct conductor *c, unsigned **id)
{
	size_t n = 0;

	*id = xcalloc(c->plan->max_regions + 1, sizeof(**id));
	while (c->picked && c->picked[n]) {
		(*id)[n] = c->picked[n]->id;
		n++;
	}
	return n;
}

static void new_block(struct conductor *c)
{
	unsigned *id;
	size_t n;

	free(c->trials);
	free(c->picked);
	c->picked = xcalloc(c->plan->max_regions + 1, sizeof(*c->picked));
	regions_pick(c->regions, c->plan->max_regions, c->plan->min_share, c->picked);
	n = picked_ids(c, &id);
	c->next_trial = 0;
	c->block++;
	if (decides(c))
		adapt_judge(&c->adapt, id, n);
	if (c->plan->adaptive)
		c->ntrials = adapt_block(&c->adapt, c->schedule, id, n, &c->trials);
	else
		c->ntrials = schedule_block(c->schedule, n, c->plan->levels, c->plan->nlevels, c->plan->baselines, &c->trials);
	for (size_t i = 0; i < n && decides(c); i++)
		log_region(c, c->picked[i]);
	journal_flush(c->journal);
	free(id);
}

const struct trial *conductor_trial(struct conductor *c, struct region **region)
{
	const struct trial *t;

	if (c->next_trial == c->ntrials)
		new_block(c);
	t = &c->trials[c->next_trial];
	*region = t->region == (size_t)TRIAL_BASELINE ? NULL : c->picked[t->region];
	return t;
}

/* Between blocks nothing is measured, so the time that this takes does no harm. */
static void end_block(struct conductor *c)
{
	struct buf *b = &c->journal->line;
	unsigned *id;
	size_t n;

	if (!(c->plan->until > 0))
		return;
	n = picked_ids(c, &id);
	adapt_judge(&c->adapt, id, n);
	free(id);
	if (!c->adapt.enough)
		return;
	c->enough = true;
	record_begin(b, AW_PLAN);
	record_u64(b, "run", c->run);
	record_u64(b, "block", c->block);
	record_str(b, "stop", "until");
	record_end(b);
	journal_flush(c->journal);
}

void conductor_tried(struct conductor *c, bool disturbed)
{
	if (!disturbed || c->repeated)
		c->next_trial++;
	c->repeated = disturbed && !c->repeated;
	if (c->next_trial == c->ntrials)
		end_block(c);
}

void conductor_learn(struct conductor *c, const char *point, const struct region *region, const struct causal_obs *obs)
{
	evidence_add(&c->adapt.evidence, point, region ? region->id : 0, obs);
}
