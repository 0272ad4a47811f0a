#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/msg.h"

static void release_run(struct profile_run *r)
{
	free(r->command);
	free(r->commit);
	free(r->host);
	free(r->kernel);
	free(r->cpu_model);
	free(r->sampler);
	free(r->mode);
	free(r->status);
}

static void release_region(struct profile_region *r)
{
	free(r->scope);
	free(r->function);
	free(r->symbol);
	free(r->file);
	free(r->also);
	free(r->ranges);
	free(r->module);
	free(r->label);
}

void profile_release(struct profile *p)
{
	for (size_t i = 0; i < p->nruns; i++)
		release_run(&p->run[i]);
	for (size_t i = 0; i < p->nregions; i++)
		release_region(&p->region[i]);
	for (size_t i = 0; i < p->npoints; i++)
		free(p->point[i].name);
	for (size_t i = 0; i < p->nwarnings; i++) {
		free(p->warning[i].what);
		free(p->warning[i].text);
	}
	free(p->run);
	free(p->region);
	free(p->window);
	free(p->visits);
	free(p->share);
	free(p->point);
	free(p->warning);
	*p = (struct profile)PROFILE_INIT;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* ---- regions: what is the same code in several headers is one region -------- */

struct keyed {
	char *key;
	size_t at;
	const struct profile_region *region;
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

	if (!by)
		by = compare_text(a->region->ranges, b->region->ranges);
	return by ? by : compare_u64(a->region->header, b->region->header);
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
	into->window_samples += from->window_samples;
	into->window_total += from->window_total;
	into->header = from->header;
	release_region(from);
}

static void merge_regions(struct profile *p)
{
	struct keyed *keyed = xcalloc(p->nregions + 1, sizeof *keyed);
	size_t *place = xcalloc(p->nregions + 1, sizeof *place), used = 0, nkeyed = 0;
	struct profile_region *merged = xcalloc(p->nregions + 1, sizeof *merged);

	for (size_t i = 0; i < p->nregions; i++) {
		place[i] = PROFILE_NONE;
		if (p->region[i].defined)
			keyed[nkeyed++] = (struct keyed){ region_key(&p->region[i]), i, &p->region[i] };
		else
			release_region(&p->region[i]);
	}
	qsort(keyed, nkeyed, sizeof *keyed, compare_keyed);
	for (size_t i = 0; i < nkeyed; i++) {
		struct profile_region *r = &p->region[keyed[i].at];

		/* one header never names one region twice: two regions of one name, then */
		if (i && !strcmp(keyed[i].key, keyed[i - 1].key) && r->header != merged[used - 1].header)
			merge_region(&merged[used - 1], r);
		else
			merged[used++] = *r;
		place[keyed[i].at] = used - 1;
	}
	for (size_t i = 0; i < p->nwindows; i++) {
		struct profile_window *w = &p->window[i];

		if (w->region == PROFILE_NONE)
			continue;
		w->region = place[w->region];
		w->defined = w->defined && w->region != PROFILE_NONE;
	}
	for (size_t i = 0; i < p->nshares; i++)
		p->share[i].region = place[p->share[i].region];
	for (size_t i = 0; i < nkeyed; i++)
		free(keyed[i].key);
	free(keyed);
	free(place);
	free(p->region);
	p->region = merged;
	p->nregions = used;
}

/* ---- runs: in the order of time ---------------------------------------------- */

struct order {
	size_t at;
	const struct profile_run *run;
};

static int compare_runs(const void *va, const void *vb)
{
	const struct profile_run *a = ((const struct order *)va)->run, *b = ((const struct order *)vb)->run;
	int by;

	if ((by = compare_u64(a->started_ns, b->started_ns)) || (by = compare_text(a->host, b->host)) ||
	    (by = compare_text(a->command, b->command)) || (by = compare_u64(a->seed, b->seed)) ||
	    (by = compare_u64(a->wall_ns, b->wall_ns)) || (by = compare_u64(a->windows_ns, b->windows_ns)))
		return by;
	return compare_u64(a->windows, b->windows);
}

/* The same file given twice would pass for two runs that agree perfectly. */
static bool is_same_run(const struct profile_run *a, const struct profile_run *b)
{
	return a->started_ns && a->started_ns == b->started_ns && !compare_text(a->host, b->host) &&
	       !compare_text(a->command, b->command) && a->seed == b->seed && a->windows == b->windows &&
	       a->windows_ns == b->windows_ns;
}

static void sort_runs(struct profile *p)
{
	struct order *order = xcalloc(p->nruns + 1, sizeof *order);
	size_t *place = xcalloc(p->nruns + 1, sizeof *place), used = 0;
	struct profile_run *sorted = xcalloc(p->nruns + 1, sizeof *sorted);

	for (size_t i = 0; i < p->nruns; i++)
		order[i] = (struct order){ i, &p->run[i] };
	qsort(order, p->nruns, sizeof *order, compare_runs);
	for (size_t i = 0; i < p->nruns; i++) {
		struct profile_run *r = &p->run[order[i].at];

		if (used && is_same_run(&sorted[used - 1], r)) {
			msg_warn("run %s, started at %llu, is in the input twice: counted once", r->command ? r->command : "?",
				 (unsigned long long)r->started_ns);
			place[order[i].at] = PROFILE_NONE;
			release_run(r);
			continue;
		}
		place[order[i].at] = used;
		sorted[used++] = *r;
	}
	for (size_t i = 0; i < p->nwindows; i++) {
		struct profile_window *w = &p->window[i];

		if (w->defined)
			w->run = place[w->run];
		w->defined = w->defined && w->run != PROFILE_NONE;
	}
	for (size_t i = 0; i < p->nshares; i++)
		p->share[i].run = place[p->share[i].run];
	free(order);
	free(place);
	free(p->run);
	p->run = sorted;
	p->nruns = used;
}

/* Those of a run that counts. */
static void add_shares(struct profile *p)
{
	for (size_t i = 0; i < p->nshares; i++)
		if (p->share[i].run != PROFILE_NONE && p->share[i].region != PROFILE_NONE)
			p->region[p->share[i].region].samples += p->share[i].samples;
}

/* ---- windows, visits, points, warnings ----------------------------------------- */

static int compare_points(const void *a, const void *b)
{
	return strcmp(((const struct profile_point *)a)->name, ((const struct profile_point *)b)->name);
}

static void sort_points(struct profile *p)
{
	struct profile_point *sorted = xcalloc(p->npoints + 1, sizeof *sorted);
	size_t *place = xcalloc(p->npoints + 1, sizeof *place);

	memcpy(sorted, p->point, p->npoints * sizeof *sorted);
	qsort(sorted, p->npoints, sizeof *sorted, compare_points);
	for (size_t i = 0; i < p->npoints; i++)
		for (size_t j = 0; j < p->npoints; j++)
			if (p->point[i].name == sorted[j].name)
				place[i] = j;
	for (size_t i = 0; i < p->nvisits; i++)
		p->visits[i].point = place[p->visits[i].point];
	free(place);
	free(p->point);
	p->point = sorted;
}

static int compare_visits(const void *va, const void *vb)
{
	const struct profile_visits *a = va, *b = vb;
	int by = compare_u64(a->point, b->point);

	return by ? by : compare_u64(a->window, b->window);
}

/* Windows stay where they are: the estimator sorts what it is given. */
static void sort_visits(struct profile *p)
{
	size_t used = 0;

	for (size_t i = 0; i < p->nvisits; i++)
		if (p->window[p->visits[i].window].defined)
			p->visits[used++] = p->visits[i];
	p->nvisits = used;
	qsort(p->visits, p->nvisits, sizeof *p->visits, compare_visits);
}

static int compare_warnings(const void *va, const void *vb)
{
	const struct profile_warning *a = va, *b = vb;
	int by = strcmp(a->what, b->what);

	return by ? by : strcmp(a->text, b->text);
}

static void sort_warnings(struct profile *p)
{
	size_t used = 0;

	qsort(p->warning, p->nwarnings, sizeof *p->warning, compare_warnings);
	for (size_t i = 0; i < p->nwarnings; i++) {
		if (used && !compare_warnings(&p->warning[used - 1], &p->warning[i])) {
			free(p->warning[i].what);
			free(p->warning[i].text);
			continue;
		}
		p->warning[used++] = p->warning[i];
	}
	p->nwarnings = used;
}

void profile_finish(struct profile *p)
{
	/* memcpy and qsort of nothing want a place all the same */
	if (!p->nruns && !p->nwindows && !p->nregions && !p->npoints && !p->nwarnings)
		return;
	merge_regions(p);
	sort_runs(p);
	add_shares(p);
	if (p->npoints)
		sort_points(p);
	if (p->nvisits)
		sort_visits(p);
	if (p->nwarnings)
		sort_warnings(p);
	profile_label(p);
}
