#include "diff/identity.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "binary/image.h"
#include "binary/symbols.h"

/* ---- functions ------------------------------------------------------------ */

static size_t digits(const char *s)
{
	size_t n = 0;

	while (isdigit((unsigned char)s[n]))
		n++;
	return n;
}

static bool is_hash(const char *s, size_t n)
{
	return strspn(s, "0123456789abcdef") == n;
}

/* Where a word that is followed by digits begins, as in ".__uniq.123". */
static size_t numbered(const char *s, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(s, word, n) && digits(s + n) ? n + digits(s + n) : 0;
}

/* Of what stands at s: how much is left out. */
static size_t left_out(const char *s)
{
	/* Rust's old scheme: ::h and 16 digits at the end; demangled that is gone, but not every demangler was asked */
	if (!strncmp(s, "::h", 3) && is_hash(s + 3, 16) && !s[19])
		return 19;
	/* clang -funique-internal-linkage-names */
	return numbered(s, ".__uniq.");
}

/*
 * The number of a lambda: "{lambda(int)#2}", "{closure#0}", "{closure_env#1}";
 * clang's demangler and older ones say 'lambda1'(int) and {{closure}}.
 */
static size_t lambda_number(const char *s, const char *begin)
{
	const char *open;

	if (*s == '#' && s[1 + digits(s + 1)] == '}' && digits(s + 1)) {
		for (open = s; open > begin && *open != '{'; open--)
			;
		return *open == '{' ? 1 + digits(s + 1) : 0;
	}
	if (s - begin >= 7 && !strncmp(s - 7, "'lambda", 7) && s[digits(s)] == '\'')
		return digits(s);
	return 0;
}

static char *cleaned(const char *s)
{
	struct buf out = BUF_INIT;

	buf_adds(&out, "");
	for (const char *at = s; *at;) {
		size_t n = left_out(at);

		n = n ? n : lambda_number(at, s);
		if (n)
			at += n;
		else
			buf_addc(&out, *at++);
	}
	return buf_detach(&out);
}

char *identity_function(const char *symbol, const char *function)
{
	char *plain, *clean;

	if (symbol && (!strncmp(symbol, "_Z", 2) || !strncmp(symbol, "_R", 2)))
		plain = image_demangle(symbol);
	else if (symbol || function)
		plain = xstrndup(symbol ? symbol : function, symbol_base(symbol ? symbol : function));
	else
		return NULL;
	clean = cleaned(plain);
	free(plain);
	return clean;
}

size_t identity_name(const char *identity)
{
	size_t n = strlen(identity), depth = 0;
	const char *close = strrchr(identity, ')');

	/* what stands behind the parameters is " const", " &", " [clone]" */
	if (!close || strpbrk(close, ":>}"))
		return n;
	for (const char *s = close;; s--) {
		depth += *s == ')';
		depth -= *s == '(';
		if (depth == 0)
			return s > identity ? (size_t)(s - identity) : n;
		if (s == identity)
			return n;
	}
}

/* ---- files ---------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* How long the tail is, of whole components, that both have. */
static size_t common_tail(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), best = 0;

	for (size_t i = 0; i < la && i < lb && a[la - 1 - i] == b[lb - 1 - i]; i++)
		if ((i + 1 == la || a[la - 2 - i] == '/') && (i + 1 == lb || b[lb - 2 - i] == '/'))
			best = i + 1;
	return best;
}

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

/* Base names to the paths that end in them: struct map of paths. */
static struct map by_base_name(const struct map *paths)
{
	struct map names = MAP_INIT;

	for (size_t i = 0; i < paths->n; i++) {
		void **group = map_at(&names, base_name(paths->entry[i].key));

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

/* The tree under which most files have the names that the patch calls them; NULL unknown. */
static char *root_by_patch(const struct map *files, const struct map *paths)
{
	struct map votes = MAP_INIT, names = by_base_name(paths);

	for (size_t i = 0; i < files->n; i++) {
		const char *file = files->entry[i].key;
		const struct map *group = map_get(&names, base_name(file));

		for (size_t k = 0; group && k < group->n; k++) {
			const char *path = group->entry[k].key;

			if (common_tail(file, path) == strlen(path))
				vote(&votes, xstrndup(file, before_tail(file, strlen(path))));
		}
	}
	release_groups(&names);
	return elect(&votes);
}

/* The two trees in which most files have the same name; "BASE\nHEAD", or NULL. */
static char *roots_by_each_other(const struct map *base, const struct map *head)
{
	struct map votes = MAP_INIT, names = by_base_name(head);

	for (size_t i = 0; i < base->n; i++) {
		const char *b = base->entry[i].key;
		const struct map *group = map_get(&names, base_name(b));

		for (size_t k = 0; group && k < group->n; k++) {
			const char *h = group->entry[k].key;
			size_t tail = common_tail(b, h);

			vote(&votes, xasprintf("%.*s\n%.*s", (int)before_tail(b, tail), b, (int)before_tail(h, tail), h));
		}
	}
	release_groups(&names);
	return elect(&votes);
}

/* The other tree's root, by one root and the two prefixes in which the trees differ; owned. */
static char *carried(const char *root, const char *from, size_t nfrom, const char *to, size_t nto)
{
	if (strncmp(root, from, nfrom) != 0)
		return xstrndup(to, nto);
	return xasprintf("%.*s%s", (int)nto, to, root + nfrom);
}

struct identity_roots identity_find_roots(const struct map *base_files, const struct map *head_files,
					  const struct map *old_paths, const struct map *new_paths)
{
	struct identity_roots r = { NULL, NULL };
	char *pair = roots_by_each_other(base_files, head_files);
	size_t nbase = pair ? strcspn(pair, "\n") : 0;
	const char *head = pair ? pair + nbase + 1 : "";

	if (old_paths)
		r.base = root_by_patch(base_files, old_paths);
	if (new_paths)
		r.head = root_by_patch(head_files, new_paths);
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

void identity_roots_release(struct identity_roots *r)
{
	free(r->base);
	free(r->head);
	*r = (struct identity_roots){ NULL, NULL };
}

const char *identity_path(const char *file, const char *root)
{
	size_t n = strlen(root);

	if (n == 0 || strncmp(file, root, n) != 0 || file[n] != '/')
		return file;
	for (file += n; *file == '/';)
		file++;
	return file;
}
