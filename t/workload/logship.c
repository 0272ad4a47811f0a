/*
 * logship: a shipper of logs that catches up.  The main thread reads a file of events line by line (and starts again at
 * its end, as if it were the next one) and parses them; a thread matches them against patterns and drops what is
 * only for debugging, of which there are floods; another one makes batches, of six events or of what there is
 * after 4 ms, and compresses them; a sender sends batches to a collector, a process, but has no more than two unacknowledged.
 * The collector ingests a batch, replicates it (a sleep) and acknowledges it; a thread of the shipper takes acknowledgments.
 * Events acknowledged count.
 */
#include "workload.h"

#include <errno.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIZED(name_, ms_)                                                                                                    \
	REGION_FUNCTION(WORKLOAD_OPAQUE, name_, ms_, (double size), WORKLOAD_LOOP((uint64_t)(size * (double)name_##_region.iterations)))

SIZED(parse_line, 0.04);
SIZED(match, 0.27);
SIZED(compress_batch, 0.13); /* an event of it */
SIZED(ingest, 0.16);         /* the same */

enum { LINES = 2048, FLOOD = 40, BATCH = 6, WINDOW = 2, ROOM = 16 };
static const double linger_ms = 4, replication_ms = 1.3;

struct event {
	double size;
	bool debug;
};

struct batch {
	int events;
	double size;
};

/* A bounded queue of either; what does not matter for one kind stays 0. */
struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	struct {
		struct event event;
		struct batch batch;
	} slots[ROOM];
	unsigned room, first, used;
};

static struct queue parsed, matched, batches;
static sem_t window;
static int collector;

static double draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) * 0x1p-53;
}

static void queue_start(struct queue *q, unsigned room)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->not_empty, &monotonic);
	pthread_cond_init(&q->not_full, NULL);
	q->room = room;
}

static void put(struct queue *q, struct event e, struct batch b)
{
	unsigned at;

	pthread_mutex_lock(&q->lock);
	while (q->used == q->room)
		pthread_cond_wait(&q->not_full, &q->lock);
	at = (q->first + q->used++) % q->room;
	q->slots[at].event = e;
	q->slots[at].batch = b;
	pthread_cond_signal(&q->not_empty);
	pthread_mutex_unlock(&q->lock);
}

/* False: it is `until` and there is nothing.  NULL waits as long as it takes. */
static bool get(struct queue *q, struct event *e, struct batch *b, const struct timespec *until)
{
	int err = 0;

	pthread_mutex_lock(&q->lock);
	while (q->used == 0 && err != ETIMEDOUT)
		err = until ? pthread_cond_timedwait(&q->not_empty, &q->lock, until) : pthread_cond_wait(&q->not_empty, &q->lock);
	if (q->used == 0) {
		pthread_mutex_unlock(&q->lock);
		return false;
	}
	if (e)
		*e = q->slots[q->first].event;
	if (b)
		*b = q->slots[q->first].batch;
	q->first = (q->first + 1) % q->room;
	q->used--;
	pthread_cond_signal(&q->not_full);
	pthread_mutex_unlock(&q->lock);
	return true;
}

static void *filter(void *arg)
{
	struct event e;

	(void)arg;
	while (get(&parsed, &e, NULL, NULL)) {
		match(e.debug ? 0.6 * e.size : e.size); /* the patterns for debugging are the first ones */
		if (!e.debug)
			put(&matched, e, (struct batch){0});
	}
	return NULL;
}

static struct timespec from_now(double ms)
{
	const uint64_t t = workload_now() + (uint64_t)(ms * 1e6 * workload_scale);
	struct timespec until;

	until.tv_sec = (time_t)(t / 1000000000u);
	until.tv_nsec = (long)(t % 1000000000u);
	return until;
}

static void *make_batches(void *arg)
{
	(void)arg;
	for (;;) {
		struct batch b = {0};
		struct timespec until;
		struct event e;

		get(&matched, &e, NULL, NULL);
		until = from_now(linger_ms);
		do {
			b.events++;
			b.size += e.size;
		} while (b.events < BATCH && get(&matched, &e, NULL, &until));
		compress_batch(b.size);
		put(&batches, (struct event){0}, b);
	}
	return NULL;
}

static void *send_batches(void *arg)
{
	struct batch b;

	(void)arg;
	while (get(&batches, NULL, &b, NULL)) {
		while (sem_wait(&window))
			;
		if (send(collector, &b, sizeof b, MSG_NOSIGNAL) != sizeof b)
			workload_die("cannot send", "a batch");
	}
	return NULL;
}

static void *take_acknowledgments(void *arg)
{
	struct batch b;

	(void)arg;
	while (recv(collector, &b, sizeof b, 0) == sizeof b) {
		sem_post(&window);
		for (int i = 0; i < b.events; i++)
			workload_visit();
	}
	return NULL;
}

_Noreturn static void run_collector(int fd)
{
	const struct timespec replication = workload_timespec(replication_ms * workload_scale);
	struct batch b;

	while (recv(fd, &b, sizeof b, 0) == sizeof b) {
		ingest(b.size);
		nanosleep(&replication, NULL);
		if (send(fd, &b, sizeof b, MSG_NOSIGNAL) != sizeof b)
			break;
	}
	_exit(0);
}

/* Half of the time there is a flood of what is for debugging. */
static FILE *write_log(void)
{
	uint64_t dice = 0xe7037ed1a0b428dbu;
	FILE *log = tmpfile();

	if (!log)
		workload_die("cannot make", "a file");
	for (int i = 0; i < LINES; i++) {
		const bool debug = draw(&dice) < (i / FLOOD % 2 ? 0.7 : 0.15);
		const double size = draw(&dice) < 0.08 ? 3 : 0.5 + 0.7 * draw(&dice);

		fprintf(log, "%.3f %s host%d app[%d]: ", size, debug ? "DEBUG" : "ERROR", i % 7, 1000 + i % 31);
		for (int n = (int)(20 * size); n > 0; n--)
			fputc('a' + n % 26, log);
		fputc('\n', log);
	}
	rewind(log);
	return log;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&parse_line_region, &match_region, &compress_batch_region, &ingest_region, NULL};
	char line[256], level[8];
	int pair[2];
	pid_t child;
	FILE *log;

	workload_start(argc, argv, regions, 1);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		workload_die("cannot make", "a socket pair");
	child = fork();
	if (child < 0)
		workload_die("cannot", "fork");
	close(pair[child == 0 ? 0 : 1]);
	if (child == 0)
		run_collector(pair[1]);
	collector = pair[0];

	log = write_log();
	queue_start(&parsed, ROOM);
	queue_start(&matched, ROOM);
	queue_start(&batches, 2);
	if (sem_init(&window, 0, WINDOW))
		workload_die("cannot make", "a semaphore");
	workload_thread(filter, NULL);
	workload_thread(make_batches, NULL);
	workload_thread(send_batches, NULL);
	workload_thread(take_acknowledgments, NULL);
	for (;;) {
		struct event e;

		if (!fgets(line, sizeof line, log)) {
			rewind(log);
			continue;
		}
		if (sscanf(line, "%lf %7s", &e.size, level) != 2)
			workload_die("bad line", line);
		e.debug = strcmp(level, "DEBUG") == 0;
		parse_line(0.5 + 0.5 * e.size);
		put(&parsed, e, (struct batch){0});
	}
}
