#include "profile/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/msg.h"
#include "profile/adjust.h"

size_t context_run(struct context *c, uint64_t id)
{
	size_t at = idmap_at(&c->run_at, id, c->nruns);

	if (at == c->nruns) {
		c->run = xgrow(c->run, c->nruns, &c->cap_runs, sizeof *c->run);
		c->run[c->nruns++] = (struct context_run){ .defined = false };
	}
	return at;
}

size_t context_region(struct context *c, uint64_t id)
{
	size_t at = idmap_at(&c->region_at, id, c->nregions);

	if (at == c->nregions) {
		c->region = xgrow(c->region, c->nregions, &c->cap_regions, sizeof *c->region);
		c->region[c->nregions++] = (struct context_region){ .defined = false };
	}
	return at;
}

size_t context_window(struct context *c, uint64_t id)
{
	size_t at = idmap_at(&c->window_at, id, c->nwindows);

	if (at == c->nwindows) {
		c->window = xgrow(c->window, c->nwindows, &c->cap_windows, sizeof *c->window);
		c->window[c->nwindows++] = (struct context_window){ .defined = false };
	}
	return at;
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* ---- regions: what is the same code in several contexts is one region -------- */

struct keyed {
	char *key;
	struct context_region *region;
};

/* Module by file name only: shards of a CI matrix build in different directories. */
static char *region_key(const struct profile_region *r)
{
	const char *slash = r->module ? strrchr(r->module, '/') : NULL;
	const char *module = slash ? slash + 1 : r->module ? r->module : "";
	const char *name = r->symbol ? r->symbol : r->function ? r->function : "";
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s\t%s\t%s\t", r->scope ? r->scope : "", module, r->file ? r->file : "");
	if (r->scope && !strcmp(r->scope, "line") && r->file)
		buf_addf(&b, "%llu", (unsigned long long)r->line);
	else
		buf_adds(&b, *name ? name : r->ranges ? r->ranges : "");
	return buf_detach(&b);
}

static int compare_keyed(const void *va, const void *vb)
{
	const struct keyed *a = va, *b = vb;
	int by = strcmp(a->key, b->key);

	return by ? by : compare_text(a->region->region.ranges, b->region->region.ranges);
}

/* Of two spellings the first in the alphabet, so that the order of files does not matter. */
static void merge_text(char **into, char **from)
{
	if (*from && (!*into || strcmp(*from, *into) < 0)) {
		char *old = *into;

		*into = *from;
		*from = old;
	}
}

static void merge_region(struct profile_region *into, struct profile_region *from)
{
	merge_text(&into->function, &from->function);
	merge_text(&into->symbol, &from->symbol);
	merge_text(&into->also, &from->also);
	merge_text(&into->ranges, &from->ranges);
	merge_text(&into->module, &from->module);
	if (!into->line || (from->line && from->line < into->line))
		into->line = from->line;
}

static void free_region(struct profile_region *r)
{
	free(r->scope);
	free(r->function);
	free(r->symbol);
	free(r->file);
	free(r->also);
	free(r->ranges);
	free(r->module);
}

/* Its place in the profile, which takes its strings; key is the same for the same code. */
static size_t place_region(struct profile *p, const char *key, struct profile_region *r)
{
	void **place = map_at(&p->region_at, key);

	if (*place) {
		merge_region(&p->region[(uintptr_t)*place - 1], r);
		free_region(r);
	} else {
		p->region = xgrow(p->region, p->nregions, &p->cap_regions, sizeof *p->region);
		p->region[p->nregions++] = *r;
		*place = (void *)(uintptr_t)p->nregions;
	}
	*r = (struct profile_region){ 0 };
	return (uintptr_t)*place - 1;
}

/* One context never names one region twice: two regions of one name, then, are told apart by their order. */
static void add_regions(struct context *c)
{
	struct keyed *keyed = xcalloc(c->nregions + 1, sizeof *keyed);
	size_t n = 0, same = 0;

	for (size_t i = 0; i < c->nregions; i++) {
		if (c->region[i].defined)
			keyed[n++] = (struct keyed){ region_key(&c->region[i].region), &c->region[i] };
		else
			free_region(&c->region[i].region);
		c->region[i].place = PROFILE_NONE;
	}
	qsort(keyed, n, sizeof *keyed, compare_keyed);
	for (size_t i = 0; i < n; i++) {
		char *key;

		same = i && !strcmp(keyed[i].key, keyed[i - 1].key) ? same + 1 : 0;
		key = xasprintf("%s\t%zu", keyed[i].key, same);
		keyed[i].region->place = place_region(c->p, key, &keyed[i].region->region);
		free(key);
	}
	for (size_t i = 0; i < n; i++)
		free(keyed[i].key);
	free(keyed);
}

/* ---- runs -------------------------------------------------------------------- */

/* The same file given twice would pass for two runs that agree perfectly. */
static bool is_same_run(const struct profile_run *a, const struct profile_run *b)
{
	return a->started_ns && a->started_ns == b->started_ns && !compare_text(a->host, b->host) &&
	       !compare_text(a->command, b->command) && a->seed == b->seed && a->windows == b->windows &&
	       a->windows_ns == b->windows_ns;
}

static uint64_t mix(uint64_t h, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
	return h;
}

/* Of what is_same_run looks at, so that it does not depend on where the run stands. */
static uint64_t run_hash(const struct profile_run *r)
{
	uint64_t number[] = { r->started_ns, r->seed, r->windows, r->windows_ns };
	uint64_t h = mix(0xcbf29ce484222325u, number, sizeof number);

	h = r->host ? mix(h, r->host, strlen(r->host)) : h;
	h = r->command ? mix(h, r->command, strlen(r->command)) : h;
	return h ^ h >> 32;
}

static int compare_places(const void *a, const void *b)
{
	return profile_compare_runs(&(*(struct context_run *const *)a)->run, &(*(struct context_run *const *)b)->run);
}

static void place_run(struct profile *p, struct context_run *r)
{
	size_t at;

	r->run.context = p->ncontexts;
	r->run.hash = run_hash(&r->run);
	at = idmap_at(&p->run_at, r->run.hash, p->nruns);
	if (at < p->nruns && is_same_run(&p->run[at], &r->run)) {
		msg_warn("run %s, started at %llu, is in the input twice: counted once", r->run.command ? r->run.command : "?",
			 (unsigned long long)r->run.started_ns);
		r->place = PROFILE_NONE;
		return;
	}
	r->place = p->nruns;
	p->run = xgrow(p->run, p->nruns, &p->cap_runs, sizeof *p->run);
	p->run[p->nruns++] = r->run;
}

static void add_runs(struct context *c)
{
	struct context_run **order = xcalloc(c->nruns + 1, sizeof *order);

	for (size_t i = 0; i < c->nruns; i++)
		order[i] = &c->run[i];
	qsort(order, c->nruns, sizeof *order, compare_places);
	for (size_t i = 0; i < c->nruns; i++)
		place_run(c->p, order[i]);
	free(order);
}

/* ---- windows, shares ------------------------------------------------------------ */

static void count_window(struct profile_census *all, const struct profile_window *w)
{
	all->windows++;
	if (w->disturbed)
		all->disturbed++;
	else if (w->s > 0)
		all->treated++;
	else
		all->baselines++;
	if (w->s == 0)
		return;
	all->least = all->least > 0 && all->least < w->s ? all->least : w->s;
	all->most = all->most > w->s ? all->most : w->s;
}

static void place_window(struct context *c, struct context_window *n)
{
	struct profile *p = c->p;
	struct profile_window w = n->window;
	struct profile_region *region;

	n->place = PROFILE_NONE;
	if (!n->defined)
		return;
	w.run = c->run[w.run].place;
	if (w.region != PROFILE_NONE && (w.region = c->region[w.region].place) == PROFILE_NONE)
		return;
	if (w.run == PROFILE_NONE)
		return;
	n->place = p->nwindows;
	p->window = xgrow(p->window, p->nwindows, &p->cap_windows, sizeof *p->window);
	p->window[p->nwindows++] = w;
	count_window(&p->census, &w);
	if (w.region == PROFILE_NONE)
		return;
	region = &p->region[w.region];
	region->tried = true;
	region->window_samples += n->region_samples;
	region->window_total += n->samples;
}

static void add_windows(struct context *c)
{
	struct profile *p = c->p;

	for (size_t i = 0; i < c->nwindows; i++)
		place_window(c, &c->window[i]);
	for (size_t i = 0; i < c->nvisits; i++) {
		struct profile_visits v = c->visits[i];

		v.window = c->window[v.window].place;
		if (v.window == PROFILE_NONE)
			continue;
		p->visits = xgrow(p->visits, p->nvisits, &p->cap_visits, sizeof *p->visits);
		p->visits[p->nvisits++] = v;
	}
}

/* Those of a run that counts. */
static void add_shares(struct context *c)
{
	for (size_t i = 0; i < c->nshares; i++) {
		const struct context_share *s = &c->share[i];

		if (c->run[s->run].place != PROFILE_NONE && c->region[s->region].place != PROFILE_NONE)
			c->p->region[c->region[s->region].place].samples += s->samples;
	}
}

/* Regions learn their module's path; references into nothing are reported, once for each kind. */
static void check(struct context *c, const char *path)
{
	size_t regions = 0, windows = 0;

	for (size_t i = 0; i < c->nregions; i++) {
		struct context_region *r = &c->region[i];

		regions += !r->defined;
		for (size_t m = 0; m < c->nmodules; m++)
			if (r->defined && c->module[m].id == r->module_id && !r->region.module)
				r->region.module = xstrdup(c->module[m].path);
	}
	for (size_t i = 0; i < c->nwindows; i++)
		windows += !c->window[i].defined;
	if (regions)
		msg_error("%s: records name %zu region(s) that no 'region' record defines", path, regions);
	/* a bad line has been reported by then, and this may only follow from it */
	if (windows && !msg_failed())
		msg_error("%s: 'visits' records name %zu experiment(s) that no 'experiment' record defines", path, windows);
}

void context_close(struct context *c, const char *path)
{
	check(c, path);
	adjust_context(c);
	add_regions(c);
	add_runs(c);
	add_windows(c);
	add_shares(c);
	profile_bound(c->p);
	for (size_t m = 0; m < c->nmodules; m++)
		free(c->module[m].path);
	c->nmodules = c->nruns = c->nregions = c->nwindows = c->nvisits = c->nshares = 0;
	idmap_release(&c->run_at);
	idmap_release(&c->region_at);
	idmap_release(&c->window_at);
	c->p->ncontexts++;
}

void context_release(struct context *c)
{
	free(c->run);
	free(c->region);
	free(c->window);
	free(c->visits);
	free(c->share);
	free(c->module);
}
