/* Reading logs: records to contexts. */
#include "profile/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/num.h"
#include "format.h"
#include "profile/stacks_load.h"

/* A string of a run; most runs have the same ones. */
static void share_text(struct context *c, struct record *rec, const char *key, const char **out)
{
	const char *value = record_get(rec, key);
	void **place;

	if (!value || *out)
		return;
	place = map_at(&c->p->text, value);
	if (!*place)
		*place = xstrdup(value);
	*out = *place;
}

static bool is_new(struct record *rec, bool defined, uint64_t id)
{
	if (defined)
		msg_error_at(rec->path, rec->line, "%s %llu is there twice", rec->type, (unsigned long long)id);
	return !defined;
}

static void load_run(struct context *c, struct record *rec)
{
	uint64_t id = record_get_u64(rec, "id");
	size_t at = context_run(c, id); /* may move the array */
	struct context_run *run = &c->run[at];
	struct profile_run *r;

	if (!is_new(rec, run->defined, id))
		return;
	run->defined = true;
	r = &run->run;
	share_text(c, rec, "command", &r->command);
	share_text(c, rec, "commit", &r->commit);
	share_text(c, rec, "block", &r->block);
	share_text(c, rec, "side", &r->side);
	share_text(c, rec, "host", &r->host);
	share_text(c, rec, "kernel", &r->kernel);
	share_text(c, rec, "cpu_model", &r->cpu_model);
	share_text(c, rec, "sampler", &r->sampler);
	share_text(c, rec, "mode", &r->mode);
	share_text(c, rec, "scope", &r->scope);
	r->given = record_get(rec, "given") != NULL;
	r->named = record_get(rec, "named") != NULL;
	r->cpus = record_get_u64(rec, "cpus");
	r->period_ns = record_get_u64(rec, "period_ns");
	r->started_ns = record_get_u64(rec, "started_ns");
	r->seed = record_get_u64(rec, "seed");
}

static void load_end(struct context *c, struct record *rec)
{
	size_t at = context_run(c, record_get_u64(rec, "run")); /* may move the array */
	struct profile_run *r = &c->run[at].run;

	if (!record_get(rec, "status"))
		r->status = r->status ? r->status : "?";
	share_text(c, rec, "status", &r->status);
	r->ended = !record_get(rec, "ended_by");
	r->wall_ns = record_get_u64(rec, "wall_ns");
	r->threads_most = record_get_u64(rec, "threads");
}

/* region=- is a baseline, and so is speedup 0 whatever the region. */
static bool window_region(struct context *c, struct record *rec, struct profile_window *w)
{
	const char *region = record_get(rec, "region");
	double pct = record_get_real(rec, "speedup_pct");
	uint64_t id;

	w->region = PROFILE_NONE;
	if (pct < 0 || pct > 100) {
		msg_error_at(rec->path, rec->line, "speedup_pct %g is not between 0 and 100", pct);
		return false;
	}
	w->s = pct / 100;
	if (w->s == 0)
		return true;
	if (!record_need(rec, "region"))
		return false;
	if (!num_u64(region, &id)) {
		msg_error_at(rec->path, rec->line, "bad number '%s' for 'region'", region);
		return false;
	}
	w->region = context_region(c, id);
	return true;
}

