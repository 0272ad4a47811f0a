#include "base/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/msg.h"

static const char blanks[] = " \t\r\n";

static char *after_blanks(char *s)
{
	return s + strspn(s, blanks);
}

static void cut_comment(char *s)
{
	for (char *at = strchr(s, '#'); at; at = strchr(at + 1, '#'))
		if (at == s || strchr(blanks, at[-1])) {
			*at = '\0';
			return;
		}
}

static void cut_blanks(char *s)
{
	size_t n = strlen(s);

	while (n > 0 && strchr(blanks, s[n - 1]))
		s[--n] = '\0';
}

/* The value that begins here; NULL: there is none. */
static char *take_value(char *s)
{
	char *end = s[0] == '"' ? strrchr(s + 1, '"') : NULL;

	/* Behind the last quote, there may be a comment. */
	if (end && (!end[1 + strspn(end + 1, blanks)] || end[1 + strspn(end + 1, blanks)] == '#')) {
		*end = '\0';
		return s + 1;
	}
	cut_comment(s);
	cut_blanks(s);
	return *s ? s : NULL;
}

static void take_line(char *line, const char *path, unsigned long number, config_setting *fn, void *arg)
{
	char *name = after_blanks(line), *end = name + strcspn(name, " \t\r\n="), *value = after_blanks(end);
	bool equals = *value == '=';

	if (!*name || *name == '#')
		return;
	value = take_value(after_blanks(value + equals));
	*end = '\0';
	fn(arg, path, number, name, value ? value : equals ? "" : NULL);
}

bool config_read(const char *path, config_setting *fn, void *arg)
{
	FILE *in = file_open(path);
	unsigned long number = 0;
	char *line = NULL;
	size_t cap = 0;
	bool ok;

	if (!in)
		return false;
	while (errno = 0, getline(&line, &cap, in) >= 0)
		take_line(line, file_label(path), ++number, fn, arg);
	ok = !ferror(in);
	if (!ok)
		msg_error("cannot read '%s': %s", path, strerror(errno));
	free(line);
	file_close(in);
	return ok;
}

static bool needs_quotes(const char *value)
{
	size_t n = strlen(value);

	return n == 0 || strchr(" \t\r#\"=", value[0]) || strchr(blanks, value[n - 1]) || strstr(value, " #") || strstr(value, "\t#");
}

void config_write(struct buf *out, const char *name, const char *value)
{
	const char *quote = needs_quotes(value) ? "\"" : "";

	buf_addf(out, "%s = %s%s%s\n", name, quote, value, quote);
}
