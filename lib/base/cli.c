#include "base/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"

/*
 * A file that is opened later must not land on descriptor 0, 1 or 2.  Closed
 * ones are filled with /dev/null the wrong way round, so that reading standard
 * input and writing standard output fail as they should.
 */
static void fill_closed(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : fd == 1 ? O_RDONLY : O_RDWR) < 0)
			_exit(EXIT_TROUBLE);
}

/*
 * stdio tells that a write failed, not why: by the end, errno is another
 * call's.  So standard output is a stream of our own that remembers.
 */
static int write_error; /* the first */

static ssize_t write_out(void *unused, const char *bytes, size_t len)
{
	size_t done = 0;

	(void)unused;
	while (done < len) {
		ssize_t n = write(STDOUT_FILENO, bytes + done, len - done);

		if (n >= 0) {
			done += (size_t)n;
		} else if (errno != EINTR) {
			write_error = write_error ? write_error : errno;
			break;
		}
	}
	return (ssize_t)done;
}

static int close_out(void *unused)
{
	(void)unused;
	if (!close(STDOUT_FILENO))
		return 0;
	write_error = write_error ? write_error : errno;
	return EOF;
}

static void remember_errors(void)
{
	FILE *out = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_out, .close = close_out });

	if (!out)
		return;
	setvbuf(out, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
	stdout = out;
}

void cli_init(const char *argv0)
{
	fill_closed();
	remember_errors();
	msg_init(argv0);
	/* Only character types: LC_NUMERIC stays "C" whatever the environment says. */
	setlocale(LC_CTYPE, "C.UTF-8");
}

void cli_help(const char *usage)
{
	fputs(usage, stdout);
	exit(cli_finish(EXIT_OK));
}

void cli_usage_error(const char *usage, int status)
{
	fprintf(stderr, "%.*s\n", (int)strcspn(usage, "\n"), usage);
	exit(status);
}

void cli_version(void)
{
	printf("%s %s\n", msg_program(), ANDWEORC_VERSION);
	exit(cli_finish(EXIT_OK));
}

int cli_option(int argc, char **argv, const char *shorts, const struct option *longs, const char *usage)
{
	int c = getopt_long(argc, argv, shorts, longs, NULL);

	if (c == 'h')
		cli_help(usage);
	if (c == 'V')
		cli_version();
	if (c == '?')
		cli_usage_error(usage, EXIT_TROUBLE);
	return c;
}

int cli_finish(int status)
{
	bool failed = ferror(stdout);

	failed = fclose(stdout) || failed;
	/* After fill_closed, nobody who writes nothing has an error. */
	if (failed && write_error != EPIPE)
		msg_error("cannot write standard output: %s", strerror(write_error ? write_error : EIO));
	return msg_failed() ? EXIT_TROUBLE : status;
}
