/*
 * omp: what the wrappers of OpenMP runtimes share.
 *
 * The threads of a team wait for each other inside the OpenMP runtime.  It spins, and
 * then sleeps on futexes by inline system calls, so that no other wrapper sees these
 * waits.  So the wrappers here account for the entry points that programs call.  A
 * parallel region starts a team, whose members acquire the key that the master
 * released, and ends when the last member has done its part.  Barriers release and
 * acquire, and so does the creation, the begin and the end of a task.
 *
 *   omp_real   which runtime a call is for    omp_wait  what a member waits for
 *   gomp       teams and barriers, GNU's      gomp_task tasks, GNU's
 *   ompt       teams and tasks, LLVM's        gomp_order  iterations in order, GNU's
 *   omp_lock   locks of both                  omp_loop   loops of both with dynamic schedules
 */
#ifndef ANDWEORC_WRAP_OMP_H
#define ANDWEORC_WRAP_OMP_H

#include "runtime/process.h"
#include "runtime/real_gomp.h"
#include "wrap.h"

/* ---- omp_real.c ---- */

struct omp_real {
#define X(name, type, params) type(*name) params;
	REAL_GOMP(X)
#undef X
	bool tells; /* LLVM's runtime, which reports teams and tasks by callbacks (ompt.c) */
};

/* The one OpenMP runtime that all modules use; NULL: not known yet, or modules use different ones. */
extern _Atomic(const struct omp_real *) omp_common;

static inline bool omp_has(const struct omp_real *omp, size_t entry)
{
	return *(void *const *)(const void *)((const char *)omp + entry) != NULL;
}

/*
 * The OpenMP runtime that the code at `site` calls.  Never NULL, and no entry of the
 * table is NULL: without a runtime, calls do nothing, and a parallel region has one
 * thread.  Not for signal handlers, because the first call from a place looks symbols
 * up.
 */
const struct omp_real *omp_find(const void *site, size_t entry);

static inline const struct omp_real *omp_real(const void *site, size_t entry)
{
	/* Pairs with the release in omp_real.c: the table is complete. */
	const struct omp_real *omp = atomic_load_explicit(&omp_common, memory_order_acquire);

	return likely(omp && omp_has(omp, entry)) ? omp : omp_find(site, entry);
}

/* In a wrapper: the function `name` of the runtime that the caller uses. */
#define OMP(name) omp_real(SITE, offsetof(struct omp_real, name))

#define X(name, type, params) EXPORT type name params;
REAL_GOMP(X)
#undef X

/* ---- omp_wait.c ---- */

/* An object at which the members of a team wait for each other. */
enum omp_kind {
	OMP_START,    /* a region begins: the team */
	OMP_END,      /* it ends: the team */
	OMP_BARRIER,  /* the team; which barrier, modulo 2 */
	OMP_ORDER,    /* an ordered loop: the team */
	OMP_DOACROSS, /* an iteration: the team, mixed with its numbers */
	OMP_TASK,     /* a task: its identifier */
	OMP_CHILDREN, /* all child tasks: the parent */
	OMP_GROUP,    /* a task group: the task that began it, and its number there */
};

static inline uint64_t omp_key(enum omp_kind kind, uint64_t name, uint32_t which)
{
	return key_of(KEY_OPENMP, name, (uint64_t)kind << 56 | (uint64_t)(which & 0xffffff) << 32 | process_number());
}

/*
 * A wait of a member for its team.  During the wait the runtime may give the member
 * tasks to run; while one runs, the thread does not wait.
 */
struct omp_wait {
	struct wait w;
	uint64_t key;    /* the key that ends the wait; if `meets`, a thread that resumes the wait after a task releases it, too */
	const void *site;
	bool meets;      /* a barrier */
	uint32_t tasks;  /* tasks that run in the course of the wait */
	struct omp_wait *outer;
};

/* The wait that the calling thread is in, the innermost one; NULL: none. */
extern TLS struct omp_wait *omp_waiting;

/* any: begins a wait for `key`. meets: the wait is at a barrier, so the arriving thread releases the key first. */
void omp_wait_begin(struct omp_wait *o, uint64_t key, const void *site, bool meets);

/* any: the innermost wait has ended. */
void omp_wait_end(struct omp_wait *o);

/*
 * any: the thread begins to run a task.  It acquires `made` or `siblings` (0: none),
 * whichever was released later.
 */
void omp_task_begin(uint64_t made, uint64_t siblings, const void *site);

/* any: the task is done: releases `parent` and `group` (0: none). */
void omp_task_end(uint64_t parent, uint64_t group, const void *site);

/* ---- gomp.c ---- */

/* The part of a parallel region, or the task, that a thread of a team of GNU's runtime is running. */
struct gomp_place {
	struct gomp_place *outer;
	uint64_t team;      /* identifier of the team */
	uint64_t group;     /* key of the task group that the task belongs to; 0: none */
	uint32_t barriers;  /* number of barriers that the thread has come to; all members of a team count alike */
	uint32_t groups;    /* task groups that have begun here */
	uint32_t children;  /* tasks made here */
	uint32_t depth;     /* dimensions of the doacross loop */
};

extern TLS struct gomp_place *gomp_place; /* NULL: in no team */

/* Are teams of this runtime followed by wrappers of its entry points, and is the thread in such a team? */
static inline bool gomp_is_in_team(const struct omp_real *omp)
{
	return unlikely(arena != NULL) && !omp->tells && gomp_place;
}

#endif
