/*
 * vclock: virtual clocks.  The whole algorithm, from the events of a thread to its
 * clock.
 *
 * Code cannot be made faster, but all else can be made slower.  While region R is "sped
 * up by s", a period that a thread spends in R is credited with s times its length, and
 * every other thread must lose as much.
 *
 * Words:
 *
 *   D   the delay of a thread: the time that it has paused, plus the time that it has
 *       been credited
 *   V   its virtual time: wall time - D
 *   G   the delay that every thread owes by now
 *   debt     G - D.  Negative: the thread has paid before
 *   segment  what a thread does between two sync operations
 *   window   a time in which one region is sped up by one s.  Each begins all accounts
 *            anew: D is the floor (G as the window began), so neither debts nor what was
 *            prepaid leaks from one window into the next
 *
 * One principle decides everything: a thread may not see an effect from its virtual
 * future.  These are the rules:
 *
 *   credit   A sample of period p in R: c = s * p; G = max(G, min(D, G) + c); D += c.
 *            The min keeps what a thread has overslept (D > G) from making the others
 *            sleep too.  (account.c; smoother than by samples: segment.c, memory.c)
 *   pay      A thread with D < G pauses, and D grows by the real length of the pause.
 *            What it oversleeps is prepaid.  (vclock.c)
 *   release  Before a thread lets another one go on, it pays, and leaves its V at the
 *            object.  A lock holder does not pay then: it has paid before it took the
 *            lock.  (object.c)
 *   acquire  A thread that goes on because of another one does so no earlier, in
 *            virtual time, than the release:
 *                V = max(V as it began to wait, V of the release + time since then)
 *            What the releaser paused is not owed again.  (object.c)
 *
 *   answer   A thread that goes on because the outside has done what was asked for does so no
 *            earlier, in virtual time, than by the time that it took:
 *                V = max(V as it began to wait, V of the request + time since then)
 *            A request is a release, too.  It may have been made long before the wait, and the
 *            thread may have paused since then, while a timer or a disk did not.  A timer that
 *            the program sets is made to pause like a thread: it is set for longer.  (object.c)
 *
 * The rule of acquire also holds for a thread that need not wait in real time: its credit may
 * have brought it there before the release took place, in virtual time.  It is stronger
 * than the rule of Coz (what the waker paid is forgiven).  Behind the knee of a barrier or
 * of a lock, where a credit buys nothing, it takes back the part of the credit that the
 * thread could not have used.
 *
 * Two more files apply the same rules where threads have no object to meet at: at a
 * processor that they share (processor.c), and in the middle of a segment (earner.c).
 *
 * Nothing here reads a clock, sleeps, makes a system call, or has state of its own.  The
 * caller (lib/runtime, or a test) says what the time is, and does what is returned.
 * Bounded and async-signal-safe.  A `struct vclock` has one user at a time, its thread.
 */
#ifndef ANDWEORC_VCLOCK_VCLOCK_H
#define ANDWEORC_VCLOCK_VCLOCK_H

#include "vclock/world.h"

/* A time, and the processor that the thread had then (0 .. VCLOCK_PROCESSORS - 1). */
struct vclock_moment {
	int64_t ns;
	uint32_t processor;
};

/* The segment that a thread is in. */
struct vclock_segment {
	struct vclock_site *of; /* what is known of it; NULL: it is not followed */
	uint32_t window;           /* the window in which it began */
	bool known;                /* it is credited by the shares that were known when it began */
	bool fine;                 /* it lasts from sample to sample, because segments are so many */
	uint32_t ends;             /* ends of segments since the last sample */
	int64_t accounted_ns;      /* its time is accounted for up to here */
	int64_t into_ns;           /* the time from the segment's begin to there */
	int64_t hit_ns;            /* the part of that which samples found in the region */
	double credit;             /* the credit for that time, at a speedup of 1 */
};

/* Used where a thread's segments are not known: each sample credits it with a whole period, or with nothing. */
struct vclock_lumps {
	uint64_t region;    /* the region that these numbers are for */
	int64_t last_ns;    /* time of the last sample, plus the time since then that was no work; 0: no sample yet */
	int64_t pending_ns; /* work since then, in segments that have ended and are not known */
	uint32_t share;     /* share of the region in recent samples; 1 << 16: all */
	uint32_t window;    /* the window of the next field */
	int64_t advance_ns; /* credit by that share, given when the thread was preempted; later samples give as much less */
};

/* For a thread in its first segment. */
struct vclock_first {
	struct vclock_birth *same;    /* kind of threads with its routine and argument; NULL: none */
	struct vclock_birth *similar; /* kind of threads with its routine */
};

