/*
 * gomp_task: tasks of GNU's OpenMP runtime.
 *
 * A task runs when a thread of the team has nothing else to do: while it waits at a
 * barrier, for its own tasks, or at the end of the region.  So the program's function
 * is replaced by one that notices when the task begins and ends.  Its data is put in
 * front of the task's data, which the runtime copies:
 *
 *     struct task | padding | the program's data
 *
 * The creation of a task releases a key, and its begin acquires that key.  Its end
 * releases the keys of its parent (taskwait) and of its group (taskgroup), and, where
 * the task interrupted a wait at a barrier, the key of the barrier.  A task that
 * depends on others depends on siblings, so on the end of the last of those.
 */
#include "omp.h"
#include "runtime/sync.h"
#include "runtime/thread.h"

enum {
	/* Flags of GNU's runtime (gomp-constants.h). */
	FLAG_DEPEND = 1 << 3,
	FLAG_NO_GROUP = 1 << 11,
	FLAG_REDUCTION = 1 << 12,
	FLAG_DETACH = 1 << 13,
};

struct task {
	gomp_ull word[3];   /* words that the runtime reads: the bounds of a task loop, its reductions, an event */
	gomp_fn *fn;
	gomp_copy_fn *copy; /* NULL: plain data */
	void *data;         /* address of the data before it is copied */
	uint64_t made, parent, group; /* keys */
	uint64_t team;
	uint32_t bytes, offset; /* offset of the data from here */
	uint16_t words;     /* bytes of `word` that are the program's */
	bool depends;
};

/* The argument that GNU's runtime gets. */
struct packet {
	_Alignas(16) struct task task;
	char data[152]; /* enough for most programs; small, since a recursion may have many of these on its stack */
};

static uint64_t group_key(const struct gomp_place *p)
{
	return p->groups ? omp_key(OMP_GROUP, (uintptr_t)p, p->groups) : p->group;
}

static uint64_t children_key(const struct gomp_place *p)
{
	return omp_key(OMP_CHILDREN, (uintptr_t)p, 0);
}

static void run_task(void *p)
{
	struct task task = *(struct task *)p;
	struct gomp_place here = { .outer = gomp_place, .team = task.team, .group = task.group };
	char *data = (char *)p + task.offset;

	if (task.words)
		memcpy(data, task.word, task.words);
	omp_task_begin(task.made, task.depends ? task.parent : 0, (const void *)task.fn);
	gomp_place = &here;
	task.fn(data);
	gomp_place = here.outer;
	omp_task_end(task.parent, task.group, (const void *)task.fn);
}

static void copy_task(void *to, void *from)
{
	const struct task *task = from;
	char *data = (char *)to + task->offset;

	*(struct task *)to = *task;
	if (task->copy)
		task->copy(data, task->data);
	else
		memcpy(data, task->data, task->bytes);
}

/*
 * Replaces the function and the data that the program passes to the runtime.  If the
 * program passes no copy function, the data is copied here, so that none is needed: a
 * task loop that the runtime runs at once keeps all copies on its stack.  False:
 * nothing is replaced.
 */
static bool pack(struct packet *k, gomp_fn **fn, void **data, gomp_copy_fn **copier, long *bytes, long *align, bool is_loop)
{
	static TLS uint32_t serial;
	struct task *task = &k->task;
	long at = *align > (long)_Alignof(struct task) ? *align : (long)_Alignof(struct task);
	long offset = ((long)sizeof(*task) + at - 1) / at * at;
	bool fits = !*copier && at <= (long)_Alignof(struct packet) && offset + *bytes <= (long)sizeof(*k);

	if (!fits && !*copier && is_loop)
		return false;
	*task = (struct task){
		.fn = *fn,
		.copy = *copier,
		.data = *data,
		.made = omp_key(OMP_TASK, (uintptr_t)&self, ++serial % 256),
		.parent = children_key(gomp_place),
		.group = group_key(gomp_place),
		.team = gomp_place->team,
		.bytes = (uint32_t)*bytes,
		.offset = (uint32_t)offset,
	};
	gomp_place->children++;
	*fn = run_task;
	*copier = fits ? NULL : copy_task;
	if (fits && *bytes > 0)
		memcpy((char *)k + offset, *data, (size_t)*bytes);
	*data = k;
	*bytes += offset;
	*align = at;
	return true;
}

