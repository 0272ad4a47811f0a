/*
 * Equal lines come first: the ends that both sides share, then lines that are
 * unique on both sides and in the same order (as in patience diff).  The rest between
 * them is mostly small; there the pairing with the greatest sum of similarities is
 * used, in order.
 */
#include "source/similar.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/texthash.h"

/* Longer lines are compared by their beginnings. */
#define PAIRS_MAX 256
/* Pairs of lines that are compared with each other, at most. */
#define CELLS_MAX 20000

/* ---- two lines ------------------------------------------------------------ */

/* The neighbouring bytes of a line, sorted; a line of one byte has one pair. */
struct pairs {
	uint16_t *v;
	size_t n;
	uint64_t hash;
};

static int by_value(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

static struct pairs pairs_of(const struct patch_text *t)
{
	struct pairs p = { xcalloc(PAIRS_MAX + 1, sizeof *p.v), 0, texthash_line(t->s, t->len) };
	unsigned char last = 0;

	for (size_t i = 0; i < t->len && p.n < PAIRS_MAX; i++) {
		unsigned char c = (unsigned char)t->s[i];

		if (texthash_is_blank(t->s[i]))
			continue;
		p.v[p.n++] = (uint16_t)(last << 8 | c);
		last = c;
	}
	qsort(p.v, p.n, sizeof *p.v, by_value);
	return p;
}

/* 0..1, symmetric. */
static double alike(const struct pairs *a, const struct pairs *b)
{
	size_t i = 0, j = 0, common = 0;

	if (a->hash == b->hash)
		return 1;
	while (i < a->n && j < b->n) {
		if (a->v[i] == b->v[j]) {
			common++;
			i++;
			j++;
		} else if (a->v[i] < b->v[j]) {
			i++;
		} else {
			j++;
		}
	}
	/* Not equal, so less than 1, whatever the beginnings say. */
	return fmin(0.99, 2.0 * (double)common / (double)(a->n + b->n));
}

/* ---- two texts ------------------------------------------------------------ */

struct align {
	struct pairs *old, *new;
	uint32_t *partner;
	float *similarity;
};

static void join_lines(struct align *a, size_t i, size_t j)
{
	a->partner[i] = (uint32_t)(j + 1);
	a->similarity[i] = (float)alike(&a->old[i], &a->new[j]);
}

/* The best sum of similarities of two small texts. */
static void align_small(struct align *a, size_t lo, size_t hi, size_t lo2, size_t hi2)
{
	size_t n = hi - lo, m = hi2 - lo2, width = m + 1;
	float *best, *like;

	if (n == 0 || m == 0 || n > CELLS_MAX / m)
		return;
	best = xcalloc((n + 1) * width, sizeof *best);
	like = xcalloc(n * m, sizeof *like);
	/* best[i][j] is the sum of what follows from lines i and j on */
	for (size_t i = n; i-- > 0;) {
		for (size_t j = m; j-- > 0;) {
			float s = (float)alike(&a->old[lo + i], &a->new[lo2 + j]);
			float skip = fmaxf(best[(i + 1) * width + j], best[i * width + j + 1]);

			like[i * m + j] = s;
			best[i * width + j] = s >= (float)SIMILAR_MIN ? fmaxf(skip, s + best[(i + 1) * width + j + 1]) : skip;
		}
	}
	for (size_t i = 0, j = 0; i < n && j < m;) {
		float here = best[i * width + j], s = like[i * m + j];

		/* the same sum as it was built from: equality is exact */
		if (s >= (float)SIMILAR_MIN && !(here > s + best[(i + 1) * width + j + 1]) &&
		    !(here < s + best[(i + 1) * width + j + 1])) {
			join_lines(a, lo + i++, lo2 + j++);
		} else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) {
			i++;
		} else {
			j++;
		}
	}
	free(best);
	free(like);
}

struct anchor {
	uint64_t hash;
	size_t at;
	bool second; /* side */
};

