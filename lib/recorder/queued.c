#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "recorder/queued.h"
#include "target/procstatus.h"

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

/* Time in the queue since the last look; 0 for a thread without an earlier look. */
static int64_t since(const struct queued *q, const struct queued_thread *t)
{
	const struct queued_thread *before = q->n ? bsearch(t, q->thread, q->n, sizeof(*t), by_tid) : NULL;

	if (before && t->ns >= before->ns)
		return t->ns - before->ns;
	return q->all ? t->ns : 0;
}

int64_t queued_since(struct queued *q, pid_t pid, size_t *room)
{
	struct queued_thread *now = NULL;
	int64_t ns = 0;
	size_t n = 0, cap = 0;
	struct dirent *e = NULL;
	char name[64];
	DIR *d;

	snprintf(name, sizeof(name), "/proc/%ld/task", (long)pid);
	d = opendir(name);
	while (d && n < *room && (e = readdir(d))) {
		struct queued_thread t = { .tid = (pid_t)strtol(e->d_name, NULL, 10) };

		if (t.tid <= 0 || !procstatus_queued_ns(pid, t.tid, &t.ns))
			continue;
		ns += since(q, &t);
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
	*room -= n;
	return ns;
}
