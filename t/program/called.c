/* See called.h. */
#include "called.h"

#include <stdarg.h>

static volatile unsigned sink;

void tick(void)
{
	sink++;
}

double mix(long a, double b, long c, float d, long e, double f, long g, double h, long i, double j, long k, double l, double m, double n,
	   long o)
{
	return (double)a + b * 2 + (double)c * 3 + (double)d * 4 + (double)e * 5 + f * 6 + (double)g * 7 + h * 8 + (double)i * 9 +
	       j * 10 + (double)k * 11 + l * 12 + m * 13 + n * 14 + (double)o * 15;
}

long double wide(long double a, long double b)
{
	return a * b;
}

double sum(int n, ...)
{
	double s = 0;
	va_list list;

	va_start(list, n);
	for (int i = 0; i < n; i++) {
		s += va_arg(list, int);
		s += va_arg(list, double);
	}
	va_end(list);
	return s;
}

struct large make_large(long x)
{
	return (struct large){ { x, x + 1, x + 2, x + 3, x + 4, x + 5 } };
}

struct pair make_pair(double x)
{
	return (struct pair){ x, x * 2 };
}

struct mixed make_mixed(long x, double y)
{
	return (struct mixed){ x + 1, y + 1 };
}

void call(void (*function)(void))
{
	function();
	sink++;
}

#ifdef __AVX__
vector4 add4(vector4 a, vector4 b, vector4 c, vector4 d, vector4 e, vector4 f, vector4 g, vector4 h)
{
	return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8;
}
#endif

#ifdef __AVX512F__
vector8 add8(vector8 a, vector8 b, vector8 c, vector8 d, vector8 e, vector8 f, vector8 g, vector8 h)
{
	return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8;
}
#endif
