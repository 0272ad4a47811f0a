#include "diff/roots.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"

/* The path without its tail and the '/' before that. */
static size_t before_tail(const char *path, size_t tail)
{
	size_t n = strlen(path) - tail;

	while (n > 0 && path[n - 1] == '/')
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

/* A key may be two texts, "A\nB": by the one that comes first in the alphabet, so that exchanging them changes nothing. */
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

/* File names to the paths that end in them: struct map of paths. */
static struct map by_file_name(const struct map *paths)
{
	struct map names = MAP_INIT;

	for (size_t i = 0; i < paths->n; i++) {
		void **group = map_at(&names, path_name(paths->entry[i].key));

		if (!*group)
			*group = xcalloc(1, sizeof(struct map));
		map_at(*group, paths->entry[i].key);
	}
	return names;
}

static void release_groups(struct map *names)
{
	for (size_t i = 0; i < names->n; i++) {
		map_release(names->entry[i].value);
		free(names->entry[i].value);
	}
	map_release(names);
}

/* What a pair of paths with the same file name votes for, owned; NULL: nothing. */
typedef char *ballot_fn(const char *path, const char *other);

/* The choice of all pairs of a path and another one; NULL when none votes. */
static char *elect_by_pairs(const struct map *paths, const struct map *others, ballot_fn *ballot)
{
	struct map votes = MAP_INIT, names = by_file_name(others);

	for (size_t i = 0; i < paths->n; i++) {
		const char *path = paths->entry[i].key;
		const struct map *group = map_get(&names, path_name(path));

		for (size_t k = 0; group && k < group->n; k++) {
			char *choice = ballot(path, group->entry[k].key);

			if (choice)
				vote(&votes, choice);
		}
	}
	release_groups(&names);
	return elect(&votes);
}

/* The tree in which a file has the name that the patch calls it. */
static char *root_of(const char *file, const char *in_patch)
{
	size_t tail = strlen(in_patch);

	return path_common_tail(file, in_patch) == tail ? xstrndup(file, before_tail(file, tail)) : NULL;
}

/* The two trees in which two files have the same name: "BASE\nHEAD". */
static char *roots_of(const char *base, const char *head)
{
	size_t tail = path_common_tail(base, head);

	return xasprintf("%.*s\n%.*s", (int)before_tail(base, tail), base, (int)before_tail(head, tail), head);
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
	char *pair = elect_by_pairs(base_files, head_files, roots_of);
	size_t nbase = pair ? strcspn(pair, "\n") : 0;
	const char *head = pair ? pair + nbase + 1 : "";

	if (old_paths)
		r.base = elect_by_pairs(base_files, old_paths, root_of);
	if (new_paths)
		r.head = elect_by_pairs(head_files, new_paths, root_of);
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

	if (n == 0 || strncmp(file, root, n) != 0 || file[n] != '/')
		return file;
	for (file += n; *file == '/';)
		file++;
	return file;
}
