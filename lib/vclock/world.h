/*
 * world: what the virtual clocks of all threads share.
 *
 * It lies in memory that every process of a recording and the recorder have mapped (it
 * is a part of struct arena).  The rules are in vclock.h.
 *
 * Each field names its one writer: [C] the conductor (andweorc-record), [T] the thread
 * that owns it, [A] any thread.  Times are CLOCK_MONOTONIC nanoseconds.  Fractions are
 * in 1/65536.
 */
#ifndef ANDWEORC_VCLOCK_WORLD_H
#define ANDWEORC_VCLOCK_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	VCLOCK_OBJECTS = 1 << 14,    /* sync objects that are remembered; a power of two */
	VCLOCK_PROCESSORS = 1 << 10, /* processors; a power of two */
	VCLOCK_EARNERS = 8,          /* threads that can publish their earnings */
	VCLOCK_SITES = 1024,      /* places that a thread remembers; a power of two */
	VCLOCK_BINS = 16,            /* bins by position in a segment, half a period each; the last one holds the rest */
	VCLOCK_LENGTHS = 20,         /* bins by length of segments */
	VCLOCK_PARTS = 32,           /* parts of a segment, a sixteenth of a period each; the last one holds the rest */
	VCLOCK_BIRTHS = 1 << 12,     /* kinds of threads; a power of two */
};

/* A sync object (mutex, condition variable, thread, pipe...), as the last thread that released it left it. */
struct vclock_object {
	_Atomic uint64_t tag;     /* [A] key and window number, mixed; 0: free */
	_Atomic int64_t virt_ns;  /* [A] latest virtual time of a release in this window */
	_Atomic int64_t real_ns;  /* [A] real time of the last release */
	_Atomic int64_t held_ns;  /* [A] for a lock: how long it was held before the release, in virtual time; INT64_MAX: unknown */
	_Atomic uint32_t passed_by; /* [A] the thread that was the last to pass by since then; 0: none has */
	_Atomic int64_t idle_ns;  /* [A] for a lock: how long it was free before virt_ns, in virtual time; see vclock_lock */
	_Atomic uint32_t by;      /* [A] number of the thread that virt_ns is from */
};

/* A processor, as noted by the last thread that ran on it. */
struct vclock_processor {
	_Alignas(64) _Atomic uint32_t window; /* [A] window of the other fields */
	_Atomic uint32_t left;    /* [A] 1: that thread has left it to wait */
	_Atomic uint32_t under;   /* [A] 1: that thread took the processor from one that has not run since */
	_Atomic uint32_t rate;    /* [A] rate of its credit from then on; 1 << 16: all its time */
	_Atomic uint32_t by;      /* [A] number of that thread */
	_Atomic int64_t virt_ns;  /* [A] virtual time of the processor */
	_Atomic int64_t real_ns;  /* [A] when that was */
};

/* A thread in the middle of a segment, and what others will owe when it is credited. */
struct vclock_earner {
	_Alignas(64) _Atomic uint32_t window; /* [A] window of the other fields */
	_Atomic uint32_t by;      /* [A] number of that thread */
	_Atomic uint32_t on;      /* [A] its processor, by index */
	_Atomic uint32_t rate;    /* [A] rate of its credit from then on; 1 << 16: all its time; 0: not known */
	_Atomic int64_t owed_ns;  /* [A] the value of G if it had been credited then */
	_Atomic int64_t real_ns;  /* [A] when that was */
};

/* The results of samples for segments that begin at one place. */
struct vclock_site {
	uint64_t key;      /* where the segment begins, and the region; 0: free */
	uint32_t seen;     /* segments that ended */
	uint32_t samples;
	uint32_t hits;     /* samples in the region */
	uint32_t changes;  /* changes: samples in the region whose predecessor was not, and the reverse */
	uint32_t last_hit;
	int64_t time_ns[VCLOCK_BINS]; /* time spent in them, by position */
	int64_t hit_ns[VCLOCK_BINS];  /* the part of it in the region: samples there times their period */
	float length_time_ns[VCLOCK_LENGTHS]; /* time of segments, by their length */
	float length_hit_ns[VCLOCK_LENGTHS];  /* the part of that time in the region */
	double behind_ns;                     /* credit of all segments by position, less what was given by length */
	struct {
		uint8_t samples, hits;
	} part[VCLOCK_PARTS]; /* its samples, by part of the segment */
};

