/* thread: slots of threads, and what the runtime knows of each. */
#ifndef ANDWEORC_RUNTIME_THREAD_H
#define ANDWEORC_RUNTIME_THREAD_H

#include <signal.h>
#include <stdint.h>

#include "runtime.h"
#include "vclock/vclock.h"

/* How long a thread had no processor; see offcpu.c. */
struct offcpu {
	int64_t wall_ns, cpu_ns; /* the two clocks as they were last read; wall_ns 0: begin anew */
	int64_t unsampled_ns;    /* time without a processor that no sample stands for yet */
};

/* Processor time, as samples tell it. */
struct sample_time {
	int64_t ns;       /* the time since the last sample, kept or not */
	int64_t kept_ns;  /* the time that the kept sample stands for; 0: this one is not kept */
	uint32_t periods; /* the same, in arena->period_ns */
};

/* How the thread is sampled (sampler.c). */
struct sampling {
	int perf_fd;         /* -1: none */
	uint64_t perf_id;    /* the kernel's id of the event, since the descriptor's number may have been reused */
	int timer;           /* the timer that was deleted last; -1: none */
	uint64_t period_ns;  /* period of the next sample */
	uint32_t one_of;     /* of so many samples, one is kept */
	uint32_t passed;     /* samples since that */
	struct sample_time time; /* of the present sample */
	uint32_t period_window; /* the window in which it was drawn */
	bool first;          /* the first sample, due after a random part of a period, is still to come */
	bool rests;          /* the perf event is stopped, since events are noted: the timer samples alone */
	int64_t kernel_ns;   /* time in the kernel, as it was last looked at */
	int64_t rest_ns;     /* time seen by the timer that no sample stands for yet */
};

/* Whether the perf event costs too much (sampler.c). */
struct judged {
	int64_t switches; /* context switches of the thread at the last look */
	int64_t ns;       /* the thread's processor time since that look */
};

/* The thread's processor time, without pauses for which the timer was held (sampler.c). */
struct used {
	int64_t timed_ns; /* as of the last signal of the timer; 0: none yet */
	int64_t hold_ns;  /* with pauses, at the begin of the last one */
	int64_t held_ns;  /* in all pauses */
};

/* Our signals, and the program (sample_signal.c).  Sets are in the kernel's layout. */
struct signals {
	uint64_t masked;  /* those that the program has blocked, as far as it knows */
	uint64_t put_off; /* those of them that are really blocked */
	bool tight;       /* its alternate stack is too small for our handler */
};

/* Begin and end (thread.c). */
struct life {
	bool over;      /* the thread is about to end */
	bool adopted;   /* it is older than the runtime, and is being adopted */
	bool clockless; /* it may not read the processor's clock, nor may its children: not profiled */
};

/* The two clocks at the last event (event_log.c). */
struct ran {
	uint32_t window; /* the burst in which they were read */
	int64_t wall_ns, cpu_ns;
};

/* The yields by which the thread polls (yield.h). */
struct yields {
	const void *site; /* NULL: it does not poll */
	int64_t last_ns;  /* end of the last one; INT64_MAX: it is in one */
	struct vclock_wait began; /* the first one */
};

/* The samples that hit the call that the thread is in, which can wait; see sample.h. */
struct in_wait {
	struct sample_time time; /* ns is 0: none */
	uint32_t weight;         /* of the last one's stack */
};

/* State of a thread that the conductor does not read, by the file that it belongs to. */
struct self {
	struct arena_thread *slot; /* NULL: this thread is not profiled */
	struct vclock clock;       /* clock of the slot's thread */
	struct offcpu offcpu;
	_Atomic uint64_t *visits;  /* visits of the slot, by point */
	struct sampling sampling;
	struct judged judged;
	struct used used;
	struct signals signals;
	struct life life;
	uint32_t gave_up;          /* switches that the thread had made by itself at the last look (switched.c) */
	struct ran ran;
	struct yields yields;
	struct in_wait in_wait;
	volatile sig_atomic_t busy;    /* > 0 while the thread is inside the runtime, or hushed */
	uint32_t found_busy;           /* consecutive samples that found busy > 0 */
	uint64_t random;
	struct { uintptr_t lo, hi; } stack; /* its bounds, for the unwinder */
	struct { int64_t delay_ns; uint32_t window, at_us; } forked; /* D and, if events are noted, the time, as the thread was about to fork (process.c) */
	int64_t latency_ns;            /* by how much sleeps are overslept, on average (pay.c) */
	volatile uintptr_t waiting;    /* stack address of the blocking call that the thread is in; 0: none */
	int64_t residue_ns[CLASSES];   /* time in waits that no blocked sample stands for yet */
};

extern TLS struct self self;

/* any: the number of a thread, > 0. */
static inline uint32_t thread_number(const struct arena_thread *t)
{
	return t->number;
}

/* any: adds to a counter whose only writer is the caller: a load and a store, no locked instruction. */
static inline void counter_add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

/* any: the slot of the calling thread, or NULL (unprofiled, or inside the runtime already). */
static inline struct arena_thread *self_slot(void)
{
	return likely(self.busy == 0) ? self.slot : NULL;
}

/*
 * any: runtime_enter and runtime_leave, around code of the runtime.  Samples between them
 * are not the program's.  Nests.
 */
static inline void runtime_enter(void)
{
	self.busy++;
}

static inline void runtime_leave(void)
{
	self.busy--;
}

enum { RUNTIME_HUSHED = 1 << 8 };

/*
 * any: runtime_hush and runtime_unhush, around a call of a library.  Its own calls are not seen; its time is the program's.
 * After runtime_unhush_all the thread is in no such call any more, as when it has left them by a jump.
 */
static inline void runtime_hush(void)
{
	self.busy += RUNTIME_HUSHED;
}

static inline void runtime_unhush(void)
{
	if (self.busy >= RUNTIME_HUSHED)
		self.busy -= RUNTIME_HUSHED;
}

static inline void runtime_unhush_all(void)
{
	self.busy &= RUNTIME_HUSHED - 1;
}

/* any: is the calling thread between runtime_enter and runtime_leave? */
static inline bool runtime_is_inside(void)
{
	return self.busy & (RUNTIME_HUSHED - 1);
}

/*
 * any: takes a slot for a thread that is about to be created, and gives it the caller's
 * clock; NULL when there is none.
 */
struct arena_thread *thread_reserve(void);
extern _Atomic uint32_t thread_count; /* how many threads have had a slot since this process was forked or executed */
bool thread_any_left(void);  /* any: has any thread of this process a slot, or one for a thread that is being created? */
void thread_refuse(bool on); /* any: from now on threads get no slots, or get them again */
void thread_unreserve(struct arena_thread *slot); /* any: gives that slot back: the thread was not created */

/* any: the calling thread begins to use its slot, or ends using it.  NULL: does nothing. */
void thread_begin(struct arena_thread *slot);
void thread_end(void);

/*
 * any: thread_begin for a thread that is older than the runtime.  sp: its stack pointer, which is not that of the
 * caller; stack_lo: the lowest address of the mapping that sp points into.
 */
void thread_adopt(struct arena_thread *slot, uintptr_t sp, uintptr_t stack_lo);

/* any: stops profiling the calling thread, which is about to lose access to the processor's clock. */
void thread_renounce(void);

/* In a forked child: drops the copy of the parent's thread state, and closes the copies of its descriptors. */
void thread_forget(void);

#endif
