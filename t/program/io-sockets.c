/* io-sockets MODE: all kinds of sockets, and all ways to send and receive.  See sync.h. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "sync.h"

/* ---- the other end: answers every message by the same plus one -------------------- */

static void *answer(void *arg)
{
	int fd = *(int *)arg;
	char c;

	while (recv(fd, &c, 1, 0) == 1) {
		work(20);
		c++;
		if (send(fd, &c, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	return NULL;
}

static unsigned ask(int fd)
{
	unsigned sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		unsigned char c = (unsigned char)i;

		if (send(fd, &c, 1, 0) != 1 || recv(fd, &c, 1, 0) != 1)
			die("wire");
		sum += c;
	}
	return sum;
}

/* Ends with the end of file, seen from both sides. */
static void talk(int fd, int other)
{
	pthread_t t = start(answer, &other);
	char c;

	say("sum %u\n", ask(fd));
	say("shutdown %s\n", outcome(shutdown(fd, SHUT_WR)));
	pthread_join(t, NULL);
	close(other);
	say("end %s\n", outcome(recv(fd, &c, 1, 0)));
	close(fd);
}

static void pairs(void)
{
	static const int types[] = { SOCK_STREAM, SOCK_SEQPACKET };
	int p[2];

	for (unsigned i = 0; i < 2; i++) {
		if (socketpair(AF_UNIX, types[i] | SOCK_CLOEXEC, 0, p) != 0)
			die("socketpair");
		talk(p[0], p[1]);
	}
	say("no pair %s\n", outcome(socketpair(AF_INET, SOCK_STREAM, 0, p)));
}

static void pair_of_processes(void)
{
	int p[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p) != 0)
		die("socketpair");
	pid = fork();
	if (pid == 0) {
		close(p[0]);
		answer(&p[1]);
		_exit(4);
	}
	close(p[1]);
	say("sum %u\n", ask(p[0]));
	close(p[0]);
	waitpid(pid, &status, 0);
	say("child %d\n", WEXITSTATUS(status));
}

/* ---- connections ---------------------------------------------------------------------- */

static void *accept_one(void *arg)
{
	int listener = *(int *)arg;
	int *got = malloc(sizeof(*got));

	*got = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	return got;
}

static void connected(int family, const struct sockaddr *at, socklen_t size)
{
	int listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage name;
	socklen_t n = sizeof(name);
	void *got;
	pthread_t t;
	int one = 1, bound;

	if (listener < 0) {
		say("no family\n");
		return;
	}
	bound = bind(listener, at, size);
	if (bound != 0 && errno == EADDRNOTAVAIL) {
		say("no family\n");
		return;
	}
	if (bound != 0 || listen(listener, 1) != 0)
		die("listen");
	getsockname(listener, (struct sockaddr *)&name, &n);
	t = start(accept_one, &listener);
	work(50);
	say("connect %s\n", outcome(connect(fd, (struct sockaddr *)&name, n)));
	if (family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	pthread_join(t, &got);
	talk(fd, *(int *)got);
	free(got);
	fcntl(listener, F_SETFL, O_NONBLOCK);
	say("nobody %s\n", outcome(accept(listener, NULL, NULL)));
	close(listener);
	fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	say("refused %s\n", outcome(connect(fd, (struct sockaddr *)&name, n)));
	say("not connected %s\n", outcome(send(fd, "x", 1, MSG_NOSIGNAL)));
	close(fd);
}

static void tcp(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	connected(AF_INET, (struct sockaddr *)&at, sizeof(at));
}

static void tcp6(void)
{
	struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };

	connected(AF_INET6, (struct sockaddr *)&at, sizeof(at));
}

static void unix_stream(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int n = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "io-sockets-%d", (int)getpid());

	connected(AF_UNIX, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n));
	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/io-sockets-%d", (int)getpid());
	connected(AF_UNIX, (struct sockaddr *)&at, sizeof(at));
	unlink(at.sun_path);
}

/* ---- messages --------------------------------------------------------------------------- */

static int bound(struct sockaddr_in *at)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t n = sizeof(*at);

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (bind(fd, (struct sockaddr *)at, n) != 0 || getsockname(fd, (struct sockaddr *)at, &n) != 0)
		die("bind");
	return fd;
}

static void *answer_datagrams(void *arg)
{
	int fd = *(int *)arg;
	struct sockaddr_in from;
	socklen_t n;
	char c;

	do {
		n = sizeof(from);
		if (recvfrom(fd, &c, 1, 0, (struct sockaddr *)&from, &n) != 1)
			die("recvfrom");
		work(20);
		c++;
		if (sendto(fd, &c, 1, 0, (struct sockaddr *)&from, n) != 1)
			die("sendto");
	} while (c != 1);
	return NULL;
}

