/* waits [MS]: sleeps, waits for a lock, reads a device, works; each in a function of its own. */
#include <andweorc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const struct timespec two_ms = { 0, 2000000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

__attribute__((noinline)) static void work(int us)
{
	for (int64_t end = now() + us * 1000ll; now() < end;)
		continue;
}

/* Its last act is a call: the function is not on the stack while it sleeps. */
__attribute__((noinline)) static int nap(void)
{
	return nanosleep(&two_ms, NULL);
}

__attribute__((noinline)) static void contend(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	work(10);
}

static void *hold(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		nanosleep(&two_ms, NULL);
		pthread_mutex_unlock(&lock);
		work(500);
	}
	return unused;
}

int main(int argc, char **argv)
{
	int64_t end = now() + (argc > 1 ? atoi(argv[1]) : 1000) * 1000000ll;
	pthread_t t;

	if (pthread_create(&t, NULL, hold, NULL) != 0)
		return 2;
	while (now() < end) {
		work(1000);
		nap();
		contend();
		ANDWEORC_PROGRESS("round");
	}
	return 0;
}
