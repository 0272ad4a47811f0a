#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "recorder/queued.h"

void queued_release(struct queued *q)
{
	free(q->thread);
	*q = (struct queued){ 0 };
}

static int by_tid(const void *a, const void *b)
{
	const struct queued_thread *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* The second number of the thread's schedstat, in ns; see the kernel's Documentation/scheduler/sched-stats.rst. */
static bool read_thread(int dir, const char *tid, int64_t *ns)
{
	char name[64], text[128];
	unsigned long long ran, waited;
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%.20s/schedstat", tid);
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text, "%llu %llu", &ran, &waited) != 2)
		return false;
	*ns = (int64_t)waited;
	return true;
}

/* What the thread queued for since the last look; 0 also where it may have been there before, and we did not look at it. */
static int64_t since(const struct queued *q, const struct queued_thread *t)
{
	const struct queued_thread *before = q->n ? bsearch(t, q->thread, q->n, sizeof(*t), by_tid) : NULL;

	if (before && t->ns >= before->ns)
		return t->ns - before->ns;
	return q->all ? t->ns : 0;
}

size_t queued_look(struct queued *q, pid_t pid, size_t room)
{
	struct queued_thread *now = NULL;
	size_t n = 0, cap = 0;
	struct dirent *e = NULL;
	char name[64];
	DIR *d;

	snprintf(name, sizeof(name), "/proc/%ld/task", (long)pid);
	d = opendir(name);
	while (d && n < room && (e = readdir(d))) {
		struct queued_thread t = { .tid = strtoll(e->d_name, NULL, 10) };

		if (t.tid <= 0 || !read_thread(dirfd(d), e->d_name, &t.ns))
			continue;
		q->ns += since(q, &t);
		now = xgrow(now, n, &cap, sizeof(*now));
		now[n++] = t;
	}
	if (d)
		closedir(d);
	if (n)
		qsort(now, n, sizeof(*now), by_tid);
	free(q->thread);
	q->thread = now;
	q->n = n;
	q->all = n > 0 && !e;
	return n;
}
