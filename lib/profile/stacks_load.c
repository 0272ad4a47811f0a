#include "profile/stacks_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/path.h"
#include "profile/inlined.h"
#include "profile/stacks.h"

enum {
	DEEPEST = 1000,         /* limit on the calls in a chain.  The recorder keeps far fewer; the limit protects against other logs. */
	PERIOD_NS = 1000 * 1000, /* assumed period, where a run does not state it */
};

struct address {
	uint64_t module; /* id */
	uint64_t offset;
	struct stack_frame *frame; /* owned until it is given to the stacks */
	size_t nframes;
	size_t *region; /* owned; places in the context */
	size_t nregions, cap;
	bool own;
};

struct call {
	uint64_t id, caller; /* caller 0: none */
	size_t address;
	bool more;
	size_t node;
};

struct sample {
	size_t run, address; /* places */
	uint64_t caller, count;
	enum stack_class class;
};

struct module {
	uint64_t id;
	char *path, *build_id; /* owned */
};

struct stacks_loading {
	struct map address_at; /* by module and offset */
	struct address *address;
	size_t naddresses, cap_addresses;
	struct call *call;
	size_t ncalls, cap_calls;
	struct sample *sample;
	size_t nsamples, cap_samples;
	struct module *module;
	size_t nmodules, cap_modules;
};

static struct stacks_loading *loading(struct context *c)
{
	if (c->p->stacks && !c->stacks)
		c->stacks = xcalloc(1, sizeof *c->stacks);
	return c->stacks;
}

/* ---- records -------------------------------------------------------------------- */

static struct stack_frame frame_of(struct stacks *s, const struct inlined *inlined)
{
	char *colon = inlined->place ? strrchr(inlined->place, ':') : NULL;
	struct stack_frame f = { .function = stacks_text(s, inlined->function) };

	if (colon && num_u64(colon + 1, &f.line))
		*colon = '\0';
	f.file = inlined->place ? stacks_text(s, inlined->place) : NULL;
	return f;
}

static void add_frame(struct address *a, size_t *cap, struct stack_frame f)
{
	a->frame = xgrow(a->frame, a->nframes, cap, sizeof *a->frame);
	a->frame[a->nframes++] = f;
	a->own = a->own || (f.file && path_is_own_source(f.file));
}

static void read_frames(struct stacks *s, struct address *a, struct record *rec)
{
	const char *function = record_get(rec, "function"), *file = record_get(rec, "file"),
		   *chain = record_get(rec, "inlined_by");
	struct stack_frame f = { .function = stacks_text(s, function ? function : ""), .file = file ? stacks_text(s, file) : NULL, .line = record_get_u64(rec, "line") };
	char *copy = chain ? xstrdup(chain) : NULL, *rest = copy;
	struct inlined inlined;
	size_t cap = 0;

	add_frame(a, &cap, f);
	while (inlined_next(&rest, &inlined))
		add_frame(a, &cap, frame_of(s, &inlined));
	free(copy);
}

/* The place of the record's address. */
static size_t address_of(struct context *c, struct record *rec)
{
	struct stacks_loading *l = c->stacks;
	uint64_t module = record_get_u64(rec, "module"), offset = record_get_u64(rec, "offset");
	char key[48];
	void **place;

	snprintf(key, sizeof key, "%llx %llx", (unsigned long long)module, (unsigned long long)offset);
	place = map_at(&l->address_at, key);
	if (*place)
		return (size_t)(uintptr_t)*place - 1;
	l->address = xgrow(l->address, l->naddresses, &l->cap_addresses, sizeof *l->address);
	l->address[l->naddresses] = (struct address){ .module = module, .offset = offset };
	read_frames(c->p->stacks, &l->address[l->naddresses++], rec);
	*place = (void *)(uintptr_t)l->naddresses;
	return l->naddresses - 1;
}

void stacks_load_call(struct context *c, struct record *rec)
{
	struct stacks_loading *l = loading(c);
	struct call call = { .id = record_get_u64(rec, "id"), .caller = record_get_u64(rec, "caller"), .more = record_get_u64(rec, "more") != 0 };

	if (!l)
		return;
	call.address = address_of(c, rec);
	if (call.caller >= call.id) {
		msg_error_at(rec->path, rec->line, "the caller %llu of call %llu does not come before it", (unsigned long long)call.caller,
			     (unsigned long long)call.id);
		return;
	}
	l->call = xgrow(l->call, l->ncalls, &l->cap_calls, sizeof *l->call);
	l->call[l->ncalls++] = call;
}

