#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "profile/robust.h"

void profile_release_region(struct profile_region *r)
{
	free(r->scope);
	free(r->function);
	free(r->symbol);
	free(r->file);
	free(r->also);
	free(r->ranges);
	free(r->module);
	free(r->line_hash);
	free(r->context_hash);
	free(r->function_hash);
	free(r->label);
}

void profile_release(struct profile *p)
{
	for (size_t i = 0; i < p->nregions; i++)
		profile_release_region(&p->region[i]);
	for (size_t i = 0; i < p->npoints; i++)
		free(p->point[i].name);
	for (size_t i = 0; i < p->nwarnings; i++) {
		free(p->warning[i].what);
		free(p->warning[i].text);
	}
	for (size_t i = 0; i < p->text.n; i++)
		free(p->text.entry[i].value);
	free(p->run);
	free(p->region);
	free(p->window);
	free(p->visits);
	free(p->point);
	free(p->first_given);
	free(p->warning);
	free(p->replayed);
	for (size_t i = 0; i < p->nwhys; i++) {
		free(p->why[i].at);
		free(p->why[i].until);
	}
	free(p->why);
	lengths_table_release(&p->lengths);
	idmap_release(&p->run_at);
	map_release(&p->region_at);
	map_release(&p->warning_at);
	map_release(&p->text);
	untried_names_release(&p->untried);
	*p = (struct profile)PROFILE_INIT;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* ---- runs: in the order of time ---------------------------------------------- */

int profile_compare_runs(const struct profile_run *a, const struct profile_run *b)
{
	int by;

	if ((by = compare_u64(a->started_ns, b->started_ns)) || (by = text_order(a->host, b->host)) ||
	    (by = text_order(a->command, b->command)) || (by = compare_u64(a->seed, b->seed)) ||
	    (by = compare_u64(a->wall_ns, b->wall_ns)) || (by = compare_u64(a->windows_ns, b->windows_ns)))
		return by;
	return compare_u64(a->windows, b->windows);
}

struct order {
	size_t at;
	const struct profile_run *run;
};

static int compare_order(const void *a, const void *b)
{
	return profile_compare_runs(((const struct order *)a)->run, ((const struct order *)b)->run);
}

static void sort_runs(struct profile *p)
{
	struct order *order = xcalloc(p->nruns + 1, sizeof *order);
	size_t *place = xcalloc(p->nruns + 1, sizeof *place);
	struct profile_run *sorted = xcalloc(p->nruns + 1, sizeof *sorted);

	for (size_t i = 0; i < p->nruns; i++)
		order[i] = (struct order){ i, &p->run[i] };
	qsort(order, p->nruns, sizeof *order, compare_order);
	for (size_t i = 0; i < p->nruns; i++) {
		place[order[i].at] = i;
		sorted[i] = *order[i].run;
	}
	for (size_t i = 0; i < p->nwindows; i++)
		p->window[i].run = place[p->window[i].run];
	for (size_t i = 0; i < p->nreplayed; i++)
		p->replayed[i].run = place[p->replayed[i].run];
	free(order);
	free(place);
	free(p->run);
	p->run = sorted;
}

/* ---- windows, visits, points, warnings ----------------------------------------- */

static int compare_points(const void *a, const void *b)
{
	return strcmp(((const struct profile_point *)a)->name, ((const struct profile_point *)b)->name);
}

/* All of its windows belong to another point (given_windows.h). */
static bool is_empty(const struct profile_point *point)
{
	return point->split && !point->plain;
}

static void sort_points(struct profile *p)
{
	struct profile_point *sorted = xcalloc(p->npoints + 1, sizeof *sorted);
	size_t *place = xcalloc(p->npoints + 1, sizeof *place), n = 0;

	for (size_t i = 0; i < p->npoints; i++)
		if (!is_empty(&p->point[i]))
			sorted[n++] = p->point[i];
	qsort(sorted, n, sizeof *sorted, compare_points);
	for (size_t i = 0; i < p->npoints; i++) {
		for (size_t j = 0; j < n; j++)
			if (p->point[i].name == sorted[j].name)
				place[i] = j;
		if (is_empty(&p->point[i]))
			free(p->point[i].name);
	}
	for (size_t i = 0; i < p->nvisits; i++)
		p->visits[i].point = place[p->visits[i].point];
	for (size_t i = 0; i < p->nreplayed; i++)
		p->replayed[i].point = place[p->replayed[i].point];
	lengths_table_points(&p->lengths, place);
	free(place);
	free(p->point);
	p->point = sorted;
	p->npoints = n;
}

static int compare_visits(const void *va, const void *vb)
{
	const struct profile_visits *a = va, *b = vb;
	int by = compare_u64(a->point, b->point);

	return by ? by : compare_u64(a->window, b->window);
}

static int compare_warnings(const void *va, const void *vb)
{
	const struct profile_warning *a = va, *b = vb;
	int by = strcmp(a->what, b->what);

	return by ? by : strcmp(a->text, b->text);
}

static void weigh_windows(struct profile *p)
{
	for (size_t i = 0, j; i < p->nvisits; i = j) {
		for (j = i; j < p->nvisits && p->visits[j].point == p->visits[i].point; j++)
			;
		robust_weigh(p, p->visits + i, j - i);
	}
}

/* rank: of each region, in the order of labels.  Its place is in the order of the input. */
static int compare_replayed(const void *va, const void *vb, void *rank)
{
	const struct profile_replayed *a = va, *b = vb;
	const size_t *at = rank;
	int by;

	if ((by = compare_u64(a->run, b->run)) || (by = compare_u64(a->point, b->point)))
		return by;
	if (a->region != PROFILE_NONE && b->region != PROFILE_NONE && (by = compare_u64(at[a->region], at[b->region])))
		return by;
	if ((by = compare_u64(a->what, b->what)))
		return by;
	return (a->s > b->s) - (a->s < b->s);
}

static int compare_whys(const void *va, const void *vb, void *rank)
{
	const struct profile_why *a = va, *b = vb;
	const size_t *at = rank;

	if (a->region != b->region)
		return compare_u64(at[a->region], at[b->region]);
	if (a->own != b->own)
		return a->own ? -1 : 1;
	return a->ns > b->ns ? -1 : a->ns < b->ns;
}

static int compare_labels(const void *va, const void *vb, void *regions)
{
	const struct profile_region *region = regions;

	return strcmp(region[*(const size_t *)va].label, region[*(const size_t *)vb].label);
}

static void sort_replayed(struct profile *p)
{
	size_t *order = xcalloc(p->nregions + 1, sizeof *order), *rank = xcalloc(p->nregions + 1, sizeof *rank);

	for (size_t i = 0; i < p->nregions; i++)
		order[i] = i;
	if (p->nregions)
		qsort_r(order, p->nregions, sizeof *order, compare_labels, p->region);
	for (size_t i = 0; i < p->nregions; i++)
		rank[order[i]] = i;
	if (p->nreplayed)
		qsort_r(p->replayed, p->nreplayed, sizeof *p->replayed, compare_replayed, rank);
	if (p->nwhys)
		qsort_r(p->why, p->nwhys, sizeof *p->why, compare_whys, rank);
	free(order);
	free(rank);
}

/*
 * A run that the recorder has cut short has seen the first phases of the program only.  If at least as much was observed
 * of runs that went to their end, replay of the others does not count.
 *
 * `openssl speed` hashes blocks of six sizes, one after the other, in 18 s.  A recording of 20 s has 2 s of a second run,
 * all of the first size.  SHA256_Update was 0.66 (0.10 to 0.66), and is 0.65 (0.60 to 0.66).
 */
static void leave_out_cut_runs(struct profile *p)
{
	double ended_ns = 0, cut_ns = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->nruns; i++) {
		ended_ns += p->run[i].ended ? p->run[i].burst_ns : 0;
		cut_ns += p->run[i].ended ? 0 : p->run[i].burst_ns;
	}
	if (!(ended_ns > 0) || ended_ns < cut_ns)
		return;
	for (size_t i = 0; i < p->nreplayed; i++)
		if (p->run[p->replayed[i].run].ended)
			p->replayed[n++] = p->replayed[i];
	p->nreplayed = n;
}

void profile_finish(struct profile *p)
{
	/* memcpy and qsort must not get NULL, even for no elements */
	if (p->nruns) {
		sort_runs(p);
		profile_find_sessions(p);
	}
	if (p->npoints)
		sort_points(p);
	if (p->nvisits)
		qsort(p->visits, p->nvisits, sizeof *p->visits, compare_visits);
	weigh_windows(p);
	profile_drop_clock_warning(p);
	if (p->nwarnings)
		qsort(p->warning, p->nwarnings, sizeof *p->warning, compare_warnings);
	profile_label(p);
	leave_out_cut_runs(p);
	sort_replayed(p);
}
