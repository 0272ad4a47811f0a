/* gnuplotrun: runs gnuplot; gnuplot.c writes the script. */
#include "plot/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/msg.h"

static bool read_all(int fd, struct buf *b)
{
	char s[65536];
	ssize_t n;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return false;
	while ((n = read(fd, s, sizeof s)) != 0) {
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0)
			buf_add(b, s, (size_t)n);
	}
	return true;
}

/* Does not return. Status 127 for "no such program", as shells say it. */
static void child(const int fd[3])
{
	for (int i = 0; i < 3; i++)
		if (dup2(fd[i], i) < 0)
			_exit(126);
	setenv("LC_ALL", "C.UTF-8", 1);
	unsetenv("GNUTERM");
	execlp("gnuplot", "gnuplot", "-d", (char *)NULL);
	_exit(errno == ENOENT ? 127 : 126);
}

/* The most useful line of gnuplot's error message: the last one that is not blank and not the marker "^". */
static const char *complaint(struct buf *b, int err)
{
	char *last = NULL, *rest = NULL, *line;

	read_all(err, b);
	for (line = b->len ? strtok_r(b->s, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		if (line[strspn(line, " \t\r^")])
			last = line + strspn(line, " \t");
	return last;
}

static void say_failure(int status, const char *why)
{
	if (WIFSIGNALED(status))
		msg_error("gnuplot was ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) == 127)
		msg_error("cannot find gnuplot; install it (apt-get install gnuplot-nox), or save the script with --script");
	else if (!status)
		msg_error("gnuplot wrote no whole picture%s%s", why ? ": " : "", why ? why : "");
	else if (why)
		msg_error("gnuplot failed: %s", why);
	else
		msg_error("gnuplot failed with status %d", WEXITSTATUS(status));
}

/* gnuplot does not always notice a failed write, so the picture must have its proper end. */
static bool is_whole(enum chart_format format, const struct buf *b)
{
	static const char *const end[] = { "\n", "</svg>", "IEND" };
	size_t tail = b->len < 16 ? b->len : 16;

	return tail && memmem(b->s + b->len - tail, tail, end[format], strlen(end[format]));
}

/* The dumb terminal starts with a form feed and fills its lines with blanks. */
static void trim_lines(struct buf *b)
{
	size_t to = 0, end = 0; /* end: behind the last byte of the line that is no blank */

	for (size_t i = 0; i < b->len; i++) {
		if (b->s[i] == '\f')
			continue;
		if (b->s[i] == '\n')
			to = end;
		b->s[to++] = b->s[i];
		if (b->s[i] != ' ')
			end = to;
	}
	b->len = to;
	b->s[to] = '\0';
}

bool gnuplot_run(const struct buf *script, enum chart_format format, struct buf *picture)
{
	/* Files in memory: a script and a picture of any size, and no deadlock between pipes. */
	int fd[3] = { memfd_create("script", MFD_CLOEXEC), memfd_create("picture", MFD_CLOEXEC),
		      memfd_create("errors", MFD_CLOEXEC) };
	struct buf errors = BUF_INIT;
	bool done = false;
	int status;
	pid_t pid;

	if (fd[0] < 0 || fd[1] < 0 || fd[2] < 0 || !file_write(fd[0], script->s, script->len) ||
	    lseek(fd[0], 0, SEEK_SET) < 0) {
		msg_error("cannot hand the script to gnuplot: %s", strerror(errno));
		goto end;
	}
	pid = fork();
	if (pid == 0)
		child(fd);
	if (pid < 0) {
		msg_error("cannot start gnuplot: %s", strerror(errno));
		goto end;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	done = !status && read_all(fd[1], picture) && is_whole(format, picture);
	if (!done)
		say_failure(status, complaint(&errors, fd[2]));
	if (done && format == CHART_TEXT)
		trim_lines(picture);
end:
	buf_release(&errors);
	for (int i = 0; i < 3; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return done;
}
