#include "profile/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/text.h"
#include "profile/given_windows.h"
#include "profile/latency.h"
#include "profile/overhead.h"
#include "profile/stacks_load.h"

/* ---- runs -------------------------------------------------------------------- */

/* The same file given twice would look like two runs that agree perfectly. */
static bool is_same_run(const struct profile_run *a, const struct profile_run *b)
{
	return a->started_ns && a->started_ns == b->started_ns && !text_order(a->host, b->host) &&
	       !text_order(a->command, b->command) && a->seed == b->seed && a->windows == b->windows &&
	       a->windows_ns == b->windows_ns;
}

static uint64_t mix(uint64_t h, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
	return h;
}

/* A hash of the fields that is_same_run compares, independent of the position of the run. */
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

static void place_run(struct profile *p, struct context_run *r, size_t session)
{
	size_t at;

	r->run.session = session;
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
	size_t session = c->p->nruns; /* until more is known */

	for (size_t i = 0; i < c->nruns; i++)
		order[i] = &c->run[i];
	qsort(order, c->nruns, sizeof *order, compare_places);
	for (size_t i = 0; i < c->nruns; i++)
		place_run(c->p, order[i], session);
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
	all->zero += w->s == 0;
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
	region->windows++;
	region->window_samples += w.region_samples;
	region->window_total += w.samples;
	if (!p->run[w.run].given) {
		region->plain_window_samples += w.region_samples;
		region->plain_window_total += w.samples;
	}
}

/* The first context's visits become the profile's where they are: most logs have one. */
static void take_visits(struct context *c)
{
	struct profile *p = c->p;

	free(p->visits);
	p->visits = c->visits;
	p->cap_visits = c->cap_visits;
	for (size_t i = 0; i < c->nvisits; i++) {
		struct profile_visits v = c->visits[i];

		v.window = c->window[v.window].place;
		if (v.window != PROFILE_NONE)
			p->visits[p->nvisits++] = v;
	}
	c->visits = NULL;
	c->nvisits = c->cap_visits = 0;
}

static void add_windows(struct context *c)
{
	struct profile *p = c->p;

	c->first_window = p->nwindows;
	c->first_visit = p->nvisits;
	for (size_t i = 0; i < c->nwindows; i++)
		place_window(c, &c->window[i]);
	if (!p->nvisits)
		take_visits(c);
	for (size_t i = 0; i < c->nvisits; i++) {
		struct profile_visits v = c->visits[i];

		v.window = c->window[v.window].place;
		if (v.window == PROFILE_NONE)
			continue;
		p->visits = xgrow(p->visits, p->nvisits, &p->cap_visits, sizeof *p->visits);
		p->visits[p->nvisits++] = v;
	}
}

static void add_share(struct profile_region *r, const struct context_share *s, bool given)
{
	r->samples += s->samples;
	r->blocked += s->blocked;
	r->plain_samples += given ? 0 : s->samples;
	r->plain_blocked += given ? 0 : s->blocked;
}

/* Adds the shares of regions of runs that count. */
static void add_shares(struct context *c)
{
	for (size_t i = 0; i < c->nshares; i++) {
		const struct context_share *s = &c->share[i];

		if (c->run[s->run].place != PROFILE_NONE && c->region[s->region].place != PROFILE_NONE)
			add_share(&c->p->region[c->region[s->region].place], s, c->run[s->run].run.given);
	}
}

/* ---- warnings ------------------------------------------------------------------- */

static int compare_warnings(const void *va, const void *vb)
{
	const struct context_warning *a = va, *b = vb;
	int by;

	if (a->of_run != b->of_run)
		return a->of_run ? 1 : -1;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if ((by = strcmp(a->what, b->what)))
		return by;
	return strcmp(a->text, b->text);
}

/* Adds warnings of runs that count, and those without a run. */
static void add_warnings(struct context *c)
{
	if (c->nwarnings)
		qsort(c->warning, c->nwarnings, sizeof *c->warning, compare_warnings);
	for (size_t i = 0; i < c->nwarnings; i++) {
		struct context_warning *w = &c->warning[i];
		/* a run of which only the id is known has a place behind all others, until the end */
		size_t at = w->of_run ? idmap_at(&c->run_at, w->run, c->nruns) : c->nruns;

		if (at == c->nruns)
			profile_warn(c->p, w->what, w->text, PROFILE_NONE, w->records, w->varies);
		else if (c->run[at].place != PROFILE_NONE)
			profile_warn(c->p, w->what, w->text, c->run[at].place, w->records, w->varies);
		free(w->what);
		free(w->text);
	}
}

/* Regions learn their module's path; references into nothing are reported, once for each kind. */
static void check_references(struct context *c, const char *path)
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
	/* a bad line has been reported, and this may be its consequence */
	if (windows && !msg_failed())
		msg_error("%s: 'visits' records name %zu experiment(s) that no 'experiment' record defines", path, windows);
}

void context_close(struct context *c, const char *path)
{
	check_references(c, path);
	idmap_release(&c->window_at); /* frees the rest; its room becomes that of the profile's windows */
	given_split(c);
	latency_join(c);
	add_runs(c);
	untried_close(c); /* before regions give their strings away */
	stacks_find_regions(c);
	context_add_regions(c);
	stacks_close(c, path);
	overhead_deduct(c);
	add_windows(c);
	observed_close(c);
	latency_keep(c);
	add_shares(c);
	add_warnings(c);
	for (size_t m = 0; m < c->nmodules; m++)
		free(c->module[m].path);
	c->nmodules = c->nruns = c->nregions = c->nwindows = c->nvisits = c->nshares = c->nwarnings = 0;
	c->nends = c->nspans = c->nbuckets = 0;
	map_release(&c->warning_at);
	idmap_release(&c->process_at);
	idmap_release(&c->run_at);
	idmap_release(&c->region_at);
}

void context_release(struct context *c)
{
	free(c->run);
	free(c->region);
	free(c->window);
	free(c->visits);
	free(c->ends);
	free(c->spans);
	free(c->bucket);
	free(c->share);
	free(c->warning);
	free(c->module);
	free(c->observed);
	untried_free(&c->untried);
}
