/*
 * process: the processes of a recording.
 *
 * Every process that finds the arena joins it: what the recorder started, what
 * that forked, what those became by exec.  Their clocks, points and samples are
 * the same; each has an entry that says where its modules are, because that is
 * all that differs.
 *
 *     free -> taken    by the process (its pid)
 *     taken -> free    by the conductor, when the process is dead
 */
#include <limits.h>

#include "runtime.h"

struct arena_process *process;

void process_news(void)
{
	atomic_fetch_add_explicit(&arena->news, 1, memory_order_release);
	SYS(SYS_futex, &arena->news, 1 /* FUTEX_WAKE, shared */, INT_MAX);
}

/* The entry that this process had before an exec, or a free one. */
static struct arena_process *take_entry(struct arena *a, int32_t pid)
{
	uint32_t used = atomic_load_explicit(&a->processes_used, memory_order_acquire);

	for (uint32_t i = 0; i < used && i < ARENA_PROCESSES; i++)
		if (atomic_load_explicit(&a->process[i].pid, memory_order_relaxed) == pid)
			return &a->process[i];
	for (uint32_t i = 0; i < ARENA_PROCESSES; i++) {
		int32_t free_pid = 0;

		if (!atomic_compare_exchange_strong(&a->process[i].pid, &free_pid, pid))
			continue;
		while (used <= i && !atomic_compare_exchange_weak(&a->processes_used, &used, i + 1))
			;
		return &a->process[i];
	}
	atomic_fetch_add_explicit(&a->processes_refused, 1, memory_order_relaxed);
	return NULL;
}

static void fill_in(struct arena *a, struct arena_process *p)
{
	atomic_store_explicit(&p->parent, (int32_t)SYS(SYS_getppid), memory_order_relaxed);
	atomic_store_explicit(&p->base, (uintptr_t)a, memory_order_relaxed);
	atomic_fetch_add_explicit(&a->joined, 1, memory_order_relaxed);
	/* Pairs with the acquire of the conductor: it sees the new base. */
	atomic_fetch_add_explicit(&p->incarnation, 1, memory_order_release);
}

bool process_join(struct arena *a)
{
	int32_t none = 0, pid = (int32_t)SYS(SYS_getpid);
	struct arena_process *p = take_entry(a, pid);

	if (!p)
		return false;
	atomic_compare_exchange_strong(&a->pid, &none, pid);
	process = p;
	fill_in(a, p);
	return true;
}

void process_forked(void)
{
	const struct arena_process *parent = process;
	struct arena_process *p;
	struct arena_thread *slot, *before = self.slot;

	if (!arena)
		return;
	if (!before || (p = take_entry(arena, (int32_t)SYS(SYS_getpid))) == NULL) {
		thread_forget();
		arena = NULL;
		return;
	}
	/* Everything is where it was in the parent; the conductor would need time to find that out. */
	p->set[0] = parent->set[atomic_load_explicit(&parent->modules, memory_order_acquire) & 1];
	atomic_store_explicit(&p->modules, 0, memory_order_relaxed);
	process = p;
	fill_in(arena, p);
	slot = thread_reserve(); /* with the clock of the thread that forked */
	thread_forget();
	if (slot)
		slot->stack_bytes = before->stack_bytes;
	thread_begin(slot);
	atomic_store_explicit(&p->ready, atomic_load_explicit(&p->incarnation, memory_order_relaxed), memory_order_release);
	process_news();
}
