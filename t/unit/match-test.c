#include "unit.h"

#include "base/buf.h"
#include "match/identity.h"
#include "match/match.h"
#include "match/match_anchor.h"
#include "match/roots.h"
#include "source/source.h"

/* ---- names ---------------------------------------------------------------- */

static void names_lose_what_a_build_adds(void **state)
{
	static const struct {
		const char *symbol, *function, *identity;
	} all[] = {
		{ "work.isra.0", NULL, "work" },
		{ "work.part.3.constprop.1.cold", NULL, "work" },
		{ "work.lto_priv.0", "work", "work" },
		{ "work.llvm.1234567890", NULL, "work" },
		{ "work.__uniq.123456789", NULL, "work" },
		{ "_ZN4demo4workEi.isra.0", "demo::work(int)", "demo::work(int)" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE", NULL, "core::fmt::write" },
		{ NULL, "core::fmt::write::h0123456789abcdef", "core::fmt::write" },
		{ "_RNvCs5ABCdef_5crate4main", NULL, "crate::main" },
		{ "_RNvCs9ZYXwvu_5crate4main", NULL, "crate::main" },
		{ NULL, "main::{lambda(int)#2}::operator()(int) const", "main::{lambda(int)}::operator()(int) const" },
		{ NULL, "sort::{closure#0}", "sort::{closure}" },
		{ NULL, "sort::{{closure}}", "sort::{{closure}}" },
		{ NULL, "main::'lambda1'(int)::operator()(int) const", "main::'lambda'(int)::operator()(int) const" },
		{ NULL, "(anonymous namespace)::f()", "(anonymous namespace)::f()" },
		{ NULL, "std::sort<int*, std::less<int> >(int*)", "std::sort<int*, std::less<int> >(int*)" },
		{ NULL, "a#1}", "a#1}" },
		{ NULL, "h0123", "h0123" },
		{ NULL, "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		char *got = identity_function(all[i].symbol, all[i].function);

		assert_string_equal(got, all[i].identity);
		free(got);
	}
	assert_null(identity_function(NULL, NULL));
}

static void a_name_ends_before_its_parameters(void **state)
{
	static const struct {
		const char *identity, *name;
	} all[] = {
		{ "f(int, long)", "f" },
		{ "f(void (*)(int)) const", "f" },
		{ "a::operator()(int) const", "a::operator()" },
		{ "work", "work" },
		{ "main::{lambda(int)}", "main::{lambda(int)}" },
		{ "(x)", "(x)" },
		{ ")", ")" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		assert_int_equal(identity_name(all[i].identity), strlen(all[i].name));
}

static struct map paths(const char *list)
{
	struct map m = MAP_INIT;
	char *copy = strdup(list), *save;

	for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save))
		map_at(&m, p);
	free(copy);
	return m;
}

static void trees_are_found_by_what_paths_have_in_common(void **state)
{
	static const struct {
		const char *base, *head, *old, *new, *base_root, *head_root;
	} all[] = {
		{ "/b/src/a.c /b/src/b.c /usr/include/x.h", "/h/src/a.c /h/src/b.c /usr/include/x.h", NULL, NULL, "/b", "/h" },
		{ "/w/src/a.c /w/b.c", "/w/src/a.c /w/b.c", NULL, NULL, "", "" },
		{ "/w/src/a.c /w/b.c", "/w/src/a.c /w/b.c", "src/a.c", "src/a.c", "/w", "/w" },
		{ "/b/src/a.c /b/b.c", "/h/src/a.c /h/b.c", "src/a.c", "lib/z.c", "/b", "/h" },
		{ "/b/src/a.c /b/b.c", "/h/src/a.c /h/b.c", "lib/z.c", "src/a.c", "/b", "/h" },
		{ "/w/src/a.c /w/a.c", "/w/src/a.c /w/a.c", "src/a.c a.c", "src/a.c a.c", "/w", "/w" },
		{ "src/a.c", "src/a.c", "src/a.c", "src/a.c", "", "" },
		{ "", "", "a.c", "a.c", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct map base = paths(all[i].base), head = paths(all[i].head);
		struct map old = paths(all[i].old ? all[i].old : ""), new = paths(all[i].new ? all[i].new : "");
		struct roots r = roots_find(&base, &head, all[i].old ? &old : NULL, all[i].new ? &new : NULL);

		assert_string_equal(r.base, all[i].base_root);
		assert_string_equal(r.head, all[i].head_root);
		roots_release(&r);
		map_release(&base);
		map_release(&head);
		map_release(&old);
		map_release(&new);
	}
	assert_string_equal(roots_path("/w/src/a.c", "/w"), "src/a.c");
	assert_string_equal(roots_path("/work/a.c", "/w"), "/work/a.c");
	assert_string_equal(roots_path("a.c", ""), "a.c");
	assert_string_equal(roots_path("/src/a.c", "/"), "src/a.c");
}

/* ---- places --------------------------------------------------------------- */

enum { PLACES = 64 };

struct scene {
	struct match_place place[PLACES];
	size_t n;
	char *owned[4 * PLACES];
	size_t nowned;
};

static char *own(struct scene *s, struct buf *b)
{
	return s->owned[s->nowned++] = buf_detach(b);
}

static void release_scene(struct scene *s)
{
	for (size_t i = 0; i < s->nowned; i++)
		free(s->owned[i]);
	*s = (struct scene){ .n = 0 };
}

/* Adds the lines `lines` (a list that ends with 0) of the function that begins at line `first` of a file with this text. */
static void add_lines(struct scene *s, const char *file, const char *text, const char *function, unsigned first,
		      const unsigned *lines)
{
	struct source *source = source_of(text, strlen(text));
	struct source_function f;
	struct buf b = BUF_INIT;
	char *body;

	assert_true(source_function(source, first, &f));
	source_function_hash(source, &f, &b);
	body = own(s, &b);
	for (; *lines; lines++) {
		struct match_place *p = &s->place[s->n++];

		*p = (struct match_place){ .scope = "line", .function = function, .symbol = function, .file = file, .module = "/x/prog",
					   .line = *lines, .function_line = first, .function_hash = body };
		assert_true(source_line_hash(source, *lines, &f, &b));
		p->line_hash = own(s, &b);
		source_context_hash(source, *lines, &b);
		p->context_hash = own(s, &b);
	}
	source_free(source);
}

static void add_function(struct scene *s, const char *scope, const char *file, const char *function)
{
	s->place[s->n++] = (struct match_place){ .scope = scope, .function = function, .symbol = function, .file = file };
}

static void hide_texts(struct scene *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->place[i].line_hash = s->place[i].context_hash = s->place[i].function_hash = NULL;
}

/* Two scenes, and what is paired of them. */
struct trial {
	struct scene base, head;
	struct match *match; /* match[0..n) */
	size_t n;
};

/* May be called again, after changes. */
static void pair_up(struct trial *t, const struct linemap *map)
{
	free(t->match);
	t->n = match_places(t->base.place, t->base.n, t->head.place, t->head.n, map, &t->match);
}

static void end_trial(struct trial *t)
{
	free(t->match);
	release_scene(&t->base);
	release_scene(&t->head);
	*t = (struct trial){ .n = 0 };
}

/* The pair of base place i, or NULL. */
static const struct match *pair_of(const struct trial *t, size_t i)
{
	for (size_t k = 0; k < t->n; k++)
		if (t->match[k].base == i)
			return &t->match[k];
	return NULL;
}

static void check_pair(const struct trial *t, size_t base, size_t head, enum match_kind kind, double least)
{
	const struct match *p = pair_of(t, base);

	if (!p || p->head != head || p->kind != kind || p->confidence < least || p->confidence > 1)
		fail_msg("base %zu: %zd %s %.2f", base, p ? (ssize_t)p->head : -1, p ? match_kind_name(p->kind) : "", p ? p->confidence : 0);
}

static struct linemap map_of(const char *patch)
{
	struct linemap map;
	char path[64];
	int fd = memfd_create("patch", 0);

	assert_int_equal(write(fd, patch, strlen(patch)), strlen(patch));
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	linemap_init(&map);
	assert_true(linemap_read(&map, path));
	close(fd);
	return map;
}

static const char OLD[] = "int work(int n)\n"          /* 1 */
			  "{\n"
			  "\tint sum = 0;\n"               /* 3 */
			  "\tfor (int i = 0; i < n; i++)\n"
			  "\t\tsum += cost(i);\n"          /* 5 */
			  "\tlog_it(sum);\n"
			  "\tfor (int i = 0; i < n; i++)\n" /* 7 */
			  "\t\tsum -= rebate(i);\n"
			  "\treturn sum;\n"                /* 9 */
			  "}\n";
static const char NEW[] = "/* what it costs */\n"
			  "int work(int n)\n"          /* 2 */
			  "{\n"
			  "\tint sum = 0;\n"               /* 4 */
			  "\tcheck(n);\n"
			  "\tfor (int i = 0; i < n; i++)\n" /* 6 */
			  "\t    sum += cost(i);\n"
			  "\tlog_sum(sum, n);\n"           /* 8 */
			  "\tfor (int i = 0; i < n; i++)\n"
			  "\t\tsum -= rebate(i);\n"        /* 10 */
			  "\treturn sum;\n"
			  "}\n";
static const char PATCH[] = "diff --git a/src/a.c b/src/a.c\n--- a/src/a.c\n+++ b/src/a.c\n@@ -0,0 +1 @@\n+/* what it costs */\n"
			    "@@ -3,0 +5 @@\n+\tcheck(n);\n@@ -5,2 +7,2 @@\n-\t\tsum += cost(i);\n-\tlog_it(sum);\n"
			    "+\t    sum += cost(i);\n+\tlog_sum(sum, n);\n";

static void lines_are_found_by_their_text(void **state)
{
	struct trial t = { .n = 0 };

	(void)state;
	add_lines(&t.base, "/b/src/a.c", OLD, "work", 1, (const unsigned[]){ 4, 5, 6, 7, 8, 9, 0 });
	add_lines(&t.head, "/h/src/a.c", NEW, "work", 2, (const unsigned[]){ 11, 10, 9, 8, 7, 6, 5, 0 });
	pair_up(&t, NULL);
	assert_int_equal(t.n, 6);
	check_pair(&t, 0, 5, MATCH_TEXT, 0.9); /* the first of two equal lines */
	check_pair(&t, 1, 4, MATCH_TEXT, 0.95);
	check_pair(&t, 2, 3, MATCH_CONTEXT, 0.75); /* edited, between two that were not */
	check_pair(&t, 3, 2, MATCH_TEXT, 0.9);
	check_pair(&t, 4, 1, MATCH_TEXT, 0.95);
	check_pair(&t, 5, 0, MATCH_TEXT, 0.95);
	assert_true(pair_of(&t, 2)->edited);
	assert_false(pair_of(&t, 1)->edited);
	end_trial(&t);
}

static void the_map_knows_better(void **state)
{
	struct trial t = { .n = 0 };
	struct linemap map = map_of(PATCH);

	(void)state;
	for (int texts = 1; texts >= 0; texts--) {
		add_lines(&t.base, "/b/src/a.c", OLD, "work", 1, (const unsigned[]){ 4, 5, 6, 7, 0 });
		add_lines(&t.head, "/h/src/a.c", NEW, "work", 2, (const unsigned[]){ 6, 7, 8, 9, 5, 0 });
		if (!texts) {
			hide_texts(&t.base);
			hide_texts(&t.head);
		}
		pair_up(&t, &map);
		assert_int_equal(t.n, 4);
		check_pair(&t, 0, 0, MATCH_MOVED, 0.99);
		check_pair(&t, 1, 1, texts ? MATCH_TEXT : MATCH_EDITED, 0.9);
		check_pair(&t, 2, 2, MATCH_EDITED, 0.5);
		check_pair(&t, 3, 3, MATCH_MOVED, 0.99);
		assert_true(pair_of(&t, 2)->edited);
		end_trial(&t);
	}
	linemap_release(&map);
}

static void a_map_of_other_trees_is_not_believed(void **state)
{
	struct trial t = { .n = 0 };
	struct linemap map = map_of("");

	(void)state;
	add_lines(&t.base, "/b/src/a.c", OLD, "work", 1, (const unsigned[]){ 5, 8, 0 });
	add_lines(&t.head, "/h/src/a.c", NEW, "work", 2, (const unsigned[]){ 7, 5, 8, 10, 0 });
	pair_up(&t, &map);
	check_pair(&t, 0, 0, MATCH_TEXT, 0.9);
	check_pair(&t, 1, 3, MATCH_TEXT, 0.9);
	end_trial(&t);
	linemap_release(&map);
}

static void a_line_whose_partner_was_not_measured_has_none(void **state)
{
	struct trial t = { .n = 0 };
	struct linemap map = map_of(PATCH);

	(void)state;
	add_lines(&t.base, "/b/src/a.c", OLD, "work", 1, (const unsigned[]){ 8, 0 });
	add_lines(&t.head, "/h/src/a.c", NEW, "work", 2, (const unsigned[]){ 7, 9, 0 });
	pair_up(&t, &map);
	assert_int_equal(t.n, 0);
	pair_up(&t, NULL);
	for (size_t i = 0; i < t.n; i++)
		assert_true(t.match[i].confidence < MATCH_SURE);
	end_trial(&t);
	linemap_release(&map);
}

static void without_texts_position_is_a_guess(void **state)
{
	struct trial t = { .n = 0 };

	(void)state;
	add_lines(&t.base, "/b/src/a.c", OLD, "work", 1, (const unsigned[]){ 3, 0 });
	add_lines(&t.head, "/h/src/a.c", NEW, "work", 2, (const unsigned[]){ 4, 10, 0 });
	hide_texts(&t.base);
	hide_texts(&t.head);
	pair_up(&t, NULL);
	assert_int_equal(t.n, 1);
	check_pair(&t, 0, 0, MATCH_OFFSET, 0.3);
	assert_true(t.match[0].confidence < MATCH_SURE);
	end_trial(&t);
}

static void renamed_functions_are_found_by_their_text(void **state)
{
	struct trial t = { .n = 0 };

	(void)state;
	add_lines(&t.base, "/b/src/a.c", OLD, "work", 1, (const unsigned[]){ 5, 8, 0 });
	add_lines(&t.head, "/h/src/z.c", OLD, "labour", 1, (const unsigned[]){ 8, 5, 0 });
	pair_up(&t, NULL);
	assert_int_equal(t.n, 2);
	check_pair(&t, 0, 1, MATCH_RENAMED, 0.75);
	check_pair(&t, 1, 0, MATCH_RENAMED, 0.75);
	end_trial(&t);
}

static void functions_and_classes_are_known_by_their_names(void **state)
{
	struct trial t = { .n = 0 };

	(void)state;
	add_function(&t.base, "function", "/b/a.c", "work");
	add_function(&t.base, "function", "/b/b.c", "init.isra.0");
	add_function(&t.base, "function", "/b/a.c", "init");
	add_function(&t.base, "class", NULL, ":io");
	add_function(&t.base, "function", "/b/a.c", "gone");
	add_function(&t.base, "function", NULL, "memcpy");
	add_function(&t.base, "function", "/b/a.c", "typed(int)");
	add_function(&t.head, "class", NULL, ":lock");
	add_function(&t.head, "class", NULL, ":io");
	add_function(&t.head, "function", "/h/a.c", "init");
	add_function(&t.head, "function", "/h/b.c", "init.constprop.1");
	add_function(&t.head, "function", "/h/a.c", "work.cold");
	add_function(&t.head, "function", NULL, "memcpy");
	add_function(&t.head, "function", "/h/a.c", "typed(long)");
	pair_up(&t, NULL);
	assert_int_equal(t.n, 6);
	check_pair(&t, 0, 4, MATCH_FUNCTION, 0.95);
	check_pair(&t, 1, 3, MATCH_FUNCTION, 0.95);
	check_pair(&t, 2, 2, MATCH_FUNCTION, 0.95);
	check_pair(&t, 3, 1, MATCH_NAME, 0.95);
	assert_null(pair_of(&t, 4));
	check_pair(&t, 5, 5, MATCH_NAME, 0.95);
	check_pair(&t, 6, 6, MATCH_FUNCTION, 0.75);
	end_trial(&t);
}

static void nothing_is_paired_across_modules_or_scopes(void **state)
{
	struct match_place base = { .scope = "function", .function = "f", .module = "/b/one.so" };
	struct match_place head = { .scope = "function", .function = "f", .module = "/h/two.so" };
	struct match *m;

	(void)state;
	assert_int_equal(match_places(&base, 1, &head, 1, NULL, &m), 0);
	free(m);
	head.module = "/h/one.so";
	assert_int_equal(match_places(&base, 1, &head, 1, NULL, &m), 1);
	free(m);
	head.scope = "line";
	assert_int_equal(match_places(&base, 1, &head, 1, NULL, &m), 0);
	free(m);
	assert_int_equal(match_places(NULL, 0, &head, 1, NULL, &m), 0);
	free(m);
	assert_int_equal(match_places(&base, 1, NULL, 0, NULL, &m), 0);
	free(m);
}

/* ---- properties ----------------------------------------------------------- */

static unsigned seed;

static unsigned below(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* A place out of few names and numbers, so that many are alike; hashes may be anything. */
static struct match_place any_place(const char *root)
{
	static const char *const NAME[] = { "f", "g", "f(int)", "{closure#1}", "{closure#2}", NULL, "h.isra.0" };
	static const char *const FILE[][2] = { { "/b/a.c", "/h/a.c" }, { "/b/b.c", "/h/b.c" }, { NULL, NULL }, { "/x/a.h", "/x/a.h" } };
	static const char *const HASH[] = { "0123456789abcdef", "0123456789abcdef.1/2", "0123456789abcdef.2/2", "fedcba9876543210", "x",
					    "0123456789abcdef.", "0123456789abcdef.9", "", NULL };
	static const char *const AROUND[] = { "1.2.3.4.5.6", "1.2.3.4.5.0", "0.0.0.0.0.0", "....", "7", NULL };
	static const char *const BODY[] = {
		"0123456789abcdef.9.0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"1123456789abcdef.9.0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdff",
		"2123456789abcdef.2.0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdff",
		"0123456789abcdef.9.zz", "0123456789abcdef", NULL,
	};
	static const char *const SCOPE[] = { "line", "line", "line", "function", "class", NULL };
	struct match_place p = { .scope = SCOPE[below(6)], .function = NAME[below(7)], .file = FILE[below(4)][*root == 'h'], .line = below(6),
				 .function_line = below(3), .line_hash = HASH[below(9)], .context_hash = AROUND[below(6)],
				 .function_hash = BODY[below(6)], .module = below(4) ? "prog" : NULL };

	p.symbol = below(2) ? p.function : NULL;
	return p;
}

/* n of them; a line of a file has one text. */
static void any_places(struct match_place *p, size_t n, const char *root)
{
	for (size_t i = 0; i < n; i++) {
		p[i] = any_place(root);
		for (size_t k = 0; k < i; k++) {
			if (p[k].line != p[i].line || !p[k].file != !p[i].file || (p[k].file && strcmp(p[k].file, p[i].file) != 0))
				continue;
			p[i].line_hash = p[k].line_hash;
			p[i].context_hash = p[k].context_hash;
		}
	}
}

static bool same_place(const struct match_place *a, const struct match_place *b)
{
	const char *const x[] = { a->scope, a->function, a->symbol, a->file, a->module, a->line_hash, a->context_hash, a->function_hash };
	const char *const y[] = { b->scope, b->function, b->symbol, b->file, b->module, b->line_hash, b->context_hash, b->function_hash };

	for (size_t i = 0; i < sizeof x / sizeof x[0]; i++)
		if (!x[i] != !y[i] || (x[i] && strcmp(x[i], y[i]) != 0))
			return false;
	return a->line == b->line && a->function_line == b->function_line;
}

static void shuffle(struct match_place *to, const struct match_place *from, size_t n)
{
	memcpy(to, from, n * sizeof *to);
	for (size_t i = n; i > 1; i--) {
		size_t k = below((unsigned)i);
		struct match_place p = to[i - 1];

		to[i - 1] = to[k];
		to[k] = p;
	}
}

/* Is there a pair of such places, of this kind and confidence? */
static bool has_pair(const struct match *m, size_t n, const struct match_place *base, const struct match_place *head,
		     const struct match *want, const struct match_place *want_base, const struct match_place *want_head)
{
	for (size_t i = 0; i < n; i++) {
		if (m[i].kind == want->kind && !(m[i].confidence < want->confidence) && !(m[i].confidence > want->confidence) &&
		    m[i].edited == want->edited && same_place(&base[m[i].base], want_base) && same_place(&head[m[i].head], want_head))
			return true;
	}
	return false;
}

static void check_one_to_one(const struct match *m, size_t n, size_t nhead)
{
	bool taken[PLACES] = { false };

	for (size_t i = 0; i < n; i++) {
		assert_true(m[i].confidence > 0 && m[i].confidence <= 1);
		assert_true(i == 0 || m[i].base > m[i - 1].base);
		assert_true(m[i].head < nhead && !taken[m[i].head]);
		taken[m[i].head] = true;
		assert_non_null(match_kind_name(m[i].kind));
	}
}

static void pairs_depend_on_the_places_alone(void **state)
{
	static const char FORTH[] = "--- a/a.c\n+++ b/a.c\n@@ -2 +2,2 @@\n-int one(void);\n+int zero(void);\n+int one(int);\n";
	static const char BACK[] = "--- a/a.c\n+++ b/a.c\n@@ -2,2 +2 @@\n-int zero(void);\n-int one(int);\n+int one(void);\n";
	struct linemap forth = map_of(FORTH), back = map_of(BACK);

	(void)state;
	for (unsigned round = 1; round <= 3000; round++) {
		struct match_place base[PLACES], head[PLACES], b2[PLACES], h2[PLACES];
		size_t nb, nh, n, n2, n3;
		struct match *m, *m2, *m3;
		bool with_map = round % 2;

		seed = round;
		nb = below(12);
		nh = below(12);
		any_places(base, nb, "b");
		any_places(head, nh, "h");
		shuffle(b2, base, nb);
		shuffle(h2, head, nh);
		n = match_places(base, nb, head, nh, with_map ? &forth : NULL, &m);
		n2 = match_places(b2, nb, h2, nh, with_map ? &forth : NULL, &m2);
		n3 = match_places(h2, nh, b2, nb, with_map ? &back : NULL, &m3);
		check_one_to_one(m, n, nh);
		check_one_to_one(m2, n2, nh);
		check_one_to_one(m3, n3, nb);
		assert_int_equal(n2, n);
		for (size_t i = 0; i < n; i++) {
			if (!has_pair(m2, n2, b2, h2, &m[i], &base[m[i].base], &head[m[i].head]))
				fail_msg("round %u: pair %zu is not there in another order", round, i);
		}
		if (n3 != n)
			fail_msg("round %u: %zu pairs, %zu with the sides exchanged", round, n, n3);
		for (size_t i = 0; i < n; i++) {
			if (!has_pair(m3, n3, h2, b2, &m[i], &head[m[i].head], &base[m[i].base]))
				fail_msg("round %u: pair %zu is not there with the sides exchanged", round, i);
		}
		free(m);
		free(m2);
		free(m3);
	}
	linemap_release(&forth);
	linemap_release(&back);
}

/* ---- positions ------------------------------------------------------------ */

static void position_is_measured_from_what_is_known(void **state)
{
	struct match_anchors a = { 0 };

	(void)state;
	match_anchors_begin(&a, 10, 0);
	assert_int_equal(a.n, 0);
	assert_int_equal(match_anchors_distances(&a, 3, 99), 0);
	match_anchors_begin(&a, 10, 20);
	assert_int_equal(match_anchors_distances(&a, 12, 22), 1);
	assert_int_equal(match_anchors_distances(&a, 12, 23), 0);
	assert_int_equal(match_anchors_distances(&a, 9, 19), 1);
	assert_int_equal(match_anchors_distances(&a, 12, 19), MATCH_OUT_OF_ORDER);
	assert_int_equal(match_anchors_distances(&a, 9, 22), MATCH_OUT_OF_ORDER);
	assert_int_equal(match_anchors_distances(&a, 10, 22), MATCH_OUT_OF_ORDER);

	/* the last one crosses the one before it */
	match_anchors_add(&a, 30, 41);
	match_anchors_add(&a, 20, 30);
	match_anchors_add(&a, 25, 29);
	match_anchors_settle(&a);
	assert_int_equal(a.n, 3);
	assert_int_equal(match_anchors_distances(&a, 15, 25), 2);
	assert_int_equal(match_anchors_distances(&a, 25, 35), 1);
	assert_int_equal(match_anchors_distances(&a, 25, 36), 1);
	assert_int_equal(match_anchors_distances(&a, 25, 34), 0);
	match_anchors_release(&a);
	assert_int_equal(a.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lose_what_a_build_adds),
		cmocka_unit_test(a_name_ends_before_its_parameters),
		cmocka_unit_test(trees_are_found_by_what_paths_have_in_common),
		cmocka_unit_test(lines_are_found_by_their_text),
		cmocka_unit_test(the_map_knows_better),
		cmocka_unit_test(a_map_of_other_trees_is_not_believed),
		cmocka_unit_test(a_line_whose_partner_was_not_measured_has_none),
		cmocka_unit_test(without_texts_position_is_a_guess),
		cmocka_unit_test(renamed_functions_are_found_by_their_text),
		cmocka_unit_test(functions_and_classes_are_known_by_their_names),
		cmocka_unit_test(nothing_is_paired_across_modules_or_scopes),
		cmocka_unit_test(pairs_depend_on_the_places_alone),
		cmocka_unit_test(position_is_measured_from_what_is_known),
	};

	return UNIT_MAIN(tests);
}
