#include "unit.h"

#include "base/buf.h"
#include "source/linemap.h"

/* Reads a patch; returns its messages, which the caller frees ("": none). */
static char *read_bytes(struct linemap *map, const char *patch, size_t len, bool *ok)
{
	char path[64];
	int fd = memfd_create("patch", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, patch, len), len);
	lseek(fd, 0, SEEK_SET);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	linemap_init(map);
	unit_capture(2);
	*ok = linemap_read(map, path);
	close(fd);
	return unit_captured(2);
}

static struct linemap read_good(const char *patch)
{
	struct linemap map;
	bool ok;
	char *said = read_bytes(&map, patch, strlen(patch), &ok);

	assert_string_equal(said, "");
	assert_true(ok);
	free(said);
	return map;
}

static void is_same(struct linemap_answer a, const char *file, unsigned long line)
{
	assert_int_equal(a.fate, LINEMAP_SAME);
	assert_string_equal(a.file, file);
	assert_int_equal(a.line, line);
}

static void is_edited(struct linemap_answer a, unsigned long line, unsigned long first, size_t n)
{
	assert_int_equal(a.fate, LINEMAP_EDITED);
	assert_int_equal(a.line, line);
	assert_int_equal(a.first, first);
	assert_int_equal(a.n, n);
}

static void is_gone(struct linemap_answer a, unsigned long before)
{
	assert_int_equal(a.fate, LINEMAP_GONE);
	assert_int_equal(a.first, before);
}

/* ---- hunks ---------------------------------------------------------------- */

static void files_that_are_not_named_are_the_same(void **state)
{
	struct linemap map = read_good("");

	(void)state;
	is_same(linemap_forward(&map, "a.c", 7), "a.c", 7);
	is_same(linemap_backward(&map, "a.c", 7), "a.c", 7);
	linemap_release(&map);
}

#define HEAD "diff --git a/x.c b/x.c\nindex 1..2 100644\n--- a/x.c\n+++ b/x.c\n"

static void an_insertion_stands_behind_the_line_that_it_names(void **state)
{
	struct linemap map = read_good(HEAD "@@ -3,0 +4,2 @@ int f(void)\n+one\n+two\n@@ -10,0 +13 @@\n+three\n");

	(void)state;
	is_same(linemap_forward(&map, "x.c", 3), "x.c", 3);
	is_same(linemap_forward(&map, "x.c", 4), "x.c", 6);
	is_same(linemap_forward(&map, "x.c", 10), "x.c", 12);
	is_same(linemap_forward(&map, "x.c", 11), "x.c", 14);
	is_same(linemap_backward(&map, "x.c", 3), "x.c", 3);
	is_gone(linemap_backward(&map, "x.c", 4), 4);
	is_gone(linemap_backward(&map, "x.c", 5), 4);
	is_same(linemap_backward(&map, "x.c", 6), "x.c", 4);
	is_gone(linemap_backward(&map, "x.c", 13), 11);
	linemap_release(&map);
}

static void an_insertion_at_the_top_stands_behind_line_0(void **state)
{
	struct linemap map = read_good(HEAD "@@ -0,0 +1,2 @@\n+one\n+two\n");

	(void)state;
	is_same(linemap_forward(&map, "x.c", 1), "x.c", 3);
	is_gone(linemap_backward(&map, "x.c", 2), 1);
	linemap_release(&map);
}

static void a_deletion_leaves_nothing_in_its_place(void **state)
{
	struct linemap map = read_good(HEAD "@@ -5,2 +4,0 @@\n-one\n-two\n");

	(void)state;
	is_same(linemap_forward(&map, "x.c", 4), "x.c", 4);
	is_gone(linemap_forward(&map, "x.c", 5), 5);
	is_gone(linemap_forward(&map, "x.c", 6), 5);
	is_same(linemap_forward(&map, "x.c", 7), "x.c", 5);
	is_same(linemap_backward(&map, "x.c", 4), "x.c", 4);
	is_same(linemap_backward(&map, "x.c", 5), "x.c", 7);
	linemap_release(&map);
}

