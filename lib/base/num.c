#include "base/num.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a hexadecimal digit; 16 when it is none. */
static unsigned hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits that cannot overflow 64 bits. */
enum { SURE_DIGITS = 19 };

/* The fast path: most of the time of reading logs is spent here. */
static bool decimal(const char *s, uint64_t *out)
{
	const char *sure = s + SURE_DIGITS;
	uint64_t x = 0;

	if (!*s)
		return false;
	for (; s < sure && is_digit(*s); s++)
		x = x * 10 + (uint64_t)(*s - '0');
	for (; is_digit(*s); s++)
		if (__builtin_mul_overflow(x, (uint64_t)10, &x) || __builtin_add_overflow(x, (uint64_t)(*s - '0'), &x))
			return false;
	if (*s)
		return false;
	*out = x;
	return true;
}

bool num_u64(const char *s, uint64_t *out)
{
	uint64_t x = 0;

	if (s[0] != '0' || s[1] != 'x')
		return decimal(s, out);
	s += 2;
	if (!*s)
		return false;
	for (; *s; s++) {
		unsigned d = hex_digit(*s);

		if (d >= 16 || x >> 60)
			return false;
		x = x << 4 | d;
	}
	*out = x;
	return true;
}

bool num_i64(const char *s, int64_t *out)
{
	bool negative = *s == '-';
	uint64_t x;

	s += negative;
	if (s[0] == '0' && s[1] == 'x')
		return false;
	if (!num_u64(s, &x) || x > (uint64_t)INT64_MAX + negative)
		return false;
	*out = negative ? (int64_t)(0 - x) : (int64_t)x;
	return true;
}

/* Past the decimal digits at s; NULL when there is not one. */
static const char *digits(const char *s)
{
	if (hex_digit(*s) > 9)
		return NULL;
	while (hex_digit(*s) <= 9)
		s++;
	return s;
}

/* strtod alone takes blanks, "inf", "nan" and hexadecimal. */
static bool is_decimal(const char *s)
{
	s += *s == '-';
	s = digits(s);
	if (s && *s == '.')
		s = digits(s + 1);
	if (s && (*s == 'e' || *s == 'E')) {
		s++;
		s += *s == '-' || *s == '+';
		s = digits(s);
	}
	return s && !*s;
}

static locale_t c_locale(void)
{
	static locale_t c;

	if (!c)
		c = newlocale(LC_ALL_MASK, "C", NULL); /* built into libc: does not fail */
	return c;
}

bool num_real(const char *s, double *out)
{
	double x;

	if (!is_decimal(s))
		return false;
	x = strtod_l(s, NULL, c_locale());
	if (!isfinite(x))
		return false;
	*out = x;
	return true;
}

/*
 * 15 digits name every shorter decimal exactly, so that without its trailing
 * zeros such a text is already the shortest; 17 are always enough.
 */
void num_format_real(char out[32], double x)
{
	char text[32];
	int sig = 15, exponent, decimals;
	locale_t old = uselocale(c_locale());

	x += 0.0; /* "0" also for minus zero */
	for (;; sig++) {
		snprintf(text, sizeof text, "%.*e", sig - 1, x);
		if (sig == 17 || strtod(text, NULL) == x)
			break;
	}
	if (!isfinite(x)) {
		snprintf(out, 32, "%g", x);
		goto done;
	}
	for (char *last = strchr(text, 'e') - 1; sig > 1 && *last == '0'; last--)
		sig--;
	exponent = atoi(strchr(text, 'e') + 1);
	decimals = sig - 1 - exponent;
	if (exponent < -5 || exponent > 17)
		snprintf(out, 32, "%.*e", sig - 1, x);
	else
		snprintf(out, 32, "%.*f", decimals > 0 ? decimals : 0, x);
done:
	uselocale(old);
}

double num_round(double x)
{
	char text[32];

	snprintf(text, sizeof text, "%.6g", x);
	return strtod(text, NULL);
}