void GOMP_task(gomp_fn *fn, void *data, gomp_copy_fn *copier, long bytes, long align, bool when, unsigned flags, void **depend,
	       int priority, void *detach)
{
	const struct omp_real *omp = OMP(GOMP_task);
	struct packet k;

	if (gomp_is_in_team(omp) && pack(&k, &fn, &data, &copier, &bytes, &align, false)) {
		k.task.depends = flags & FLAG_DEPEND;
		k.task.words = flags & FLAG_DETACH && k.task.data ? sizeof(void *) : 0;
		sync_release(k.task.made, SITE);
	}
	omp->GOMP_task(fn, data, copier, bytes, align, when, flags, depend, priority, detach);
}

/* A task loop waits for its tasks, unless a flag says otherwise. */
#define TASKLOOP(name, number, unumber) \
	EXPORT void name(gomp_fn *fn, void *data, gomp_copy_fn *copier, long bytes, long align, unsigned flags, \
			 unsigned long tasks, int priority, number lo, number hi, number step) \
	{ \
		const struct omp_real *omp = OMP(name); \
		bool watched = gomp_is_in_team(omp), waits = watched && !(flags & FLAG_NO_GROUP); \
		struct omp_wait o; \
		struct packet k; \
		if (waits) \
			gomp_place->groups++; \
		if (watched && pack(&k, &fn, &data, &copier, &bytes, &align, true)) { \
			k.task.words = 2 * sizeof(number); \
			if (flags & FLAG_REDUCTION) \
				memcpy(k.task.word, k.task.data, 2 * sizeof(number) + sizeof(void *)); \
			sync_release(k.task.made, SITE); \
		} \
		if (waits) \
			omp_wait_begin(&o, group_key(gomp_place), SITE, false); \
		omp->name(fn, data, copier, bytes, align, flags, tasks, priority, lo, hi, step); \
		if (waits) { \
			omp_wait_end(&o); \
			gomp_place->groups--; \
		} \
	}

TASKLOOP(GOMP_taskloop, long, unsigned long)
TASKLOOP(GOMP_taskloop_ull, gomp_ull, gomp_ull)

/* ---- waiting for tasks --------------------------------------------------------------- */

void GOMP_taskwait(void)
{
	const struct omp_real *omp = OMP(GOMP_taskwait);
	bool watched = gomp_is_in_team(omp) && gomp_place->children > 0;
	struct omp_wait o;

	if (watched)
		omp_wait_begin(&o, children_key(gomp_place), SITE, false);
	omp->GOMP_taskwait();
	if (watched)
		omp_wait_end(&o);
}

void GOMP_taskwait_depend(void **depend)
{
	const struct omp_real *omp = OMP(GOMP_taskwait_depend);
	bool watched = gomp_is_in_team(omp) && gomp_place->children > 0;
	struct omp_wait o;

	if (watched)
		omp_wait_begin(&o, children_key(gomp_place), SITE, false);
	omp->GOMP_taskwait_depend(depend);
	if (watched)
		omp_wait_end(&o);
}

void GOMP_taskgroup_start(void)
{
	const struct omp_real *omp = OMP(GOMP_taskgroup_start);

	if (gomp_is_in_team(omp))
		gomp_place->groups++;
	omp->GOMP_taskgroup_start();
}

void GOMP_taskgroup_end(void)
{
	const struct omp_real *omp = OMP(GOMP_taskgroup_end);
	bool watched = gomp_is_in_team(omp) && gomp_place->groups > 0;
	struct omp_wait o;

	if (watched)
		omp_wait_begin(&o, group_key(gomp_place), SITE, false);
	omp->GOMP_taskgroup_end();
	if (watched) {
		omp_wait_end(&o);
		gomp_place->groups--;
	}
}
