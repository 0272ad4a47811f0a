/* A library that is loaded late, and has a progress point of its own. */
#include <andweorc.h>
#include <time.h>

static volatile unsigned sink;

static long long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

void plug(int msec)
{
	long long end = cpu_ns() + msec * 1000000ll;

	while (cpu_ns() < end) {
		for (unsigned i = 0; i < 20000; i++)
			sink += i * i;
		ANDWEORC_PROGRESS("plug");
	}
}
