/* parts: functions that the files of vclock share.  A file uses only files above it. */
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

/* The entry for segments that begin at that site; NULL: the table is full. */
struct vclock_site *memory_find(const struct vclock *c, const void *site);

/* Is enough known of such segments to credit a thread by it? */
bool memory_is_known(const struct vclock *c, const struct vclock_site *s);
bool memory_is_all_or_nothing(const struct vclock_site *s); /* nearly all of their time is in the region, or nearly none */

/* Halves old evidence when there is much of it, so that new samples still count. */
void memory_fade(struct vclock_site *s);

/* A sample came into_ns after the segment began, and found the region (hit) or not.  It stands for hit_ns in that. */
void memory_sample(const struct vclock *c, struct vclock_site *s, int64_t into_ns, unsigned bin, bool hit, int64_t hit_ns);

/*
 * Learns from the current segment, which has ended: its length, and its time in the region.
 * Returns the credit, at a speedup of 1, of a segment of this length.
 */
double memory_end(const struct vclock *c, struct vclock_site *s);

/* The entry for first segments of threads that run routine(arg); NULL: its place in the table is taken by another kind. */
struct vclock_birth *memory_birth(const struct vclock *c, uint64_t routine, uint64_t arg);

/* Passes on to threads of kind b what this thread has learned of its first segment, which is the current one. */
void memory_teach(const struct vclock *c, struct vclock_birth *b, const struct vclock_site *s);
void memory_recall(struct vclock_site *s, const struct vclock_birth *b);

/* ---- segment.c ---- */

void segment_begin(struct vclock *c, const void *site, int64_t now);
void segment_be_born(struct vclock *c, uint64_t routine, uint64_t arg, int64_t now);

/* A sample, after so much processor time.  Returns its credit. */
int64_t segment_sample(struct vclock *c, int64_t period, uint32_t weight, int64_t now);

/* The credit for the segment, which ends now. */
int64_t segment_end(struct vclock *c, int64_t now);

/* The credit for the segment until now; it goes on. */
int64_t segment_so_far(struct vclock *c, int64_t now);

/*
 * The credit that the thread is expected to get later, for work before `at`.  *rate: the part of
 * its time after `at` that it is expected to be credited (1 << 16: all), while it goes on.
 */
int64_t segment_expected(struct vclock *c, int64_t at, bool goes_on, uint32_t *rate);

/* The thread did not run from `at` until ns later.  Returns the credit for its time before `at`. */
int64_t segment_interrupted(struct vclock *c, int64_t at, int64_t ns);

/* ---- earner.c ---- */

/*
 * Tells the other threads that this one expects `expected` ns of credit, which it has not got
 * yet, and that it goes on earning at that rate (1 << 16: all its time; 0: nothing, or the
 * segment ends).
 */
void earner_tell(struct vclock *c, int64_t expected, uint32_t rate, struct vclock_moment m);

/* The value of G if all other threads were credited now with their earnings.  Not less than `g`. */
int64_t earner_owed(const struct vclock *c, int64_t g, int64_t now);

/* ---- processor.c ---- */

/* Was the thread of that number the last one that noted its clock at that processor? */
static inline bool processor_is_of(const struct vclock_world *w, uint32_t processor, uint32_t number)
{
	return atomic_load_explicit(&w->processor[processor % VCLOCK_PROCESSORS].by, memory_order_relaxed) == number;
}

/*
 * The virtual time of a thread that became ready to run at ready_ns (virtual time ready_virt).
 * `v` is its virtual time if a processor had been free for it at once; the result is not
 * earlier than when the processor was free, in virtual time.
 */
int64_t processor_bound(const struct vclock *c, int64_t v, int64_t ready_virt, int64_t ready_ns, struct vclock_moment m);

#endif
