#include "base/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
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

void cli_init(const char *argv0)
{
	fill_closed();
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

/* Has the reader of a pipe or socket closed it?  Asked of the kernel: the errno of a write long ago is lost. */
static bool reader_gone(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO };

	return poll(&p, 1, 0) == 1 && p.revents & (POLLERR | POLLHUP);
}

int cli_finish(int status)
{
	bool before = ferror(stdout), gone;
	int error = 0;

	if (fflush(stdout))
		error = errno;
	gone = error == EPIPE || ((before || error) && reader_gone());
	if (fclose(stdout) && !error)
		error = errno;
	if (gone)
		return msg_failed() ? EXIT_TROUBLE : status;
	/* After fill_closed, nobody who writes nothing has an error. */
	if (error)
		msg_error("cannot write standard output: %s", strerror(error));
	else if (before)
		msg_error("cannot write standard output");
	return msg_failed() ? EXIT_TROUBLE : status;
}
