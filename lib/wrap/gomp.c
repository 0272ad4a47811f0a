/*
 * gomp: teams and loops of GNU's OpenMP runtime (gcc, gfortran).
 *
 * In a call that starts a parallel region, the program's function is replaced by
 * `member`, which each thread of the team then runs.  Its data is on the master's
 * stack, which is safe because the master's call returns only when all members are
 * done.
 *
 *     master    releases `start`, calls the runtime
 *     member    acquires `start`; runs the program's function; releases `end`
 *     worker    then waits until the next region's `start`, in the runtime's pool
 *     master    then waits until the call returns, and acquires `end`
 *
 * A worker that idles in the pool counts as waiting: its time there is not sampled as
 * work, and it owes nothing for credits of others in that time.
 *
 * A barrier has two keys that take turns, so that a thread that is already at the next
 * one does not release a thread that has not yet left the last.
 */
#include "omp.h"
#include "runtime/moved.h"
#include "runtime/sync.h"
#include "runtime/thread.h"
#include "runtime/wait.h"
#include "runtime/yield.h"

enum { OLD_TEAMS = 64 };

TLS struct gomp_place *gomp_place;

struct team {
	uintptr_t word;  /* the first word of the program's data, which GOMP_parallel_reductions reads */
	gomp_fn *fn;
	void *data;
	const struct self *master;
	uintptr_t waiting; /* the master's state outside of the region */
	const void *site;
	uint64_t start, end;
	struct omp_wait wait; /* the master's wait for the end */
	struct gomp_place place;   /* the master's part, where it runs the function itself */
};

/* A worker's wait between regions. */
static TLS struct omp_wait idle;

/* ---- teams --------------------------------------------------------------------------- */

static void enter_team(struct gomp_place *p, const struct team *team)
{
	*p = (struct gomp_place){ .outer = gomp_place, .team = (uintptr_t)team };
	gomp_place = p;
}

static void begin_work(const struct team *team)
{
	if (omp_waiting) {
		/* The member's segment is identified by the function that it runs. */
		idle.key = team->start;
		idle.w.site = (const void *)team->fn;
		omp_wait_end(&idle);
	} else {
		sync_acquire(team->start, (const void *)team->fn);
	}
}

/*
 * Before a region begins, the master spins until all workers are back in the pool.
 * This mostly takes no time, and it ends by releases that the master has already
 * acquired.  So it is not accounted for as a wait; but it is not work either.
 */
static void begin_start(struct team *team)
{
	yield_no_more();
	team->waiting = self.waiting;
	if (wait_is_watched())
		self.waiting = UINTPTR_MAX;
}

static void start_work(const struct team *team)
{
	self.waiting = team->waiting;
}

static void member(void *p)
{
	struct team *team = p;
	bool is_master = team->master == &self;
	struct gomp_place here;

	if (is_master)
		start_work(team);
	else
		begin_work(team);
	enter_team(&here, team);
	team->fn(team->data);
	gomp_place = here.outer;
	omp_wait_begin(is_master ? &team->wait : &idle, team->end, team->site, true);
}

/* False: pass the call on to the runtime unchanged. */
static bool begin_team(struct team *team, const struct omp_real *omp, gomp_fn **fn, void **data, const void *site)
{
	if (likely(!arena) || omp->tells)
		return false;
	team->word = 0;
	team->fn = *fn;
	team->data = *data;
	team->master = &self;
	team->site = site;
	team->start = omp_key(OMP_START, (uintptr_t)team, 0);
	team->end = omp_key(OMP_END, (uintptr_t)team, 0);
	*fn = member;
	*data = team;
	/*
	 * Until the end of the region, the master's segment is identified by the function
	 * that it runs, as those of the workers are.  `site` identifies the segment after
	 * that.
	 */
	sync_release(team->start, (const void *)team->fn);
	begin_start(team);
	return true;
}

/* The calling thread has done its part, and so have all others. */
static void end_team(struct team *team)
{
	omp_wait_end(&team->wait);
	if (!gomp_place)
		moved_visit(MOVED_PARALLEL);
}

#define PARALLEL(name, params, ...) \
	EXPORT void name params \
	{ \
		const struct omp_real *omp = OMP(name); \
		struct team team; \
		bool watched = begin_team(&team, omp, &fn, &data, SITE); \
		omp->name(fn, data, n, __VA_ARGS__); \
		if (watched) \
			end_team(&team); \
	}

#define FN gomp_fn *fn, void *data, unsigned n
#define LOOP long lo, long hi, long step

PARALLEL(GOMP_parallel, (FN, unsigned flags), flags)
PARALLEL(GOMP_parallel_sections, (FN, unsigned count, unsigned flags), count, flags)
PARALLEL(GOMP_parallel_loop_static, (FN, LOOP, long chunk, unsigned flags), lo, hi, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_dynamic, (FN, LOOP, long chunk, unsigned flags), lo, hi, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_guided, (FN, LOOP, long chunk, unsigned flags), lo, hi, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_nonmonotonic_dynamic, (FN, LOOP, long chunk, unsigned flags), lo, hi, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_nonmonotonic_guided, (FN, LOOP, long chunk, unsigned flags), lo, hi, step, chunk, flags)
PARALLEL(GOMP_parallel_loop_runtime, (FN, LOOP, unsigned flags), lo, hi, step, flags)
PARALLEL(GOMP_parallel_loop_nonmonotonic_runtime, (FN, LOOP, unsigned flags), lo, hi, step, flags)
PARALLEL(GOMP_parallel_loop_maybe_nonmonotonic_runtime, (FN, LOOP, unsigned flags), lo, hi, step, flags)

