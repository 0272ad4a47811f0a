/*
 * evloop: a thread that runs an epoll loop, and a worker that it asks over a
 * socket pair.  Half way the worker sends a note over the socket, and when it is
 * done it counts up an eventfd.  The loop's work on the note is hidden behind
 * the worker's second half, its work on the answer is not.
 *
 * Round: own 0.6 in the loop, render 2 x 0.8 in the worker, beside the second
 * one note 0.3 in the loop.  Shrunk by half: own 13.6 %, render 36.4 %, note 0.
 */
#include "workload.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

REGION(own, 0.6);
REGION(note, 0.3);
REGION(render, 0.8);

static int loop_end, worker_end; /* of the socket pair */
static int finished;             /* eventfd */

static void send_byte(int fd, char byte)
{
	if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1)
		workload_die("cannot send over the", "socket");
}

static char receive_byte(int fd)
{
	char byte;

	if (recv(fd, &byte, 1, 0) != 1)
		workload_die("cannot receive from the", "socket");
	return byte;
}

static void *worker(void *arg)
{
	for (;;) {
		char request = receive_byte(worker_end);

		render();
		send_byte(worker_end, request);
		render();
		eventfd_write(finished, 1);
	}
	return arg;
}

static void watch(int epoll, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		workload_die("cannot watch", "a descriptor");
}

static void *loop(void *arg)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event[2];
	eventfd_t count;

	watch(epoll, loop_end);
	watch(epoll, finished);
	send_byte(loop_end, 'r');
	for (;;) {
		int n = epoll_wait(epoll, event, 2, -1);

		for (int i = 0; i < n; i++) {
			if (event[i].data.fd == loop_end) {
				receive_byte(loop_end);
				note();
				continue;
			}
			eventfd_read(finished, &count);
			own();
			workload_visit();
			send_byte(loop_end, 'r');
		}
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&own_region, &note_region, &render_region, NULL};
	int pair[2];

	workload_start(argc, argv, regions, 1);
	finished = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (finished < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		workload_die("cannot make", "descriptors");
	loop_end = pair[0];
	worker_end = pair[1];
	workload_run_two(loop, NULL, worker, NULL);
}
