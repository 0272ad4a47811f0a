#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/procstatus.h"

static const char *value_of(const char *text, const char *field)
{
	const char *at = strstr(text, field);

	return at ? at + strlen(field) : NULL;
}

bool procstatus_read(pid_t pid, struct procstatus *s)
{
	char text[4096]; /* all that comes before what may be long: the list of processors */
	const char *tracer, *caught;
	ssize_t n;
	int fd;

	snprintf(text, sizeof(text), "/proc/%ld/status", (long)pid);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	tracer = value_of(text, "\nTracerPid:\t");
	caught = value_of(text, "\nSigCgt:\t");
	if (!tracer || !caught)
		return false;
	*s = (struct procstatus){ .tracer = (pid_t)strtol(tracer, NULL, 10), .caught = strtoull(caught, NULL, 16) };
	return true;
}
