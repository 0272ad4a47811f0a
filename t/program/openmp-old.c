/* openmp-old: parallel regions as gcc before 4.9 compiled them, one in the other. */
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads);
void GOMP_parallel_loop_dynamic_start(void (*fn)(void *), void *data, unsigned threads, long lo, long hi, long step,
				      long chunk);
void GOMP_parallel_end(void);
bool GOMP_loop_dynamic_next(long *lo, long *hi);
void GOMP_loop_end_nowait(void);
void GOMP_barrier(void);

static long sum;

static void inner(void *p)
{
	__atomic_fetch_add(&sum, (long)p, __ATOMIC_RELAXED);
}

static void outer(void *p)
{
	GOMP_barrier();
	__atomic_fetch_add(&sum, *(long *)p, __ATOMIC_RELAXED);
	GOMP_parallel_start(inner, (void *)100, 1);
	inner((void *)100);
	GOMP_parallel_end();
}

static void loop(void *p)
{
	long lo, hi;

	while (GOMP_loop_dynamic_next(&lo, &hi))
		for (long i = lo; i < hi; i++)
			__atomic_fetch_add(&sum, i * *(long *)p, __ATOMIC_RELAXED);
	GOMP_loop_end_nowait();
}

int main(void)
{
	long one = 1, thousand = 1000;

	for (int i = 0; i < 300; i++) {
		GOMP_parallel_start(outer, &one, 2);
		outer(&one);
		GOMP_parallel_end();
		GOMP_parallel_loop_dynamic_start(loop, &thousand, 2, 0, 10, 1, 1);
		loop(&thousand);
		GOMP_parallel_end();
	}
	printf("%ld\n", sum);
	return 0;
}
