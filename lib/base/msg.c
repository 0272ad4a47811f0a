#include "base/msg.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

/*
 * Buffers on the stack, so that "out of memory" can be said without memory.  A
 * text is cut at TEXT_MAX bytes: two longest paths and some words fit.
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

/* C0 controls and DEL; C1 controls too, which a UTF-8 terminal obeys when they come as two bytes (U+009B is CSI). */
static bool is_control(const unsigned char *s)
{
	return *s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f);
}

/* Appends text to the line at out, masked; returns the new end. */
static char *mask(char *out, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *s = (const unsigned char *)text;
	bool second = false; /* inside a two-byte control */

	for (; *s; s++) {
		if (!second && !is_control(s)) {
			*out++ = (char)*s;
			continue;
		}
		*out++ = '\\';
		*out++ = 'x';
		*out++ = hex[*s >> 4];
		*out++ = hex[*s & 15];
		second = !second && *s == 0xc2;
	}
	return out;
}

static void say(const char *text)
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
	say(text);
}

void msg_note(const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	format(text, "", fmt, ap);
	va_end(ap);
	say(text);
}

void msg_error(const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	format(text, "", fmt, ap);
	va_end(ap);
	failed = true;
	say(text);
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
	say(text);
}

void msg_die(int status, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	format(text, "", fmt, ap);
	va_end(ap);
	say(text);
	exit(status);
}
