#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "recorder/quota.h"
#include "target/procstatus.h"

enum {
	GROUPS_BYTES = 4096, /* of /proc/PID/cgroup: a line for each of a dozen hierarchies */
	US = 1000,
};

/* Where the hierarchy with this controller is mounted.  The empty name is that of version 2. */
static const struct {
	const char *controllers, *mounted;
} hierarchies[] = {
	{ "", "/sys/fs/cgroup" },
	{ "", "/sys/fs/cgroup/unified" },
	{ "cpu", "/sys/fs/cgroup/cpu" },
	{ "cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct" },
};

/* Of one group: its own cpu.stat, in which version 2 counts us, and version 1 ns. */
static int64_t taken_from(const char *mounted, const char *group)
{
	char *name = xasprintf("%s%s/cpu.stat", mounted, group), line[128];
	FILE *f = fopen(name, "re");
	long long ns = 0, n;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "throttled_usec %lld", &n) == 1)
			ns = n * US;
		else if (sscanf(line, "throttled_time %lld", &n) == 1)
			ns = n;
	}
	if (f)
		fclose(f);
	free(name);
	return ns;
}

/*
 * Of the group and all that it is in.  In a container the path may be that of the host, where
 * no such directory is seen; then the root is the group of the container.
 */
static int64_t taken_from_path(const char *mounted, const char *path)
{
	char *group = xstrdup(strcmp(path, "/") == 0 ? "" : path), *slash = NULL;
	int64_t ns = taken_from(mounted, group);

	while ((slash = strrchr(group, '/')) != NULL) {
		*slash = 0;
		ns += taken_from(mounted, group);
	}
	free(group);
	return ns;
}

/* line: HIERARCHY:CONTROLLERS:PATH */
static int64_t taken_by_line(char *line)
{
	char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
	int64_t ns = 0;

	if (!path)
		return 0;
	*path++ = 0;
	for (size_t i = 0; i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++)
		if (text_same(controllers + 1, hierarchies[i].controllers))
			ns += taken_from_path(hierarchies[i].mounted, path);
	return ns;
}

static int64_t total_ns(const struct quota *q)
{
	char *groups = q->groups ? xstrdup(q->groups) : NULL, *rest = groups, *line;
	int64_t ns = 0;

	while ((line = strsep(&rest, "\n")) != NULL)
		ns += taken_by_line(line);
	free(groups);
	return ns;
}

void quota_begin(struct quota *q, pid_t pid)
{
	char text[GROUPS_BYTES];

	quota_release(q);
	if (!procstatus_text(pid, "cgroup", text, sizeof(text)))
		return;
	q->groups = xstrdup(text);
	q->before_ns = total_ns(q);
}

int64_t quota_taken_ns(const struct quota *q)
{
	return total_ns(q) - q->before_ns;
}

void quota_release(struct quota *q)
{
	free(q->groups);
	*q = (struct quota){ 0 };
}