void stacks_load_module(struct context *c, struct record *rec)
{
	struct stacks_loading *l = loading(c);
	const char *build_id = record_get(rec, "build_id");

	if (!l)
		return;
	l->module = xgrow(l->module, l->nmodules, &l->cap_modules, sizeof *l->module);
	l->module[l->nmodules++] = (struct module){ record_get_u64(rec, "id"), xstrdup(record_get(rec, "path")), xstrdup(build_id ? build_id : "") };
}

static enum stack_class class_of(struct record *rec)
{
	const char *state = record_get(rec, "state"), *class = record_get(rec, "class");

	if (!state || strcmp(state, "blocked") != 0)
		return STACK_CPU;
	for (int i = STACK_LOCK; class && i < STACK_OTHER; i++)
		if (!strcmp(class, stack_class_name((enum stack_class)i)))
			return (enum stack_class)i;
	return STACK_OTHER;
}

void stacks_load_sample(struct context *c, struct record *rec, size_t run, uint64_t count)
{
	struct stacks_loading *l = loading(c);
	struct sample s = { .run = run, .count = count, .caller = record_get_u64(rec, "caller") };

	if (!l)
		return;
	s.address = address_of(c, rec);
	s.class = class_of(rec);
	l->sample = xgrow(l->sample, l->nsamples, &l->cap_samples, sizeof *l->sample);
	l->sample[l->nsamples++] = s;
}

/* ---- regions --------------------------------------------------------------------- */

