/* phased [MS]: first one function computes for MS milliseconds, then another one for half as long; no marks. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

#define COMPUTE(ms)                                                                                                          \
	for (int64_t end = cpu_ns() + (ms) * 1000000ll; cpu_ns() < end;)                                                     \
		for (volatile int i = 0; i < 1000; i++)                                                                      \
			continue

__attribute__((noinline)) static void first(int ms)
{
	COMPUTE(ms);
}

/* Not the same code, which compilers would fold into one. */
__attribute__((noinline)) static void second(int ms)
{
	COMPUTE(ms + 1);
}

int main(int argc, char **argv)
{
	int ms = argc > 1 ? atoi(argv[1]) : 300;

	first(ms);
	second(ms / 2);
	return 0;
}
