/* Programs that a sanitizer watches: right ones, and some with one fault; see hostile.h. */
#include <stdatomic.h>
#include <sys/wait.h>

#include "hostile.h"

enum { THREADS = 3 };

/* The `sink` of the others is for all threads, and unlocked. */
static void labour(int msec)
{
	long long end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + msec * 1000000ll;
	volatile unsigned own = 0;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
		for (unsigned i = 0; i < 20000; i++)
			own += i * i;
		ANDWEORC_PROGRESS("labour");
	}
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned turn, done; /* under the lock */
static int faults;

static void set_up(void)
{
	turn = 0;
}

/* Each in its turn; all that they share is under the lock. */
static void *takes_turns(void *arg)
{
	unsigned me = *(unsigned *)arg;
	struct timespec soon;
	char *text;

	free(arg);
	pthread_once(&once, set_up);
	for (int i = 0; i < 8; i++) {
		labour(ms / 8 + 1);
		pthread_mutex_lock(&lock);
		while (turn != me) {
			clock_gettime(CLOCK_REALTIME, &soon);
			soon.tv_sec += 10;
			if (i % 2)
				pthread_cond_wait(&changed, &lock);
			else
				pthread_cond_timedwait(&changed, &lock, &soon);
		}
		turn = (turn + 1) % THREADS;
		done++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
		text = strdup("something");
		memset(text, 'x', 4);
		free(text);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		unsigned *me = malloc(sizeof(*me));

		*me = i;
		start(&t[i], NULL, takes_turns, me);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("done %u\n", done);
}

static void forks(void)
{
	int status;

	threads();
	fflush(stdout);
	if (fork() == 0) {
		labour(ms);
		_exit(5);
	}
	wait(&status);
	printf("child %d\n", WEXITSTATUS(status));
}

static unsigned *shared;

static void *counts(void *arg)
{
	for (int i = 0; i < 1000; i++)
		++*shared;
	labour(ms);
	return arg;
}

/* Two threads, one counter, no lock. */
static void races(void)
{
	pthread_t t[2];

	shared = calloc(1, sizeof(*shared));
	for (int i = 0; i < 2; i++)
		start(&t[i], NULL, counts, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	free(shared);
	puts("raced");
}

static void overruns(void)
{
	volatile char *small = malloc(8);

	labour(ms);
	small[8 + faults] = 1;
	puts("overrun");
}

static void leaks(void)
{
	shared = malloc(100);
	shared[1] = 1;
	shared = NULL;
	labour(ms);
	puts("leaked");
}

static const struct mode mode[] = {
	{ "threads", threads }, { "forks", forks }, { "races", races }, { "overruns", overruns }, { "leaks", leaks },
};

int main(int argc, char **argv)
{
	return run_mode(argc, argv, mode, sizeof(mode) / sizeof(mode[0]));
}