static void udp(void)
{
	struct sockaddr_in here, there;
	int fd = bound(&here), other = bound(&there);
	struct iovec v[2];
	struct msghdr message = { .msg_name = &there, .msg_namelen = sizeof(there), .msg_iov = v, .msg_iovlen = 1 };
	struct mmsghdr two[2] = { { .msg_hdr = message }, { .msg_hdr = message } };
	pthread_t t = start(answer_datagrams, &other);
	unsigned sum = 0;
	char a, b;

	v[0] = (struct iovec){ &a, 1 };
	v[1] = (struct iovec){ &b, 1 };
	two[1].msg_hdr.msg_iov = &v[1];
	for (int i = 1; i <= ROUNDS; i++) {
		a = (char)i;
		if (i % 2 ? sendto(fd, &a, 1, 0, (struct sockaddr *)&there, sizeof(there)) != 1 : sendmsg(fd, &message, 0) != 1)
			die("send");
		if (recv(fd, &a, 1, 0) != 1)
			die("recv");
		sum += (unsigned)a;
	}
	a = b = 7;
	say("sendmmsg %s\n", outcome(sendmmsg(fd, two, 2, 0)));
	two[0].msg_hdr.msg_name = two[1].msg_hdr.msg_name = NULL;
	say("recvmmsg %s\n", outcome(recvmmsg(fd, two, 2, MSG_WAITFORONE, NULL) > 0));
	say("connect %s\n", outcome(connect(fd, (struct sockaddr *)&there, sizeof(there))));
	a = 0;
	say("send %s\n", outcome(send(fd, &a, 1, 0)));
	pthread_join(t, NULL);
	say("sum %u\n", sum);
	say("no message %s\n", outcome(sendmsg(fd, NULL, 0)));
	say("empty %s\n", outcome(recv(other, &a, 1, MSG_DONTWAIT)));
	close(fd);
	close(other);
}

static void unix_datagrams(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int p[2], named = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char c = 'a';

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, p) != 0)
		die("socketpair");
	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/io-sockets-%d", (int)getpid());
	if (bind(named, (struct sockaddr *)&at, sizeof(at)) != 0)
		die("bind");
	say("pair %s", outcome(write(p[0], &c, 1)));
	say(" %s\n", outcome(read(p[1], &c, 1)));
	say("named %s", outcome(sendto(p[0], &c, 1, 0, (struct sockaddr *)&at, sizeof(at))));
	say(" %s\n", outcome(read(named, &c, 1)));
	unlink(at.sun_path);
	close(named);
	close(p[0]);
	close(p[1]);
}

/* A descriptor travels with a message. */
static void passed(void)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	char c = 'x';
	struct iovec v = { &c, 1 };
	struct msghdr message = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	int p[2], wire[2], got;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p) != 0 || pipe(wire) != 0)
		die("socketpair");
	memcpy(CMSG_DATA(&control.header), &wire[1], sizeof(int));
	say("sendmsg %s\n", outcome(sendmsg(p[0], &message, 0)));
	close(wire[1]);
	say("recvmsg %s\n", outcome(recvmsg(p[1], &message, 0)));
	memcpy(&got, CMSG_DATA(&control.header), sizeof(int));
	say("write %s\n", outcome(write(got, "yz", 2)));
	close(got);
	say("read %s\n", outcome(read(wire[0], &c, 1)));
	say("read %s %c\n", outcome(read(wire[0], &c, 1)), c);
	say("end %s\n", outcome(read(wire[0], &c, 1)));
	close(wire[0]);
	close(p[0]);
	close(p[1]);
}

/* ---- in vain ------------------------------------------------------------------------------ */

static void times_out(void)
{
	struct timeval ms = { .tv_usec = 1000 };
	int p[2];
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p) != 0)
		die("socketpair");
	setsockopt(p[0], SOL_SOCKET, SO_RCVTIMEO, &ms, sizeof(ms));
	say("recv %s\n", outcome(recv(p[0], &c, 1, 0)));
	say("read %s\n", outcome(read(p[0], &c, 1)));
	say("recvfrom %s\n", outcome(recvfrom(p[0], &c, 1, MSG_DONTWAIT, NULL, NULL)));
	say("sendto %s\n", outcome(sendto(p[0], "a", 1, 0, NULL, 0)));
	say("no socket %s\n", outcome(recv(1000, &c, 1, 0)));
	close(p[0]);
	close(p[1]);
}

static void names(void)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM }, *found;
	int err = getaddrinfo("127.0.0.1", "80", &hints, &found);

	say("getaddrinfo %d\n", err);
	if (err == 0)
		freeaddrinfo(found);
	say("none %d\n", getaddrinfo("no number", "80", &hints, &found) == EAI_NONAME);
}

/* Not before it is connected is there anything to accept. */
static void without_blocking(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), other;
	socklen_t n = sizeof(at);
	struct pollfd p;
	char c;
	long err;

	if (bind(listener, (struct sockaddr *)&at, n) != 0 || listen(listener, 1) != 0)
		die("listen");
	getsockname(listener, (struct sockaddr *)&at, &n);
	err = connect(fd, (struct sockaddr *)&at, n);
	say("connect %d\n", err == 0 || errno == EINPROGRESS);
	p = (struct pollfd){ .fd = listener, .events = POLLIN };
	say("poll %s\n", outcome(poll(&p, 1, -1)));
	other = accept(listener, NULL, NULL);
	p = (struct pollfd){ .fd = fd, .events = POLLOUT };
	say("poll %s\n", outcome(poll(&p, 1, -1)));
	say("nothing %s\n", outcome(recv(fd, &c, 1, 0)));
	say("send %s\n", outcome(send(other, "a", 1, 0)));
	p = (struct pollfd){ .fd = fd, .events = POLLIN };
	say("poll %s\n", outcome(poll(&p, 1, -1)));
	say("recv %s\n", outcome(recv(fd, &c, 1, 0)));
	close(listener);
	close(other);
	close(fd);
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{ "pairs", pairs },
		{ "pair-of-processes", pair_of_processes },
		{ "tcp", tcp },
		{ "tcp6", tcp6 },
		{ "unix", unix_stream },
		{ "udp", udp },
		{ "unix-datagrams", unix_datagrams },
		{ "passed", passed },
		{ "times-out", times_out },
		{ "names", names },
		{ "without-blocking", without_blocking },
		{ NULL, NULL },
	};

	return run_mode(argc, argv, modes);
}
