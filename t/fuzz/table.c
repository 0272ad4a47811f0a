/*
 * Any bytes may be a table of andweorc-diff, from an untrusted artifact: reading it
 * must neither crash nor hang, and no output may contain commands for its reader.  For
 * libFuzzer: make fuzz.
 *
 * t/unit/table-fuzz.c damages tables in fixed ways.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "diff/gate.h"
#include "diff/report.h"
#include "publish/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A call of its own, so that a report says where it failed. */
__attribute__((noinline)) static void must(bool ok)
{
	if (!ok)
		abort();
}

/* The output of one of the writers, for the caller to free. */
static char *written(const struct report *r, int format)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	must(out);
	switch (format) {
	case 0:
		write_text(r, false, out);
		break;
	case 1:
		write_markdown(r, "fuzz", 65000, out);
		break;
	case 2:
		write_github(r, GATE_CHANGE | GATE_INCONCLUSIVE, 9, out);
		break;
	case 3:
		report_write_json(r, out);
		break;
	default:
		report_write_tsv(r, out);
		break;
	}
	must(!fclose(out));
	must(strlen(text) == len);
	return text;
}

static size_t occurrences(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		n++;
		text += strlen(what);
	}
	return n;
}

/* No byte that moves a cursor or begins a line of its own where none was begun. */
static void check_text(const char *text)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		must(strncmp(line + strspn(line, " \t"), "::", 2) != 0);
	must(!strstr(text, "##["));
	for (; *text; text++)
		must((unsigned char)*text >= 0x20 || *text == '\n');
}

static void check_markdown(const char *text)
{
	must(!strncmp(text, "<!-- andweorc-diff:v1 id=fuzz base=", 35));
	must(strlen(text) <= 65000);
	must(occurrences(text, "<!--") == 1 && occurrences(text, "-->") == 1);
	must(!strstr(text, "\n::") && !strchr(text, '\r'));
}

static void check_commands(const char *text)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		must(!strncmp(line, "::error ", 8) || !strncmp(line, "::warning ", 10) || !strncmp(line, "::notice ", 9));
	must(occurrences(text, "\n") <= 27);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report r = REPORT_INIT, again = REPORT_INIT;
	char path[64], *text[5];
	int fd = memfd_create("table", 0);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	report_read_tsv(&r, path);
	gate_confirm(&r, &r);
	gate_count(&r, GATE_REGRESSION);
	for (int i = 0; i < 5; i++)
		text[i] = written(&r, i);
	check_text(text[0]);
	check_markdown(text[1]);
	check_commands(text[2]);
	/* The written table must be read back with the same content. */
	must(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0 && write(fd, text[4], strlen(text[4])) == (ssize_t)strlen(text[4]));
	/* A table of another version is refused both times. */
	must(report_read_tsv(&again, path) == report_is_readable(&r, path) && again.n == r.n);
	for (int i = 0; i < 5; i++) {
		char *second = written(&again, i);

		must(!strcmp(text[i], second));
		free(second);
		free(text[i]);
	}
	close(fd);
	report_release(&r);
	report_release(&again);
	return 0;
}
