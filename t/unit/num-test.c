#include "unit.h"

#include <float.h>
#include <locale.h>
#include <math.h>

#include "base/num.h"

static void reads_u64(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{ "0", 0 }, { "7", 7 }, { "007", 7 }, { "18446744073709551615", UINT64_MAX }, { "0x0", 0 }, { "0xFf", 255 },
		{ "0xffffffffffffffff", UINT64_MAX }, { "0x0000000000000000001", 1 },
	};
	static const char *const bad[] = {
		"", " 1", "1 ", "+1", "-1", "-0", "1.0", "1e3", "x1", "0x", "0X1", "x", "1x", "0xg", "18446744073709551616",
		"99999999999999999999", "0x10000000000000000", "1\n", "\xd9\xa1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		uint64_t x = 42;

		assert_true(num_u64(good[i].text, &x));
		assert_true(x == good[i].value);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint64_t x = 42;

		assert_false(num_u64(bad[i], &x));
		assert_true(x == 42);
	}
}

static void reads_i64(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} good[] = {
		{ "0", 0 }, { "-0", 0 }, { "-7", -7 }, { "9223372036854775807", INT64_MAX }, { "-9223372036854775808", INT64_MIN },
	};
	static const char *const bad[] = {
		"", "-", "--1", "+1", "- 1", "0x1", "-0x1", "9223372036854775808", "-9223372036854775809", "1.5", "1 ",
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		int64_t x = 42;

		assert_true(num_i64(good[i].text, &x));
		assert_true(x == good[i].value);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		int64_t x = 42;

		assert_false(num_i64(bad[i], &x));
		assert_true(x == 42);
	}
}

static void reads_real(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{ "0", 0 }, { "0.25", 0.25 }, { "-1.5e3", -1500 }, { "1E-2", 0.01 }, { "1e+2", 100 }, { "1e-999", 0 },
		{ "1.7976931348623157e308", DBL_MAX }, { "00.50", 0.5 },
	};
	static const char *const bad[] = {
		"", "-", ".", ".5", "5.", "+1", " 1", "1 ", "inf", "-inf", "nan", "0x1p3", "1e", "1e+", "1,5", "1.5.2", "1e999", "1e5.0",
		"infinity",
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		double x = 42;

		assert_true(num_real(good[i].text, &x));
		assert_true(x == good[i].value);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		double x = 42;

		assert_false(num_real(bad[i], &x));
		assert_true(x == 42);
	}
}

static void formats_short(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0" }, { -0.0, "0" }, { 0.25, "0.25" }, { 0.1, "0.1" }, { -2.5, "-2.5" }, { 100, "100" }, { 1000000, "1000000" },
		{ 1.0 / 3, "0.3333333333333333" }, { 0.1 + 0.2, "0.30000000000000004" }, { 1e300, "1e+300" }, { 1e-7, "1e-07" },
		{ 1e15, "1000000000000000" }, { 99812345.5, "99812345.5" }, { 9007199254740993.0, "9007199254740992" },
		{ DBL_MAX, "1.7976931348623157e+308" }, { 1234567890123456789.0, "1.2345678901234568e+18" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[32];

		num_format_real(text, cases[i].value);
		assert_string_equal(text, cases[i].text);
	}
}

/* Bit patterns from a fixed sequence: every exponent, denormals too. */
static void round_trips(void **state)
{
	uint64_t bits = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		char text[32];
		double x, back;

		bits = bits * 6364136223846793005u + 1442695040888963407u;
		memcpy(&x, &bits, sizeof x);
		if (!isfinite(x))
			continue;
		memset(text, 'X', sizeof text);
		num_format_real(text, x);
		assert_non_null(memchr(text, '\0', sizeof text));
		assert_true(num_real(text, &back));
		assert_true(back == x);
	}
}

/* With a decimal comma in the locale, where the machine has such a locale. */
static void ignores_the_locale(void **state)
{
	static const char *const comma[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8" };
	char text[32], probe[8] = "";
	double x;

	(void)state;
	for (size_t i = 0; i < sizeof comma / sizeof *comma && probe[1] != ','; i++)
		if (setlocale(LC_ALL, comma[i]))
			snprintf(probe, sizeof probe, "%.1f", 0.5);
	if (probe[1] != ',')
		printf("# no locale here has a decimal comma\n");
	num_format_real(text, 0.25);
	assert_string_equal(text, "0.25");
	assert_true(num_real("0.25", &x) && x == 0.25);
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_u64),
		cmocka_unit_test(reads_i64),
		cmocka_unit_test(reads_real),
		cmocka_unit_test(formats_short),
		cmocka_unit_test(round_trips),
		cmocka_unit_test(ignores_the_locale),
	};

	return UNIT_MAIN(tests);
}