/* The thread's own copy of its last note in a struct vclock_processor. */
struct vclock_note {
	int64_t when_ns;
	int64_t behind_ns; /* the processor's clock less the thread's */
	bool under;        /* it took the processor from a thread that has not run since */
};

/* A thread's clock: its private part.  Set up by vclock_begin. */
struct vclock {
	struct vclock_world *world;
	struct vclock_account *account;
	struct vclock_memory *memory;
	uint32_t number;       /* number of the thread, > 0 */
	int64_t gathered_ns;   /* credited, but G has not been raised for it yet */
	bool earns;            /* it has published its earnings (earner.c) */
	uint64_t took_key;     /* the lock that it took last */
	int64_t took_virt_ns;  /* virtual time at which it took that lock */
	struct vclock_segment segment;
	struct vclock_lumps lumps;
	struct vclock_first first;
	struct vclock_note note;
};

enum {
	VCLOCK_LEAST_DEBT_NS = 50 * 1000, /* a smaller debt is paid at the next sample; until then the acquire rule keeps it */
	VCLOCK_AT_ONCE_NS = 50 * 1000,    /* time from becoming ready to running, on an idle processor */
};

/* ---- life ------------------------------------------------------------------------- */

/* The clock of a thread that begins to use that account, which has been set before.  The pointers stay the caller's. */
void vclock_begin(struct vclock *c, struct vclock_world *w, struct vclock_account *a, struct vclock_memory *m, uint32_t number);

/* Sets the account of a thread that is about to be created to that of its creator (NULL: no debt). */
void vclock_open_account(struct vclock_account *a, struct vclock_world *w, struct vclock *creator);

/* Empties the memory for its next thread.  Empty pages are not touched. */
void vclock_forget(struct vclock_memory *m);

/* The thread begins its first segment.  Threads that run the same routine share their knowledge of it. */
void vclock_be_born(struct vclock *c, uint64_t routine, uint64_t arg, int64_t now);

/* ---- the account (account.c) -------------------------------------------------------- */

/* D, set to the floor if the window is new. */
int64_t vclock_delay(struct vclock *c);

/* V. */
static inline int64_t vclock_time(struct vclock *c, int64_t now)
{
	return now - vclock_delay(c);
}

/* Sets D in the current window. */
void vclock_set_delay(struct vclock *c, int64_t d);

/* The rule of credit, for ns of credit: G is raised at once. */
void vclock_credit(struct vclock *c, int64_t ns);

/* The same for work that samples have shown: it is counted, and G may be raised a little later. */
void vclock_credit_work(struct vclock *c, int64_t ns);

/* D grows by ns, and G becomes at least `g`. For credit that other threads may already have paid in part. */
void vclock_credit_up_to(struct vclock *c, int64_t ns, int64_t g);

/* ---- samples, segments --------------------------------------------------------------- */

/* The credit for one sample of a place with that weight, where nothing is known of segments. */
int64_t vclock_lump(int64_t period, uint32_t weight, uint32_t speedup);

/*
 * The thread was sampled after `period` ns of processor time, at a place of that weight (0: not
 * in the region).  It is credited for that, and with `more` ns.
 */
void vclock_sampled(struct vclock *c, int64_t period, uint32_t weight, int64_t more, int64_t now);

/*
 * Credits the thread for all its work up to now, so that its clock can be stored or compared.
 * False: its segment has ended; call vclock_begin_segment.  True: the segment goes on, because
 * it is fine.
 */
bool vclock_settle(struct vclock *c, int64_t now);

/* As vclock_settle, and ends the segment, because the thread is about to wait. */
void vclock_end_segment(struct vclock *c, int64_t now);

/* The thread leaves the sync operation that was called from `site`. */
void vclock_begin_segment(struct vclock *c, const void *site, int64_t now);

/* The last ns do not belong to the segment: they were a wait, or a pause. */
void vclock_skip(struct vclock *c, int64_t ns);

/* ---- paying ---------------------------------------------------------------------------- */

/* The debt of the thread, in ns; negative: it has paid in advance. */
int64_t vclock_debt(struct vclock *c);

/* The debt before it takes a lock.  This includes what other threads have earned and will be credited later. */
int64_t vclock_debt_before_lock(struct vclock *c, int64_t now);

/* Does the thread's debt before a lock include what others have earned? */
bool vclock_looks_ahead(const struct vclock *c);

/*
 * The thread paused for `wanted` ns, which took `paused`.  busy: on its processor, spinning;
 * else asleep.
 */
void vclock_paused(struct vclock *c, int64_t wanted, int64_t paused, bool busy, struct vclock_moment m);

