#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "recorder/orphans.h"

static const int64_t JOINING_NS = 500000000; /* time for a new process to join and to make its first visit */
static const int64_t IDLE_NS = 2000000000;   /* after so long without progress, none is expected */
enum { IDLE_PART = 100 };                    /* idle: less than this part of a processor */

static const int64_t LOST_NS = 2000000000;   /* longest wait for processes after SIGKILL */

/* ---- are they worth waiting for?  ------------------------------------------------------- */

static bool contains(const struct children *c, pid_t pid)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i] == pid)
			return true;
	return false;
}

static void add_child(struct children *c, pid_t pid)
{
	c->v = xgrow(c->v, c->n, &c->cap, sizeof(*c->v));
	c->v[c->n++] = pid;
}

/* Our children, without those in `others`. */
static void read_children(struct children *c, const struct children *others)
{
	char name[64];
	long pid;
	FILE *f;

	c->n = 0;
	snprintf(name, sizeof(name), "/proc/self/task/%ld/children", (long)getpid());
	f = fopen(name, "re");
	while (f && fscanf(f, "%ld", &pid) == 1)
		if (!contains(others, (pid_t)pid))
			add_child(c, (pid_t)pid);
	if (f)
		fclose(f);
}

void orphans_release(struct orphans *l)
{
	free(l->others.v);
	*l = (struct orphans){ 0 };
}

void orphans_begin(struct orphans *l)
{
	const struct children none = { 0 };

	orphans_release(l);
	read_children(&l->others, &none);
}

static bool has_children(const struct orphans *l)
{
	struct children c = { 0 };
	bool any;

	read_children(&c, &l->others);
	any = c.n > 0;
	free(c.v);
	return any;
}

/* Has a live process visited a point, or joined just now? */
static bool has_visitor(struct processes *p, int64_t now)
{
	uint64_t visits[ARENA_PROCESSES];

	processes_visits(p, visits);
	for (uint32_t i = 0; i < ARENA_PROCESSES; i++)
		if (p->member[i].pid > 0 && (visits[i] > 0 || now - p->member[i].met_ns < JOINING_NS))
			return true;
	return false;
}

/* Do they use the processor?  Measured now and then; assumed until the first measurement. */
static bool is_working(struct orphans *l, struct processes *p, int64_t now)
{
	int64_t cpu, passed = now - l->cpu_at_ns;

	if (passed < IDLE_NS)
		return l->working;
	cpu = processes_cpu_ns(p);
	l->working = cpu - l->cpu_ns >= passed / IDLE_PART;
	l->cpu_ns = cpu;
	l->cpu_at_ns = now;
	return l->working;
}

bool orphans_goes_on(struct orphans *l, struct processes *p, uint64_t visits, int64_t now)
{
	if (!l->began_ns) {
		l->began_ns = l->cpu_at_ns = now;
		l->cpu_ns = processes_cpu_ns(p);
		l->visits = visits;
		l->working = true;
	}
	if (l->visits != visits) {
		l->visits = visits;
		l->progress_ns = now;
	}
	if (l->progress_ns && now - l->progress_ns < IDLE_NS)
		return p->alive > 0 || has_children(l);
	if (p->alive == 0)
		return now - l->began_ns < JOINING_NS && has_children(l);
	return has_visitor(p, now) || (visits == 0 && is_working(l, p, now));
}

/* ---- ending them ------------------------------------------------------------------------ */

/* Children are not reaped between these two lines, so the pid still belongs to this child, even if it has ended. */
static void signal_children(const struct orphans *l, struct children *told, int sig)
{
	struct children c = { 0 };

	read_children(&c, &l->others);
	for (size_t i = 0; i < c.n; i++) {
		if (told && contains(told, c.v[i]))
			continue;
		kill(c.v[i], sig);
		if (told)
			add_child(told, c.v[i]);
	}
	free(c.v);
}

void orphans_end(struct orphans *l, struct processes *p, int64_t patience_ns)
{
	int64_t kill_at = now_ns() + patience_ns;
	struct children told = { 0 };
	int status;
	pid_t pid;

	while (now_ns() < kill_at + LOST_NS) {
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (!processes_stopped(pid, status))
				processes_reaped(p, pid, status);
		if (!has_children(l))
			break;
		if (now_ns() >= kill_at)
			signal_children(l, NULL, SIGKILL);
		else
			signal_children(l, &told, SIGTERM);
		usleep(1000);
	}
	free(told.v);
}