static void a_line_that_was_edited_is_found_by_its_text(void **state)
{
	struct linemap map = read_good(HEAD "@@ -5,2 +5,3 @@\n-\tsum += value[i];\n-\treturn sum;\n"
					    "+\t/* all of them */\n+\tsum += value[i] * weight;\n+\treturn   sum;\n");
	struct linemap_answer a = linemap_forward(&map, "x.c", 5);

	(void)state;
	is_edited(a, 6, 5, 3);
	assert_true(a.similarity > 0.5 && a.similarity < 1);
	a = linemap_forward(&map, "x.c", 6);
	is_edited(a, 7, 5, 3);
	assert_true(a.similarity >= 1); /* blanks do not count */
	is_edited(linemap_backward(&map, "x.c", 5), 0, 5, 2);
	is_edited(linemap_backward(&map, "x.c", 6), 5, 5, 2);
	is_edited(linemap_backward(&map, "x.c", 7), 6, 5, 2);
	is_same(linemap_forward(&map, "x.c", 7), "x.c", 8);
	linemap_release(&map);
}

static void context_says_the_same_as_none(void **state)
{
	struct linemap map = read_good(HEAD "@@ -1,7 +1,8 @@\n one\n two\n-three\n+THREE\n four\n\n five\r\n+\n six\n"
					    "\\ No newline at end of file\n");

	(void)state;
	is_same(linemap_forward(&map, "x.c", 2), "x.c", 2);
	assert_int_equal(linemap_forward(&map, "x.c", 3).fate, LINEMAP_EDITED);
	is_same(linemap_forward(&map, "x.c", 6), "x.c", 6);
	is_same(linemap_forward(&map, "x.c", 7), "x.c", 8);
	linemap_release(&map);
}

static void line_ends_do_not_matter(void **state)
{
	struct linemap map = read_good("diff --git a/x.c b/x.c\r\n--- a/x.c\r\n+++ b/x.c\r\n@@ -2 +2,2 @@\r\n-int a;\r\n+int a;\n+int b;\r\n"
				       "\\ No newline at end of file\r\n");

	(void)state;
	is_edited(linemap_forward(&map, "x.c", 2), 2, 2, 2);
	assert_true(linemap_forward(&map, "x.c", 2).similarity >= 1);
	is_same(linemap_forward(&map, "x.c", 3), "x.c", 4);
	linemap_release(&map);
}

/* ---- files ---------------------------------------------------------------- */

static void renames_copies_new_and_deleted_files(void **state)
{
	struct linemap map = read_good(
		"From 1234 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n---\n x | 2 +-\n\n"
		"diff --git a/old.c b/new.c\nsimilarity index 90%\nrename from old.c\nrename to new.c\nindex 1..2 100644\n"
		"--- a/old.c\n+++ b/new.c\n@@ -1,0 +2 @@\n+x\n"
		"diff --git a/keep.c b/copy.c\nsimilarity index 100%\ncopy from keep.c\ncopy to copy.c\n"
		"diff --git a/add.c b/add.c\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/add.c\n@@ -0,0 +1 @@\n+x\n"
		"diff --git a/del.c b/del.c\ndeleted file mode 100644\nindex 1..0\n--- a/del.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
		"diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
		"diff --git a/pure.c b/sub/pure.c\nsimilarity index 100%\nrename from pure.c\nrename to sub/pure.c\n");

	(void)state;
	is_same(linemap_forward(&map, "old.c", 1), "new.c", 1);
	is_same(linemap_forward(&map, "old.c", 2), "new.c", 3);
	is_same(linemap_backward(&map, "new.c", 3), "old.c", 2);
	is_same(linemap_forward(&map, "keep.c", 5), "keep.c", 5);
	is_same(linemap_backward(&map, "copy.c", 5), "keep.c", 5);
	is_same(linemap_backward(&map, "keep.c", 5), "keep.c", 5);
	assert_int_equal(linemap_backward(&map, "add.c", 1).fate, LINEMAP_GONE);
	assert_null(linemap_backward(&map, "add.c", 1).file);
	assert_int_equal(linemap_forward(&map, "del.c", 1).fate, LINEMAP_GONE);
	assert_null(linemap_forward(&map, "del.c", 1).file);
	is_same(linemap_forward(&map, "run.sh", 3), "run.sh", 3);
	is_same(linemap_forward(&map, "pure.c", 9), "sub/pure.c", 9);
	linemap_release(&map);
}

