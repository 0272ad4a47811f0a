/* load_code: records of code, and of time spent there. */
#include "profile/load.h"

#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "format/region_class.h"
#include "profile/stacks_load.h"

static void take_text(struct record *rec, const char *key, char **out)
{
	const char *value = record_get(rec, key);

	if (value && !*out)
		*out = xstrdup(value);
}

void load_module(struct context *c, struct record *rec)
{
	uint64_t id = record_get_u64(rec, "id");

	/* each run repeats the records of its modules */
	for (size_t m = 0; m < c->nmodules; m++)
		if (c->module[m].id == id)
			return;
	c->module = xgrow(c->module, c->nmodules, &c->cap_modules, sizeof *c->module);
	c->module[c->nmodules++] = (struct context_module){ .id = id, .path = xstrdup(record_get(rec, "path")) };
	stacks_load_module(c, rec);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_region(struct record *rec, const struct profile_region *r)
{
	return r->line == record_get_u64(rec, "line") && same_text(record_get(rec, "scope"), r->scope) &&
	       same_text(record_get(rec, "symbol"), r->symbol) && same_text(record_get(rec, "file"), r->file);
}

/* A class of time has a name and no place. */
static bool region_place(struct record *rec, uint64_t *module)
{
	bool class = region_is_class(record_get(rec, "scope"));

	*module = class ? CONTEXT_NOWHERE : record_get_u64(rec, "module");
	return record_need(rec, class ? "symbol" : "module");
}

void load_region(struct context *c, struct record *rec)
{
	struct context_region *region;
	struct profile_region *r;
	uint64_t id = record_get_u64(rec, "id"), module;
	size_t at;

	if (!region_place(rec, &module))
		return;
	at = context_region(c, id); /* may move the array */
	region = &c->region[at];
	r = &region->region;
	/* Each run that experiments with a region repeats its record, so that a log that is cut short can be read. */
	if (region->defined && (region->module_id != module || !same_region(rec, r))) {
		msg_error_at(rec->path, rec->line, "region %llu is there twice, and not the same", (unsigned long long)id);
		return;
	}
	region->defined = true;
	region->module_id = module;
	take_text(rec, "scope", &r->scope);
	take_text(rec, "ranges", &r->ranges);
	take_text(rec, "function", &r->function);
	take_text(rec, "symbol", &r->symbol);
	take_text(rec, "also", &r->also);
	take_text(rec, "file", &r->file);
	take_text(rec, "line_hash", &r->line_hash);
	take_text(rec, "context_hash", &r->context_hash);
	take_text(rec, "function_hash", &r->function_hash);
	r->line = record_get_u64(rec, "line");
	r->function_line = record_get_u64(rec, "function_line");
}

void load_share(struct context *c, struct record *rec)
{
	struct context_share share = { .run = context_run(c, record_get_u64(rec, "run")),
		.region = context_region(c, record_get_u64(rec, "region")),
		.samples = record_get_u64(rec, "samples"),
		.blocked = record_get_u64(rec, "blocked") };
	uint64_t total = record_get_u64(rec, "total"), blocked_total = record_get_u64(rec, "blocked_total");
	struct profile_run *r = &c->run[share.run].run;

	if (total > r->share_total)
		r->share_total = total;
	if (blocked_total > r->share_blocked_total)
		r->share_blocked_total = blocked_total;
	c->share = xgrow(c->share, c->nshares, &c->cap_shares, sizeof *c->share);
	c->share[c->nshares++] = share;
	c->run[share.run].regions_then = c->nregions;
}

void load_sample(struct context *c, struct record *rec)
{
	size_t at = context_run(c, record_get_u64(rec, "run")); /* may move the array */
	const char *state = record_get(rec, "state"), *class;
	uint64_t count = record_get_u64(rec, "count");
	struct profile_spent *spent;

	stacks_load_sample(c, rec, at, count);
	spent = &c->run[at].run.spent;
	if (!state || strcmp(state, "blocked") != 0) {
		spent->cpu += count;
		untried_add(c, rec, count);
		return;
	}
	class = record_get(rec, "class");
	class = class ? class : "";
	spent->blocked += count;
	if (!strcmp(class, "lock"))
		spent->lock += count;
	else if (!strcmp(class, "io"))
		spent->io += count;
	else if (!strcmp(class, "sleep"))
		spent->sleep += count;
	else if (!strcmp(class, "runqueue"))
		spent->runqueue += count;
}
