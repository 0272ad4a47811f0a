/*
 * sync: the cost of waiting and waking without other threads: semaphores, locks, system
 * calls by number, yields.
 *
 *     sync [MS]
 *
 * Takes batches in turns for so long (default 500 ms) and prints the medians, in
 * ns, a line each.  Each round of batches is a visit, so that experiments can be made
 * at the same time.
 */
#include <andweorc.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "batches.h"

enum { BATCH = 1000, MOST = 50000, WAYS = 7 };

static sem_t sem;
static mtx_t mutex;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t word;

static void nothing(void)
{
}

#define TIME(way, what)                                                                                                      \
	static __attribute__((noinline)) double time_##way(void)                                                             \
	{                                                                                                                    \
		double began = now();                                                                                        \
                                                                                                                             \
		for (int i = 0; i < BATCH; i++) {                                                                            \
			what;                                                                                                \
		}                                                                                                            \
		return (now() - began) / BATCH;                                                                              \
	}                                                                                                                    \
	struct swallow_the_semicolon

TIME(semaphore, sem_post(&sem); sem_wait(&sem));
TIME(mtx, mtx_lock(&mutex); mtx_unlock(&mutex));
TIME(spin, pthread_spin_lock(&spin); pthread_spin_unlock(&spin));
TIME(once, pthread_once(&once, nothing));
TIME(gettid, syscall(SYS_gettid));
TIME(futex, syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1));
TIME(yield, sched_yield());

int main(int argc, char **argv)
{
	static double took[WAYS][MOST];
	double end = now() + 1e6 * (argc > 1 ? atof(argv[1]) : 500);
	int n = 0;

	sem_init(&sem, 0, 0);
	mtx_init(&mutex, mtx_plain);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_once(&once, nothing);
	do {
		took[0][n] = time_semaphore();
		took[1][n] = time_mtx();
		took[2][n] = time_spin();
		took[3][n] = time_once();
		took[4][n] = time_gettid();
		took[5][n] = time_futex();
		took[6][n] = time_yield();
		n++;
		ANDWEORC_PROGRESS("batch");
	} while (n < MOST && now() < end);
	printf("semaphore %.3f\nmtx %.3f\nspin %.3f\n", median(took[0], n), median(took[1], n), median(took[2], n));
	printf("once %.3f\ngettid %.3f\nfutex %.3f\nyield %.3f\n", median(took[3], n), median(took[4], n), median(took[5], n),
	       median(took[6], n));
	return 0;
}
