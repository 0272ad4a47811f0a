#include "unit.h"

#include "base/buf.h"

static void starts_empty(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	assert_null(b.s);
	buf_clear(&b);
	assert_string_equal(b.s, "");
	assert_int_equal(b.len, 0);
	buf_release(&b);
	assert_null(b.s);
	buf_release(&b);
}

static void adds(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b);
	buf_adds(&b, "ab");
	buf_addc(&b, 'c');
	buf_add(&b, "d\0e", 3);
	buf_add(&b, NULL, 0);
	buf_adds(&b, "");
	assert_int_equal(b.len, 6);
	assert_memory_equal(b.s, "abcd\0e", 7);
	buf_clear(&b);
	buf_addf(&b, "%s-%d", "x", 7);
	buf_addf(&b, "%s", "");
	assert_string_equal(b.s, "x-7");
	assert_int_equal(b.len, 3);
	buf_release(&b);
}

/* Every length across several doublings, so that each boundary is met exactly. */
static void is_terminated_at_every_length(void **state)
{
	struct buf one = BUF_INIT, formatted = BUF_INIT;

	(void)state;
	for (size_t n = 1; n <= 1100; n++) {
		buf_addc(&one, 'x');
		assert_int_equal(strlen(one.s), n);
		assert_true(one.cap > one.len);
		buf_release(&formatted);
		buf_addf(&formatted, "%*d", (int)n, 1);
		assert_int_equal(formatted.len, n);
		assert_int_equal(strlen(formatted.s), n);
	}
	buf_release(&one);
	buf_release(&formatted);
}

static void formats_behind_a_long_text(void **state)
{
	struct buf b = BUF_INIT;
	char *want;

	(void)state;
	for (int i = 0; i < 3000; i++)
		buf_addf(&b, "%d,", i % 10);
	want = calloc(6001, 1);
	for (int i = 0; i < 3000; i++) {
		want[2 * i] = (char)('0' + i % 10);
		want[2 * i + 1] = ',';
	}
	assert_string_equal(b.s, want);
	free(want);
	buf_release(&b);
}

static void detaches(void **state)
{
	struct buf b = BUF_INIT;
	char *s;

	(void)state;
	s = buf_detach(&b);
	assert_string_equal(s, "");
	free(s);
	buf_adds(&b, "mine");
	s = buf_detach(&b);
	assert_string_equal(s, "mine");
	free(s);
	assert_null(b.s);
	assert_int_equal(b.len, 0);
	buf_adds(&b, "again");
	assert_string_equal(b.s, "again");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_empty),
		cmocka_unit_test(adds),
		cmocka_unit_test(is_terminated_at_every_length),
		cmocka_unit_test(formats_behind_a_long_text),
		cmocka_unit_test(detaches),
	};

	return UNIT_MAIN(tests);
}
