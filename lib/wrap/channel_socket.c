/*
 * channel_socket: keys of the data that passes through sockets; see channel.h.
 *
 *   Unix stream the inode of the receiving socket. A sender knows its
 *                     peer's from socketpair(2), or asks the kernel once
 *                     (sock_diag(7)) and remembers.
 *   TCP               the two addresses, from sender to receiver
 *   UDP               the port that it is sent to, whatever the host: sockets of
 *                     one port on several addresses share a name
 *   Unix datagrams    the last component of the path that they are sent to (a
 *                     path can be relative): sockets of one name in several
 *                     directories share it.  Without a path as a Unix stream.
 *   listening socket  as UDP and Unix datagrams, by port or name
 *
 * Network namespaces are not told apart.
 */
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "channel.h"
#include "wrap.h"

/* ---- addresses ---------------------------------------------------------------------- */

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
	};
	socklen_t size; /* 0: it has none */
};

static uint64_t hash_of(const char *text, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
	return h;
}

/* The last component of a path; the whole name if it is abstract (begins with a NUL). */
static uint64_t name_hash(const struct sockaddr_un *a, socklen_t size)
{
	size_t n = size - offsetof(struct sockaddr_un, sun_path), begin = 0, end = 0;

	if (a->sun_path[0] == '\0')
		return hash_of(a->sun_path, n);
	for (; end < n && a->sun_path[end]; end++)
		if (a->sun_path[end] == '/')
			begin = end + 1;
	return hash_of(a->sun_path + begin, end - begin);
}

static bool has_name(const struct sockaddr *a, socklen_t size)
{
	return a->sa_family == AF_UNIX && size > offsetof(struct sockaddr_un, sun_path) && size <= sizeof(struct sockaddr_un);
}

static uint64_t address_key(char kind, const struct sockaddr *a, socklen_t size)
{
	const void *p = a;

	if (!a || size < sizeof(a->sa_family))
		return 0;
	if (has_name(a, size))
		return key_of(kind, name_hash(p, size), 1);
	if (a->sa_family == AF_INET && size >= sizeof(struct sockaddr_in))
		return key_of(kind, ((const struct sockaddr_in *)p)->sin_port, 0);
	if (a->sa_family == AF_INET6 && size >= offsetof(struct sockaddr_in6, sin6_scope_id))
		return key_of(kind, ((const struct sockaddr_in6 *)p)->sin6_port, 0);
	return 0;
}

uint64_t channel_datagrams(const struct sockaddr *to, socklen_t size)
{
	return address_key('d', to, size);
}

uint64_t channel_connections(const struct sockaddr *to, socklen_t size)
{
	return address_key('l', to, size);
}

/* One end of a TCP connection.  An IPv4 address that is mapped to IPv6 has the same name as the plain one. */
static uint64_t end_of(const struct address *a)
{
	uint64_t half[2] = { 0, 0 };

	if (a->any.sa_family == AF_INET)
		return key_of(KEY_IP4, a->in.sin_addr.s_addr, a->in.sin_port);
	if (IN6_IS_ADDR_V4MAPPED(&a->in6.sin6_addr))
		return key_of(KEY_IP4, a->in6.sin6_addr.s6_addr32[3], a->in6.sin6_port);
	memcpy(half, &a->in6.sin6_addr, sizeof(half));
	return key_of(KEY_IP6, half[0], key_of(KEY_IP6, half[1], a->in6.sin6_port));
}

/* ---- sockets -------------------------------------------------------------------------- */

enum { SOCKETS = 1024 }; /* sockets that are remembered; a power of two */

/* Keys of connected sockets, by inode: they do not change. */
static struct {
	_Atomic uint64_t inode, in, out, check; /* check: the other three, xor'ed */
} sockets[SOCKETS];

static bool recall(uint64_t inode, uint64_t *in, uint64_t *out)
{
	const uint32_t i = inode & (SOCKETS - 1);
	uint64_t check = atomic_load_explicit(&sockets[i].check, memory_order_relaxed);

	*in = atomic_load_explicit(&sockets[i].in, memory_order_relaxed);
	*out = atomic_load_explicit(&sockets[i].out, memory_order_relaxed);
	return atomic_load_explicit(&sockets[i].inode, memory_order_relaxed) == inode && check == (inode ^ *in ^ *out);
}

static void remember_socket(uint64_t inode, uint64_t in, uint64_t out)
{
	const uint32_t i = inode & (SOCKETS - 1);

	atomic_store_explicit(&sockets[i].inode, inode, memory_order_relaxed);
	atomic_store_explicit(&sockets[i].in, in, memory_order_relaxed);
	atomic_store_explicit(&sockets[i].out, out, memory_order_relaxed);
	atomic_store_explicit(&sockets[i].check, inode ^ in ^ out, memory_order_relaxed);
}

static uint64_t inode_key(uint64_t inode)
{
	return inode ? key_of(KEY_SOCKET, inode, 0) : 0;
}