/* ---- sync objects (object.c) ------------------------------------------------------------- */

/* A key names an object, in all processes alike; it is not 0. */

/*
 * The thread is about to let another one go on (by an unlock, a signal, a write).  Called
 * before the real call.  The thread has paid, unless it holds a lock: if it paused then,
 * threads would queue for the lock that otherwise would not.
 */
void vclock_release(struct vclock *c, uint64_t key, int64_t now);

/* The same for a lock that threads may share: the thread has had it alone, as a writer has. */
void vclock_release_unshared(struct vclock *c, uint64_t key, int64_t now);

/* The thread has acquired the object (locked, received, read) without a wait. */
void vclock_acquire(struct vclock *c, uint64_t key, int64_t now);

/* As vclock_acquire, for a lock that was free. */
void vclock_lock(struct vclock *c, uint64_t key, int64_t now);

/* The same for a lock that the thread shares, as a reader does: it comes after those that had it alone, and no others. */
void vclock_lock_shared(struct vclock *c, uint64_t key, int64_t now);

/* The thread holds that lock from now on, with or without a wait. */
void vclock_has_lock(struct vclock *c, uint64_t key, int64_t now);

/*
 * The thread has just released that object, which is a timer, and is about to set it, to end once, after ns.  Returns the
 * time to which to set it: if threads pause while it runs, it has to run for longer.
 */
int64_t vclock_set_timer(struct vclock *c, uint64_t key, int64_t ns, int64_t now);

/* When the object was last released in this window; 0: not at all, as far as is known. */
int64_t vclock_released_at(const struct vclock_world *w, uint64_t key);

/* ---- waits ---------------------------------------------------------------------------------- */

/* A wait, as it began. */
struct vclock_wait {
	int64_t since_ns;
	int64_t delay_ns; /* D */
	int64_t base_ns;  /* min(D, G) */
	uint32_t window;
};

/* A wait that has been under way since then, with the clocks of now. */
struct vclock_wait vclock_wait_since(struct vclock *c, int64_t since_ns);

/* The thread is about to wait; its segment has ended. */
void vclock_wait_begin(struct vclock *c, struct vclock_wait *w, struct vclock_moment m);

/*
 * Another thread has ended the wait by a release of the object a or b (a condition variable
 * and its mutex; 0: none).  The later release of the two counts.  False: the release came
 * before the wait, so it did not end the wait.
 */
bool vclock_wait_by_peer(struct vclock *c, const struct vclock_wait *w, uint64_t a, uint64_t b, struct vclock_moment m);

/* The same for a wait for a lock, which the thread shares. */
bool vclock_wait_to_share(struct vclock *c, const struct vclock_wait *w, uint64_t key, struct vclock_moment m);

/* Some thread has ended the wait, of which nothing is known.  It is assumed to have paid all its debt. */
void vclock_wait_by_unknown(struct vclock *c, const struct vclock_wait *w, int64_t now);

/* The outside has ended the wait: it has done what a thread had asked for by the last release of `key`, before the wait or in it. */
void vclock_wait_answered(struct vclock *c, const struct vclock_wait *w, uint64_t key, int64_t now);

/* The wait was in the region, with that weight: the thread is credited for it. */
void vclock_wait_credit(struct vclock *c, const struct vclock_wait *w, uint32_t weight, int64_t now);

/* The credit for a wait of ns with that weight. */
int64_t vclock_share(int64_t ns, uint32_t weight, uint32_t speedup);

/* ---- processors (processor.c) ---------------------------------------------------------------- */

/* The thread has that processor now.  It may be preempted at any time from now on. */
void vclock_keep_processor(struct vclock *c, struct vclock_moment m);

/* The thread is about to leave its processor, to wait. */
void vclock_leave_processor(struct vclock *c, struct vclock_moment m);

/* As vclock_keep_processor, when the virtual time of the thread is `virt`. */
void vclock_stand(struct vclock *c, int64_t virt, struct vclock_moment m);

/* Has another thread used that processor since this one last called vclock_keep_processor? */
bool vclock_was_displaced(const struct vclock *c, uint32_t processor);

/*
 * The thread has a processor again.  It was ready to run for ns without one.  Sets its clock
 * to a virtual time at which the processor was free.  just_now: it got the processor back at this moment.
 */
void vclock_regain(struct vclock *c, int64_t ns, bool just_now, struct vclock_moment m);

/*
 * Notes since when the thread has been ready to run: during a call that did not block, or
 * before its first instruction.
 */
void vclock_was_ready(struct vclock *c, int64_t since, struct vclock_moment m);

#endif
