/* reduce: replaces the windows of one context by sums, for long inputs. */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "estimate/unit.h"
#include "profile/robust.h"

static size_t region_of(const struct profile *p, const struct profile_visits *v)
{
	return p->window[v->window].region;
}

/* Visits of one point and region. */
struct bucket {
	size_t point, region;
	size_t n;
	size_t first; /* place of the first of them when sorted */
};

static int compare_sizes(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

/* Baselines, which are PROFILE_NONE, are the last of their point. */
static int compare_buckets(const void *va, const void *vb)
{
	const struct bucket *a = *(struct bucket *const *)va, *b = *(struct bucket *const *)vb;
	int by = compare_sizes(a->point, b->point);

	return by ? by : compare_sizes(a->region, b->region);
}

static void place_buckets(struct bucket *bucket, size_t n)
{
	struct bucket **order = xcalloc(n + 1, sizeof *order);
	size_t first = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = &bucket[i];
	qsort(order, n, sizeof *order, compare_buckets);
	for (size_t i = 0; i < n; i++) {
		order[i]->first = first;
		first += order[i]->n;
	}
	free(order);
}

/*
 * Sorts by point and region, and otherwise keeps the order.  For long inputs, a general
 * sort would take a tenth of all time.
 */
static void sort_visits(const struct profile *p, struct profile_visits *v, size_t n)
{
	struct profile_visits *old = xcalloc(n + 1, sizeof *old);
	struct bucket *bucket = NULL;
	size_t *of = xcalloc(n + 1, sizeof *of), nbuckets = 0, cap = 0;
	struct idmap at = IDMAP_INIT;

	memcpy(old, v, n * sizeof *v);
	for (size_t i = 0; i < n; i++) {
		size_t region = region_of(p, &v[i]);

		of[i] = idmap_at(&at, (uint64_t)v[i].point << 32 ^ region, nbuckets);
		if (of[i] == nbuckets) {
			bucket = xgrow(bucket, nbuckets, &cap, sizeof *bucket);
			bucket[nbuckets++] = (struct bucket){ v[i].point, region, 0, 0 };
		}
		bucket[of[i]].n++;
	}
	place_buckets(bucket, nbuckets);
	for (size_t i = 0; i < n; i++)
		v[bucket[of[i]].first++] = old[i];
	idmap_release(&at);
	free(bucket);
	free(of);
	free(old);
}

static struct profile_pool *pool_at(struct profile *p, size_t point, size_t region)
{
	size_t at = idmap_at(&p->pool_at, (uint64_t)point << 32 | region, p->npools);

	if (at == p->npools) {
		p->pool = xgrow(p->pool, p->npools, &p->cap_pools, sizeof *p->pool);
		p->pool[p->npools++] = (struct profile_pool){ .point = point, .region = region };
	}
	return &p->pool[at];
}

const struct profile_pool *profile_pool_of(const struct profile *p, size_t point, size_t region)
{
	for (size_t i = 0; i < p->npools; i++)
		if (p->pool[i].point == point && p->pool[i].region == region)
			return &p->pool[i];
	return NULL;
}

/* Selects the visits that are used, and counts the others. */
static size_t add_obs(const struct profile *p, const struct profile_visits *v, size_t n, struct causal_obs *out,
		      struct profile_set_aside *count)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (profile_use(p, &v[i], count))
			out[used++] = profile_obs(p, &v[i]);
	return used;
}

/* One run at a time; short ones with the next, so that they can be compared. */
static void add_runs(struct profile *p, struct pool *pool, struct causal_obs *obs, size_t n)
{
	size_t *end = xcalloc(n + 1, sizeof *end), nends = 0, first = 0;
	struct causal_unit open = { 0 };

	causal_stratify(obs, n); /* sorts by run */
	for (size_t i = 0; i < n; i++) {
		open.windows++;
		open.baselines += obs[i].s == 0;
		if (i + 1 < n && (obs[i + 1].run == obs[i].run || !causal_unit_is_strong(&open)))
			continue;
		/* the last runs are joined with those before, if they are weak */
		if (nends && !causal_unit_is_strong(&open))
			nends--;
		end[nends++] = i + 1;
		open = (struct causal_unit){ 0 };
	}
	for (size_t i = 0; i < nends; first = end[i++])
		pool_add(pool, p->run[obs[first].run].hash, obs + first, end[i] - first);
	free(end);
}

/* For all regions together: counts, and the clusters of the baselines' period. */
static void add_point(struct profile_point *point, const struct profile *p, const struct profile_visits *v, size_t n,
		      struct causal_obs *baseline, size_t nbaselines)
{
	for (size_t i = 0; i < n; i++) {
		if (!profile_use(p, &v[i], &point->aside))
			continue;
		point->windows++;
		point->visits += (double)v[i].count;
	}
	point->baselines += nbaselines;
	causal_stratify(baseline, nbaselines); /* sorts by run */
	drift_add(&point->drift, baseline, nbaselines);
	for (size_t i = 0, j; i < nbaselines; i = j) {
		double time = 0, count = 0;

		for (j = i; j < nbaselines && (j == i || (!baseline[j].whole && baseline[j].run == baseline[i].run)); j++) {
			time += baseline[j].time_ns;
			count += baseline[j].count;
		}
		point->time_ns += time;
		point->count += count;
		point->tt += time * time;
		point->tc += time * count;
		point->cc += count * count;
		point->clusters++;
	}
}

/* v[0..n): the visits of one point, by region. */
static void reduce_point(struct profile *p, struct profile_visits *v, size_t n, struct causal_obs *obs)
{
	struct profile_set_aside aside = { 0 };
	size_t regions = 0, nbaselines;
	struct causal_obs *baseline = xcalloc(n + 1, sizeof *baseline);

	robust_weigh(p, v, n);
	while (regions < n && region_of(p, &v[regions]) != PROFILE_NONE)
		regions++;
	nbaselines = add_obs(p, v + regions, n - regions, baseline, &aside);
	add_point(&p->point[v->point], p, v, n, baseline, nbaselines);
	for (size_t i = 0, j; i < regions; i = j) {
		struct profile_pool *pool = pool_at(p, v->point, region_of(p, &v[i]));
		size_t used;

		for (j = i; j < regions && region_of(p, &v[j]) == region_of(p, &v[i]); j++)
			;
		profile_set_aside_add(&pool->aside, &aside);
		used = add_obs(p, v + i, j - i, obs, &pool->aside);
		for (size_t k = i; k < j; k++)
			if (!p->window[v[k].window].disturbed)
				profile_activity_add(&pool->activity, &p->window[v[k].window]);
		for (size_t b = 0; b < nbaselines; b++)
			obs[used++] = baseline[b];
		if (used)
			add_runs(p, &pool->pool, obs, used);
	}
	free(baseline);
}

void profile_reduce(struct profile *p, struct profile_visits *v, size_t n)
{
	struct causal_obs *obs = xcalloc(n + 1, sizeof *obs);

	sort_visits(p, v, n);
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && v[j].point == v[i].point; j++)
			;
		reduce_point(p, v + i, j - i, obs);
	}
	free(obs);
}
