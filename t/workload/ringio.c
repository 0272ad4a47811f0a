/*
 * ringio: io_uring, two blocks under way: each is read from a file (after a pause, a
 * timeout of the ring), verified, compressed by a second thread, which tells by an eventfd
 * that the ring reads, indexed, and written.  A timeout of the ring flushes now and then.
 */
#include "workload.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "rings.h"

REGION(verify, 0.3);
REGION_FUNCTION(WORKLOAD_OPAQUE, compress, 0.1, (unsigned n), WORKLOAD_LOOP(compress_region.iterations * n));
REGION(index_block, 0.15);
REGION(flush, 0.4);

enum { BLOCKS = 2, SIZE = 8192, FILE_BLOCKS = 32 };
enum step { PAUSE, READ, COMPRESS, WRITE, WAKE, FLUSH };

struct block {
	enum step step; /* that the ring is at, first: `event` has it, too */
	unsigned number;
	struct block *next;
	char data[SIZE];
};

struct event {
	enum step step;
	uint64_t value;
};

static const unsigned density[8] = {7, 5, 9, 6, 8, 7, 4, 10}; /* mean 7 */
static struct io_uring ring;
static int input, output, event_fd;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct block *raw, **raw_end = &raw, *ready, **ready_end = &ready;
static struct event wake = {.step = WAKE}, flush_event = {.step = FLUSH};
static struct __kernel_timespec pause_time, flush_time;

static void check(int rc, const char *what)
{
	if (rc < 0)
		workload_die(what, strerror(-rc));
}

static void append(struct block ***end, struct block *b)
{
	b->next = NULL;
	**end = b;
	*end = &b->next;
}

static struct block *take(struct block **first, struct block ***end)
{
	struct block *b = *first;

	if (b && !(*first = b->next))
		*end = first;
	return b;
}

static void *compressor(void *arg)
{
	for (;;) {
		struct block *b;
		uint64_t one = 1;

		pthread_mutex_lock(&lock);
		while (!(b = take(&raw, &raw_end)))
			pthread_cond_wait(&more, &lock);
		pthread_mutex_unlock(&lock);
		compress(density[b->number % 8]);
		pthread_mutex_lock(&lock);
		append(&ready_end, b);
		pthread_mutex_unlock(&lock);
		if (write(event_fd, &one, sizeof one) != sizeof one)
			abort();
	}
	return arg;
}

static void submit(uint8_t opcode, int fd, const void *data, unsigned n, uint64_t at, const void *of)
{
	if (!ring_add(&ring, opcode, fd, data, n, at, (uintptr_t)of))
		abort();
}

static void submit_timeout(const void *of, const struct __kernel_timespec *t)
{
	submit(IORING_OP_TIMEOUT, -1, t, 1, 0, of);
}

static void submit_wake(void)
{
	submit(IORING_OP_READ, event_fd, &wake.value, sizeof wake.value, 0, &wake);
}

static void submit_block(struct block *b, enum step step)
{
	b->step = step;
	submit(step == READ ? IORING_OP_READ : IORING_OP_WRITE, step == READ ? input : output, b->data, SIZE,
	       b->number % FILE_BLOCKS * (uint64_t)SIZE, b);
}

static void complete(void *data, int res)
{
	struct block *b = data;

	switch (*(enum step *)data) {
	case PAUSE:
		submit_block(b, READ);
		break;
	case READ:
		if (res != SIZE)
			check(res < 0 ? res : -EIO, "read");
		verify();
		b->step = COMPRESS;
		pthread_mutex_lock(&lock);
		append(&raw_end, b);
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
		break;
	case WRITE:
		if (res != SIZE)
			check(res < 0 ? res : -EIO, "write");
		workload_visit();
		b->number += BLOCKS;
		b->step = PAUSE;
		submit_timeout(b, &pause_time);
		break;
	case WAKE:
		check(res, "eventfd");
		for (;;) {
			pthread_mutex_lock(&lock);
			b = take(&ready, &ready_end);
			pthread_mutex_unlock(&lock);
			if (!b)
				break;
			index_block();
			submit_block(b, WRITE);
		}
		submit_wake();
		break;
	case FLUSH:
		flush();
		submit_timeout(&flush_event, &flush_time);
		break;
	default:
		abort();
	}
}

static int temporary(void)
{
	char name[] = "/tmp/ringio.XXXXXX", data[SIZE];
	int fd = mkstemp(name);

	if (fd < 0 || unlink(name))
		workload_die("cannot create", name);
	memset(data, 'x', sizeof data);
	for (int i = 0; i < FILE_BLOCKS; i++)
		if (write(fd, data, sizeof data) != sizeof data)
			workload_die("cannot write", name);
	return fd;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&verify_region, &compress_region, &index_block_region, &flush_region, NULL};
	static struct block blocks[BLOCKS];

	workload_start(argc, argv, regions, 8);
	pause_time.tv_nsec = (long long)(0.5e6 * workload_scale);
	flush_time.tv_nsec = (long long)(10e6 * workload_scale);
	input = temporary();
	output = temporary();
	event_fd = eventfd(0, 0);
	check(io_uring_queue_init(16, &ring, 0), "io_uring_queue_init");
	workload_thread(compressor, NULL);
	submit_wake();
	submit_timeout(&flush_event, &flush_time);
	for (unsigned i = 0; i < BLOCKS; i++) {
		blocks[i].number = i;
		submit_block(&blocks[i], READ);
	}
	for (;;) {
		struct io_uring_cqe *c;
		int rc = io_uring_submit_and_wait(&ring, 1);

		if (rc == -EINTR)
			continue;
		check(rc, "io_uring_submit_and_wait");
		while (io_uring_peek_cqe(&ring, &c) == 0) {
			void *data = (void *)(uintptr_t)c->user_data;
			int res = c->res;

			io_uring_cqe_seen(&ring, c);
			complete(data, res);
		}
	}
}
