/*
 * socket: connections and messages.
 *
 * A thread that accepts waits for one that connects; where the queue of connections is full,
 * a thread that connects waits for one that accepts.  The address is the key of both.  A
 * message with an address of its own (UDP, Unix datagrams) releases the key of that address,
 * any other one that of the connection.
 */
#include "fd_wait.h"

/* ---- connections --------------------------------------------------------------------------- */

EXPORT int socket(int family, int type, int protocol)
{
	int fd = REAL(socket)(family, type, protocol);

	if (arena)
		channel_forget(fd);
	return fd;
}

EXPORT int socketpair(int family, int type, int protocol, int pair[2])
{
	int err = REAL(socketpair)(family, type, protocol, pair);

	if (arena && err == 0)
		channel_are_pair(pair[0], pair[1]);
	return err;
}

static int accepted(int fd)
{
	channel_forget(fd);
	return fd;
}

EXPORT int accept(int fd, __SOCKADDR_ARG from, socklen_t *restrict size)
{
	TRANSFER(fd, NO_FD, accepted(REAL(accept)(fd, from, size)));
}

EXPORT int accept4(int fd, __SOCKADDR_ARG from, socklen_t *restrict size, int flags)
{
	TRANSFER(fd, NO_FD, accepted(REAL(accept4)(fd, from, size, flags)));
}

/* Body of a wrapper that sends to an address, or connects to it; to: its key. */
#define TRANSFER_TO(fd, to, call)                                                                                            \
	do {                                                                                                                 \
		struct fd_wait t_;                                                                                           \
		__typeof__(call) got_;                                                                                       \
		if (likely(!wait_is_watched()))                                                                              \
			return call;                                                                                         \
		begin_to(&t_, fd, wait_is_accounted() ? (to) : 0, SITE);                                                     \
		got_ = CALL(call);                                                                                           \
		fd_wait_end(&t_, got_ >= 0);                                                                                 \
		return got_;                                                                                                 \
	} while (0)

/* A socket that is being connected gets another key. */
static int connected(int fd, int err)
{
	channel_forget(fd);
	return err;
}

static void begin_to(struct fd_wait *t, int fd, uint64_t to, const void *site)
{
	fd_wait_begin_with(t, fd, to, 0, channel_space(to), site);
}

EXPORT int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t size)
{
	TRANSFER_TO(fd, channel_connections(to.__sockaddr__, size), connected(fd, REAL(connect)(fd, to, size)));
}

EXPORT int shutdown(int fd, int how)
{
	if (how != SHUT_RD)
		fd_wait_end_of_data(fd, SITE);
	return REAL(shutdown)(fd, how);
}

/* ---- receiving ----------------------------------------------------------------------------- */

EXPORT ssize_t recv(int fd, void *buf, size_t n, int flags)
{
	MOVE(fd, NO_FD, true, REAL(recv)(fd, buf, n, flags));
}

EXPORT ssize_t recvfrom(int fd, void *restrict buf, size_t n, int flags, __SOCKADDR_ARG from, socklen_t *restrict size)
{
	MOVE(fd, NO_FD, true, REAL(recvfrom)(fd, buf, n, flags, from, size));
}

/* _FORTIFY_SOURCE's. */
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t n, size_t room, int flags, __SOCKADDR_ARG from,
		       socklen_t *restrict size);

EXPORT ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags)
{
	MOVE(fd, NO_FD, true, REAL(__recv_chk)(fd, buf, n, room, flags));
}

EXPORT ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t n, size_t room, int flags, __SOCKADDR_ARG from,
			      socklen_t *restrict size)
{
	MOVE(fd, NO_FD, true, REAL(__recvfrom_chk)(fd, buf, n, room, flags, from, size));
}

/* Descriptors may have come with a message. */
static ssize_t received(ssize_t n, const struct msghdr *message)
{
	if (n > 0 && message->msg_control)
		channel_forget_all();
	return n;
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	MOVE(fd, NO_FD, true, received(REAL(recvmsg)(fd, message, flags), message));
}

EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *timeout)
{
	TRANSFER(fd, NO_FD, (int)received(REAL(recvmmsg)(fd, messages, n, flags, timeout), &messages->msg_hdr));
}

/* ---- sending ------------------------------------------------------------------------------- */

EXPORT ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	MOVE(NO_FD, fd, true, REAL(send)(fd, buf, n, flags));
}

EXPORT ssize_t sendto(int fd, const void *buf, size_t n, int flags, __CONST_SOCKADDR_ARG to, socklen_t size)
{
	if (!to.__sockaddr__)
		MOVE(NO_FD, fd, true, REAL(sendto)(fd, buf, n, flags, to, size));
	TRANSFER_TO(fd, channel_datagrams(to.__sockaddr__, size), REAL(sendto)(fd, buf, n, flags, to, size));
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (!wait_is_watched() || !message || !message->msg_name)
		MOVE(NO_FD, fd, true, REAL(sendmsg)(fd, message, flags));
	TRANSFER_TO(fd, channel_datagrams(message->msg_name, message->msg_namelen), REAL(sendmsg)(fd, message, flags));
}

/* The messages mostly have one address, and one call sends them all, so the first stands for all. */
EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags)
{
	const struct msghdr *first = &messages->msg_hdr;

	if (!wait_is_watched() || n == 0 || !messages || !first->msg_name)
		TRANSFER(NO_FD, fd, REAL(sendmmsg)(fd, messages, n, flags));
	TRANSFER_TO(fd, channel_datagrams(first->msg_name, first->msg_namelen), REAL(sendmmsg)(fd, messages, n, flags));
}

/* ---- names ---------------------------------------------------------------------------------- */

EXPORT int getaddrinfo(const char *restrict host, const char *restrict service, const struct addrinfo *restrict hints,
		       struct addrinfo **restrict found)
{
	struct wait w;
	int err;

	if (likely(!wait_is_watched()))
		return REAL(getaddrinfo)(host, service, hints, found);
	wait_begin(&w, CLASS_IO, SITE, true, WAIT_UNKNOWN);
	/* A library that looks names up may wait through our wrappers, and that is a part of this wait. */
	if (w.t)
		runtime_hush();
	err = REAL(getaddrinfo)(host, service, hints, found);
	if (w.t)
		runtime_unhush();
	wait_outside(&w);
	return err;
}
