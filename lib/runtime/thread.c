/*
 * thread: the slots of threads, from before birth to after death.
 *
 *     FREE -> UNBORN   the creator takes a slot and copies its clock to it (rule: a
 *                      new thread inherits its creator's D)
 *     UNBORN -> LIVE   the new thread begins to use it
 *     LIVE -> FREE     the thread ends, or its process has died (then by the
 *                      conductor); counters stay, the next user adds to them
 *
 * Slots are taken and given back without a lock; the counters of a slot have one
 * writer at a time, its thread.
 */
#include <string.h>
#include <sys/auxv.h>

#include "breakpoint.h"
#include "event_log.h"
#include "hidden_fd.h"
#include "moment.h"
#include "offcpu.h"
#include "process.h"
#include "rawcall.h"
#include "reach.h"
#include "sample.h"
#include "sampler.h"
#include "sys.h"
#include "thread.h"

_Atomic uint32_t thread_count;

TLS struct self self = { .sampling = { .perf_fd = -1, .timer = -1 } };

enum { NO_SLOT = UINT32_MAX };

/* Takes a slot that was used before: its index, or NO_SLOT. */
static uint32_t pop_slot(void)
{
	/* Pairs with the release in arena_push_slot: next_free of slots on the stack is written. */
	uint64_t word = atomic_load_explicit(&arena->threads_free, memory_order_acquire);

	while ((uint32_t)word != 0 && (uint32_t)word <= ARENA_THREADS) {
		uint32_t slot = (uint32_t)word - 1;
		uint32_t next = atomic_load_explicit(&arena->next_free[slot], memory_order_relaxed);

		if (atomic_compare_exchange_weak_explicit(&arena->threads_free, &word, arena_with_top(word, next),
							  memory_order_acquire, memory_order_acquire))
			return slot;
	}
	return NO_SLOT;
}

/* Takes a slot that no thread has used yet: its index, or NO_SLOT. */
static uint32_t unused(void)
{
	uint32_t used = atomic_load_explicit(&arena->threads_used, memory_order_relaxed);

	while (used < arena->threads_most && used < ARENA_THREADS)
		if (atomic_compare_exchange_weak_explicit(&arena->threads_used, &used, used + 1, memory_order_release,
							  memory_order_relaxed))
			return used;
	return NO_SLOT;
}

static _Atomic bool refused;

void thread_refuse(bool on)
{
	atomic_store_explicit(&refused, on, memory_order_relaxed);
}

/*
 * Takes a free slot and maps it; NULL when there is none.  If our address space has no room
 * for it, it is put back for other processes.
 */
static struct arena_thread *take_slot(void)
{
	uint32_t slot = pop_slot();
	struct arena_thread *t;

	if (slot == NO_SLOT && (slot = unused()) == NO_SLOT)
		return NULL;
	t = reach_thread(slot);
	if (t)
		t->number = slot + 1;
	else
		arena_push_slot(arena, slot);
	return t;
}

struct arena_thread *thread_reserve(void)
{
	struct arena_thread *t;

	if (unlikely(atomic_load_explicit(&refused, memory_order_relaxed)))
		return NULL;
	t = take_slot();
	if (!t) {
		atomic_fetch_add_explicit(&arena->threads_refused, 1, memory_order_relaxed);
		return NULL;
	}
	atomic_store_explicit(&t->visits_before, arena_visits(arena, t->number - 1), memory_order_relaxed);
	atomic_store_explicit(&t->process, process_number() - 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&thread_count, 1, memory_order_relaxed);
	t->routine = t->arg = 0;
	/* Pairs with the acquire of the conductor, so that it does not count the slot to its previous process. */
	atomic_store_explicit(&t->state, SLOT_UNBORN, memory_order_release);
	vclock_open_account(&t->account, &arena->clock, self.slot ? &self.clock : NULL);
	return t;
}

void thread_unreserve(struct arena_thread *slot)
{
	arena_free_slot(arena, slot, thread_number(slot) - 1);
}

/*
 * Sets the bounds of the memory that the unwinder may read.  Asking the library for
 * them (pthread_getattr_np) allocates, and reads a file for the main thread.  But a
 * known address lies above all frames of each stack: the kernel's random bytes on that
 * of the main thread, the thread control block on all others.  The creator has noted
 * the size of the stack.  (Nothing else is mapped within 128 MB below the main
 * thread's.)  On stacks that the program has made (coroutines), which are outside the
 * bounds, only the innermost frame is seen.
 */
enum { MAIN_STACK_BYTES = 64 << 20 };

static void bound_stack(uintptr_t here)
{
	bool is_main = self.slot->tid == process_pid;
	/* A forked child runs on the stack of the thread that forked it. */
	bool kept = self.stack.lo < here && here < self.stack.hi;
	uintptr_t above = is_main ? (uintptr_t)getauxval(AT_RANDOM) : (uintptr_t)pthread_self();
	uintptr_t bytes = is_main ? MAIN_STACK_BYTES : (uintptr_t)self.slot->stack_bytes;

	if (kept)
		return;
	self.stack.hi = above > here && above - here < bytes ? above : here;
	self.stack.lo = self.stack.hi > bytes ? self.stack.hi - bytes : 0;
}

/*
 * The tables of the previous thread are cleared if this one runs another routine.  Empty
 * tables are not touched, for speed: threads may be many and short.
 */
