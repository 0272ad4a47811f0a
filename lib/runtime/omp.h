/*
 * omp: what the wrappers of OpenMP runtimes share.
 *
 * A team's threads wait for each other inside of their runtime, which spins and
 * then sleeps on futexes of its own: nothing that is wrapped elsewhere is called.
 * So what a program calls is taken for what it is: a parallel region starts a
 * team (its members acquire what the master released) and ends when the last
 * member has done its part; a barrier is one; a task is made, begun and done.
 *
 *   omp_real   which runtime a call is for    omp_wait  what a member waits for
 *   gomp       teams and barriers, GNU's      gomp_task tasks, GNU's
 *   ompt       teams and tasks, LLVM's        gomp_order  iterations in order, GNU's
 *   omp_lock   locks of both                  omp_loop   loops of both whose iterations anybody may take
 */
#ifndef ANDWEORC_RUNTIME_OMP_H
#define ANDWEORC_RUNTIME_OMP_H

#include "real_gomp.h"
#include "wrap.h"

/* ---- omp_real.c ---- */

struct omp_real {
#define X(name, type, params) type(*name) params;
	REAL_GOMP(X)
#undef X
	bool tells; /* LLVM's: it tells of teams and tasks itself (ompt.c) */
};

/* The runtime of all callers; NULL: not known (yet), or there is none that is everybody's. */
extern _Atomic(const struct omp_real *) omp_common;

static inline bool omp_has(const struct omp_real *omp, size_t entry)
{
	return *(void *const *)(const void *)((const char *)omp + entry) != NULL;
}

/*
 * The runtime that the code at `site` calls.  Never NULL, nor is that entry of it:
 * where there is no runtime calls do nothing, and a parallel region has one thread.
 * Not for handlers: the first call from a place looks symbols up.
 */
const struct omp_real *omp_find(const void *site, size_t entry);

static inline const struct omp_real *omp_real(const void *site, size_t entry)
{
	/* Pairs with the release in omp_real.c: the table is there. */
	const struct omp_real *omp = atomic_load_explicit(&omp_common, memory_order_acquire);

	return likely(omp && omp_has(omp, entry)) ? omp : omp_find(site, entry);
}

/* In a wrapper: the runtime that is to do `name`. */
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
	OMP_NEXT,     /* of the iterations that anybody may take */
	OMP_TASK,     /* a task: whatever names it */
	OMP_CHILDREN, /* of a task, all of them: the parent */
	OMP_GROUP,    /* of tasks: who began it; which */
};

static inline uint64_t omp_key(enum omp_kind kind, uint64_t name, uint32_t which)
{
	return key_of('O', name, (uint64_t)kind << 56 | (uint64_t)(which & 0xffffff) << 32 | process_number());
}

/*
 * A member that waits for its team.  While it does, the runtime may give it tasks
 * to run: then it does not wait.
 */
struct omp_wait {
	struct wait w;
	uint64_t key;    /* what ends the wait; if `meets`, threads that wait again after a task have released it, too */
	const void *site;
	bool meets;      /* a barrier */
	uint32_t tasks;  /* running in the course of the wait */
	struct omp_wait *outer;
};

/* The wait that the calling thread is in, the innermost one; NULL: none. */
extern TLS struct omp_wait *omp_waiting;

/* any: begins to wait for what releases `key`; meets: it is a barrier, so arriving releases the key too. */
void omp_wait_begin(struct omp_wait *o, uint64_t key, const void *site, bool meets);

/* any: the innermost wait has ended. */
void omp_wait_end(struct omp_wait *o);

/*
 * any: the thread begins to run a task, which can run since `made` was released,
 * or `siblings` (0: none), whichever is later.
 */
void omp_task_begin(uint64_t made, uint64_t siblings, const void *site);

/* any: the task is done, which releases `parent`, and `group` (0: none). */
void omp_task_end(uint64_t parent, uint64_t group, const void *site);

/* ---- gomp.c ---- */

/* The part of a parallel region, or the task, that a thread runs in a team of GNU's runtime. */
struct gomp_place {
	struct gomp_place *outer;
	uint64_t team;      /* name of the team */
	uint64_t group;     /* key of the task group that the task belongs to; 0: none */
	uint32_t barriers;  /* that the thread has come to: the same number for all of the team */
	uint32_t groups;    /* task groups that have begun here */
	uint32_t children;  /* tasks made here */
	uint32_t depth;     /* of the doacross loop */
};

extern TLS struct gomp_place *gomp_place; /* NULL: in no team */

/* Are teams of this runtime followed by what the program calls, and is the thread in one? */
static inline bool gomp_is_in_team(const struct omp_real *omp)
{
	return unlikely(arena != NULL) && !omp->tells && gomp_place;
}

#endif
