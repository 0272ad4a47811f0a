/*
 * omp_wait: the waits of members of a team.
 *
 * The waits of a thread nest: while it waits at a barrier, it may run a task, and in
 * that task wait for another task, or be the master of another team.  They form a
 * stack, linked through `outer`; the innermost one that runs no task is the only one
 * during which the thread does nothing.
 */
#include "omp.h"
#include "runtime/sync.h"
#include "runtime/thread.h"
#include "runtime/wait.h"

TLS struct omp_wait *omp_waiting;

static void arrive_at_once(struct omp_wait *o)
{
	wait_begin_releasing(&o->w, CLASS_LOCK, o->site, false, WAIT_UNKNOWN, o->meets ? o->key : 0);
	/* The struct is not in the stack frame of the call that waits; and such a call is never left by a jump. */
	if (o->w.t)
		self.waiting = UINTPTR_MAX;
}

void omp_wait_begin(struct omp_wait *o, uint64_t key, const void *site, bool meets)
{
	o->key = key;
	o->site = site;
	o->meets = meets;
	o->tasks = 0;
	o->outer = omp_waiting;
	arrive_at_once(o);
	omp_waiting = o;
}

void omp_wait_end(struct omp_wait *o)
{
	wait_by_peer(&o->w, o->key);
	omp_waiting = o->outer;
}

void omp_task_begin(uint64_t made, uint64_t siblings, const void *site)
{
	struct omp_wait *o = omp_waiting;

	if (o && o->tasks++ == 0) {
		o->w.site = site;
		wait_by_peer2(&o->w, made, siblings);
		return;
	}
	sync_acquire(made, site);
	if (siblings)
		sync_acquire(siblings, site);
}

void omp_task_end(uint64_t parent, uint64_t group, const void *site)
{
	struct omp_wait *o = omp_waiting;

	/* The task is over: ends its segment, which began at `site`. */
	site = (const char *)site + 1;
	sync_release(parent, site);
	if (group)
		sync_release(group, site);
	if (o && o->tasks > 0 && --o->tasks == 0)
		arrive_at_once(o);
}