static int by_hash(const void *pa, const void *pb)
{
	const struct anchor *a = pa, *b = pb;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->second != b->second)
		return a->second ? 1 : -1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Lines that stand once on each side: unique[i] = 1 + where on the second, by first. */
static void find_unique(const struct align *a, size_t lo, size_t hi, size_t lo2, size_t hi2, size_t *unique)
{
	size_t n = hi - lo, m = hi2 - lo2;
	struct anchor *v = xcalloc(n + m, sizeof *v);

	for (size_t i = 0; i < n; i++)
		v[i] = (struct anchor){ a->old[lo + i].hash, i, false };
	for (size_t j = 0; j < m; j++)
		v[n + j] = (struct anchor){ a->new[lo2 + j].hash, j, true };
	qsort(v, n + m, sizeof *v, by_hash);
	for (size_t k = 0; k + 1 < n + m; k++) {
		if (v[k].hash == v[k + 1].hash && !v[k].second && v[k + 1].second && (k == 0 || v[k - 1].hash != v[k].hash) &&
		    (k + 2 == n + m || v[k + 2].hash != v[k].hash))
			unique[v[k].at] = v[k + 1].at + 1;
	}
	free(v);
}

/* Keeps, of unique[0..n), only the longest rising sequence of elements other than 0. */
static void keep_rising(size_t *unique, size_t n)
{
	size_t *tail = xcalloc(n + 1, sizeof *tail), *before = xcalloc(n + 1, sizeof *before), len = 0;

	for (size_t i = 0; i < n; i++) {
		size_t lo = 0, hi = len;

		if (!unique[i])
			continue;
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (unique[tail[mid]] < unique[i])
				lo = mid + 1;
			else
				hi = mid;
		}
		before[i] = lo > 0 ? tail[lo - 1] : SIZE_MAX;
		tail[lo] = i;
		len = lo + 1 > len ? lo + 1 : len;
	}
	for (size_t i = n, next = len > 0 ? tail[len - 1] : SIZE_MAX; i-- > 0;) {
		if (i == next)
			next = before[i];
		else
			unique[i] = 0;
	}
	free(tail);
	free(before);
}

static void align_between(struct align *a, size_t lo, size_t hi, size_t lo2, size_t hi2)
{
	while (lo < hi && lo2 < hi2 && a->old[lo].hash == a->new[lo2].hash)
		join_lines(a, lo++, lo2++);
	while (lo < hi && lo2 < hi2 && a->old[hi - 1].hash == a->new[hi2 - 1].hash)
		join_lines(a, --hi, --hi2);
	align_small(a, lo, hi, lo2, hi2);
}

void similar_align(const struct patch_text *old, size_t n, const struct patch_text *new, size_t m, uint32_t *partner,
		   float *similarity)
{
	struct align a = { xcalloc(n + 1, sizeof *a.old), xcalloc(m + 1, sizeof *a.new), partner, similarity };
	size_t *unique = xcalloc(n + 1, sizeof *unique), lo = 0, lo2 = 0;

	for (size_t i = 0; i < n; i++) {
		partner[i] = 0;
		similarity[i] = 0;
		a.old[i] = pairs_of(&old[i]);
	}
	for (size_t j = 0; j < m; j++)
		a.new[j] = pairs_of(&new[j]);
	if (n > 0 && m > 0) {
		find_unique(&a, 0, n, 0, m, unique);
		keep_rising(unique, n);
		for (size_t i = 0; i < n; i++) {
			if (!unique[i])
				continue;
			align_between(&a, lo, i, lo2, unique[i] - 1);
			join_lines(&a, i, unique[i] - 1);
			lo = i + 1;
			lo2 = unique[i];
		}
		align_between(&a, lo, n, lo2, m);
	}
	for (size_t i = 0; i < n; i++)
		free(a.old[i].v);
	for (size_t j = 0; j < m; j++)
		free(a.new[j].v);
	free(a.old);
	free(a.new);
	free(unique);
}
