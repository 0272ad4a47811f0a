/*
 * topics: a message broker, six processes and Unix sockets that keep messages apart.  One publisher sends orders,
 * another one ticks.  The broker, which polls, routes orders to billing and search, and ticks to search and a display.
 * It sends without waiting; what a subscriber's socket does not take is queued, and if a queue becomes longer than ten
 * messages, the broker reads no more of this topic until all its queues are shorter than four; then publishers find
 * their sockets full, and wait.  Billing takes longest, search has both topics, and the display waits for its device (a
 * sleep).  Subscribers acknowledge each message; orders that were billed count.
 */
#include "workload.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

REGION_FUNCTION(WORKLOAD_OPAQUE, publish, 0.13, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)publish_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, route, 0.08, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)route_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, bill, 0.75, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)bill_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, index_text, 0.15, (double factor),
		WORKLOAD_LOOP((uint64_t)(factor * (double)index_text_region.iterations)));
REGION_FUNCTION(WORKLOAD_OPAQUE, display, 0.18, (double factor), WORKLOAD_LOOP((uint64_t)(factor * (double)display_region.iterations)));

enum { ORDERS, TICKS, TOPICS };
enum { BILLING, SEARCH, DISPLAY, SUBSCRIBERS };
enum { MESSAGE_BYTES = 512, SOCKET_BYTES = 4608, HIGH = 10, LOW = 4, QUEUE = 64 };

struct message {
	int topic;
	float size;
	char text[MESSAGE_BYTES - sizeof(int) - sizeof(float)];
};

struct subscriber {
	int fd;
	unsigned topics; /* bits */
	struct message queue[QUEUE];
	unsigned put, taken;
	int queued[TOPICS];
};

static struct subscriber subscribers[SUBSCRIBERS] = {
	[BILLING] = {.topics = 1 << ORDERS},
	[SEARCH] = {.topics = 1 << ORDERS | 1 << TICKS},
	[DISPLAY] = {.topics = 1 << TICKS},
};
static int publishers[TOPICS];

static double draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) * 0x1p-53;
}

_Noreturn static void run_publisher(int fd, int topic)
{
	uint64_t dice = 0x9fb21c651e98df25u + (uint64_t)topic;

	for (;;) {
		/* One order in ten is a large one. */
		double size = topic == ORDERS && draw(&dice) < 0.1 ? 3 : 0.4 + 0.8 * draw(&dice);
		struct message m = {.topic = topic, .size = (float)size};

		publish(size);
		if (send(fd, &m, sizeof m, MSG_NOSIGNAL) != sizeof m)
			_exit(0); /* the broker is gone */
	}
}

_Noreturn static void run_subscriber(int fd, int which)
{
	struct timespec device = workload_timespec(0.6 * workload_scale);
	struct message m;

	while (recv(fd, &m, sizeof m, 0) == sizeof m) {
		if (which == BILLING)
			bill(m.size);
		else if (which == SEARCH)
			index_text(m.size);
		else
			display(m.size);
		if (which == DISPLAY)
			nanosleep(&device, NULL);
		if (send(fd, &m.topic, sizeof m.topic, MSG_NOSIGNAL) != sizeof m.topic)
			break;
	}
	_exit(0);
}

/* Forks a process for one end of a socket pair.  The other end. */
static int start(void (*run)(int fd, int which), int which)
{
	const int bytes = SOCKET_BYTES;
	int pair[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		workload_die("cannot make", "a socket pair");
	for (int i = 0; i < 2; i++)
		if (setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes))
			workload_die("cannot set", "a socket's size");
	child = fork();
	if (child < 0)
		workload_die("cannot", "fork");
	if (child > 0) {
		close(pair[1]);
		return pair[0];
	}
	close(pair[0]);
	for (int i = 0; i < SUBSCRIBERS; i++)
		if (subscribers[i].fd > 0)
			close(subscribers[i].fd);
	for (int i = 0; i < TOPICS; i++)
		if (publishers[i] > 0)
			close(publishers[i]);
	run(pair[1], which);
	_exit(0);
}

/* False if the socket is full. */
static bool try_to_send(int fd, const struct message *m)
{
	if (send(fd, m, sizeof *m, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof *m)
		return true;
	if (errno != EAGAIN)
		workload_die("cannot send", "a message");
	return false;
}

static void drain(struct subscriber *s)
{
	for (; s->taken < s->put && try_to_send(s->fd, &s->queue[s->taken % QUEUE]); s->taken++)
		s->queued[s->queue[s->taken % QUEUE].topic]--;
}

static void deliver(const struct message *m)
{
	for (int i = 0; i < SUBSCRIBERS; i++) {
		struct subscriber *s = &subscribers[i];

		if (!(s->topics & 1u << m->topic))
			continue;
		if (s->taken == s->put && try_to_send(s->fd, m))
			continue;
		if (s->put - s->taken == QUEUE)
			workload_die("full queue of", "a subscriber");
		s->queue[s->put++ % QUEUE] = *m;
		s->queued[m->topic]++;
	}
}

static int longest_queue(int topic)
{
	int longest = 0;

	for (int i = 0; i < SUBSCRIBERS; i++)
		if (subscribers[i].queued[topic] > longest)
			longest = subscribers[i].queued[topic];
	return longest;
}

_Noreturn static void run_broker(void)
{
	bool stopped[TOPICS] = {false};
	struct message m;
	int topic;

	for (;;) {
		struct pollfd polled[TOPICS + SUBSCRIBERS];

		for (int i = 0; i < TOPICS; i++) {
			int longest = longest_queue(i);

			stopped[i] = stopped[i] ? longest >= LOW : longest > HIGH;
			polled[i] = (struct pollfd){.fd = stopped[i] ? -1 : publishers[i], .events = POLLIN};
		}
		for (int i = 0; i < SUBSCRIBERS; i++) {
			struct subscriber *s = &subscribers[i];

			polled[TOPICS + i] = (struct pollfd){.fd = s->fd, .events = (short)(s->taken < s->put ? POLLIN | POLLOUT : POLLIN)};
		}
		if (poll(polled, TOPICS + SUBSCRIBERS, -1) < 0) {
			if (errno == EINTR)
				continue;
			workload_die("cannot", "poll");
		}
		for (int i = 0; i < SUBSCRIBERS; i++) {
			if (polled[TOPICS + i].revents & POLLIN) {
				if (recv(subscribers[i].fd, &topic, sizeof topic, 0) != sizeof topic)
					workload_die("no", "acknowledgement");
				if (i == BILLING)
					workload_visit();
			}
			drain(&subscribers[i]);
		}
		for (int i = 0; i < TOPICS; i++) {
			if (!(polled[i].revents & POLLIN))
				continue;
			if (recv(publishers[i], &m, sizeof m, 0) != sizeof m)
				workload_die("no", "message");
			route(0.7 + 0.3 * m.size);
			deliver(&m);
		}
	}
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&publish_region, &route_region, &bill_region, &index_text_region, &display_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (int i = 0; i < SUBSCRIBERS; i++)
		subscribers[i].fd = start(run_subscriber, i);
	for (int i = 0; i < TOPICS; i++)
		publishers[i] = start(run_publisher, i);
	run_broker();
}
