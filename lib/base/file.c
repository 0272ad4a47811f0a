#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"

FILE *file_open(const char *path)
{
	FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin;

	if (!in)
		msg_error("cannot open '%s': %s", path, strerror(errno));
	return in;
}

void file_close(FILE *in)
{
	if (in != stdin)
		fclose(in);
}

int file_open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	struct stat st;

	if (fd < 0)
		return -1;
	err = fstat(fd, &st) != 0 ? errno : S_ISREG(st.st_mode) ? 0 : EINVAL;
	if (!err)
		return fd;
	close(fd);
	errno = err;
	return -1;
}

const char *file_label(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

bool file_write(int fd, const void *bytes, size_t len)
{
	const char *s = bytes;

	while (len) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		s += n;
		len -= (size_t)n;
	}
	return true;
}

/* close(2) may be the first to report that a disk is full (NFS, quotas). */
static bool write_and_close(int fd, const void *bytes, size_t len)
{
	bool done = file_write(fd, bytes, len);
	int saved = errno;

	if (close(fd) && done)
		return false;
	if (!done)
		errno = saved;
	return done;
}

static bool fill_file(int fd, mode_t mode, const void *bytes, size_t len)
{
	bool done = !fchmod(fd, mode);

	return write_and_close(fd, bytes, len) && done;
}

/* mkostemp gives 0600; the file shall have the mode that open(2) with 0666 would have given, or keep its own. */
static mode_t mode_of(const struct stat *old)
{
	mode_t mask;

	if (old)
		return old->st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static bool fail(const char *what, const char *path)
{
	msg_error("cannot %s '%s': %s", what, path, strerror(errno));
	return false;
}

static bool write_through(const char *path, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return fail("open", path);
	return write_and_close(fd, bytes, len) || fail("write", path);
}

bool file_replace(const char *path, const void *bytes, size_t len)
{
	struct stat st;
	bool exists = !stat(path, &st), done = false;
	char *target, *temp;
	int fd;

	if (exists && !S_ISREG(st.st_mode))
		return write_through(path, bytes, len);         /* a directory is refused there */
	target = exists ? realpath(path, NULL) : xstrdup(path); /* behind a symbolic link, the file is replaced, not the link */
	if (!target)
		return fail("write", path);
	temp = xasprintf("%s.XXXXXX", target);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0) {
		fail("write", path);
	} else if (!fill_file(fd, mode_of(exists ? &st : NULL), bytes, len) || rename(temp, target)) {
		fail("write", path);
		unlink(temp);
	} else {
		done = true;
	}
	free(temp);
	free(target);
	return done;
}
