#include "match/roots.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"

/* The path without its tail and the '/' before that; the root directory keeps its own. */
static size_t before_tail(const char *path, size_t tail)
{
	size_t n = strlen(path) - tail;

	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

struct vote {
	size_t count;
};

static void vote(struct map *votes, char *key)
{
	struct vote **v = (struct vote **)map_at(votes, key);

	if (!*v)
		*v = xcalloc(1, sizeof **v);
	(*v)->count++;
	free(key);
}

/*
 * Compares keys.  A key may be two texts, "A\nB": the one that is first in the alphabet
 * counts, so that exchanging them changes nothing.
 */
static int order_keys(const char *a, const char *b)
{
	const char *half_a = strchr(a, '\n'), *half_b = strchr(b, '\n'), *first_a = a, *first_b = b;
	int d;

	if (!half_a || !half_b)
		return strcmp(a, b);
	if (strncmp(half_a + 1, a, (size_t)(half_a - a)) < 0)
		first_a = half_a + 1;
	if (strncmp(half_b + 1, b, (size_t)(half_b - b)) < 0)
		first_b = half_b + 1;
	d = strncmp(first_a, first_b, strcspn(first_a, "\n") + 1);
	return d ? d : strcmp(a, b);
}

/* The key with the most votes, of those the shortest, of those the first by its bytes; NULL when there are none. */
static char *elect(struct map *votes)
{
	const struct map_entry *best = NULL;
	size_t most = 0;
	char *won;

	for (size_t i = 0; i < votes->n; i++) {
		const struct map_entry *e = &votes->entry[i];
		size_t n = ((const struct vote *)e->value)->count;
		size_t len = strlen(e->key), best_len = best ? strlen(best->key) : 0;

		if (!best || n > most ||
		    (n == most && (len < best_len || (len == best_len && order_keys(e->key, best->key) < 0)))) {
			best = e;
			most = n;
		}
	}
	won = best ? xstrdup(best->key) : NULL;
	for (size_t i = 0; i < votes->n; i++)
		free(votes->entry[i].value);
	map_release(votes);
	return won;
}

/* ---- by the patch ------------------------------------------------------------ */

/* Most components of a path; outer ones of a deeper path are ignored. */
enum { DEEPEST = 256 };

/* The tree in which files have the names of the patch; NULL when no file has such a name. */
static char *elect_by_patch(const struct map *files, const struct map *in_patch)
{
	struct map votes = MAP_INIT;

	for (size_t i = 0; i < files->n; i++) {
		const char *file = files->entry[i].key, *at = file + strlen(file);

		for (int depth = 0; at > file && depth < DEEPEST; depth++) {
			for (at--; at > file && at[-1] != '/';)
				at--;
			if (map_has(in_patch, at))
				vote(&votes, xstrndup(file, before_tail(file, strlen(at))));
		}
	}
	return elect(&votes);
}

/* ---- by each other ----------------------------------------------------------- */

/*
 * If more paths than these are alike, only their last components are equal, and it is
 * unknown which belong together.
 */
enum { MOST_ALIKE = 8 };

static int compare_paths(const void *a, const void *b)
{
	return path_order_by_tail(*(const char *const *)a, *(const char *const *)b);
}

/* In the order of their tails; the caller frees. */
static const char **sort_paths(const struct map *paths)
{
	const char **v = xcalloc(paths->n + 1, sizeof *v);

	for (size_t i = 0; i < paths->n; i++)
		v[i] = paths->entry[i].key;
	qsort(v, paths->n, sizeof *v, compare_paths);
	return v;
}

/* The two trees in which two files have the same name: "BASE\nHEAD". */
static char *roots_of(const char *base, const char *head)
{
	size_t tail = path_common_tail(base, head);

	return xasprintf("%.*s\n%.*s", (int)before_tail(base, tail), base, (int)before_tail(head, tail), head);
}

/*
 * Votes for path and each of the sorted others[0..n) that has the longest tail in
 * common with it.  others[at] is the first that does not come before it.
 */
static void vote_with_like(struct map *votes, const char *path, const char *const *others, size_t n, size_t at, bool is_head)
{
	size_t before = at > 0 ? path_common_tail(path, others[at - 1]) : 0;
	size_t after = at < n ? path_common_tail(path, others[at]) : 0;
	size_t longest = before > after ? before : after, first = at, end = at;

	while (first > 0 && end - first <= MOST_ALIKE && path_common_tail(path, others[first - 1]) == longest)
		first--;
	while (end < n && end - first <= MOST_ALIKE && path_common_tail(path, others[end]) == longest)
		end++;
	if (!longest || end - first > MOST_ALIKE)
		return;
	for (size_t i = first; i < end; i++)
		vote(votes, is_head ? roots_of(others[i], path) : roots_of(path, others[i]));
}

static void vote_each(struct map *votes, const char *const *paths, size_t npaths, const char *const *others, size_t n, bool are_heads)
{
	for (size_t i = 0, at = 0; i < npaths; i++) {
		while (at < n && path_order_by_tail(others[at], paths[i]) < 0)
			at++;
		vote_with_like(votes, paths[i], others, n, at, are_heads);
	}
}

/* Each file of both sides votes, so that exchanging the sides changes nothing; NULL when no files are alike. */
static char *elect_by_pairs(const struct map *base_files, const struct map *head_files)
{
	const char **base = sort_paths(base_files), **head = sort_paths(head_files);
	struct map votes = MAP_INIT;

	vote_each(&votes, base, base_files->n, head, head_files->n, false);
	vote_each(&votes, head, head_files->n, base, base_files->n, true);
	free(base);
	free(head);
	return elect(&votes);
}

/* The other tree's root, by one root and the two prefixes in which the trees differ; owned. */
static char *carried(const char *root, const char *from, size_t nfrom, const char *to, size_t nto)
{
	if (strncmp(root, from, nfrom) != 0)
		return xstrndup(to, nto);
	return xasprintf("%.*s%s", (int)nto, to, root + nfrom);
}

struct roots roots_find(const struct map *base_files, const struct map *head_files, const struct map *old_paths,
			const struct map *new_paths)
{
	struct roots r = { NULL, NULL };
	char *pair = elect_by_pairs(base_files, head_files);
	size_t nbase = pair ? strcspn(pair, "\n") : 0;
	const char *head = pair ? pair + nbase + 1 : "";

	if (old_paths)
		r.base = elect_by_patch(base_files, old_paths);
	if (new_paths)
		r.head = elect_by_patch(head_files, new_paths);
	if (r.base && !r.head && pair)
		r.head = carried(r.base, pair, nbase, head, strlen(head));
	else if (r.head && !r.base && pair)
		r.base = carried(r.head, head, strlen(head), pair, nbase);
	if (!r.base)
		r.base = xstrndup(pair ? pair : "", nbase);
	if (!r.head)
		r.head = xstrdup(head);
	free(pair);
	return r;
}

void roots_release(struct roots *r)
{
	free(r->base);
	free(r->head);
	*r = (struct roots){ NULL, NULL };
}

const char *roots_path(const char *file, const char *root)
{
	size_t n = strlen(root);

	if (n == 0 || strncmp(file, root, n) != 0 || (file[n] != '/' && root[n - 1] != '/'))
		return file;
	for (file += n; *file == '/';)
		file++;
	return file;
}
