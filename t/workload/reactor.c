/*
 * reactor: a server and its four clients in one process.  The main thread runs an epoll loop
 * over the clients' socket pairs and an eventfd; it parses requests, queues them for two workers, and
 * formats and sends what these have handled.  A client sends a request, waits for the answer,
 * digests it, and thinks (sleeps) for a while.  One request in eight is heavy.  Answers count.
 */
#include "workload.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

REGION(parse, 0.1);
REGION_FUNCTION(WORKLOAD_OPAQUE, handle, 0.5, (double factor),
		WORKLOAD_LOOP((uint64_t)(factor *(double)handle_region.iterations)));
REGION(format, 0.15);
REGION(digest, 0.2);

enum { CLIENTS = 4, WORKERS = 2 };

struct message {
	uint32_t serial;
	uint32_t permille; /* of a usual request's work */
};

static int server_end[CLIENTS], client_end[CLIENTS];
static int handled_fd; /* eventfd */

/* A client has one request at most under way. */
static struct message current[CLIENTS];

/* Rings of clients' numbers that are never full. */
static struct ring {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	unsigned head, tail;
	int number[CLIENTS];
} parsed = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER},
  handled = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};

static void put(struct ring *r, int number)
{
	pthread_mutex_lock(&r->lock);
	r->number[r->head++ % CLIENTS] = number;
	pthread_cond_signal(&r->filled);
	pthread_mutex_unlock(&r->lock);
}

static int take(struct ring *r, bool wait)
{
	int number = -1;

	pthread_mutex_lock(&r->lock);
	while (wait && r->head == r->tail)
		pthread_cond_wait(&r->filled, &r->lock);
	if (r->head != r->tail)
		number = r->number[r->tail++ % CLIENTS];
	pthread_mutex_unlock(&r->lock);
	return number;
}

static void transmit(int fd, const struct message *m)
{
	if (send(fd, m, sizeof *m, MSG_NOSIGNAL) != sizeof *m)
		workload_die("cannot send", "a message");
}

static void receive(int fd, struct message *m)
{
	if (recv(fd, m, sizeof *m, 0) != sizeof *m)
		workload_die("cannot receive", "a message");
}

static void *worker(void *arg)
{
	for (;;) {
		int number = take(&parsed, true);

		handle(current[number].permille / 1000.0);
		put(&handled, number);
		eventfd_write(handled_fd, 1);
	}
	return arg;
}

static void *client(void *arg)
{
	int number = (int)(intptr_t)arg;
	uint64_t state = 0xda942042e4dd58b5u * (uint64_t)(2 * number + 1);
	struct message m = {0};

	for (;;) {
		struct timespec think;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		think = workload_timespec(workload_scale * (0.5 + (double)(state >> 11) * 0x1p-53));
		nanosleep(&think, NULL);
		m.serial++;
		m.permille = m.serial % 8 == 0 ? 3000 : 714;
		transmit(client_end[number], &m);
		receive(client_end[number], &m);
		digest();
		workload_visit();
	}
	return arg;
}

static void watch(int epoll, int fd, int number)
{
	struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = (uint32_t)number}};

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		workload_die("cannot watch", "a descriptor");
}

static void serve(uint32_t source)
{
	eventfd_t count;
	int number;

	if (source < CLIENTS) {
		receive(server_end[source], &current[source]);
		parse();
		put(&parsed, (int)source);
		return;
	}
	eventfd_read(handled_fd, &count);
	while ((number = take(&handled, false)) >= 0) {
		format();
		transmit(server_end[number], &current[number]);
	}
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&parse_region, &handle_region, &format_region, &digest_region, NULL};
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	workload_start(argc, argv, regions, 1);
	handled_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (epoll < 0 || handled_fd < 0)
		workload_die("cannot make", "descriptors");
	watch(epoll, handled_fd, CLIENTS);
	for (int i = 0; i < CLIENTS; i++) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
			workload_die("cannot make", "a socket pair");
		server_end[i] = pair[0];
		client_end[i] = pair[1];
		watch(epoll, server_end[i], i);
	}
	for (int i = 0; i < WORKERS; i++)
		workload_thread(worker, NULL);
	for (int i = 0; i < CLIENTS; i++)
		workload_thread(client, (void *)(intptr_t)i);
	for (;;) {
		struct epoll_event event[4];
		int n = epoll_wait(epoll, event, 4, -1);

		if (n < 0 && errno != EINTR)
			workload_die("cannot wait for", "events");
		for (int i = 0; i < n; i++)
			serve(event[i].data.u32);
	}
}
