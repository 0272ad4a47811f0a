#include "unit.h"

#include "base/buf.h"
#include "text/caption.h"

static void gives(const char *text, size_t columns, const char *want, size_t width)
{
	struct buf b = BUF_INIT;

	assert_int_equal(caption_add(&b, text, columns), width);
	assert_string_equal(b.s, want);
	buf_release(&b);
}

static void keeps_what_fits(void **state)
{
	(void)state;
	gives("", 0, "", 0);
	gives("", 5, "", 0);
	gives("queue.c:31", 0, "queue.c:31", 10);
	gives("queue.c:31", 10, "queue.c:31", 10);
	gives("Gr\xc3\xb6\xc3\x9f"
	      "e",
	      5, "Gr\xc3\xb6\xc3\x9f"
		 "e",
	      5);
}

static void cuts_the_middle(void **state)
{
	(void)state;
	gives("queue.c:31", 9, "queu\xe2\x80\xa6"
			       "c:31",
	      9);
	gives("queue.c:31", 8, "queu\xe2\x80\xa6:31", 8);
	gives("queue.c:31", 2, "q\xe2\x80\xa6", 2);
	gives("queue.c:31", 1, "\xe2\x80\xa6", 1);
}

static void keeps_an_end(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	assert_true(caption_fit_end(&b, "a/long/path/to/file.c:12", 10, &(struct letters){ 0 }, 14) == 14);
	assert_string_equal(b.s, "a/l\xe2\x80\xa6/file.c:12");
	buf_clear(&b);
	assert_true(caption_fit_end(&b, "a/long/path/to/file.c:12", 10, &(struct letters){ 0 }, 6) == 6);
	assert_string_equal(b.s, "\xe2\x80\xa6.c:12");
	buf_release(&b);
}

/* A character of two columns that lies on a cut is left out whole. */
static void counts_columns(void **state)
{
	(void)state;
	gives("\xe8\xae\xa1\xe7\xae\x97", 0, "\xe8\xae\xa1\xe7\xae\x97", 4);
	gives("\xe8\xae\xa1\xe7\xae\x97", 4, "\xe8\xae\xa1\xe7\xae\x97", 4);
	gives("\xe8\xae\xa1\xe7\xae\x97", 3, "\xe2\x80\xa6", 1);
	gives("a\xe8\xae\xa1\xe7\xae\x97z", 5, "a\xe2\x80\xa6z", 3);
}

static void drops_what_cannot_be_seen(void **state)
{
	(void)state;
	gives("a\nb\tc\x1b[0m\x7f", 0, "abc[0m", 6);
	gives("a\xc2\x85z", 0, "az", 2);                       /* C1 */
	gives("a\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbfz", 0, "az", 2); /* direction marks, BOM */
	gives("a\xef\xbf\xbe\xef\xb7\x90z", 0, "az", 2);         /* no characters */
}

#define BAD "\xef\xbf\xbd"

static void marks_what_is_no_utf8(void **state)
{
	(void)state;
	gives("a\xff", 0, "a" BAD, 2);
	gives("\xc3", 0, BAD, 1);                         /* cut short */
	gives("\xc3(", 0, BAD "(", 2);
	gives("\xc0\x80", 0, BAD BAD, 2);                 /* NUL the long way */
	gives("\xe0\x80\xaf", 0, BAD BAD BAD, 3);         /* '/' the long way */
	gives("\xed\xa0\x80", 0, BAD BAD BAD, 3);         /* half of a surrogate pair */
	gives("\xf4\x90\x80\x80", 0, BAD BAD BAD BAD, 4); /* beyond Unicode */
}

/* In pixels: narrow letters take little room, and bold ones more. */
static void fits_pixels(void **state)
{
	const struct letters plain = { 10, false }, bold = { 10, true };
	struct buf b = BUF_INIT;

	(void)state;
	assert_true(caption_width("illi", &plain) < caption_width("mm", &plain));
	assert_true(caption_width("abc", &plain) < caption_width("abc", &bold));
	assert_true(caption_fit(&b, "illillilli", &plain, 30) <= 30);
	assert_string_equal(b.s, "illillilli");
	buf_clear(&b);
	assert_true(caption_fit(&b, "mmmmmmmmmm", &plain, 50) <= 50);
	assert_string_equal(b.s, "mm\xe2\x80\xa6mm");
	buf_clear(&b);
	assert_true(caption_fit(&b, "mmmmmmmmmm", &plain, 0) > 50);
	assert_string_equal(b.s, "mmmmmmmmmm");
	buf_release(&b);
}

/* Any bytes: never wider than asked, and cleaning twice is cleaning once. */
static void holds_for_any_bytes(void **state)
{
	unsigned long seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[24];
		struct buf once = BUF_INIT, twice = BUF_INIT;
		size_t columns = (size_t)round % 12, width;

		for (size_t i = 0; i < sizeof text; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[i] = (char)(seed >> 56 | (seed >> 40 & 0x80));
		}
		text[sizeof text - 1] = '\0';
		width = caption_add(&once, text, columns);
		assert_true(!columns || width <= columns);
		assert_int_equal(caption_add(&twice, once.s, columns), width);
		assert_string_equal(once.s, twice.s);
		buf_release(&once);
		buf_release(&twice);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_what_fits),
		cmocka_unit_test(cuts_the_middle),
		cmocka_unit_test(keeps_an_end),
		cmocka_unit_test(counts_columns),
		cmocka_unit_test(drops_what_cannot_be_seen),
		cmocka_unit_test(marks_what_is_no_utf8),
		cmocka_unit_test(fits_pixels),
		cmocka_unit_test(holds_for_any_bytes),
	};

	return UNIT_MAIN(tests);
}
