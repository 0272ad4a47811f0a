/*
 * channel: keys of the data that passes through descriptors.
 *
 * Both ends of a channel must derive the same key, in any process, each from what the
 * kernel tells about its own descriptor:
 *
 *   pipe, FIFO        the inode, which both ends share
 *   event counter     a serial number given when it is made, which copies of the
 *                     descriptor and forked children inherit.  A program that it
 *                     is sent to, or that was exec'd with it, does not know it.
 *   signalfd          the process that reads it
 *   socket            see channel_socket.c
 *   pseudo-terminal   its number, which both ends know.  Echoes are left out: they
 *                     make no reader wait for another thread.
 *   message queue, file lock   the inode; locks on parts of one file share a name
 *
 * Terminals of other kinds are the outside.
 *
 * The key of a descriptor is remembered until the descriptor is closed, and for one
 * window at most: not every close is seen (libc closes some internally, and programs
 * can call the kernel).
 *
 * The tables are read and written without a lock, by single stores or with a checksum.
 * An entry that is lost in a race, or overwritten by another one, is asked for again.
 */
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "channel.h"
#include "runtime/process.h"
#include "sigwait.h"
#include "wrap.h"

uint64_t channel_space(uint64_t data)
{
	return data ? key_of(KEY_SPACE, data, 0) : 0;
}

static bool status_of(int fd, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	return SYS(SYS_fstat, fd, st) == 0;
}

/* ---- descriptors that have been looked at ------------------------------------------- */

enum { DESCRIPTORS = 4096 }; /* descriptors that are remembered; for higher ones the kernel is asked each time */

static struct {
	_Atomic uint64_t tag, in, out, check; /* check: the other three, xor'ed; tag: see current_tag */
} known[DESCRIPTORS];
static _Atomic uint32_t forgotten; /* how often all descriptors were forgotten */

static uint64_t current_tag(void)
{
	return (uint64_t)atomic_load_explicit(&forgotten, memory_order_relaxed) << 32 |
	       (current_window() + 1);
}

static bool is_known(int fd, uint64_t key[2])
{
	uint64_t tag, check;

	if (fd < 0 || fd >= DESCRIPTORS)
		return false;
	tag = atomic_load_explicit(&known[fd].tag, memory_order_relaxed);
	check = atomic_load_explicit(&known[fd].check, memory_order_relaxed);
	key[0] = atomic_load_explicit(&known[fd].in, memory_order_relaxed);
	key[1] = atomic_load_explicit(&known[fd].out, memory_order_relaxed);
	return tag == current_tag() && check == (tag ^ key[0] ^ key[1]);
}

static void learn_keys(int fd, const uint64_t key[2])
{
	uint64_t tag = current_tag();

	if (fd < 0 || fd >= DESCRIPTORS)
		return;
	atomic_store_explicit(&known[fd].tag, tag, memory_order_relaxed);
	atomic_store_explicit(&known[fd].in, key[0], memory_order_relaxed);
	atomic_store_explicit(&known[fd].out, key[1], memory_order_relaxed);
	atomic_store_explicit(&known[fd].check, tag ^ key[0] ^ key[1], memory_order_relaxed);
}

void channel_forget(int fd)
{
	if (fd >= 0 && fd < DESCRIPTORS)
		atomic_store_explicit(&known[fd].tag, 0, memory_order_relaxed);
}

void channel_forget_all(void)
{
	atomic_fetch_add_explicit(&forgotten, 1, memory_order_relaxed);
}

/* ---- event counters and timers ---------------------------------------------------- */

enum { ANONYMOUS = 4096 }; /* descriptors; higher ones are unknown */

/*
 * Stand for a timer, for one that is set to end once, and for a descriptor of signalfd, in the place of a serial
 * number.  Not in the enum: that would make all its constants unsigned, from C23 on and in gcc 13.
 */
static const uint32_t CLOCK = UINT32_MAX, ALARM = UINT32_MAX - 1, SIGNALS = UINT32_MAX - 2;

/* By descriptor.  An outdated entry does no harm: a descriptor of another kind is recognised by its inode. */
static _Atomic uint32_t anonymous[ANONYMOUS];

static uint32_t anonymous_of(int fd)
{
	return fd >= 0 && fd < ANONYMOUS ? atomic_load_explicit(&anonymous[fd], memory_order_relaxed) : 0;
}

static void set_anonymous(int fd, uint32_t serial)
{
	channel_forget(fd);
	if (fd >= 0 && fd < ANONYMOUS)
		atomic_store_explicit(&anonymous[fd], serial, memory_order_relaxed);
}

void channel_is_event(int fd)
{
	set_anonymous(fd, 1 + atomic_fetch_add_explicit(&arena->serial, 1, memory_order_relaxed) % (SIGNALS - 1));
}

void channel_is_clock(int fd, bool once)
{
	set_anonymous(fd, once ? ALARM : CLOCK);
}

void channel_is_signals(int fd)
{
	set_anonymous(fd, SIGNALS);
}

void channel_is_copy(int fd, int of)
{
	set_anonymous(fd, anonymous_of(of));
}

bool channel_is_timer(int fd)
{
	struct stat st;

	return anonymous_of(fd) >= ALARM && status_of(fd, &st) && (st.st_mode & S_IFMT) == 0;
}

