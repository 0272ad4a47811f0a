/*
 * rings MODE: operations by io_uring.  With -DLIBURING by that library.  Without a MODE
 * it tells, by its status, whether the system allows them.  See sync.h.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "../workload/rings.h"
#include "sync.h"

static struct io_uring ring;

static struct io_uring_sqe *add(unsigned char opcode, int fd, const void *data, unsigned n, uint64_t at, uint64_t value)
{
	struct io_uring_sqe *e = ring_add(&ring, opcode, fd, data, n, at, value);

	if (!e)
		die("full");
	return e;
}

/* Waits for one to be complete. */
static uint64_t take(int *result)
{
	struct io_uring_cqe *e;
	uint64_t value;
	int err;

	while ((err = io_uring_wait_cqe(&ring, &e)) == -EINTR)
		;
	if (err < 0)
		die("io_uring_wait_cqe");
	value = e->user_data;
	*result = e->res;
	io_uring_cqe_seen(&ring, e);
	return value;
}

static void submit(unsigned wait)
{
	int n;

	while ((n = io_uring_submit_and_wait(&ring, wait)) == -EINTR)
		;
	if (n < 0)
		die("io_uring_submit_and_wait");
}

/* ---- files ------------------------------------------------------------------------- */

static void files(void)
{
	char data[4096], back[4096] = "";
	int fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), result;

	for (unsigned i = 0; i < 8; i++) {
		memset(data, 'a' + (int)i, sizeof(data));
		add(IORING_OP_WRITE, fd, data, sizeof(data), i * sizeof(data), i);
		submit(1);
		say("%d", (int)take(&result));
		say(" %d,", result);
	}
	add(IORING_OP_FSYNC, fd, NULL, 0, 0, 100);
	submit(1);
	say(" %d", (int)take(&result));
	say(" %d,", result);
	for (unsigned i = 0; i < 8; i++)
		add(IORING_OP_READ, fd, back, sizeof(back), i * sizeof(back), i);
	submit(8);
	for (unsigned i = 0; i < 8; i++) {
		take(&result);
		say(" %d", result);
	}
	add(IORING_OP_READ, fd, (char *)8, 1, 0, 200);
	add(IORING_OP_READ, -1, back, 1, 0, 200);
	submit(2);
	take(&result);
	say(", %s", strerrorname_np(-result));
	take(&result);
	say(" or %s\n", result == -EFAULT || result == -EBADF ? "the like" : "another");
	close(fd);
}

/* ---- other threads ------------------------------------------------------------------ */

static int counter[2], wire[2];

/* Adds to each counter, and answers what comes by the wire. */
static void *other(void *arg)
{
	uint64_t n;
	char c;

	for (int i = 0; i < ROUNDS; i++) {
		if (read(counter[0], &n, sizeof(n)) != sizeof(n))
			die("read");
		work(20);
		if (write(counter[1], &n, sizeof(n)) != sizeof(n) || read(wire[1], &c, 1) != 1 || write(wire[1], &c, 1) != 1)
			die("write");
	}
	return arg;
}

static void threads(void)
{
	unsigned sum = 0;
	pthread_t t;

	counter[0] = eventfd(0, EFD_CLOEXEC);
	counter[1] = eventfd(0, EFD_CLOEXEC);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wire) != 0)
		die("socketpair");
	t = start(other, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t one = 1, got = 0;
		char c = (char)i, back = 0;
		int left = i % 2 ? 4 : 5, result;

		add(IORING_OP_READ, counter[1], &got, sizeof(got), 0, 1);
		add(IORING_OP_WRITE, counter[0], &one, sizeof(one), 0, 2);
		add(IORING_OP_SEND, wire[0], &c, 1, 0, 3);
		if (i % 2)
			add(IORING_OP_RECV, wire[0], &back, 1, 0, 4);
		else
			add(IORING_OP_POLL_ADD, wire[0], NULL, 0, 0, 5)->poll_events = POLLIN;
		submit(0);
		for (; left > 0; left--) {
			uint64_t value = take(&result);

			if (result < 0)
				say("%d: %s\n", (int)value, strerrorname_np(-result));
			if (value == 5) {
				add(IORING_OP_RECV, wire[0], &back, 1, 0, 4);
				submit(0);
			}
		}
		sum += (unsigned)got * 1000 + (unsigned char)back;
	}
	pthread_join(t, NULL);
	say("sum %u\n", sum);
	for (int i = 0; i < 2; i++) {
		close(counter[i]);
		close(wire[i]);
	}
}

/* ---- timers, and other rings ----------------------------------------------------------- */

static void timers(void)
{
	struct __kernel_timespec later = { .tv_nsec = 300 * 1000 }, never = { .tv_sec = -1 }, moment;
	struct timespec at = in_us(CLOCK_MONOTONIC, 500);
	int result;

	for (int i = 0; i < 8; i++) {
		add(IORING_OP_TIMEOUT, -1, &later, 1, 0, 1);
		submit(1);
		say("%d", (int)take(&result));
		say(" %s, ", strerrorname_np(-result));
	}
	moment = (struct __kernel_timespec){ .tv_sec = at.tv_sec, .tv_nsec = at.tv_nsec };
	add(IORING_OP_TIMEOUT, -1, &moment, 1, 0, 2)->timeout_flags = IORING_TIMEOUT_ABS;
	submit(1);
	say("%d", (int)take(&result));
	say(" %s, not before %d, ", strerrorname_np(-result), now_ns(CLOCK_MONOTONIC) >= at.tv_sec * 1000000000ll + at.tv_nsec);
	add(IORING_OP_TIMEOUT, -1, &never, 1, 0, 3);
	submit(1);
	say("%d", (int)take(&result));
	say(" %s, ", strerrorname_np(-result));
	add(IORING_OP_TIMEOUT, -1, (char *)8, 1, 0, 4);
	submit(1);
	say("%d", (int)take(&result));
	say(" %s\n", strerrorname_np(-result));
}

static void *sends(void *arg)
{
	struct io_uring own;
	struct io_uring_cqe *e;

	if (io_uring_queue_init(4, &own, 0) < 0)
		die("io_uring_queue_init");
	for (uint64_t i = 0; i < ROUNDS; i++) {
		work(20);
		if (!ring_add(&own, 40 /* IORING_OP_MSG_RING */, *(int *)arg, NULL, 7, i, 9))
			die("full");
		if (io_uring_submit(&own) < 0 || io_uring_wait_cqe(&own, &e) < 0)
			die("io_uring_submit");
		if (e->res < 0)
			say("sent %s\n", strerrorname_np(-e->res));
		io_uring_cqe_seen(&own, e);
	}
	close(own.ring_fd);
	return arg;
}

static void messages(void)
{
	pthread_t t = start(sends, &ring.ring_fd);
	int result, sum = 0;

	for (int i = 0; i < ROUNDS; i++)
		sum += (int)take(&result) + result;
	pthread_join(t, NULL);
	say("sum %d\n", sum);
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{ "files", files }, { "threads", threads }, { "timers", timers }, { "messages", messages }, { NULL, NULL },
	};
	int err = io_uring_queue_init(64, &ring, 0);

	if (argc < 2)
		return err < 0;
	if (err < 0)
		die("io_uring_queue_init");
	return run_mode(argc, argv, modes);
}
