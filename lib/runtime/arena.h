/*
 * arena: the memory that andweorc-record and the runtime share.
 *
 * One sparse memfd, mapped whole by both sides; only pages that are touched
 * cost anything.  The recorder creates it, decides, and reads; the runtime in
 * the target counts, credits and pauses.  Because every number lives here, a
 * target that crashes, is killed or calls _exit loses nothing that was measured.
 *
 * Each field names its one writer:  [C] the conductor (andweorc-record),
 * [T] the thread that owns the slot, [A] any thread of the target.
 *
 * Times are CLOCK_MONOTONIC nanoseconds.  Addresses are run-time addresses of
 * the one profiled process.  See lib/runtime/delay.c for the rules of virtual
 * clocks that the delay fields serve.
 */
#ifndef ANDWEORC_RUNTIME_ARENA_H
#define ANDWEORC_RUNTIME_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "unwind.h"

enum {
	ARENA_MAGIC = 0x61774c37, /* changes with the layout: a runtime of another build stays inert */
	ARENA_THREADS = 4096,     /* slots; further threads run unprofiled */
	ARENA_POINTS = 64,
	ARENA_BREAKS = 4,         /* debug registers of x86-64 */
	ARENA_POINT_NAME = 96,    /* bytes, with the NUL */
	ARENA_RING = 128,         /* samples a thread keeps for the conductor; a power of two */
	ARENA_FRAMES = 24,        /* frames kept of a sample's stack */
	ARENA_RANGES = 8192,      /* address ranges of one target */
	ARENA_MODULES = 256,      /* modules with unwind rows */
	ARENA_ROWS = 6 << 20,     /* unwind rows of all modules */
	ARENA_SEGMENTS = 256,     /* segments a thread remembers; a power of two */
	ARENA_BIRTHS = 1 << 12,   /* kinds of threads remembered; a power of two */
	ARENA_OBJECTS = 1 << 14,  /* sync objects remembered; a power of two */
};

/* The runtime's state, as far as the recorder needs to know it. */
enum {
	RUNTIME_ABSENT,  /* nothing has reported in yet */
	RUNTIME_READY,   /* the constructor ran; threads are sampled */
	RUNTIME_REFUSED, /* neither perf nor the timer could be had: see sampler_errno */
};

enum { SAMPLER_PERF = 1, SAMPLER_TIMER = 2 };

/* The phases of a window.  `window` holds number << 2 | phase, so that one load tells both. */
enum {
	PHASE_IDLE,   /* visits only count */
	PHASE_OPEN,   /* the next visit of each point opens its count */
	PHASE_CLOSE,  /* the next visit of each point closes it */
};

/* One progress point.  Visits are counted by each thread for itself; here is what windows need. */
struct arena_point {
	char name[ARENA_POINT_NAME];  /* [A] written before points_used grows */
	_Atomic uint32_t open_taken;  /* [A] number of the window that some thread has begun to open */
	_Atomic uint32_t opened;      /* [A] number of the window whose open_* fields are complete */
	_Atomic uint32_t close_taken;
	_Atomic uint32_t closed;
	uint64_t open_count, close_count; /* [A] visits by all threads */
	int64_t open_ns, close_ns;        /* [A] virtual time of the visit on the clock of its thread */
};

/* A progress point that stands in no source: an address whose execution is a visit. */
struct arena_break {
	uint64_t pc;
	uint32_t point; /* number of the point, > 0 */
};

struct arena_range {
	uint64_t lo, hi; /* [lo, hi) */
};

/*
 * What counts as "in the region".  Two of these take turns; the runtime uses
 * the one that `target` names.  Sorted by lo, disjoint.
 *
 * A sample is in the region when its innermost frame outside `passed` code is
 * in `range` (exclusive: line regions), or any of its frames is (inclusive:
 * function regions).
 */
struct arena_target {
	uint32_t nranges;
	uint32_t inclusive;
	struct arena_range range[ARENA_RANGES];
};