uint64_t channel_alarm(int fd)
{
	return anonymous_of(fd) == ALARM ? key_of(KEY_ALARM, (uint32_t)fd, process_number()) : 0;
}

static uint64_t event_key(int fd)
{
	uint32_t serial = anonymous_of(fd);

	return serial && serial < SIGNALS ? key_of(KEY_COUNTER, serial, 0) : 0;
}

uint64_t channel_serial(int fd)
{
	uint32_t serial = anonymous_of(fd);

	return serial ? serial : (uint64_t)(1 + process_number()) << 32 | (uint32_t)fd;
}

void channel_is_closed(int fd)
{
	/* A child of vfork closes descriptors of its own, and shares this memory. */
	if (unlikely(anonymous_of(fd)) && SYS(SYS_getpid) == process_pid)
		atomic_store_explicit(&anonymous[fd], 0, memory_order_relaxed);
	channel_forget(fd);
}

/* ---- processes ---------------------------------------------------------------------------- */

/* The process that a descriptor of pidfd_open(2) stands for; 0: it is none. */
static uint32_t process_of(int fd)
{
	static const char what[] = "\nPid:\t";
	char path[40] = "/proc/self/fdinfo/", text[512], *at;
	size_t n = sizeof("/proc/self/fdinfo/") - 1;
	uint32_t pid = 0;
	long info, got;

	for (int unit = 1000000000; unit > 0; unit /= 10)
		if (fd >= unit || unit == 1)
			path[n++] = (char)('0' + fd / unit % 10);
	info = SYS(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (info < 0)
		return 0;
	got = SYS(SYS_read, info, text, sizeof(text) - 1);
	SYS(SYS_close, info);
	text[got > 0 ? got : 0] = '\0';
	at = strstr(text, what);
	if (!at)
		return 0;
	for (at += sizeof(what) - 1; *at >= '0' && *at <= '9'; at++)
		pid = pid * 10 + (uint32_t)(*at - '0');
	return pid;
}

/* ---- pseudo-terminals -------------------------------------------------------------------- */

/* The device numbers are those of Linux (Documentation/admin-guide/devices.txt). */
static void keys_of_terminal(int fd, dev_t device, uint64_t key[2])
{
	bool leads = device == makedev(5, 2); /* the end of the terminal emulator: /dev/ptmx */
	unsigned number = minor(device);

	if (leads ? SYS(SYS_ioctl, fd, TIOCGPTN, &number) != 0 : major(device) != 136)
		return;
	key[leads] = key_of(KEY_TERMINAL, number, 0);
	key[!leads] = key_of(KEY_TERMINAL, number, 1);
}

/* ---- descriptors ------------------------------------------------------------------------ */

static uint64_t channel(int fd, bool out)
{
	uint64_t key[2] = { 0, 0 };
	bool lasting = true;
	struct stat st;
	uint32_t pid;

	if (is_known(fd, key))
		return key[out];
	key[0] = key[1] = 0;
	if (!status_of(fd, &st))
		return 0;
	switch (st.st_mode & S_IFMT) {
	case S_IFIFO:
		key[0] = key[1] = key_of(KEY_PIPE, st.st_dev, st.st_ino);
		break;
	case S_IFSOCK:
		lasting = channel_of_socket(fd, st.st_ino, key);
		break;
	case S_IFCHR:
		keys_of_terminal(fd, st.st_rdev, key);
		break;
	case 0: /* event counters and the like, which are no files */
		key[0] = key[1] = event_key(fd);
		if (!anonymous_of(fd) && (pid = process_of(fd)) != 0)
			key[0] = key_of(KEY_CHILD, pid, 0);
		/* Whoever reads it gets signals of its own process; a forked child, too. */
		if (anonymous_of(fd) == SIGNALS) {
			key[0] = signal_any(atomic_load_explicit(&process->pid, memory_order_relaxed));
			lasting = false;
		}
		break;
	}
	if (lasting)
		learn_keys(fd, key);
	return key[out];
}

uint64_t channel_ended_by_close(int fd)
{
	socklen_t size = sizeof(int);
	struct stat st;
	int type = 0;

	if (!status_of(fd, &st))
		return 0;
	if (S_ISFIFO(st.st_mode) && (SYS(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
		return channel_out(fd);
	if (S_ISSOCK(st.st_mode) && SYS(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type != SOCK_DGRAM)
		return channel_out(fd);
	return 0;
}

bool channel_is_outside(int fd)
{
	uint64_t key[2];

	return is_known(fd, key) && !key[0] && !key[1];
}

uint64_t channel_in(int fd)
{
	return channel(fd, false);
}

uint64_t channel_out(int fd)
{
	return channel(fd, true);
}

static uint64_t file_key(enum key_kind kind, int fd, mode_t type)
{
	struct stat st;

	return status_of(fd, &st) && (type == 0 || (st.st_mode & S_IFMT) == type) ? key_of(kind, st.st_dev, st.st_ino) : 0;
}

uint64_t channel_queue(int fd)
{
	return file_key(KEY_QUEUE, fd, 0);
}

uint64_t channel_lock(int fd)
{
	return file_key(KEY_FILE_LOCK, fd, 0);
}

uint64_t channel_opening(int fd)
{
	return file_key(KEY_FIFO_END, fd, S_IFIFO);
}