static int by_place(const void *va, const void *vb)
{
	const struct address *a = *(struct address *const *)va, *b = *(struct address *const *)vb;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* The number of sorted addresses before that place. */
static size_t before(struct address **sorted, size_t n, uint64_t module, uint64_t offset)
{
	struct address at = { .module = module, .offset = offset }, *key = &at;
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_place(&sorted[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void add_region(struct address *a, size_t region)
{
	if (a->nregions && a->region[a->nregions - 1] == region)
		return;
	a->region = xgrow(a->region, a->nregions, &a->cap, sizeof *a->region);
	a->region[a->nregions++] = region;
}

/* "0xLO-0xHI,0xLO-0xHI"; invalid ranges are ignored. */
static void find_ranges(struct address **sorted, size_t n, uint64_t module, char *text, size_t region)
{
	char *word;

	while ((word = strsep(&text, ","))) {
		char *dash = strchr(word, '-');
		uint64_t lo, hi;

		if (!dash)
			continue;
		*dash = '\0';
		if (!num_u64(word, &lo) || !num_u64(dash + 1, &hi))
			continue;
		for (size_t i = before(sorted, n, module, lo); i < n && sorted[i]->module == module && sorted[i]->offset < hi; i++)
			add_region(sorted[i], region);
	}
}

void stacks_find_regions(struct context *c)
{
	struct stacks_loading *l = c->stacks;
	struct address **sorted;
	struct idmap with_regions = IDMAP_INIT;

	if (!l)
		return;
	sorted = xcalloc(l->naddresses + 1, sizeof *sorted);
	for (size_t i = 0; i < l->naddresses; i++)
		sorted[i] = &l->address[i];
	qsort(sorted, l->naddresses, sizeof *sorted, by_place);
	for (size_t i = 0; i < c->nregions; i++) {
		const struct context_region *r = &c->region[i];
		char *ranges = r->defined && r->region.ranges ? xstrdup(r->region.ranges) : NULL;

		if (ranges && r->module_id != CONTEXT_NOWHERE) {
			idmap_number(&with_regions, r->module_id);
			find_ranges(sorted, l->naddresses, r->module_id, ranges, i);
		}
		free(ranges);
	}
	for (size_t i = 0; i < l->naddresses; i++)
		l->address[i].own = l->address[i].own && idmap_find(&with_regions, l->address[i].module) != IDMAP_NONE;
	idmap_release(&with_regions);
	free(sorted);
}

/* ---- the end of a context -------------------------------------------------------- */

/* A function without a name gets one from its place. */
static void name_frames(struct stacks *s, struct address *a, const struct stack_module *mod)
{
	if (!*a->frame[0].function) {
		char *name = xasprintf("%s+0x%llx", path_name(mod->path), (unsigned long long)a->offset);

		a->frame[0].function = stacks_text(s, name);
		free(name);
	}
}

/* The place of the address in the stacks.  If it is new, the stacks take its frames. */
static size_t give_address(struct context *c, struct address *a, size_t module)
{
	struct stacks *s = c->p->stacks;
	size_t at = stacks_address(s, module, a->offset);
	struct stack_address *to = &s->address[at];

	if (!to->nframes) {
		name_frames(s, a, &s->module[module]);
		to->frame = a->frame;
		to->nframes = a->nframes;
		a->frame = NULL;
	}
	to->own = to->own || a->own;
	for (size_t i = 0; i < a->nregions; i++) {
		size_t place = c->region[a->region[i]].place, k = 0;

		while (k < to->nregions && to->region[k] != place)
			k++;
		if (place == PROFILE_NONE || k < to->nregions)
			continue;
		to->region = xgrow(to->region, to->nregions, &to->cap_regions, sizeof *to->region);
		to->region[to->nregions++] = place;
	}
	return at;
}

/* Places in the stacks of all addresses; the caller frees it. */
static size_t *give_addresses(struct context *c)
{
	struct stacks_loading *l = c->stacks;
	size_t *at = xcalloc(l->naddresses + 1, sizeof *at);
	struct idmap module_at = IDMAP_INIT;
	size_t *module = xcalloc(l->nmodules + 1, sizeof *module), n = 0;

	for (size_t i = 0; i < l->nmodules; i++)
		if (idmap_at(&module_at, l->module[i].id, n) == n)
			module[n++] = stacks_module(c->p->stacks, l->module[i].path, l->module[i].build_id);
	for (size_t i = 0; i < l->naddresses; i++) {
		size_t k = idmap_find(&module_at, l->address[i].module);

		at[i] = give_address(c, &l->address[i], k == IDMAP_NONE ? stacks_module(c->p->stacks, "?", "") : module[k]);
	}
	idmap_release(&module_at);
	free(module);
	return at;
}

static int by_id(const void *va, const void *vb)
{
	const struct call *a = va, *b = vb;

	return (a->id > b->id) - (a->id < b->id);
}

static struct call *find_call(const struct stacks_loading *l, uint64_t id)
{
	struct call key = { .id = id };

	return l->ncalls ? bsearch(&key, l->call, l->ncalls, sizeof key, by_id) : NULL;
}

/* Callers have lesser ids, so they have their nodes already. */
static void place_calls(struct stacks *s, struct stacks_loading *l, const size_t *address, const char *path)
{
	size_t lost = 0;

	if (l->ncalls)
		qsort(l->call, l->ncalls, sizeof *l->call, by_id);
	for (size_t i = 0; i < l->ncalls; i++) {
		struct call *call = &l->call[i];
		const struct call *caller = call->caller ? find_call(l, call->caller) : NULL;
		bool deep = caller && s->node[caller->node].depth >= DEEPEST;

		lost += call->caller && (!caller || deep);
		call->node = stacks_node(s, caller && !deep ? caller->node : STACKS_NONE, address[call->address], call->more || deep);
	}
	if (lost)
		msg_error("%s: %zu 'call' record(s) have a caller that no record defines, or more than %d of them", path, lost, DEEPEST);
}

static void place_samples(struct context *c, const size_t *address, const char *path)
{
	struct stacks *s = c->p->stacks;
	struct stacks_loading *l = c->stacks;
	size_t lost = 0;

	for (size_t i = 0; i < l->nsamples; i++) {
		const struct sample *sample = &l->sample[i];
		const struct call *caller = sample->caller ? find_call(l, sample->caller) : NULL;
		uint64_t period = c->run[sample->run].run.period_ns;
		size_t node;

		lost += sample->caller && !caller;
		if (c->run[sample->run].place == PROFILE_NONE)
			continue; /* the run is in the input twice */
		s->periodless = s->periodless || !period;
		node = stacks_node(s, caller ? caller->node : STACKS_NONE, address[sample->address], false);
		s->node[node].ns[sample->class] += sample->count * (period ? period : PERIOD_NS);
	}
	if (lost)
		msg_error("%s: %zu 'sample' record(s) name a caller that no 'call' record defines", path, lost);
}

static void free_loading(struct stacks_loading *l)
{
	for (size_t i = 0; i < l->naddresses; i++) {
		free(l->address[i].frame);
		free(l->address[i].region);
	}
	for (size_t i = 0; i < l->nmodules; i++) {
		free(l->module[i].path);
		free(l->module[i].build_id);
	}
	free(l->address);
	free(l->call);
	free(l->sample);
	free(l->module);
	map_release(&l->address_at);
	free(l);
}

void stacks_close(struct context *c, const char *path)
{
	size_t *address;

	if (!c->stacks)
		return;
	address = give_addresses(c);
	c->p->stacks->calls = c->p->stacks->calls || c->stacks->ncalls > 0;
	place_calls(c->p->stacks, c->stacks, address, path);
	place_samples(c, address, path);
	free(address);
	free_loading(c->stacks);
	c->stacks = NULL;
}
