/* observed: the records of bursts, loaded. */
#include "profile/observed.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/num.h"
#include "profile/context.h"
#include "profile/why.h"

static struct observed *observed_of(struct context *c, size_t run)
{
	for (size_t i = 0; i < c->nobserved; i++)
		if (c->observed[i].run == run)
			return &c->observed[i];
	c->observed = xgrow(c->observed, c->nobserved, &c->cap_observed, sizeof *c->observed);
	c->observed[c->nobserved] = (struct observed){ .run = run };
	return &c->observed[c->nobserved++];
}

/* The observations of the run that the record names. */
static struct observed *observed_for(struct context *c, struct record *rec)
{
	return observed_of(c, context_run(c, record_get_u64(rec, "run")));
}

static struct burst *burst_of(struct observed *o, uint64_t id)
{
	size_t at = idmap_at(&o->burst_at, id, o->nbursts);

	if (at == o->nbursts) {
		o->burst = xgrow(o->burst, o->nbursts, &o->cap_bursts, sizeof *o->burst);
		o->burst[o->nbursts++] = (struct burst){ .cpus = 1 };
	}
	return &o->burst[at];
}

void load_burst(struct context *c, struct record *rec)
{
	struct observed *o = observed_for(c, rec);
	uint64_t length = record_get_u64(rec, "length_ns"), cpus = record_get_u64(rec, "cpus"), others = record_get_u64(rec, "others_ns");
	struct burst *b = burst_of(o, record_get_u64(rec, "id"));

	b->length_ns = length < INT64_MAX ? (int64_t)length : INT64_MAX;
	b->cpus = cpus > 0 && cpus < UINT16_MAX ? (unsigned)cpus : 1;
	b->whole = record_get_u64(rec, "whole") == 1;
	b->others_known = record_get(rec, "others_ns") && others <= INT64_MAX;
	b->others_ns = b->others_known ? (int64_t)others : 0;
}

void load_stack(struct context *c, struct record *rec)
{
	struct observed *o = observed_for(c, rec);
	uint64_t id = record_get_u64(rec, "id");
	char *copy, *rest, *word;
	struct observed_stack s = { 0 };
	size_t cap = 0;

	/* Stacks are numbered in the order of the log. */
	if (id != o->nstacks + 1) {
		msg_error_at(rec->path, rec->line, "stack %llu does not follow stack %zu", (unsigned long long)id, o->nstacks);
		return;
	}
	rest = copy = xstrdup(record_get(rec, "regions"));
	while ((word = strsep(&rest, ",")) && *word) {
		uint64_t region;

		if (!num_u64(word, &region)) {
			msg_error_at(rec->path, rec->line, "bad number '%s' for 'regions'", word);
			break;
		}
		s.region = xgrow(s.region, s.n, &cap, sizeof *s.region);
		s.region[s.n++] = context_region(c, region);
	}
	free(copy);
	o->stack = xgrow(o->stack, o->nstacks, &o->cap_stacks, sizeof *o->stack);
	o->stack[o->nstacks++] = s;
}

void load_events(struct context *c, struct record *rec)
{
	struct burst *b = burst_of(observed_for(c, rec), record_get_u64(rec, "burst"));
	uint64_t thread = record_get_u64(rec, "thread");

	if (thread > UINT32_MAX || !burst_read(burst_thread(b, (uint32_t)thread), record_get(rec, "data")))
		msg_error_at(rec->path, rec->line, "bad events for 'data'");
}

void load_point_name(struct context *c, struct record *rec)
{
	const char *name = record_get(rec, "name");
	struct observed *o;

	/* Nothing is kept for logs without bursts.  The points of an analysis have no such name. */
	if (!c->nobserved || !name)
		return;
	o = observed_for(c, rec);
	o->point = xgrow(o->point, o->npoints, &o->cap_points, sizeof *o->point);
	o->point[o->npoints++] = (struct observed_point){ .id = (uint32_t)record_get_u64(rec, "id"), .name = xstrdup(name) };
}

void load_place(struct context *c, struct record *rec)
{
	struct observed *o = observed_for(c, rec);
	char *words;
	void **at;

	if (idmap_at(&o->place_at, record_get_u64(rec, "id"), o->nplaces) < o->nplaces)
		return;
	words = why_place(rec);
	at = map_at(&o->place_words, words);
	if (!*at)
		*at = (void *)(uintptr_t)o->place_words.n;
	o->place = xgrow(o->place, o->nplaces, &o->cap_places, sizeof *o->place);
	o->place[o->nplaces++] = (size_t)(uintptr_t)*at;
	free(words);
}

void observed_release(struct observed *o)
{
	for (size_t i = 0; i < o->nbursts; i++)
		burst_release(&o->burst[i]);
	for (size_t i = 0; i < o->nstacks; i++)
		free(o->stack[i].region);
	for (size_t i = 0; i < o->npoints; i++)
		free(o->point[i].name);
	free(o->place);
	free(o->burst);
	free(o->stack);
	free(o->point);
	idmap_release(&o->burst_at);
	idmap_release(&o->place_at);
	map_release(&o->place_words);
}