static uint32_t small_count(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void load_experiment(struct context *c, struct record *rec)
{
	struct context_window n = { .defined = true };
	struct profile_window *w = &n.window;
	struct profile_run *run;
	uint64_t id = record_get_u64(rec, "id"), wall_ns;
	size_t at;

	/* in the order of the recorder, which is quickest */
	w->run = context_run(c, record_get_u64(rec, "run"));
	w->block = record_get_u64(rec, "block");
	if (!window_region(c, rec, w))
		return;
	w->start_ns = record_get_u64(rec, "start_ns");
	wall_ns = record_get_u64(rec, "wall_ns");
	w->wall_ns = (double)wall_ns;
	w->samples = small_count(record_get_u64(rec, "samples"));
	w->region_samples = small_count(record_get_u64(rec, "region_samples"));
	w->sampled_ns = (double)record_get_u64(rec, "sampled_ns");
	w->own_ns = (double)record_get_u64(rec, "own_ns");
	w->done_us = (double)record_get_u64(rec, "done_us");
	w->outside_ns = (double)record_get_u64(rec, "steal_ns") + (double)record_get_u64(rec, "foreign_ns");
	w->queued_ns = (double)record_get_u64(rec, "queued_ns");
	w->disturbed = record_get_u64(rec, "disturbed") != 0;
	n.given_pct = (double)record_get_u64(rec, "given_pct");
	if (n.given_pct > 0)
		share_text(c, rec, "given", &n.given);
	at = context_window(c, id);
	if (!is_new(rec, c->window[at].defined, id))
		return;
	c->window[at] = n;
	run = &c->run[w->run].run;
	run->windows++;
	run->disturbed += w->disturbed;
	run->windows_ns += wall_ns;
	if (w->start_ns + wall_ns > run->seen_ns)
		run->seen_ns = w->start_ns + wall_ns;
}

/* False, after a message, when the line is not a valid record. */
static bool visits_kind(struct record *rec, unsigned *kind)
{
	const char *name = record_get(rec, "kind");

	*kind = name ? kind_named(name) : KIND_THROUGHPUT;
	if (*kind)
		return true;
	msg_error_at(rec->path, rec->line, "unknown kind '%s' of visits: throughput, latency or run", name);
	return false;
}

static void load_visits(struct context *c, struct record *rec)
{
	struct profile *p = c->p;
	uint64_t window = record_get_u64(rec, "experiment"), count;
	int64_t virtual_ns;
	unsigned kind;
	size_t at;

	if (!visits_kind(rec, &kind))
		return;
	at = load_point(p, record_get(rec, "point"));
	p->point[at].kinds |= kind;
	count = record_get_u64(rec, "count");
	if (!count || !record_need(rec, "virtual_ns"))
		return;
	virtual_ns = record_get_i64(rec, "virtual_ns");
	if (virtual_ns <= 0) {
		p->impossible++;
		return;
	}
	c->visits = xgrow(c->visits, c->nvisits, &c->cap_visits, sizeof *c->visits);
	c->visits[c->nvisits++] = (struct profile_visits){
		.window = context_window(c, window), .point = at, .count = count, .virtual_ns = (double)virtual_ns,
		.weight = 1
	};
	if (kind == KIND_LATENCY)
		load_ends(c, rec, c->nvisits - 1);
}

/* A process of a run.  Its record may be repeated with more fields. */
static void load_process(struct context *c, struct record *rec)
{
	size_t at = context_run(c, record_get_u64(rec, "run")), n = c->process_at.n;
	uint64_t id = record_get_u64(rec, "id");

	/* numbers are small, so no two pairs have the same key */
	if (idmap_at(&c->process_at, (uint64_t)at << 40 ^ id, n) == n)
		c->run[at].run.processes++;
}

static struct context_warning *warning_at(struct context *c, bool of_run, uint64_t run, const char *what, const char *text)
{
	char *common = profile_warning_key(what, text), *key = xasprintf("%d %llu\t%s", of_run, (unsigned long long)run, common);
	void **place = map_at(&c->warning_at, key);

	free(common);
	free(key);
	if (!*place) {
		c->warning = xgrow(c->warning, c->nwarnings, &c->cap_warnings, sizeof *c->warning);
		c->warning[c->nwarnings++] =
			(struct context_warning){ .what = xstrdup(what), .text = xstrdup(text), .run = run, .of_run = of_run };
		*place = (void *)(uintptr_t)c->nwarnings;
	}
	return &c->warning[(uintptr_t)*place - 1];
}

/* The run is resolved at the end of the context. */
static void load_warning(struct context *c, struct record *rec)
{
	const char *what = record_get(rec, "what"), *text = record_get(rec, "text");
	bool of_run = record_get(rec, "run");
	struct context_warning *w;
	int by;

	what = what ? what : "warning";
	text = text ? text : what;
	w = warning_at(c, of_run, record_get_u64(rec, "run"), what, text);
	by = strverscmp(text, w->text);
	w->records++;
	w->varies = w->varies || by;
	if (by <= 0)
		return;
	free(w->text);
	w->text = xstrdup(text);
}

static void load_header(struct context *c, struct record *rec)
{
	const char *tool = record_get(rec, "tool");

	context_close(c, rec->path);
	if (tool && (!strcmp(tool, "analyze") || !strcmp(tool, "diff")))
		msg_error_at(rec->path, rec->line, "this is the result of andweorc-%s, not a log", tool);
}

static void load_record(struct context *c, struct record *rec)
{
	static const struct {
		const char *type;
		void (*load)(struct context *c, struct record *rec);
	} known[] = {
		/* by far the most frequent record */
		{ AW_SAMPLE, load_sample },
		{ AW_VISITS, load_visits },   { AW_EXPERIMENT, load_experiment }, { AW_REGION, load_region },
		{ AW_SHARE, load_share },     { AW_MODULE, load_module },         { AW_RUN, load_run },
		{ AW_WARNING, load_warning }, { AW_END, load_end },               { AW_HEADER, load_header },
		{ AW_PROCESS, load_process }, { AW_LATENCY, load_latency },
		{ AW_BURST, load_burst },     { AW_STACK, load_stack },           { AW_EVENTS, load_events },
		{ AW_POINT, load_point_name },  { AW_PLACE, load_place },
		{ AW_CALL, stacks_load_call },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (rec->type[0] == known[i].type[0] && !strcmp(rec->type, known[i].type)) {
			known[i].load(c, rec);
			return;
		}
}

bool profile_load(struct profile *p, const char *path)
{
	struct context c = { .p = p };
	struct reader *reader = reader_open(path);
	struct record rec;

	if (!reader)
		return false;
	while (reader_next(reader, &rec))
		load_record(&c, &rec);
	context_close(&c, strcmp(path, "-") ? path : "standard input");
	context_release(&c);
	return reader_close(reader);
}
