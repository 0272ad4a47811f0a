/*
 * alternate: one thread asks, another one answers, over the wire that WIRE names;
 * with "-fork" after the name the other one is a child.  Neither works while the
 * other does.
 *
 * Round: prepare 0.5, answer 0.8.  Shrunk by half: prepare 19.2 %, answer 30.8 %,
 * less what the wire takes.
 */
#include "workload.h"

#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "rings.h"

REGION(prepare, 0.5);
REGION(answer, 0.8);

/* Of one side. */
struct end {
	int in, out, epoll;
	FILE *from, *to;
	struct io_uring ring;
};

static struct end asker, helper;
static const char *wire;
static size_t size = 1; /* of a message */

static bool is(const char *name)
{
	return strncmp(wire, name, strlen(name)) == 0 && (wire[strlen(name)] == '-' || wire[strlen(name)] == 0);
}

static void need(bool done, const char *what)
{
	if (!done)
		workload_die("cannot", what);
}

static void open_two_ways(void)
{
	int there[2], back[2];

	if (is("eventfd")) {
		size = 8;
		there[0] = there[1] = eventfd(0, EFD_CLOEXEC);
		back[0] = back[1] = eventfd(0, EFD_CLOEXEC);
	} else {
		need(pipe2(there, O_CLOEXEC) == 0 && pipe2(back, O_CLOEXEC) == 0, "make pipes");
	}
	asker = (struct end){ .in = back[0], .out = there[1] };
	helper = (struct end){ .in = there[0], .out = back[1] };
}

static void open_pair(void)
{
	int p[2];

	need(socketpair(AF_UNIX, is("seqpacket") ? SOCK_SEQPACKET : SOCK_STREAM, 0, p) == 0, "make a pair");
	asker = (struct end){ .in = p[0], .out = p[0] };
	helper = (struct end){ .in = p[1], .out = p[1] };
}

static void open_connection(void)
{
	struct sockaddr_storage at = { .ss_family = is("unix") ? AF_UNIX : is("tcp6") ? AF_INET6 : AF_INET };
	socklen_t n = is("unix") ? sizeof(sa_family_t) : sizeof(at); /* the kernel picks a name */
	int listener = socket(at.ss_family, SOCK_STREAM, 0), one = 1;

	need(bind(listener, (struct sockaddr *)&at, n) == 0 && listen(listener, 1) == 0, "listen");
	n = sizeof(at);
	getsockname(listener, (struct sockaddr *)&at, &n);
	asker.in = asker.out = socket(at.ss_family, SOCK_STREAM, 0);
	need(connect(asker.in, (struct sockaddr *)&at, n) == 0, "connect");
	helper.in = helper.out = accept(listener, NULL, NULL);
	setsockopt(asker.in, IPPROTO_TCP, 1 /* TCP_NODELAY */, &one, sizeof(one));
	setsockopt(helper.in, IPPROTO_TCP, 1, &one, sizeof(one));
}

static void open_datagrams(void)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) }, there = here;
	socklen_t n = sizeof(here);
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);

	need(bind(a, (struct sockaddr *)&here, n) == 0 && bind(b, (struct sockaddr *)&there, n) == 0, "bind");
	getsockname(a, (struct sockaddr *)&here, &n);
	getsockname(b, (struct sockaddr *)&there, &n);
	need(connect(a, (struct sockaddr *)&there, n) == 0 && connect(b, (struct sockaddr *)&here, n) == 0, "connect");
	asker = (struct end){ .in = a, .out = a };
	helper = (struct end){ .in = b, .out = b };
}

static void open_queues(void)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	char name[32];
	int q[2];

	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "/alternate-%d-%d", (int)getpid(), i);
		q[i] = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
		need(q[i] != -1, "open a queue");
		mq_unlink(name);
	}
	asker = (struct end){ .in = q[0], .out = q[1] };
	helper = (struct end){ .in = q[1], .out = q[0] };
}

