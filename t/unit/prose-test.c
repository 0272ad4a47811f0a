#include "unit.h"

#include <math.h>

#include "estimate/stats.h"
#include "text/prose.h"
#include "text/spark.h"

static const struct prose_page utf8 = { .columns = 100, .utf8 = true }, ascii = { .columns = 100 };

static void cleans(const char *text, const char *want)
{
	char *got = prose_clean(text);

	assert_string_equal(got, want);
	free(got);
}

static void masks_what_a_terminal_obeys(void **state)
{
	(void)state;
	cleans("a\x1b[31m\nb\x7f", "a\\x1b[31m\\x0ab\\x7f");
	cleans("\xc2\x9b" "31m", "\\x9b31m");
	cleans("a\xe2\x80\xae" "b\xe2\x81\xa6", "a\\u202eb\\u2066"); /* direction */
	cleans("a\xe2\x80\xa8" "b\xe2\x80\xa9", "a\\u2028b\\u2029"); /* ends of lines */
	cleans("a\xc2\xad" "b\xef\xbf\xb9" "c", "a\\xad" "b\\ufff9" "c"); /* format characters */
	cleans("a\xc2\xa0" "b\xe3\x80\x80" "c", "a\\xa0" "b\\u3000" "c"); /* separators */
	cleans("caf\xc3\xa9 caf\xe9", "caf\xc3\xa9 caf\\xe9");
	cleans("\xe2\x80", "\\xe2\\x80");
	prose_set_page(ascii);
	cleans("caf\xc3\xa9", "caf\\u00e9");
	prose_set_page(utf8);
}

static void shortens(const char *text, size_t columns, const char *want)
{
	char *got = prose_short(text, columns);

	assert_string_equal(got, want);
	assert_true(prose_width(got) <= columns);
	free(got);
}

static void cuts_the_middle(void **state)
{
	(void)state;
	shortens("queue.c:31", 10, "queue.c:31");
	shortens("queue.c:31", 9, "queu…c:31");
	shortens("queue.c:31", 8, "queu…:31");
	shortens("\xe8\xae\xa1\xe7\xae\x97\xe8\xae\xa1\xe7\xae\x97", 6, "\xe8\xae\xa1…\xe7\xae\x97");
	prose_set_page(ascii);
	shortens("queue.c:31", 9, "queu..:31");
	prose_set_page(utf8);
}

static void wraps_to_the_page(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	prose_set_page((struct prose_page){ .columns = 20, .utf8 = true });
	prose_wrap(&b, "note     ", "         ", "%s", "one two three\xe2\x80\xa8 four");
	assert_string_equal(b.s, "note     one two\n         three\\u2028\n         four\n");
	buf_clear(&b);
	prose_wrap(&b, "", "", "%s", "a number and its 95 % interval");
	assert_string_equal(b.s, "a number and its\n95 % interval\n");
	prose_set_page(utf8);
	buf_release(&b);
}

static void adds(struct estimate e, double unit, int digits, const char *want)
{
	struct buf b = BUF_INIT;

	prose_add_interval(&b, unit * e.value, unit * e.lo, unit * e.hi, digits);
	assert_string_equal(b.s, want);
	buf_release(&b);
}

static void numbers_have_no_negative_zero(void **state)
{
	(void)state;
	adds((struct estimate){ .value = -0.001, .lo = -0.02, .hi = 0.004 }, 1, 2, "0.00 (-0.02 to 0.00)");
	adds((struct estimate){ .value = 0.45, .lo = 0.38, .hi = 0.52 }, 10, 1, "4.5 (3.8 to 5.2)");
	adds((struct estimate){ .value = 0.45, .lo = -INFINITY, .hi = INFINITY }, 1, 2, "0.45");
}

static void takes(double ns, const char *want)
{
	char out[32];

	assert_string_equal(prose_time(ns, out), want);
}

static void times_have_the_unit_that_suits(void **state)
{
	(void)state;
	takes(0, "0 ns");
	takes(991.385, "991 ns");
	takes(999.7, "1 us");
	takes(-1234.5, "-1.23 us");
	takes(999.6e3, "1 ms");
	takes(2.5e9, "2.5 s");
	takes(3723e9, "3723 s");
}

static void bars_share_a_scale(void **state)
{
	struct spark s = SPARK_INIT;

	(void)state;
	assert_string_equal(spark_bar(&s, 8, false), "#");
	spark_widen(&s, 80);
	spark_widen(&s, -1); /* noise: no lower start */
	assert_string_equal(spark_bar(&s, 0, true), "▁");
	assert_string_equal(spark_bar(&s, 80, true), "█");
	assert_string_equal(spark_bar(&s, 40, false), "=");
	assert_string_equal(spark_bar(&s, NAN, true), "▁");
	spark_widen(&s, -80);
	assert_string_equal(spark_bar(&s, -80, true), "▁");
	assert_string_equal(spark_bar(&s, 0, true), "▅");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_what_a_terminal_obeys), cmocka_unit_test(cuts_the_middle),
		cmocka_unit_test(wraps_to_the_page),           cmocka_unit_test(numbers_have_no_negative_zero),
		cmocka_unit_test(times_have_the_unit_that_suits),
		cmocka_unit_test(bars_share_a_scale),
	};

	return UNIT_MAIN(tests);
}