/* Code that is somebody else's: its samples are charged to the caller.  All code outside `own` passes. */
struct arena_scope {
	uint32_t nown;    /* code of modules in scope */
	uint32_t npassed; /* functions inside them that come from outside (templates, header libraries) */
	struct arena_range own[ARENA_MODULES];
	struct arena_range passed[ARENA_RANGES];
};

/* How to unwind the modules of the target.  `rows` are addresses in the target: it tells where it mapped the arena. */
struct arena_modules {
	uint64_t base; /* where the target had mapped the arena as this was written: after an exec the addresses are stale */
	uint32_t n;
	struct unwind_module module[ARENA_MODULES]; /* sorted by lo */
};

struct arena_sample {
	uint32_t nframes; /* >= 1 */
	uint32_t hit;     /* 1: counted as in the region of the current window */
	uint64_t pc[ARENA_FRAMES]; /* pc[0] where the sample hit; then return addresses */
};

/* A sync object (mutex, condition variable, thread...), as the last thread to release it left it. */
struct arena_object {
	_Atomic uint64_t tag;     /* [A] address and window number, mixed; 0: free */
	_Atomic int64_t virt_ns;  /* [A] latest virtual time of a release in this window */
	_Atomic int64_t real_ns;  /* [A] real time of the last release */
};

/* What a thread does between two sync operations, as far as samples have shown; see lib/runtime/segment.c. */
struct arena_segment {
	uint64_t key;     /* where the segment begins, and the region; 0: free */
	uint32_t seen;    /* segments that ended */
	uint32_t samples;
	uint32_t hits;    /* of these, in the region */
	uint32_t changes; /* samples that differ in this from the one before */
	uint32_t last_hit;
	int64_t time_ns;  /* spent in them */
	int64_t hit_ns;   /* of which samples found the region: samples in it times their period */
};

/* The same for what threads do first, which each does once: shared by all that begin alike. */
struct arena_birth {
	_Atomic uint64_t key;
	_Atomic uint32_t seen, samples, hits, changes;
	_Atomic int64_t time_ns, hit_ns;
};

enum { SLOT_FREE, SLOT_UNBORN, SLOT_LIVE };

/* A thread.  Counters survive the thread and are never reset: the conductor works with differences. */
struct arena_thread {
	_Alignas(64) _Atomic uint32_t state; /* SLOT_*, for people who look */
	int32_t tid;
	_Atomic uint32_t next_free; /* while it is free: number of the next free slot, 0 = none */
	uint64_t routine, arg;      /* of a thread that is unborn: what it will run, */
	uint64_t stack_bytes;       /* and on how large a stack */
	_Atomic int64_t delay_ns;   /* [T] D_i */
	_Atomic uint32_t window;    /* [T] the window whose floor has been applied to delay_ns */
	_Atomic uint64_t samples;   /* [T] */
	_Atomic uint64_t hits;      /* [T] samples in the region of the window that was current */
	_Atomic uint64_t paused_ns; /* [T] real time spent in pauses */
	_Atomic uint64_t credit_ns; /* [T] credited, whatever became of it */
	_Atomic uint64_t lost;      /* [T] samples that found the ring full */
	_Atomic uint64_t visits[ARENA_POINTS]; /* [T] */
	struct arena_segment segment[ARENA_SEGMENTS]; /* [T] */
	_Alignas(64) _Atomic uint32_t ring_head; /* [T] next to write */
	_Atomic uint32_t ring_tail;              /* [C] next to read */
	struct arena_sample ring[ARENA_RING];
};

