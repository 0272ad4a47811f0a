/*
 * tokenbucket: a bucket that holds eight tokens at most.  A thread sleeps for 2 ms, works out what is due,
 * and adds four tokens.  Each of three workers parses a request, takes a token, for which it may
 * have to wait, serves the request, and writes a log line under a lock.  Cheap and costly requests come in runs
 * of 24; the costly ones also wait for a backend (a sleep).  Tokens limit the cheap ones, and
 * the number of workers the costly ones.  Requests count.
 */
#include "workload.h"

REGION(work_out, 0.1);
REGION(parse, 0.15);
REGION_FUNCTION(WORKLOAD_OPAQUE, serve, 0.5, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)serve_region.iterations)));
REGION(log_line, 0.12);

enum { WORKERS = 3, CAPACITY = 8, REFILL = 4, RUN = 24 };

static struct bucket {
	pthread_mutex_t lock;
	pthread_cond_t refilled;
	int tokens;
} bucket = {.lock = PTHREAD_MUTEX_INITIALIZER, .refilled = PTHREAD_COND_INITIALIZER, .tokens = CAPACITY};

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char log_text[64];

static _Atomic unsigned arrived; /* requests */

static void take_token(void)
{
	pthread_mutex_lock(&bucket.lock);
	while (bucket.tokens == 0)
		pthread_cond_wait(&bucket.refilled, &bucket.lock);
	bucket.tokens--;
	pthread_mutex_unlock(&bucket.lock);
}

static void refill(void)
{
	pthread_mutex_lock(&bucket.lock);
	bucket.tokens += REFILL;
	if (bucket.tokens > CAPACITY)
		bucket.tokens = CAPACITY;
	pthread_cond_broadcast(&bucket.refilled);
	pthread_mutex_unlock(&bucket.lock);
}

static void write_log(unsigned number, bool costly)
{
	pthread_mutex_lock(&log_lock);
	log_line();
	snprintf(log_text, sizeof log_text, "%u: %s", number, costly ? "costly" : "cheap");
	pthread_mutex_unlock(&log_lock);
}

static void *worker(void *arg)
{
	struct timespec backend = workload_timespec(1 * workload_scale);

	for (;;) {
		unsigned number = atomic_fetch_add(&arrived, 1);
		bool costly = number / RUN % 2;

		parse();
		take_token();
		if (costly)
			nanosleep(&backend, NULL);
		serve(costly ? 1.4 : 0.6);
		write_log(number, costly);
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&work_out_region, &parse_region, &serve_region, &log_line_region, NULL};
	struct timespec interval;

	workload_start(argc, argv, regions, 2 * RUN);
	interval = workload_timespec(2 * workload_scale);
	for (int i = 0; i < WORKERS; i++)
		workload_thread(worker, NULL);
	for (;;) {
		nanosleep(&interval, NULL);
		work_out();
		refill();
	}
}
