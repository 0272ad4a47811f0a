#include "target/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* ---- copies of the command's outputs ----------------------------------------------------------------- */

/* A file without a name, on the same file system if possible. */
static int file_like(int fd)
{
	char link[64], path[4096], *slash;
	int append = fcntl(fd, F_GETFL) & O_APPEND, made = -1;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash) {
		slash[slash == path] = '\0';
		made = open(path, O_TMPFILE | O_RDWR | O_CLOEXEC | append, 0600);
	}
	return made >= 0 ? made : memfd_create("output", MFD_CLOEXEC);
}

static bool pipe_like(struct sink_end *e)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		return false;
	e->ours = fds[0];
	e->command = fds[1];
	return true;
}

static bool socket_like(struct sink_end *e)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return false;
	e->ours = fds[0];
	e->command = fds[1];
	return true;
}

/* A terminal with the same settings and size.  It does not become the controlling terminal. */
static bool terminal_like(int fd, struct sink_end *e)
{
	struct termios settings;
	struct winsize size;
	char name[64];

	e->ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (e->ours < 0)
		return false;
	if (grantpt(e->ours) == 0 && unlockpt(e->ours) == 0 && ptsname_r(e->ours, name, sizeof(name)) == 0)
		e->command = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (e->command < 0) {
		close(e->ours);
		return false;
	}
	if (tcgetattr(fd, &settings) == 0)
		tcsetattr(e->command, TCSANOW, &settings);
	if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		ioctl(e->command, TIOCSWINSZ, &size);
	return true;
}

/* ---- reading ------------------------------------------------------------------------------ */

static void *read_on(void *arg)
{
	struct sink_end *e = arg;
	char unused[1 << 14];

	for (;;) {
		ssize_t n = read(e->ours, unused, sizeof(unused));

		if (n > 0)
			atomic_fetch_add_explicit(&e->read, (unsigned long long)n, memory_order_relaxed);
		else if (n == 0 || errno != EINTR)
			return NULL;
	}
}

/* Signals are handled by the first thread. */
static bool begin_reading(struct sink_end *e)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, read_on, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err == 0)
		pthread_detach(thread);
	return err == 0;
}

/* ---- the sink ------------------------------------------------------------------------------ */

/* Returns the descriptor that the command gets instead of fd. */
static int open_like(struct sink_end *e, int fd)
{
	struct stat st;
	bool made;

	e->command = e->ours = -1;
	if (fstat(fd, &st) != 0)
		return fd;
	if (S_ISREG(st.st_mode)) {
		e->command = file_like(fd);
		return e->command < 0 ? fd : e->command;
	}
	made = S_ISFIFO(st.st_mode) ? pipe_like(e) : S_ISSOCK(st.st_mode) ? socket_like(e) : isatty(fd) && terminal_like(fd, e);
	if (made && begin_reading(e))
		return e->command;
	if (made) {
		close(e->command);
		close(e->ours);
		e->command = e->ours = -1;
	}
	return fd;
}

static bool are_same(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void sink_open(struct sink *s, int out, int err)
{
	s->is_open = true;
	s->end[1].command = s->end[1].ours = -1;
	s->command[0] = open_like(&s->end[0], out);
	/* If standard output and error are one file, they stay one, so that the order of their data is kept. */
	s->command[1] = are_same(out, err) ? s->command[0] : open_like(&s->end[1], err);
}

static unsigned long long bytes_in_file(const struct sink_end *e)
{
	struct stat st;

	return e->command >= 0 && e->ours < 0 && fstat(e->command, &st) == 0 ? (unsigned long long)st.st_size : 0;
}

void sink_clear(struct sink *s)
{
	for (int i = 0; i < 2; i++) {
		struct sink_end *e = &s->end[i];

		e->before += bytes_in_file(e);
		if (e->command >= 0 && e->ours < 0 && ftruncate(e->command, 0) == 0)
			lseek(e->command, 0, SEEK_SET);
	}
}

static bool has_taken(const struct sink_end *e)
{
	int waiting = 0;

	/* The last output of the command may not have been read yet. */
	if (e->ours >= 0 && ioctl(e->ours, FIONREAD, &waiting) != 0)
		waiting = 0;
	return e->before + bytes_in_file(e) + atomic_load_explicit(&e->read, memory_order_relaxed) > 0 || waiting > 0;
}

bool sink_has_taken(const struct sink *s)
{
	return s->is_open && (has_taken(&s->end[0]) || has_taken(&s->end[1]));
}
