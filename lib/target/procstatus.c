#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/procstatus.h"

static const char *value_of(const char *text, const char *field)
{
	const char *at = strstr(text, field);

	return at ? at + strlen(field) : NULL;
}

bool procstatus_text(pid_t pid, const char *file, char *text, size_t size)
{
	char path[96];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return true;
}

/* 0: it is not there. */
static long number_of(const char *text, const char *field)
{
	const char *at = value_of(text, field);

	return at ? strtol(at, NULL, 10) : 0;
}

/* The second of four. */
static unsigned effective(const char *text, const char *field)
{
	unsigned real, id = 0;
	const char *at = value_of(text, field);

	return at && sscanf(at, "%u %u", &real, &id) == 2 ? id : (unsigned)-1;
}

/* A number for each pid namespace, on one line. */
static bool is_nested(const char *text)
{
	const char *at = value_of(text, "\nNSpid:\t");

	return at && strcspn(at, "\t") < strcspn(at, "\n");
}

bool procstatus_read(pid_t pid, struct procstatus *s)
{
	char text[4096]; /* enough for all fields before the list of processors, which may be long */
	const char *tracer, *caught, *ignored, *state;

	if (!procstatus_text(pid, "status", text, sizeof(text)))
		return false;
	tracer = value_of(text, "\nTracerPid:\t");
	caught = value_of(text, "\nSigCgt:\t");
	ignored = value_of(text, "\nSigIgn:\t");
	if (!tracer || !caught)
		return false;
	*s = (struct procstatus){
		.tracer = (pid_t)strtol(tracer, NULL, 10),
		.caught = strtoull(caught, NULL, 16),
		.ignored = ignored ? strtoull(ignored, NULL, 16) : 0,
		.thread_of = (pid_t)number_of(text, "\nTgid:\t"),
		.uid = effective(text, "\nUid:\t"),
		.gid = effective(text, "\nGid:\t"),
		.seccomp = number_of(text, "\nSeccomp:\t") > 0,
		.filters = number_of(text, "\nSeccomp_filters:\t"),
		.nested = is_nested(text),
	};
	state = value_of(text, "\nState:\t");
	s->state = state ? *state : '?';
	return true;
}

/* The second number of schedstat; see the kernel's Documentation/scheduler/sched-stats.rst. */
bool procstatus_queued_ns(pid_t pid, pid_t tid, int64_t *ns)
{
	unsigned long long ran, queued;
	char file[48], text[128];

	snprintf(file, sizeof(file), "task/%ld/schedstat", (long)tid);
	if (!procstatus_text(pid, file, text, sizeof(text)) || sscanf(text, "%llu %llu", &ran, &queued) != 2)
		return false;
	*ns = (int64_t)queued;
	return true;
}
