/* at-once: forty threads that make their first OpenMP call at the same time. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 40, ROUNDS = 200 };

static pthread_barrier_t all;
static long sum, looped;

static void *work(void *arg)
{
	long own = 0;

	pthread_barrier_wait(&all);
#pragma omp parallel for num_threads(2) reduction(+ : own) schedule(dynamic)
	for (int i = 0; i < ROUNDS; i++)
		own++;
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp critical
		sum++;
	}
	__atomic_fetch_add(&looped, own, __ATOMIC_RELAXED);
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	pthread_barrier_init(&all, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld\n", sum, looped);
	return 0;
}