unsigned GOMP_parallel_reductions(FN, unsigned flags)
{
	const struct omp_real *omp = OMP(GOMP_parallel_reductions);
	struct team team;
	uintptr_t *reductions = data;
	bool watched = begin_team(&team, omp, &fn, &data, SITE);
	unsigned threads;

	if (watched)
		team.word = *reductions;
	threads = omp->GOMP_parallel_reductions(fn, data, n, flags);
	if (watched)
		end_team(&team);
	return threads;
}

/* ---- teams, as gcc before 4.9 has them: the master runs the function itself, between two calls ---- */

/* Not in thread-local storage: it would not fit on the smallest stacks. */
static struct old_team {
	struct team team;
	_Atomic bool taken;
	struct old_team *outer;
} old[OLD_TEAMS];

static TLS struct old_team *old_team;
static TLS uint32_t unfollowed; /* nested regions for which no struct was left */

static struct team *begin_old(const struct omp_real *omp, gomp_fn **fn, void **data, const void *site)
{
	if (likely(!arena) || omp->tells)
		return NULL;
	for (unsigned i = 0; i < OLD_TEAMS && !unfollowed; i++) {
		struct old_team *o = &old[i];

		if (atomic_exchange_explicit(&o->taken, true, memory_order_acquire))
			continue;
		o->outer = old_team;
		old_team = o;
		begin_team(&o->team, omp, fn, data, site);
		enter_team(&o->team.place, &o->team);
		return &o->team;
	}
	unfollowed++;
	return NULL;
}

#define PARALLEL_START(name, params, ...) \
	EXPORT void name params \
	{ \
		const struct omp_real *omp = OMP(name); \
		struct team *team = begin_old(omp, &fn, &data, SITE); \
		omp->name(fn, data, __VA_ARGS__); \
		if (team) \
			start_work(team); \
	}

PARALLEL_START(GOMP_parallel_start, (FN), n)
PARALLEL_START(GOMP_parallel_sections_start, (FN, unsigned count), n, count)
PARALLEL_START(GOMP_parallel_loop_static_start, (FN, LOOP, long chunk), n, lo, hi, step, chunk)
PARALLEL_START(GOMP_parallel_loop_dynamic_start, (FN, LOOP, long chunk), n, lo, hi, step, chunk)
PARALLEL_START(GOMP_parallel_loop_guided_start, (FN, LOOP, long chunk), n, lo, hi, step, chunk)
PARALLEL_START(GOMP_parallel_loop_runtime_start, (FN, LOOP), n, lo, hi, step)

void GOMP_parallel_end(void)
{
	const struct omp_real *omp = OMP(GOMP_parallel_end);
	struct old_team *o = NULL;

	if (unfollowed)
		unfollowed--;
	else
		o = old_team;
	if (o) {
		gomp_place = o->team.place.outer;
		omp_wait_begin(&o->team.wait, o->team.end, SITE, true);
	}
	omp->GOMP_parallel_end();
	if (o) {
		end_team(&o->team);
		old_team = o->outer;
		atomic_store_explicit(&o->taken, false, memory_order_release);
	}
}

/* ---- barriers ------------------------------------------------------------------------ */

static uint64_t barrier_key(uint32_t number)
{
	return omp_key(OMP_BARRIER, gomp_place->team, number & 1);
}

static bool arrive_at_barrier(struct omp_wait *o, const struct omp_real *omp, const void *site)
{
	if (!gomp_is_in_team(omp))
		return false;
	omp_wait_begin(o, barrier_key(gomp_place->barriers++), site, true);
	return true;
}

static void pass_barrier(struct omp_wait *o, bool arrived)
{
	if (arrived)
		omp_wait_end(o);
}

#define BARRIER(name) \
	EXPORT void name(void) \
	{ \
		const struct omp_real *omp = OMP(name); \
		struct omp_wait o; \
		bool arrived = arrive_at_barrier(&o, omp, SITE); \
		omp->name(); \
		pass_barrier(&o, arrived); \
	}

#define BARRIER_CANCEL(name) \
	EXPORT bool name(void) \
	{ \
		const struct omp_real *omp = OMP(name); \
		struct omp_wait o; \
		bool arrived = arrive_at_barrier(&o, omp, SITE), cancelled = omp->name(); \
		pass_barrier(&o, arrived); \
		return cancelled; \
	}

BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)
BARRIER_CANCEL(GOMP_barrier_cancel)
BARRIER_CANCEL(GOMP_loop_end_cancel)
BARRIER_CANCEL(GOMP_sections_end_cancel)

/* One thread of the team gets NULL and does the work; the others wait until it is done, and get its result. */
void *GOMP_single_copy_start(void)
{
	const struct omp_real *omp = OMP(GOMP_single_copy_start);
	struct omp_wait o;
	bool arrived = arrive_at_barrier(&o, omp, SITE);
	void *data = omp->GOMP_single_copy_start();

	/*
	 * The thread that does the work has not waited here.  It arrives at this barrier
	 * later, so the barrier at which it has waited can only be the last one.
	 */
	if (arrived && !data)
		o.key = barrier_key(--gomp_place->barriers - 1);
	pass_barrier(&o, arrived);
	return data;
}

void GOMP_single_copy_end(void *data)
{
	const struct omp_real *omp = OMP(GOMP_single_copy_end);
	struct omp_wait o;
	bool arrived = arrive_at_barrier(&o, omp, SITE);

	omp->GOMP_single_copy_end(data);
	pass_barrier(&o, arrived);
}

void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
	const struct omp_real *omp = OMP(GOMP_workshare_task_reduction_unregister);
	struct omp_wait o;
	bool arrived = !cancelled && arrive_at_barrier(&o, omp, SITE);

	omp->GOMP_workshare_task_reduction_unregister(cancelled);
	pass_barrier(&o, arrived);
}