/* The same for the first segment of threads.  Shared by all threads that run the same routine. */
struct vclock_birth {
	_Atomic uint64_t key;
	_Atomic uint32_t seen, samples, hits, changes;
	_Atomic int64_t time_ns[VCLOCK_BINS], hit_ns[VCLOCK_BINS];
	_Atomic int64_t length_time_ns[VCLOCK_LENGTHS], length_hit_ns[VCLOCK_LENGTHS];
};

/* A thread's account. */
struct vclock_account {
	_Atomic int64_t delay_ns;   /* [T] D: the time of its pauses, plus its credit */
	_Atomic uint32_t window;    /* [T] the window in which D was last set to the floor */
	_Atomic uint64_t credit_ns; /* [T] sum of all credits for work, even those that were taken back, without those for waits; never reset */
};

/* All segments that a thread remembers. */
struct vclock_memory {
	uint64_t used[VCLOCK_SITES / 64]; /* [T] a bit for each entry that is not empty */
	struct vclock_site site[VCLOCK_SITES]; /* [T] */
	struct vclock_site before;             /* [T] copy of its first segment's entry, as that segment began */
};

struct vclock_world {
	/* The window. */
	_Alignas(64) _Atomic uint32_t window_word; /* [C] number << 2 | phase, so that one load tells both */
	_Atomic uint32_t speedup;  /* [C] part of a period that is credited where the weight is 1 << 16; 0: no credit */
	_Atomic uint32_t region;   /* [C] number of the region that is sped up, mixed with the speedup if weights depend on it; 0: none */
	_Atomic uint32_t queueing; /* [C] 1: the region is the class `runqueue`, time without a processor */
	_Atomic int64_t floor_ns;  /* [C] G as the window began: older debts are forgiven */
	_Atomic int64_t began_ns;  /* [C] when the window began */
	_Atomic uint64_t period_ns; /* [C] period of the sampler; see conductor_set_period */

	_Alignas(64) _Atomic int64_t owed_ns; /* [A] G: the delay that every thread owes by now */

	struct vclock_object object[VCLOCK_OBJECTS];
	struct vclock_processor processor[VCLOCK_PROCESSORS];
	struct vclock_earner earner[VCLOCK_EARNERS];
	struct vclock_birth birth[VCLOCK_BIRTHS];
};

static inline uint32_t window_word(uint32_t number, uint32_t phase)
{
	return number << 2 | phase;
}

static inline uint32_t window_number(uint32_t word)
{
	return word >> 2;
}

static inline uint32_t window_phase(uint32_t word)
{
	return word & 3;
}

/* The number of the current window. */
static inline uint32_t vclock_window(const struct vclock_world *w)
{
	return window_number(atomic_load_explicit(&w->window_word, memory_order_relaxed));
}

/* The speedup of the current window, in 1/65536; 0: none. */
static inline uint32_t vclock_speedup(const struct vclock_world *w)
{
	return atomic_load_explicit(&w->speedup, memory_order_relaxed);
}

/* The number of the region that is sped up; 0: none. */
static inline uint32_t vclock_region(const struct vclock_world *w)
{
	return atomic_load_explicit(&w->region, memory_order_relaxed);
}

/* The period of the sampler, in ns. */
static inline int64_t vclock_period(const struct vclock_world *w)
{
	return (int64_t)atomic_load_explicit(&w->period_ns, memory_order_relaxed);
}

/* G. */
static inline int64_t vclock_owed(const struct vclock_world *w)
{
	return atomic_load_explicit(&w->owed_ns, memory_order_relaxed);
}

/* Raises G to `to`, if it is lower. */
static inline void vclock_raise(struct vclock_world *w, int64_t to)
{
	int64_t g = vclock_owed(w);

	/* A failed exchange has loaded a newer G. If that is above `to`, nothing is left to do. */
	while (g < to && !atomic_compare_exchange_weak_explicit(&w->owed_ns, &g, to, memory_order_relaxed, memory_order_relaxed))
		;
}

#endif
