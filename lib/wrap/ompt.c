/*
 * ompt: teams and tasks of LLVM's OpenMP runtime (clang, Intel's compilers).
 *
 * That runtime looks for a tool, and reports what it does by callbacks (OpenMP 5.0,
 * chapter 4; only the types used here are declared).  This file is such a tool:
 *
 *     parallel_begin        releases the team
 *     parallel_end          counts it (-P :parallel)
 *     implicit_task begin   a member acquires that
 *     sync_region_wait      a barrier, or a wait for tasks, begins or ends
 *     task_create, task_schedule    a task is made, begun, done
 *
 * A worker waits at the barrier that ends its region until the next region begins.
 * Only then the runtime reports the end of the barrier, and does not say for which
 * region.
 *
 * There can be only one tool: while a program is profiled, its own tool
 * (OMP_TOOL_LIBRARIES, or one that is linked to it) is not called.  With
 * OMP_TOOL=disabled, this one is not called.
 */
#include <dlfcn.h>

#include "omp.h"
#include "runtime/moved.h"
#include "runtime/sync.h"
#include "runtime/thread.h"

typedef union {
	uint64_t value;
	void *ptr;
} ompt_data_t;

typedef void (*ompt_callback_t)(void);
typedef int (*ompt_set_callback_t)(int event, ompt_callback_t callback);
typedef ompt_callback_t (*ompt_function_lookup_t)(const char *name);

typedef struct {
	int (*initialize)(ompt_function_lookup_t lookup, int device, ompt_data_t *tool);
	void (*finalize)(ompt_data_t *tool);
	ompt_data_t tool;
} ompt_start_tool_result_t;

enum {
	EVENT_THREAD_BEGIN = 1,
	EVENT_PARALLEL_BEGIN = 3,
	EVENT_PARALLEL_END = 4,
	EVENT_TASK_CREATE = 5,
	EVENT_TASK_SCHEDULE = 6,
	EVENT_IMPLICIT_TASK = 7,
	EVENT_SYNC_REGION_WAIT = 16,
	EVENT_SYNC_REGION = 23,
};

enum { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { SYNC_TASKWAIT = 5, SYNC_TASKGROUP = 6, SYNC_REDUCTION = 7 }; /* all others are barriers */
enum { TASK_INITIAL = 1, TASK_EXPLICIT = 4 };
enum { STATUS_YIELD = 2, STATUS_LATE_FULFILL = 6, STATUS_SWITCH = 7 };

/*
 * The runtime keeps one word for each task.  Here that holds a number, which is unique
 * among 16 million tasks.
 */
union word {
	uint64_t value;
	struct {
		uint64_t number : 24;
		uint64_t parent : 24;  /* number of an explicit task */
		uint64_t group : 9;    /* number of the task group that it was created in; 0: none */
		uint64_t groups : 3;   /* task groups that have begun in it */
		uint64_t depends : 1;  /* it depends on siblings */
		uint64_t begun : 1;    /* for an implicit task: always set */
		uint64_t is_worker : 1;
		uint64_t barriers : 1; /* number of barriers that the thread has come to, modulo 2 */
	};
};

/* The word of a team: the site of its region, and a number in the upper bits. */
enum { CODE_BITS = 48 };

/*
 * A wait begins and ends in two separate callbacks, so its struct cannot be on the
 * stack.  Nor can it be in thread-local storage, which would not fit on the smallest
 * stacks.
 */
enum { FOLLOWED = 1024, DEPTH = 24 };

static struct stack_of_waits {
	struct omp_wait wait[DEPTH];
	uint32_t n;
} stacks[FOLLOWED];

static struct stack_of_waits *stack_of(void)
{
	uint32_t i = arena && self.slot ? thread_number(self.slot) - 1 : FOLLOWED;

