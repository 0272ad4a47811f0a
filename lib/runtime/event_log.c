/*
 * event_log: during a burst, each thread notes its sync operations, waits and samples, for
 * replay.
 *
 * A thread writes into a log of its slot, which the recorder reads when the burst is
 * over.  Nothing is overwritten, and no event is missing: the first event that finds no
 * room ends the burst, and its time is noted.
 *
 * Processor time is not noted with each event, for reading it takes a system call.
 * It is read at the begin and at the end of each wait, and in samples.  The difference
 * between the time that has passed and the processor time is time without a processor.
 *
 * Context: any.
 */
#include "event_log.h"
#include "moment.h"
#include "reach.h"
#include "thread.h"
#include "yield.h"

enum {
	QUEUED_NS = 20 * 1000, /* smaller differences come from the reading of two clocks */
	KERNEL_NS = 20 * 1000, /* less processor time in a wait is not noted, so that most waits take one event */
};

/* The log of the calling thread; NULL: no log is left. */
static struct arena_log *log_of(struct arena_thread *t)
{
	uint32_t window = current_window();
	struct arena_log *log;

	if (t->log_window != window) {
		t->log_window = window;
		t->log = atomic_fetch_add_explicit(&arena->logs_used, 1, memory_order_relaxed) + 1;
		log = t->log <= ARENA_LOGS ? reach_log(t->log - 1) : NULL;
		if (!log)
			t->log = 0;
		else
			log->thread = thread_number(t);
	}
	return t->log ? reach_log(t->log - 1) : NULL;
}

/* From here on, no thread's events belong to the burst. */
static void cut(int64_t at_ns)
{
	int64_t none = 0;

	atomic_compare_exchange_strong_explicit(&arena->cut_ns, &none, at_ns, memory_order_relaxed, memory_order_relaxed);
}

void event_note(struct arena_thread *t, unsigned kind, int64_t at_ns, int64_t waited_ns, uint64_t object, uint64_t other,
		const void *site)
{
	struct arena_log *log = log_of(t);
	uint32_t n = log ? atomic_load_explicit(&log->n, memory_order_relaxed) : ARENA_EVENTS;

	if (n >= ARENA_EVENTS) {
		cut(at_ns);
		return;
	}
	log->event[n] = (struct arena_event){
		.at_ns = at_ns,
		.waited_ns = waited_ns,
		.site = (uintptr_t)site,
		.object = (uint32_t)object,
		.other = (uint32_t)other,
		.kind = (uint16_t)kind,
		.processor = (uint16_t)processor_here(),
	};
	/* Pairs with the recorder's acquire. */
	atomic_store_explicit(&log->n, n + 1, memory_order_release);
}

/* The last event that the thread has noted in this burst; NULL: none. */
static struct arena_event *last_event(struct arena_log *log)
{
	uint32_t n = log ? atomic_load_explicit(&log->n, memory_order_relaxed) : 0;

	return n > 0 ? &log->event[n - 1] : NULL;
}

bool event_withdraw_release(struct arena_thread *t, int64_t at_ns, uint64_t key)
{
	struct arena_log *log = event_has_log(t) ? log_of(t) : NULL;
	const struct arena_event *last = last_event(log);

	if (!last || last->kind != BURST_RELEASE || last->at_ns != at_ns || last->object != (uint32_t)key)
		return false;
	atomic_fetch_sub_explicit(&log->n, 1, memory_order_relaxed);
	return true;
}

void event_release_took(struct arena_thread *t, int64_t at_ns, uint64_t key, uint64_t room, const void *site)
{
	if (!event_withdraw_release(t, at_ns, key))
		return;
	event_note(t, BURST_ACQUIRE | BURST_ANY, at_ns, 0, room, 0, site);
	event_note(t, BURST_RELEASE, at_ns, 0, key, 0, site);
}

void event_poll(struct arena_thread *t, int64_t now, int64_t waited_ns, const void *site)
{
	struct arena_event *last = last_event(log_of(t));

	if (last && last->kind == BURST_POLL && last->site == (uintptr_t)site && now - waited_ns - last->at_ns < YIELD_AGAIN_NS) {
		last->waited_ns += now - last->at_ns;
		last->at_ns = now;
	} else {
		event_note(t, BURST_POLL, now, waited_ns, 0, 0, site);
	}
}

void event_ran(int64_t now)
{
	self.ran.window = current_window();
	self.ran.wall_ns = now;
	self.ran.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void event_outside(struct arena_thread *t, unsigned kind, int64_t now, int64_t waited_ns, const void *site)
{
	const struct ran before = self.ran;
	int64_t used;

	event_ran(now);
	/* Until the wait began, the thread had its processor: otherwise event_queued would have looked. */
	used = self.ran.cpu_ns - before.cpu_ns - (now - waited_ns - before.wall_ns);
	if (before.window == current_window() && used >= KERNEL_NS)
		event_note(t, BURST_KERNEL, now, used, 0, 0, NULL);
	event_note(t, kind, now, waited_ns, 0, 0, site);
}

void event_queued(struct arena_thread *t, int64_t now)
{
	int64_t queued = now - self.ran.wall_ns, before = self.ran.cpu_ns;
	bool known = self.ran.window == current_window();

	/* To read the processor time is a system call. */
	if (known && queued < QUEUED_NS)
		return;
	event_ran(now);
	queued -= self.ran.cpu_ns - before;
	if (known && queued >= QUEUED_NS)
		event_note(t, BURST_QUEUED, now, queued, 0, 0, NULL);
}
