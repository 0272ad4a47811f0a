/* parts: what the files of vclock have of each other.  A file uses those above it, and none below. */
#ifndef ANDWEORC_VCLOCK_PARTS_H
#define ANDWEORC_VCLOCK_PARTS_H

#include <stddef.h>

#include "vclock/vclock.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* ---- account.c ---- */

/* The account has been credited ns.  It has one writer: a load and a store, no locked instruction. */
static inline void account_count(struct vclock_account *a, int64_t ns)
{
	uint64_t sum = atomic_load_explicit(&a->credit_ns, memory_order_relaxed);

	atomic_store_explicit(&a->credit_ns, sum + (uint64_t)ns, memory_order_relaxed);
}

/* ---- memory.c ---- */

/* What is known of the segments that begin at that site; NULL: there is no room. */
struct vclock_segment *memory_find(const struct vclock *c, const void *site);

/* Is it enough to credit by? */
bool memory_is_known(const struct vclock *c, const struct vclock_segment *s);
bool memory_is_all_or_nothing(const struct vclock_segment *s); /* nearly all of them is in the region, or nearly nothing */

/* When much is known, what follows tells as much as all before. */
void memory_fade(struct vclock_segment *s);

/* A sample came into_ns after the segment began, and found the region (hit) or not.  It stands for hit_ns in that. */
void memory_sample(const struct vclock *c, struct vclock_segment *s, int64_t into_ns, unsigned bin, bool hit, int64_t hit_ns);

/*
 * The current segment has ended: how long it was, and how much of that was in the region, is
 * learned.  Returns what one of its length is credited at a speedup of 1.
 */
double memory_end(const struct vclock *c, struct vclock_segment *s);

/* What is known of the first segments of threads that run routine(arg); NULL: another kind has the place, and keeps it. */
struct vclock_birth *memory_birth(const struct vclock *c, uint64_t routine, uint64_t arg);

/* Threads of the kind b will know what this one has learned of its first segment, which is the current one. */
void memory_teach(const struct vclock *c, struct vclock_birth *b, const struct vclock_segment *s);
void memory_recall(struct vclock_segment *s, const struct vclock_birth *b);

/* ---- segment.c ---- */

void segment_begin(struct vclock *c, const void *site, int64_t now);
void segment_be_born(struct vclock *c, uint64_t routine, uint64_t arg, int64_t now);

/* A sample, after so much processor time.  Returns what it credits. */
int64_t segment_sample(struct vclock *c, int64_t period, uint32_t weight, int64_t now);

/* What the thread is credited for its segment: which has ended, */
int64_t segment_end(struct vclock *c, int64_t now);
/* or goes on. */
int64_t segment_so_far(struct vclock *c, int64_t now);

/*
 * What the thread is expected to be credited later for its work of before `at`; and while it
 * goes on, *rate (1 << 16: all) of its time from then on.
 */
int64_t segment_expected(struct vclock *c, int64_t at, bool goes_on, uint32_t *rate);

/* What is between `at` and ns later is none of the thread's time.  Returns what it is credited for the time until then. */
int64_t segment_interrupted(struct vclock *c, int64_t at, int64_t ns);

/* ---- earner.c ---- */

/*
 * The thread has earned so much more than it was credited, and goes on earning at that rate
 * (1 << 16: all the time; 0: it does not, or leaves its segment).
 */
void earner_tell(struct vclock *c, int64_t expected, uint32_t rate, struct vclock_moment m);

/* G, were all others credited now what they have earned; at least `g`. */
int64_t earner_owed(const struct vclock *c, int64_t g, int64_t now);

/* ---- processor.c ---- */

/* Was the thread of that number the last one to say that it has that processor? */
static inline bool processor_is_of(const struct vclock_world *w, uint32_t processor, uint32_t number)
{
	return atomic_load_explicit(&w->processor[processor % VCLOCK_PROCESSORS].by, memory_order_relaxed) == number;
}

/*
 * The virtual time of the thread, which would be v had it found a processor at once when it
 * became ready to run, at ready_ns (ready_virt on its clock).
 */
int64_t processor_bound(const struct vclock *c, int64_t v, int64_t ready_virt, int64_t ready_ns, struct vclock_moment m);

#endif
