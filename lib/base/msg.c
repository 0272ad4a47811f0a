#include "base/msg.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/utf8.h"

/*
 * Buffers are on the stack, so that "out of memory" can be reported without memory.  A
 * text is cut at TEXT_MAX bytes: two paths of the greatest length and some words fit.
 */
#define TEXT_MAX 8400
#define LINE_MAX_BYTES (4 * TEXT_MAX + 300)

static const char *program = "andweorc";
static bool failed;

void msg_init(const char *argv0)
{
	if (argv0 && *argv0)
		program = path_name(argv0);
}

const char *msg_program(void)
{
	return program;
}

bool msg_failed(void)
{
	return failed;
}

/*
 * Appends text to the line at out.  Each byte of a hidden character, or of invalid UTF-8,
 * becomes \xHH. Returns the new end.
 */
static char *mask(char *out, const char *text)
{
	static const char hex[] = "0123456789abcdef";

	while (*text) {
		uint32_t c;
		size_t len = utf8_decode(text, &c);
		bool plain = len && !utf8_is_hidden(c);

		for (len = len ? len : 1; len; len--, text++) {
			if (plain) {
				*out++ = *text;
				continue;
			}
			*out++ = '\\';
			*out++ = 'x';
			*out++ = hex[(unsigned char)*text >> 4];
			*out++ = hex[*text & 15];
		}
	}
	return out;
}

static void say_line(const char *text)
{
	char line[LINE_MAX_BYTES], name[64], *end;
	ssize_t done;
	size_t left;

	snprintf(name, sizeof name, "%s", program);
	end = mask(line, name);
	*end++ = ':';
	*end++ = ' ';
	end = mask(end, text);
	*end++ = '\n';

	/* One write; more only when a pipe or a signal cut it. */
	for (left = (size_t)(end - line); left; left -= (size_t)done) {
		done = write(STDERR_FILENO, end - left, left);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done <= 0)
			return;
	}
}

/* Formats "WHERE" + the message into text; a longer one ends in "...". */
static AW_PRINTF(3, 0) void format(char text[TEXT_MAX], const char *where, const char *fmt, va_list ap)
{
	int n = snprintf(text, TEXT_MAX, "%s", where);
	size_t used = n < 0 ? 0 : (size_t)n;

	if (used < TEXT_MAX) {
		n = vsnprintf(text + used, TEXT_MAX - used, fmt, ap);
		used += n < 0 ? 0 : (size_t)n;
	}
	if (used >= TEXT_MAX)
		memcpy(text + TEXT_MAX - 4, "...", 4);
}

void msg_warn(const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	format(text, "warning: ", fmt, ap);
	va_end(ap);
	say_line(text);
}

void msg_note(const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	format(text, "", fmt, ap);
	va_end(ap);
	say_line(text);
}

void msg_error(const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	format(text, "", fmt, ap);
	va_end(ap);
	failed = true;
	say_line(text);
}

void msg_error_at(const char *path, unsigned long line, const char *fmt, ...)
{
	char text[TEXT_MAX], where[TEXT_MAX / 2];
	va_list ap;

	snprintf(where, sizeof where, "%.4100s:%lu: ", path, line);
	va_start(ap, fmt);
	format(text, where, fmt, ap);
	va_end(ap);
	failed = true;
	say_line(text);
}

void msg_die(int status, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	format(text, "", fmt, ap);
	va_end(ap);
	say_line(text);
	exit(status);
}
