/*
 * rpcserver: a server on a Unix stream socket, and two clients, all threads of one process.  The dispatcher polls the
 * connections, cuts what it reads into requests, and queues these for two workers, who execute them
 * and answer on the connection themselves.  One client makes a call at a time; the other one sends
 * two and then reads both answers, in whatever order they come.  One call in four
 * asks a backend (a sleep in the worker).  Answers count.
 */
#include "workload.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

REGION(marshal, 0.15);
REGION(dispatch, 0.08);
REGION_FUNCTION(WORKLOAD_OPAQUE, execute, 0.5, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)execute_region.iterations)));
REGION(unmarshal, 0.25);

enum { CLIENTS = 2, WORKERS = 2, QUEUE = 8 /* more than there are calls at a time */ };

struct frame {
	uint32_t serial, permille; /* of the usual work */
	uint32_t ask_backend, checksum;
};

static struct connection {
	int fd;
	pthread_mutex_t write_lock;
} connections[CLIENTS];

static struct {
	pthread_mutex_t lock;
	pthread_cond_t more;
	unsigned put, taken;
	struct call {
		struct connection *from;
		struct frame frame;
	} call[QUEUE];
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_size = sizeof(sa_family_t); /* the kernel finds a name */

static void *worker(void *arg)
{
	struct timespec backend = workload_timespec(0.7 * workload_scale);

	for (;;) {
		struct call c;

		pthread_mutex_lock(&queue.lock);
		while (queue.put == queue.taken)
			pthread_cond_wait(&queue.more, &queue.lock);
		c = queue.call[queue.taken++ % QUEUE];
		pthread_mutex_unlock(&queue.lock);
		if (c.frame.ask_backend)
			nanosleep(&backend, NULL);
		execute(c.frame.permille / 1000.0);
		c.frame.checksum = ~c.frame.serial;
		pthread_mutex_lock(&c.from->write_lock);
		if (send(c.from->fd, &c.frame, sizeof c.frame, MSG_NOSIGNAL) != sizeof c.frame)
			workload_die("cannot send", "an answer");
		pthread_mutex_unlock(&c.from->write_lock);
	}
	return arg;
}

/* So short a frame is sent as a whole. */
static void read_requests(struct connection *c)
{
	struct frame frames[4];
	ssize_t n = recv(c->fd, frames, sizeof frames, 0);

	if (n <= 0 || (size_t)n % sizeof frames[0])
		workload_die("cannot receive", "requests");
	for (size_t i = 0; i < (size_t)n / sizeof frames[0]; i++) {
		dispatch();
		pthread_mutex_lock(&queue.lock);
		queue.call[queue.put++ % QUEUE] = (struct call){c, frames[i]};
		pthread_cond_signal(&queue.more);
		pthread_mutex_unlock(&queue.lock);
	}
}

static void *client(void *arg)
{
	unsigned calls = arg ? 2 : 1;
	uint64_t dice = arg ? 0xeb44accab455d165u : 0x2f7f2bdf9a8a6c1bu;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct frame f;

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, address_size))
		workload_die("cannot connect to", "the server");
	for (uint32_t serial = 0;; serial += calls) {
		for (unsigned i = 0; i < calls; i++) {
			dice ^= dice << 13;
			dice ^= dice >> 7;
			dice ^= dice << 17;
			marshal();
			f = (struct frame){serial + i, 600 + (uint32_t)(dice >> 40) % 800, (dice >> 20) % 4 == 0, 0};
			if (send(fd, &f, sizeof f, MSG_NOSIGNAL) != sizeof f)
				workload_die("cannot send", "a request");
		}
		for (unsigned i = 0; i < calls; i++) {
			if (recv(fd, &f, sizeof f, MSG_WAITALL) != sizeof f || f.checksum != ~f.serial || f.serial - serial >= calls)
				workload_die("cannot receive", "an answer");
			unmarshal();
			workload_visit();
		}
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&marshal_region, &dispatch_region, &execute_region, &unmarshal_region, NULL};
	struct pollfd polled[CLIENTS];
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	workload_start(argc, argv, regions, 1);
	if (bind(listener, (struct sockaddr *)&address, address_size) || listen(listener, CLIENTS))
		workload_die("cannot listen on", "a socket");
	address_size = sizeof address;
	getsockname(listener, (struct sockaddr *)&address, &address_size);
	for (int i = 0; i < WORKERS; i++)
		workload_thread(worker, NULL);
	for (int i = 0; i < CLIENTS; i++)
		workload_thread(client, i ? &connections[i] : NULL);
	for (int i = 0; i < CLIENTS; i++) {
		pthread_mutex_init(&connections[i].write_lock, NULL);
		connections[i].fd = polled[i].fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		polled[i].events = POLLIN;
		if (polled[i].fd < 0)
			workload_die("cannot accept", "a connection");
	}
	for (;;) {
		if (poll(polled, CLIENTS, -1) < 0) {
			if (errno != EINTR)
				workload_die("cannot wait for", "requests");
			continue;
		}
		for (int i = 0; i < CLIENTS; i++)
			if (polled[i].revents & POLLIN)
				read_requests(&connections[i]);
	}
}
