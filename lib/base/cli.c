#include "base/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
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
 * stdio reports that a write failed, but not why: at the end, errno is from another
 * call.  So standard output is a custom stream that remembers the error.
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

static _Noreturn void write_help(const char *usage)
{
	fputs(usage, stdout);
	exit(cli_finish(EXIT_OK));
}

void cli_usage_error(int status, const char *fmt, ...)
{
	char text[4096]; /* the text may contain an argument of any length, so the advice is added separately, and not cut off */
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	msg_die(status, "%s; see '%s --help'", text, msg_program());
}

static _Noreturn void write_version(void)
{
	printf("%s %s\n", msg_program(), ANDWEORC_VERSION);
	exit(cli_finish(EXIT_OK));
}

static const struct option *with_value(const struct option *longs, int value)
{
	for (; longs->name; longs++)
		if (longs->val == value)
			return longs;
	return NULL;
}

static size_t count_prefixed(const struct option *longs, const char *prefix, size_t len)
{
	size_t n = 0;

	for (; longs->name; longs++)
		n += !strncmp(longs->name, prefix, len);
	return n;
}

/* getopt has refused an option: `c` is what it returned, optopt the value of the option (0: a long one that is not known). */
static _Noreturn void refuse(int c, const char *word, const struct option *longs, int status)
{
	const struct option *known = with_value(longs, optopt);
	bool is_long = !strncmp(word, "--", 2);
	int name = (int)strcspn(word, "=");

	if (c == ':' && (is_long || !known))
		cli_usage_error(status, "option '%.*s' requires an argument", name, word);
	if (c == ':')
		cli_usage_error(status, "option '-%c' (--%s) requires an argument", optopt, known->name);
	if (known && optopt)
		cli_usage_error(status, "option '--%s' takes no argument", known->name);
	if (optopt)
		cli_usage_error(status, "unknown option '-%c'", optopt);
	if (is_long && count_prefixed(longs, word + 2, (size_t)name - 2) > 1)
		cli_usage_error(status, "option '%.*s' could be one of several", name, word);
	cli_usage_error(status, "unknown option '%.*s'", name, word);
}

int cli_option(int argc, char **argv, const char *shorts, const struct option *longs, const char *usage, int status)
{
	int c;

	opterr = 0;
	c = getopt_long(argc, argv, shorts, longs, NULL);
	if (c == 'h')
		write_help(usage);
	if (c == 'V')
		write_version();
	if (c == '?' || c == ':')
		refuse(c, argv[optind - 1], longs, status);
	return c;
}

int cli_finish(int status)
{
	bool failed = ferror(stdout);

	failed = fclose(stdout) || failed;
	/* After fill_closed, a tool that writes nothing has no error. */
	if (failed && write_error != EPIPE)
		msg_error("cannot write standard output: %s", strerror(write_error ? write_error : EIO));
	return msg_failed() ? EXIT_TROUBLE : status;
}