	return i < FOLLOWED ? &stacks[i] : NULL;
}

static uint64_t new_number(void)
{
	static _Atomic uint32_t last;

	return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* ---- keys ---------------------------------------------------------------------------- */

static uint64_t start_key(uint64_t team)
{
	return omp_key(OMP_START, team, 0);
}

static uint64_t barrier_key(uint64_t team, uint64_t barriers)
{
	return omp_key(OMP_BARRIER, team, (uint32_t)barriers);
}

static uint64_t made_key(union word task)
{
	return omp_key(OMP_TASK, task.number, 0);
}

static uint64_t children_key(uint64_t parent)
{
	return omp_key(OMP_CHILDREN, parent, 0);
}

static uint64_t group_key(uint64_t group)
{
	return group ? omp_key(OMP_GROUP, group, 0) : 0;
}

/* The key of tasks that this task creates in its group; never 0 when a group has begun in it. */
static uint64_t group_of(union word task)
{
	return task.groups ? omp_key(OMP_GROUP, task.number, task.groups) % 511 + 1 : task.group;
}

/* Identifies the segment of a member's part of a region.  The site of the call identifies the segment after that. */
static const void *part_of(const ompt_data_t *team)
{
	return (const void *)(uintptr_t)((team->value & ((1ull << CODE_BITS) - 1)) - 1);
}

/* ---- callbacks ----------------------------------------------------------------------- */

static void begin_wait(uint64_t key, const void *site, bool meets)
{
	struct stack_of_waits *s = stack_of();

	if (s && s->n++ < DEPTH)
		omp_wait_begin(&s->wait[s->n - 1], key, site, meets);
}

static void end_wait(void)
{
	struct stack_of_waits *s = stack_of();

	if (s && s->n > 0 && --s->n < DEPTH)
		omp_wait_end(&s->wait[s->n]);
}

/* Another thread may have used the place before. */
static void on_thread_begin(int kind, ompt_data_t *thread)
{
	struct stack_of_waits *s = stack_of();

	(void)kind, (void)thread;
	if (s)
		s->n = 0;
}

static void on_parallel_begin(ompt_data_t *task, const void *frame, ompt_data_t *team, unsigned n, int flags, const void *code)
{
	(void)task, (void)frame, (void)n, (void)flags;
	if (!arena)
		return;
	team->value = new_number() << CODE_BITS | ((uintptr_t)code & ((1ull << CODE_BITS) - 1));
	sync_release(start_key(team->value), part_of(team));
}

/* A task outside of all parallel regions has no number. */
static void on_parallel_end(const ompt_data_t *team, const ompt_data_t *task, int flags, const void *code)
{
	(void)team, (void)flags, (void)code;
	if (!task || !task->value)
		moved_visit(MOVED_PARALLEL);
}

static void on_implicit_task(int endpoint, ompt_data_t *team, ompt_data_t *task, unsigned n, unsigned index, int flags)
{
	struct stack_of_waits *s = stack_of();

	(void)n;
	if (!s || flags & TASK_INITIAL || endpoint != SCOPE_BEGIN)
		return;
	task->value = (union word){ .number = new_number(), .begun = 1, .is_worker = index != 0 }.value;
	if (index == 0)
		return;
	if (s->n > 0) {
		/* The end of its last region. */
		s->n = 1;
		omp_waiting = &s->wait[0];
		omp_waiting->key = start_key(team->value);
		omp_waiting->w.site = part_of(team);
		end_wait();
	} else {
		sync_acquire(start_key(team->value), part_of(team));
	}
}

static void on_barrier(int endpoint, const ompt_data_t *team, ompt_data_t *data, const void *code)
{
	union word task = { .value = data->value };

	if (endpoint == SCOPE_BEGIN && team) {
		begin_wait(barrier_key(team->value, task.barriers), code, true);
		task.barriers ^= 1;
		data->value = task.value;
	} else if (endpoint == SCOPE_END && (team || !task.is_worker)) {
		end_wait();
	}
}

static void on_sync_region_wait(int kind, int endpoint, ompt_data_t *team, ompt_data_t *data, const void *code)
{
	union word task = { .value = data ? data->value : 0 };

	if (!arena || !task.number || kind == SYNC_REDUCTION)
		return;
	if (kind != SYNC_TASKWAIT && kind != SYNC_TASKGROUP)
		on_barrier(endpoint, team, data, code);
	else if (endpoint == SCOPE_END)
		end_wait();
	else if (endpoint == SCOPE_BEGIN)
		begin_wait(kind == SYNC_TASKWAIT ? children_key(task.number) : group_key(group_of(task)), code, false);
}

static void on_sync_region(int kind, int endpoint, ompt_data_t *team, ompt_data_t *data, const void *code)
{
	union word task = { .value = data ? data->value : 0 };

	(void)team, (void)code;
	if (!task.number || kind != SYNC_TASKGROUP)
		return;
	task.groups = (task.groups + (endpoint == SCOPE_BEGIN ? 1u : 7u)) & 7;
	data->value = task.value;
}

static void on_task_create(ompt_data_t *maker, const void *frame, ompt_data_t *data, int flags, int depends, const void *code)
{
	union word parent = { .value = maker ? maker->value : 0 }, task;

	(void)frame;
	if (!arena || !(flags & TASK_EXPLICIT))
		return;
	task = (union word){
		.number = new_number(),
		.parent = parent.number,
		.group = group_of(parent),
		.depends = depends != 0,
	};
	data->value = task.value;
	sync_release(made_key(task), code);
}

static void on_task_schedule(ompt_data_t *prior, int status, ompt_data_t *next)
{
	union word last = { .value = prior ? prior->value : 0 }, task = { .value = next ? next->value : 0 };
	bool begins = (status == STATUS_SWITCH || status == STATUS_YIELD) && task.number && !task.begun;
	const void *site = (const void *)on_task_schedule; /* the runtime does not report which task runs */

	if (!arena || status == STATUS_LATE_FULFILL)
		return;
	if (begins) {
		task.begun = 1;
		next->value = task.value;
		omp_task_begin(made_key(task), task.depends ? children_key(task.parent) : 0, site);
	} else if (last.number) {
		/* The task is done; or it is untied, and was put back for any thread to resume. */
		last.begun = 0;
		prior->value = last.value;
		omp_task_end(children_key(last.parent), group_key(last.group), site);
	}
}

/* ---- the tool ------------------------------------------------------------------------ */

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)tool;
	if (!set)
		return 0;
	set(EVENT_THREAD_BEGIN, (ompt_callback_t)on_thread_begin);
	set(EVENT_PARALLEL_BEGIN, (ompt_callback_t)on_parallel_begin);
	set(EVENT_PARALLEL_END, (ompt_callback_t)on_parallel_end);
	set(EVENT_IMPLICIT_TASK, (ompt_callback_t)on_implicit_task);
	set(EVENT_SYNC_REGION_WAIT, (ompt_callback_t)on_sync_region_wait);
	set(EVENT_SYNC_REGION, (ompt_callback_t)on_sync_region);
	set(EVENT_TASK_CREATE, (ompt_callback_t)on_task_create);
	set(EVENT_TASK_SCHEDULE, (ompt_callback_t)on_task_schedule);
	return 1;
}

static void finalize(ompt_data_t *tool)
{
	(void)tool;
}

EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);

/* The runtime calls this when it starts.  If the process is not profiled, NULL makes it ask the next tool. */
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
	static ompt_start_tool_result_t us = { .initialize = initialize, .finalize = finalize };
	ompt_start_tool_result_t *(*next)(unsigned, const char *);

	if (arena)
		return &us;
	next = (ompt_start_tool_result_t * (*)(unsigned, const char *)) dlsym(RTLD_NEXT, "ompt_start_tool");
	return next ? next(version, runtime) : NULL;
}