/* Raw: what is written arrives as it is, and no echo comes back. */
static void open_terminal(void)
{
	int leads = posix_openpt(O_RDWR | O_NOCTTY), follows;
	struct termios raw;

	need(leads >= 0 && grantpt(leads) == 0 && unlockpt(leads) == 0, "make a pseudo-terminal");
	follows = open(ptsname(leads), O_RDWR | O_NOCTTY);
	need(tcgetattr(follows, &raw) == 0, "open a pseudo-terminal");
	cfmakeraw(&raw);
	need(tcsetattr(follows, TCSANOW, &raw) == 0, "make a terminal raw");
	asker = (struct end){ .in = leads, .out = leads };
	helper = (struct end){ .in = follows, .out = follows };
}

static void open_wire(void)
{
	struct epoll_event want = { .events = EPOLLIN, .data.u64 = 1ull << 40 };

	if (is("pair") || is("seqpacket"))
		open_pair();
	else if (is("tcp") || is("tcp6") || is("unix"))
		open_connection();
	else if (is("udp"))
		open_datagrams();
	else if (is("queue"))
		open_queues();
	else if (is("terminal"))
		open_terminal();
	else
		open_two_ways();
	if (is("lines")) {
		asker.from = fdopen(asker.in, "r");
		asker.to = fdopen(asker.out, "w");
		helper.from = fdopen(helper.in, "r");
		helper.to = fdopen(helper.out, "w");
	}
	if (is("ring"))
		need(io_uring_queue_init(4, &asker.ring, 0) == 0 && io_uring_queue_init(4, &helper.ring, 0) == 0, "make rings");
	if (is("epoll")) {
		asker.epoll = epoll_create1(0);
		helper.epoll = epoll_create1(0);
		need(epoll_ctl(asker.epoll, EPOLL_CTL_ADD, asker.in, &want) == 0, "watch");
		need(epoll_ctl(helper.epoll, EPOLL_CTL_ADD, helper.in, &want) == 0, "watch");
	}
}

static bool operate(struct io_uring *r, uint8_t opcode, int fd, const void *data)
{
	struct io_uring_cqe *e;
	int err, result;

	need(ring_add(r, opcode, fd, data, (unsigned)size, 0, 1) && io_uring_submit_and_wait(r, 1) != -EINVAL, "submit");
	while ((err = io_uring_wait_cqe(r, &e)) == -EINTR)
		;
	need(err == 0, "wait for a ring");
	result = e->res;
	io_uring_cqe_seen(r, e);
	return result == (int)size;
}

static bool receive(struct end *e)
{
	struct pollfd ready = { .fd = e->in, .events = POLLIN };
	struct epoll_event event;
	char message[8] = "", line[32];
	fd_set set;

	if (is("lines"))
		return fgets(line, sizeof(line), e->from) != NULL;
	if (is("queue"))
		return mq_receive(e->in, message, sizeof(message), NULL) == 1;
	if (is("ring"))
		return operate(&e->ring, IORING_OP_READ, e->in, message);
	if (is("poll"))
		need(poll(&ready, 1, 10000) == 1, "poll");
	if (is("epoll"))
		need(epoll_wait(e->epoll, &event, 1, -1) == 1, "wait");
	if (is("select")) {
		FD_ZERO(&set);
		FD_SET(e->in, &set);
		need(select(e->in + 1, &set, NULL, NULL, NULL) == 1, "select");
	}
	return read(e->in, message, size) == (ssize_t)size;
}

static bool send_one(struct end *e)
{
	static const uint64_t one = 1;

	if (is("lines"))
		return fprintf(e->to, "%s\n", "a line") > 0 && fflush(e->to) == 0;
	if (is("queue"))
		return mq_send(e->out, (const char *)&one, 1, 0) == 0;
	if (is("ring"))
		return operate(&e->ring, IORING_OP_WRITE, e->out, &one);
	return write(e->out, &one, size) == (ssize_t)size;
}

static void *help(void *arg)
{
	while (receive(&helper)) {
		answer();
		if (!send_one(&helper))
			break;
	}
	return arg;
}

static void *run_asker(void *arg)
{
	for (;;) {
		prepare();
		need(send_one(&asker) && receive(&asker), "ask");
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = { &prepare_region, &answer_region, NULL };

	wire = getenv("WIRE") ? getenv("WIRE") : "pipe";
	workload_start(argc, argv, regions, 1);
	open_wire();
	if (!strstr(wire, "-fork"))
		workload_run_two(run_asker, NULL, help, NULL);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		help(NULL);
		_exit(0);
	}
	run_asker(NULL);
}