struct arena {
	uint32_t magic;
	uint32_t size_check;        /* sizeof(struct arena), truncated: as magic */
	_Atomic int32_t pid;        /* [A] the profiled process; 0 until the first one reports in */
	_Atomic uint32_t runtime;   /* [A] RUNTIME_* */
	_Atomic uint32_t sampler;   /* [A] SAMPLER_* in use */
	_Atomic int32_t sampler_errno; /* [A] why perf was refused, or 0 */
	_Atomic uint64_t base;      /* [A] where the profiled process mapped the arena */
	_Atomic uint32_t incarnation; /* [A] how many programs the process has been: exec makes another of it */
	_Atomic uint32_t attached;  /* [A] other processes that found the arena taken (children, wrapped commands) */
	uint32_t want_sampler;      /* [C] SAMPLER_* to use, 0 = perf, else timer */
	uint64_t period_ns;         /* [C] of the sampler */
	uint64_t seed;              /* [C] for the jitter of the period */

	/* The window. */
	_Alignas(64) _Atomic uint32_t window; /* [C] number << 2 | PHASE_* */
	_Atomic uint32_t target;              /* [C] index into targets */
	_Atomic uint32_t region;              /* [C] id of the region that `target` describes; 0: none */
	_Atomic uint32_t scope;               /* [C] index into scopes */
	_Atomic uint32_t modules;             /* [C] index into module_sets */
	_Atomic uint32_t whole_stacks;        /* [C] keep all frames of samples, not only up to the one that is charged */
	_Atomic uint32_t speedup;             /* [C] 0 .. 1 << 16, the fraction of a period that is credited */
	_Atomic int64_t floor_ns;             /* [C] G as the window began: older debts are forgiven */
	_Atomic int64_t began_ns;             /* [C] when the window began */
	_Atomic int64_t expires_ns;           /* [C] no credit after this, should the conductor be gone */

	_Alignas(64) _Atomic int64_t delay_ns; /* [A] G */
	_Alignas(64) _Atomic uint32_t threads_used; /* [A] highest slot ever taken, plus one */
	_Atomic uint64_t threads_free;              /* [A] stack of slots that threads have left; see thread.c */
	_Atomic uint32_t threads_refused;           /* [A] threads that found no slot */
	_Atomic uint32_t points_used;               /* [A] */
	_Atomic uint32_t points_lock;               /* [A] taken while a point is added */

	_Atomic uint32_t breaks_used;               /* [C] */
	_Atomic int32_t break_errno;                /* [A] why a breakpoint was refused, or 0 */

	struct arena_break brk[ARENA_BREAKS];       /* [C] */
	struct arena_point point[ARENA_POINTS];
	struct arena_object object[ARENA_OBJECTS];
	struct arena_birth birth[ARENA_BIRTHS]; /* [A] */
	struct arena_target targets[2];
	struct arena_scope scopes[2];
	struct arena_modules module_sets[2];
	struct unwind_row row[ARENA_ROWS]; /* [C] appended to; what a set refers to stays */
	struct arena_thread thread[ARENA_THREADS];
};

/*
 * The number (> 0) of the point called `name`, which is made when it is new; -1
 * when there is no room.  Called by both sides, once for each point: a spin lock
 * held for a copy of 96 bytes is enough.  Async-signal-safe but for the lock.
 */
static inline int arena_add_point(struct arena *a, const char *name)
{
	uint32_t unlocked, n, i;

	do {
		unlocked = 0;
	} while (!atomic_compare_exchange_weak_explicit(&a->points_lock, &unlocked, 1, memory_order_acquire,
							memory_order_relaxed));
	n = atomic_load_explicit(&a->points_used, memory_order_relaxed);
	for (i = 0; i < n; i++)
		if (strncmp(a->point[i].name, name, ARENA_POINT_NAME - 1) == 0)
			break;
	if (i == n && n < ARENA_POINTS) {
		strncpy(a->point[n].name, name, ARENA_POINT_NAME - 1);
		/* Pairs with the acquires of points_used: the name is there before the point is. */
		atomic_store_explicit(&a->points_used, n + 1, memory_order_release);
	}
	atomic_store_explicit(&a->points_lock, 0, memory_order_release);
	return i < ARENA_POINTS ? (int)i + 1 : -1;
}

static inline uint32_t window_number(uint32_t window)
{
	return window >> 2;
}

static inline uint32_t window_phase(uint32_t window)
{
	return window & 3;
}

#endif