static void forget_slot(struct arena_thread *slot)
{
	vclock_forget(&slot->memory);
	if (slot->has_sites)
		memset(slot->site, 0, sizeof(slot->site));
	slot->has_sites = 0;
}

/*
 * Tells replay that the thread exists.  One that a thread of its process has created has a wait without length, because
 * that one has noted the rest.  Others tell who has forked them, if it is known.
 */
static void note_begin(struct arena_thread *slot)
{
	event_ran(now_ns());
	if (slot->routine)
		event_note(slot, BURST_OUTSIDE, self.ran.wall_ns, 0, 0, 0, NULL);
	else
		event_note(slot, BURST_BORN, self.ran.wall_ns, slot->arg ? self.ran.wall_ns - slot->ready_ns : 0, slot->arg, 0, NULL);
}

/* here: an address on the stack of the thread. */
static void begin(struct arena_thread *slot, uintptr_t here)
{
	struct vclock_moment now;

	/* It was reserved before; or the thread was adopted before it came here. */
	if (unlikely(atomic_load_explicit(&refused, memory_order_relaxed) || self.slot)) {
		thread_unreserve(slot);
		return;
	}
	runtime_enter();
	self.slot = slot;
	self.visits = arena->visits[thread_number(slot) - 1];
	self.sampling.perf_fd = -1;
	self.found_busy = 0;
	slot->tid = (int32_t)SYS(SYS_gettid);
	bound_stack(here);
	self.random = (arena->seed + (uint64_t)slot->tid) * 0x9e3779b97f4a7c15u | 1;
	self.sampling.period_window = 0;
	self.waiting = 0;
	vclock_begin(&self.clock, &arena->clock, &slot->account, &slot->memory, thread_number(slot));
	offcpu_pass();
	for (unsigned i = 0; i < CLASSES; i++)
		self.residue_ns[i] = (int64_t)(sample_random() % arena->period_ns);
	if (!slot->routine || slot->learned_from != slot->routine)
		forget_slot(slot);
	slot->learned_from = slot->routine;
	atomic_store_explicit(&slot->wait.since, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->state, SLOT_LIVE, memory_order_release);
	if (!sampler_start())
		atomic_fetch_add_explicit(&arena->threads_refused, 1, memory_order_relaxed);
	if (event_on())
		note_begin(slot);
	if (slot->routine && window_speedup()) {
		now = moment_now();
		vclock_be_born(&self.clock, slot->routine, slot->arg, now.ns);
		vclock_was_ready(&self.clock, slot->ready_ns, now);
		vclock_keep_processor(&self.clock, now);
		offcpu_begin();
	}
	runtime_leave();
}

void thread_begin(struct arena_thread *slot)
{
	if (slot)
		begin(slot, (uintptr_t)__builtin_frame_address(0));
}

/* One that is being born will read in its slot what it is to run. */
static bool is_in_use(const struct arena_thread *t)
{
	uint32_t state = atomic_load_explicit(&t->state, memory_order_acquire);

	if (atomic_load_explicit(&t->process, memory_order_relaxed) != process_number() - 1)
		return false;
	return state == SLOT_UNBORN || (state == SLOT_LIVE && SYS(SYS_tgkill, process_pid, t->tid, 0) == 0);
}

bool thread_any_left(void)
{
	uint32_t n = atomic_load_explicit(&arena->threads_used, memory_order_acquire);

	for (uint32_t i = 0; i < n && i < ARENA_THREADS; i++) {
		const struct arena_thread *t = reach_thread_at_hand(i);

		if (t && is_in_use(t))
			return true;
	}
	return false;
}

void thread_adopt(struct arena_thread *slot, uintptr_t sp, uintptr_t stack_lo)
{
	uintptr_t top = (uintptr_t)pthread_self();

	/* On a stack of the program's own making this is nothing, and only the innermost frame is seen. */
	slot->stack_bytes = stack_lo < sp && sp < top ? top - stack_lo : 0;
	self.stack.lo = self.stack.hi = 0;
	self.life.adopted = true;
	begin(slot, sp);
	self.life.adopted = false;
}

void thread_end(void)
{
	struct arena_thread *slot = self.slot;
	int64_t now;

	if (!slot || !arena)
		return;
	runtime_enter();
	if (event_on()) {
		now = now_ns();
		event_queued(slot, now);
		event_note(slot, BURST_DEATH, now, 0, 0, 0, NULL);
	}
	sampler_stop();
	self.slot = NULL;
	runtime_leave();
	arena_free_slot(arena, slot, thread_number(slot) - 1);
}

void thread_renounce(void)
{
	self.life.clockless = true;
	thread_end();
}

void thread_forget(void)
{
	const struct self kept = {
		.sampling = { .perf_fd = -1, .timer = -1 },
		.signals = { .masked = self.signals.masked, .tight = self.signals.tight },
		.life = { .clockless = self.life.clockless },
		.stack = { self.stack.lo, self.stack.hi },
	};

	/* Perf events and POSIX timers are not inherited.  The copies of all threads' descriptors are closed. */
	hidden_fd_forget();
	sampler_forget();
	breakpoint_forget();
	rawcall_forget();
	atomic_store_explicit(&thread_count, 0, memory_order_relaxed);
	self = kept;
}