void channel_are_pair(int a, int b)
{
	struct stat sa, sb;

	if (SYS(SYS_fstat, a, &sa) != 0 || SYS(SYS_fstat, b, &sb) != 0)
		return;
	remember_socket(sa.st_ino, inode_key(sa.st_ino), inode_key(sb.st_ino));
	remember_socket(sb.st_ino, inode_key(sb.st_ino), inode_key(sa.st_ino));
}

/* The kernel's answer about a Unix socket: the fields that are used here. */
struct diag_answer {
	struct nlmsghdr header;
	struct unix_diag_msg message;
	char attributes[256];
};

/* The inode of the peer in an answer of n bytes; 0: the answer has none. */
static uint64_t peer_in(const struct diag_answer *answer, long n)
{
	size_t at = 0, size;

	if (n < (long)offsetof(struct diag_answer, attributes) || answer->header.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return 0;
	for (size = (size_t)n - offsetof(struct diag_answer, attributes); at + sizeof(struct nlattr) <= size;) {
		struct nlattr attribute;
		uint32_t peer;

		memcpy(&attribute, answer->attributes + at, sizeof(attribute));
		if (attribute.nla_type == UNIX_DIAG_PEER && at + sizeof(attribute) + sizeof(peer) <= size) {
			memcpy(&peer, answer->attributes + at + sizeof(attribute), sizeof(peer));
			return peer;
		}
		if (attribute.nla_len < sizeof(attribute))
			return 0;
		at += NLA_ALIGN(attribute.nla_len);
	}
	return 0;
}

/*
 * Asks the kernel, once for each connection.  For a moment this opens one more
 * descriptor, at the lowest free number.
 */
static uint64_t unix_peer(uint64_t inode)
{
	struct {
		struct nlmsghdr header;
		struct unix_diag_req request;
	} question = {
		.header = { .nlmsg_len = sizeof(question), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST },
		.request = { .sdiag_family = AF_UNIX,
			     .udiag_states = ~0u,
			     .udiag_ino = (uint32_t)inode,
			     .udiag_show = UDIAG_SHOW_PEER,
			     .udiag_cookie = { ~0u, ~0u } },
	};
	struct diag_answer answer;
	long n = -1, fd = SYS(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (fd < 0)
		return 0;
	if (SYS(SYS_sendto, fd, &question, sizeof(question), 0, NULL, 0) == (long)sizeof(question))
		n = SYS(SYS_recvfrom, fd, &answer, sizeof(answer), MSG_DONTWAIT, NULL, NULL);
	SYS(SYS_close, fd);
	return peer_in(&answer, n);
}

struct ends {
	struct address local, remote;
	bool connected;
	int type;
};

static bool ends_of(int fd, struct ends *e)
{
	socklen_t n = sizeof(e->type);

	memset(e, 0, sizeof(*e));
	e->local.size = sizeof(e->local.un);
	e->remote.size = sizeof(e->remote.un);
	if (SYS(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &e->type, &n) != 0 ||
	    SYS(SYS_getsockname, fd, &e->local.any, &e->local.size) != 0)
		return false;
	e->connected = SYS(SYS_getpeername, fd, &e->remote.any, &e->remote.size) == 0;
	return true;
}

/* The key of datagrams that this socket receives: its address, or the socket itself if it has no address. */
static uint64_t arrival(const struct address *a, uint64_t inode)
{
	if (a->any.sa_family == AF_UNIX && !has_name(&a->any, a->size))
		return inode_key(inode);
	return channel_datagrams(&a->any, a->size);
}

bool channel_of_socket(int fd, uint64_t inode, uint64_t key[2])
{
	struct ends e;
	bool is_unix;

	if (recall(inode, &key[0], &key[1]))
		return true;
	if (!ends_of(fd, &e))
		return false;
	is_unix = e.local.any.sa_family == AF_UNIX;
	if (!is_unix && e.local.any.sa_family != AF_INET && e.local.any.sa_family != AF_INET6)
		return true;
	if (e.type == SOCK_DGRAM) {
		key[0] = arrival(&e.local, inode);
		if (e.connected)
			key[1] = arrival(&e.remote, is_unix && !has_name(&e.remote.any, e.remote.size) ? unix_peer(inode) : 0);
		return key[0] != 0; /* not remembered by inode, since it may be connected anew */
	}
	if (!e.connected) {
		key[0] = channel_connections(&e.local.any, e.local.size);
		return false;
	}
	if (is_unix) {
		uint64_t peer = unix_peer(inode);

		key[0] = inode_key(inode);
		key[1] = inode_key(peer);
		if (!peer)
			return false; /* the connection has not been accepted yet */
	} else {
		uint64_t here = end_of(&e.local), there = end_of(&e.remote);

		key[0] = key_of(KEY_CONNECTION, there, here);
		key[1] = key_of(KEY_CONNECTION, here, there);
	}
	remember_socket(inode, key[0], key[1]);
	return true;
}