static void names_with_blanks_and_quotes(void **state)
{
	struct linemap map = read_good(
		"diff --git a/a b/c d.c b/a b/c d.c\n--- a/a b/c d.c\t\n+++ b/a b/c d.c\t\n@@ -0,0 +1 @@\n+x\n"
		"diff --git \"a/\\303\\274 \\\"q\\\"\\t\\\\.c\" \"b/\\303\\274 \\\"q\\\"\\t\\\\.c\"\n"
		"--- \"a/\\303\\274 \\\"q\\\"\\t\\\\.c\"\n+++ \"b/\\303\\274 \\\"q\\\"\\t\\\\.c\"\n@@ -0,0 +1 @@\n+x\n"
		"diff --git \"a/\\303\\244\" b/a plain\nsimilarity index 100%\nrename from \"\\303\\244\"\nrename to a plain\n"
		"diff --git a/e m b/e m\nnew file mode 100644\nindex 000..e69\n"
		"diff --git a/g o b/g o\ndeleted file mode 100644\nindex e69..000\n");

	(void)state;
	is_same(linemap_forward(&map, "a b/c d.c", 1), "a b/c d.c", 2);
	is_same(linemap_forward(&map, "\303\274 \"q\"\t\\.c", 1), "\303\274 \"q\"\t\\.c", 2);
	is_same(linemap_forward(&map, "\303\244", 4), "a plain", 4);
	assert_int_equal(linemap_backward(&map, "e m", 1).fate, LINEMAP_GONE);
	assert_int_equal(linemap_forward(&map, "g o", 1).fate, LINEMAP_GONE);
	linemap_release(&map);
}

/* name: how the line names the file; file: what it is called in the tree */
static void prefixes_are_not_part_of_a_name(void **state)
{
	static const struct {
		const char *old, *new, *file;
	} all[] = {
		{ "a/src/x.c", "b/src/x.c", "src/x.c" },     { "src/x.c", "src/x.c", "src/x.c" },
		{ "a/x.c", "a/x.c", "a/x.c" },               { "i/b/x.c", "w/b/x.c", "b/x.c" },
		{ "b/a/x.c", "a/a/x.c", "a/x.c" },           { "old tree/x.c", "new/x.c", "x.c" },
		{ "base/src/x.c", "head/src/x.c", "src/x.c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		for (int form = 0; form < 2; form++) {
			struct buf text = BUF_INIT;
			struct linemap map;

			if (form == 0)
				buf_addf(&text, "diff --git %s %s\n", all[i].old, all[i].new);
			buf_addf(&text, "--- %s%s\n+++ %s%s\n@@ -0,0 +1 @@\n+x\n", all[i].old,
				 form ? "\t2026-11-21 00:00:00.0 +0000" : "", all[i].new, form ? "\t2026-11-21" : "");
			map = read_good(text.s);
			is_same(linemap_forward(&map, all[i].file, 1), all[i].file, 2);
			linemap_release(&map);
			buf_clear(&text);
			buf_addf(&text, "diff --git %s %s\ndeleted file mode 100644\n", all[i].old, all[i].new);
			map = read_good(text.s);
			assert_int_equal(linemap_forward(&map, all[i].file, 1).fate, LINEMAP_GONE);
			linemap_release(&map);
			buf_release(&text);
		}
	}
}

static void of_binary_files_nothing_is_known(void **state)
{
	struct linemap map = read_good("diff --git a/x.o b/x.o\nindex 1..2 100644\nBinary files a/x.o and b/x.o differ\n"
				       "diff --git a/y.o b/y.o\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZQzU|?imU|;|M00aO5\n\n"
				       "diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n@@ -0,0 +1 @@\n+x\n");

	(void)state;
	assert_int_equal(linemap_forward(&map, "x.o", 1).fate, LINEMAP_UNKNOWN);
	assert_int_equal(linemap_backward(&map, "y.o", 1).fate, LINEMAP_UNKNOWN);
	is_same(linemap_forward(&map, "x.c", 1), "x.c", 2);
	linemap_release(&map);
}

/* ---- what is broken ------------------------------------------------------- */

