#include "unit.h"

#include "base/buf.h"
#include "source/source.h"

static struct source *text(const char *s)
{
	return source_of(s, strlen(s));
}

/* ---- where a function ends ------------------------------------------------ */

static void functions_end_at_their_brace(void **state)
{
	static const struct {
		const char *text;
		unsigned first, last; /* last 0: no function */
	} all[] = {
		{ "int f(void)\n{\n\treturn 1;\n}\nint g(void) { return 2; }\n", 1, 4 },
		{ "int f(void)\n{\n\treturn 1;\n}\nint g(void) { return 2; }\n", 5, 5 },
		{ "int f(void)\n{\n\tputs(\"}\\\"}\"); /* } */ // }\n\tif (c == '}' || c == '\\'') {\n\t}\n}\n", 1, 6 },
		{ "fn f<'a>(x: &'a [u8; 4]) -> &'a str {\n    match x { _ => { \"\" } }\n}\n", 1, 3 },
		{ "A::A(int x) : a{x}, b(x), c{}\n{\n}\nvoid g() {}\n", 1, 3 },
		{ "int n = 1'000'000; int f() {\n}\n", 1, 0 },
		{ "auto f = [&](int x) {\n  return x;\n};\n", 1, 3 },
		{ "int f(void);\nint g(void) {\n}\n", 1, 0 },
		{ "struct s { int f(void); };\n}\nint g(void) {\n}\n", 2, 0 },
		{ "int f(void) {\n", 1, 0 },
		{ "int f(void) { /*\n", 1, 0 },
		{ "int f(void) { \"\n}\n", 1, 0 },
		{ "int f(void) { )\n}\n", 1, 0 },
		{ "", 1, 0 },
		{ "int f(void) {\n}", 3, 0 },
		{ "int f(void) {\n}", 0, 0 },
		{ "subroutine f\nend subroutine\n", 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct source *s = text(all[i].text);
		struct source_function f = { 0 };
		bool found = source_function(s, all[i].first, &f);

		if (found != (all[i].last != 0) || (found && f.last != all[i].last))
			fail_msg("case %zu: %d, line %u", i, found, f.last);
		source_free(s);
	}
}

/* Any text that is cut or damaged: a result inside the text. */
static void damaged_text(void **state)
{
	static const char WHOLE[] = "int f(int *x)\n{\n\t/* { */ puts(\"\\\"{\", '{', '\\''); // {\n\tx[0] = g((int[]){ 1, 2 });\n}\n";
	char copy[sizeof WHOLE];

	(void)state;
	for (size_t i = 0; i < sizeof WHOLE; i++) {
		for (const char *put = "{}()[]\"'\\/*\n"; *put; put++) {
			struct source_function f;
			struct buf out = BUF_INIT;
			struct source *s;

			memcpy(copy, WHOLE, sizeof copy);
			copy[i] = *put;
			for (size_t len = 0; len <= i + 1 && len < sizeof WHOLE; len += i + 1) {
				s = source_of(copy, len ? len : sizeof WHOLE - 1);
				if (source_function(s, 1, &f)) {
					assert_true(f.first == 1 && f.last >= 1 && f.last <= 8 && f.open < f.close && f.close < sizeof WHOLE);
					source_function_hash(s, &f, &out);
				}
				source_context_hash(s, 3, &out);
				source_line_hash(s, 3, NULL, &out);
				source_free(s);
			}
			buf_release(&out);
		}
	}
}

/* ---- fingerprints --------------------------------------------------------- */

static void is_line(const struct source *s, unsigned line, const struct source_function *f, const char *want)
{
	struct buf out = BUF_INIT;

	assert_int_equal(source_line_hash(s, line, f, &out), want != NULL);
	if (want)
		assert_string_equal(out.s, want);
	buf_release(&out);
}

static void lines_are_hashed_without_blanks(void **state)
{
	/* "a" by FNV-1a, as its authors publish it: af63dc4c8601ec8c */
	struct source *s = text("a\n\n  a \r\n\tb\na\n");
	struct source_function f = { .first = 2, .last = 4 };

	(void)state;
	is_line(s, 1, NULL, "af63dc4c8601ec8c.1/3");
	is_line(s, 2, NULL, NULL);
	is_line(s, 3, NULL, "af63dc4c8601ec8c.2/3");
	is_line(s, 3, &f, "af63dc4c8601ec8c");
	is_line(s, 5, &f, "af63dc4c8601ec8c.3/3");
	is_line(s, 4, NULL, "af63df4c8601f1a5");
	is_line(s, 6, NULL, NULL);
	is_line(s, 0, NULL, NULL);
	source_free(s);
}

static void context_leaves_blank_lines_out(void **state)
{
	struct source *s = text("a\n\n b\n\n\nc\nd\n"), *other = text("b\nc\nd\n");
	struct buf one = BUF_INIT, two = BUF_INIT;

	(void)state;
	source_context_hash(s, 6, &one); /* c */
	source_context_hash(other, 2, &two);
	assert_memory_equal(one.s, "0.", 2);
	assert_memory_equal(two.s, "0.0.", 4);
	assert_string_equal(strstr(one.s + 2, "."), strstr(two.s + 3, ".")); /* b, d and nothing */
	assert_string_equal(one.s + one.len - 4, ".0.0");
	buf_clear(&one);
	source_context_hash(s, 99, &one);
	source_context_hash(s, 0, &one);
	buf_release(&one);
	buf_release(&two);
	source_free(s);
	source_free(other);
}

/* A function of so many lines, of which so many are of its own. */
static char *function_hash(const char *name, unsigned lines, unsigned own)
{
	struct buf body = BUF_INIT, out = BUF_INIT;
	struct source_function f;
	struct source *s;

	buf_addf(&body, "int %s(void)\n{\n", name);
	for (unsigned i = 0; i < lines; i++)
		buf_addf(&body, "\tcall_%s_%u();\n\n", i < own ? name : "", i);
	buf_adds(&body, "}\n");
	s = text(body.s);
	assert_true(source_function(s, 1, &f));
	source_function_hash(s, &f, &out);
	source_free(s);
	buf_release(&body);
	return buf_detach(&out);
}

static void sketches_tell_how_much_is_shared(void **state)
{
	char *a = function_hash("a", 40, 0), *b = function_hash("b", 40, 0);

	(void)state;
	assert_string_equal(a, b); /* the name is not part of the body */
	assert_memory_equal(a + 16, ".41.", 4);
	assert_int_equal(strlen(a), 16 + 4 + 2 * SOURCE_SKETCH);
	free(b);
	for (unsigned own = 4; own <= 40; own += 4) {
		double shared = (40.0 - own) / (40 + own), found = 0;

		b = function_hash("b", 40, own);
		for (size_t i = 0; i < SOURCE_SKETCH; i++)
			found += !memcmp(a + 20 + 2 * i, b + 20 + 2 * i, 2);
		/* three standard deviations of 32 draws */
		assert_true(found / SOURCE_SKETCH > shared - 0.27 && found / SOURCE_SKETCH < shared + 0.27);
		free(b);
	}
	free(a);
}

static void what_is_no_text_is_not_read(void **state)
{
	(void)state;
	assert_null(source_read("/nowhere"));
	assert_null(source_read("/dev/zero"));
	assert_null(source_read("/"));
	source_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_end_at_their_brace),
		cmocka_unit_test(damaged_text),
		cmocka_unit_test(lines_are_hashed_without_blanks),
		cmocka_unit_test(context_leaves_blank_lines_out),
		cmocka_unit_test(sketches_tell_how_much_is_shared),
		cmocka_unit_test(what_is_no_text_is_not_read),
	};

	return UNIT_MAIN(tests);
}
