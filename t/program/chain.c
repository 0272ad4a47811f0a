/* A program (or library) that knows its own inline chains; see chain.h.  C and C++. */
#include "chain.h"

INLINE void mid(volatile int *x, int outer)
{
	*x += 7;
	leaf(x, __LINE__, outer);
	if (*x & 1) {
		volatile int y = *x;

		leaf(&y, __LINE__, outer);
		HERE(__LINE__, outer, 0);
		*x += y;
	}
}

NOINLINE int first(int n)
{
	volatile int x = n;

	mid(&x, __LINE__);
	HERE(__LINE__, 0, 0);
	return x;
}

NOINLINE int second(int n)
{
	volatile int x = n;

	for (int i = 0; i < n; i++)
		mid(&x, __LINE__);
	leaf(&x, __LINE__, 0);
	return x;
}

int main(int argc, char **argv)
{
	(void)argv;
	HERE(__LINE__, 0, 0);
	return first(argc) + second(argc);
}