static void broken_parts_are_reported_and_the_rest_is_used(void **state)
{
	static const struct {
		const char *hunk, *says;
	} all[] = {
		{ "@@ -1 +1,2 @@\n-a\n+b\n", ":8: the hunk before this line is cut short" },
		{ "@@ -1 +1 @@\n-a\n?\n", ":7: this line is not one of a hunk" },
		{ "@@ -1 +1 @@\n-a\n-b\n", ":7: this line is not one of a hunk" },
		{ "@@ -x +1 @@\n-a\n", ":5: bad hunk header" },
		{ "@@ -0 +1 @@\n-a\n", ":5: bad hunk header" },
		{ "@@ -1,99999999999999999999 +1 @@\n-a\n", ":5: bad hunk header" },
		{ "@@@ -1 -1 +1 @@@\n++a\n", ":5: this is a combined diff" },
		{ "@@ -1 +1,2 @@\n-a\n+b\n+c\n@@ -5 +5 @@\n-a\n+b\n", ":9: the line numbers of this hunk do not follow" },
		{ "@@ -5 +5 @@\n-a\n+b\n@@ -4 +4 @@\n-a\n+b\n", ":8: the line numbers of this hunk do not follow" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct buf text = BUF_INIT;
		struct linemap map;
		char *said;
		bool ok;

		buf_addf(&text, "%s%sdiff --git a/y.c b/y.c\n--- a/y.c\n+++ b/y.c\n@@ -0,0 +1 @@\n+x\n", HEAD, all[i].hunk);
		said = read_bytes(&map, text.s, text.len, &ok);
		assert_false(ok);
		if (!strstr(said, all[i].says))
			fail_msg("'%s' says: %s", all[i].hunk, said);
		assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* once */
		assert_int_equal(linemap_forward(&map, "x.c", 100).fate, LINEMAP_UNKNOWN);
		is_same(linemap_forward(&map, "y.c", 1), "y.c", 2);
		free(said);
		linemap_release(&map);
		buf_release(&text);
	}
}

static void a_patch_that_is_not_there(void **state)
{
	struct linemap map = LINEMAP_INIT;
	char *said;

	(void)state;
	unit_capture(2);
	assert_false(linemap_read(&map, "/nowhere/at all"));
	said = unit_captured(2);
	assert_string_equal(said, "andweorc: cannot open '/nowhere/at all': No such file or directory\n");
	free(said);
	linemap_release(&map);
}

/* ---- properties ----------------------------------------------------------- */

static unsigned seed;

static unsigned below(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* Two texts by one script of edits, the patch between them, and what became of each line. */
struct edits {
	struct buf patch;
	unsigned long fate[1000]; /* of old line i + 1: the new line, or 0 */
	unsigned long old_n, new_n;
};

static void put_lines(struct buf *out, char sign, unsigned long first, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		buf_addf(out, "%c%lu%c\n", sign, first + i, "xyz"[below(3)]);
}

static void put_range(struct buf *out, char sign, unsigned long first, unsigned long n)
{
	buf_addf(out, " %c%lu", sign, n ? first : first - 1);
	if (n != 1)
		buf_addf(out, ",%lu", n);
}

static void make_edits(struct edits *e)
{
	buf_clear(&e->patch);
	buf_adds(&e->patch, HEAD);
	e->old_n = e->new_n = 0;
	for (unsigned hunk = 0; hunk < 20; hunk++) {
		unsigned long keep = 1 + below(8), gone = below(4), come = gone ? below(4) : 1 + below(3);
		unsigned long before = below((unsigned)keep + 1); /* context */

		for (unsigned long i = 0; i < keep; i++)
			e->fate[e->old_n++] = ++e->new_n;
		buf_adds(&e->patch, "@@");
		put_range(&e->patch, '-', e->old_n + 1 - before, gone + before);
		put_range(&e->patch, '+', e->new_n + 1 - before, come + before);
		buf_adds(&e->patch, " @@\n");
		put_lines(&e->patch, ' ', 0, before);
		put_lines(&e->patch, '-', e->old_n, gone);
		put_lines(&e->patch, '+', e->old_n, come);
		for (unsigned long i = 0; i < gone; i++)
			e->fate[e->old_n++] = 0;
		e->new_n += come;
	}
}

static void every_line_is_where_the_edits_put_it(void **state)
{
	struct edits e = { .patch = BUF_INIT };

	(void)state;
	for (unsigned round = 1; round <= 500; round++) {
		unsigned long known = 0;
		struct linemap map;

		seed = round;
		make_edits(&e);
		map = read_good(e.patch.s);
		for (unsigned long i = 0; i < e.old_n; i++) {
			struct linemap_answer a = linemap_forward(&map, "x.c", i + 1);

			if (!e.fate[i]) {
				assert_true(a.fate == LINEMAP_GONE || a.fate == LINEMAP_EDITED);
				if (a.line)
					assert_int_equal(linemap_backward(&map, "x.c", a.line).line, i + 1);
				continue;
			}
			is_same(a, "x.c", e.fate[i]);
			is_same(linemap_backward(&map, "x.c", a.line), "x.c", i + 1);
			known++;
		}
		for (unsigned long i = 1; i <= e.new_n; i++)
			known -= linemap_backward(&map, "x.c", i).fate == LINEMAP_SAME;
		assert_int_equal(known, 0);
		linemap_release(&map);
	}
	buf_release(&e.patch);
}

/* Any bytes: no crash, and consistent results. */
static void damaged_patches(void **state)
{
	static const char BYTES[] = "@@ -+,0123456789\n\r\t\"\\/ab \xff";
	struct edits e = { .patch = BUF_INIT };

	(void)state;
	for (unsigned round = 1; round <= 1500; round++) {
		struct linemap map;
		size_t len;
		bool ok;

		seed = round;
		make_edits(&e);
		len = below(4) ? e.patch.len : below((unsigned)e.patch.len);
		for (unsigned hits = 1 + below(8); hits > 0 && len > 0; hits--)
			e.patch.s[below((unsigned)len)] = below(10) ? BYTES[below(sizeof BYTES - 1)] : (char)below(256);
		free(read_bytes(&map, e.patch.s, len, &ok));
		for (unsigned long i = 1; i <= e.old_n; i++) {
			struct linemap_answer a = linemap_forward(&map, "x.c", i);

			if (a.fate == LINEMAP_SAME)
				is_same(linemap_backward(&map, a.file, a.line), "x.c", i);
			else if (a.fate == LINEMAP_EDITED && a.line)
				assert_true(a.line >= a.first && a.line < a.first + a.n && a.similarity > 0);
		}
		linemap_release(&map);
	}
	buf_release(&e.patch);
}

static void long_blocks_take_little_time(void **state)
{
	enum { LINES = 20000 };
	struct buf text = BUF_INIT;
	struct linemap map;

	(void)state;
	buf_addf(&text, "%s@@ -1,%d +1,%d @@\n", HEAD, LINES, LINES);
	for (int i = 0; i < LINES; i++)
		buf_addf(&text, "-line %d %d\n", i / 3, i);
	for (int i = 0; i < LINES; i++)
		buf_addf(&text, "+\tline %d %d\n", i / 3, i + (i % 5 == 0));
	map = read_good(text.s);
	assert_int_equal(linemap_forward(&map, "x.c", 10002).line, 10002);
	assert_int_equal(linemap_forward(&map, "x.c", 10001).line, 10001); /* edited, between two that were not */
	linemap_release(&map);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_are_not_named_are_the_same),
		cmocka_unit_test(an_insertion_stands_behind_the_line_that_it_names),
		cmocka_unit_test(an_insertion_at_the_top_stands_behind_line_0),
		cmocka_unit_test(a_deletion_leaves_nothing_in_its_place),
		cmocka_unit_test(a_line_that_was_edited_is_found_by_its_text),
		cmocka_unit_test(context_says_the_same_as_none),
		cmocka_unit_test(line_ends_do_not_matter),
		cmocka_unit_test(renames_copies_new_and_deleted_files),
		cmocka_unit_test(names_with_blanks_and_quotes),
		cmocka_unit_test(prefixes_are_not_part_of_a_name),
		cmocka_unit_test(of_binary_files_nothing_is_known),
		cmocka_unit_test(broken_parts_are_reported_and_the_rest_is_used),
		cmocka_unit_test(a_patch_that_is_not_there),
		cmocka_unit_test(every_line_is_where_the_edits_put_it),
		cmocka_unit_test(damaged_patches),
		cmocka_unit_test(long_blocks_take_little_time),
	};

	return UNIT_MAIN(tests);
}
