/*
 * runtime: what runs inside the profiled process.
 *
 * The runtime is loaded with LD_PRELOAD into programs that know nothing of it.
 * It has no thread of its own, never allocates, prints, takes a lock that it
 * could wait for, or changes the status of its host; it links nothing but libc.
 *
 * Two contexts, stated for each function below:
 *
 *   any     may run in the sampling signal handler or inside an interposed
 *           call, on any thread: async-signal-safe, bounded.
 *   init    runs once, in the constructor, before main.
 *
 * Files, from the inside out:
 *
 *   pay            pauses                    object_key  names of sync objects
 *   offcpu         no processor              stack       whose code is running
 *   sampler        signals of samples        unwind      from a frame to its caller
 *   sample         what becomes of them      hidden_fd   descriptors of ours
 *   seccomp_filter what seccomp leaves us    withdraw    when samples would do harm
 *   breakpoint     progress points at places in code
 *   callpoint      and at functions of libraries
 *   rawcall        handlers set past libc    redirect    how these are come to
 *   wait           what can block            progress    visits of progress points
 *   event          what a burst notes of all these
 *   span           lengths of spans
 *   control        starting and stopping experiments
 *   thread         slots of threads          process, init  life
 *   attach         life in a process that was started without us
 *   reach          what is mapped of the arena
 *   real           what libc has             sys         system calls of our own
 *
 * and what a program calls instead of libc: lock, create, sample_signal (pthread
 * locks, threads, our signals); every other file that includes "wrap.h".
 */
#ifndef ANDWEORC_RUNTIME_RUNTIME_H
#define ANDWEORC_RUNTIME_RUNTIME_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "arena.h"
#include "attach.h"
#include "real.h"
#include "sys.h"
#include "vclock/vclock.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define TLS __thread __attribute__((tls_model("initial-exec")))

/* ---- init.c: life ---- */

/*
 * NULL: not profiled, every wrapper passes through.  So it is in a copy of the
 * process that was made past libc (raw clone), whatever it has inherited besides.
 */
extern struct arena *arena;

/* init: the arena is `a`.  In a forked child: it is again what it was in the parent; false when that was NULL. */
void arena_adopt(struct arena *a);
bool arena_adopt_again(void);

/* init, and any: for attach.c, see there.  name: of the arena. */
enum attach_answer init_attach(const char *name);
void init_detach(void);

/* ---- reach.c: the parts of the arena, mapped as they are needed ---- */

/* As the members of struct arena_parts come one after the other. */
enum arena_part { PART_MODULES, PART_SPANS, PART_LOGS, PART_THREADS };

enum {
	PIECES_OF_MODULES = 0,
	PIECES_OF_SPANS = PIECES_OF_MODULES + ARENA_PROCESSES,
	PIECES_OF_LOGS = PIECES_OF_SPANS + ARENA_SPANS / ARENA_SPANS_PIECE,
	PIECES_OF_THREADS = PIECES_OF_LOGS + ARENA_LOGS,
	PIECES = PIECES_OF_THREADS + ARENA_THREADS / ARENA_THREADS_PIECE
};

extern _Atomic(void *) reach_at[PIECES]; /* pieces of all parts, where they are mapped; NULL: not yet */

void *reach_place(void);                   /* init: where it is to be mapped; NULL: anywhere */
void reach_begin(struct arena *a, int fd); /* init: `a` has been mapped up to its parts; fd is ours now, */
void reach_settle(void);                   /* init: and not needed any more */
void reach_end(void);                      /* init: unmaps all that has been mapped since reach_begin */

/*
 * any: no thread is profiled any more.  Threads may still look into the arena: what is mapped stays so, but reads as 0,
 * is nobody else's, and takes no memory.
 */
void reach_blank(void);

/* any: maps piece i of that part; NULL: it cannot be had (a limit, a filter). */
void *reach_map(enum arena_part part, uint32_t i);

/* any: unmaps it.  Nobody may use it. */
void reach_leave(enum arena_part part, uint32_t i);

/* any: rows [first, first + n) of all modules; NULL: they cannot be had, or n is 0. */
const struct unwind_row *reach_rows(uint32_t first, uint32_t n);

/* any: where the modules of the process with that index are; NULL: that cannot be mapped. */
static inline struct arena_modules_piece *reach_modules_of(uint32_t index)
{
	struct arena_modules_piece *p = atomic_load_explicit(&reach_at[PIECES_OF_MODULES + index], memory_order_acquire);

	return likely(p != NULL) ? p : reach_map(PART_MODULES, index);
}

/* any: the slot of that index (0..); NULL: it cannot be mapped. */
static inline struct arena_thread *reach_thread(uint32_t index)
{
	uint32_t i = index / ARENA_THREADS_PIECE % (PIECES - PIECES_OF_THREADS);
	struct arena_threads_piece *p = atomic_load_explicit(&reach_at[PIECES_OF_THREADS + i], memory_order_acquire);

	p = likely(p != NULL) ? p : reach_map(PART_THREADS, i);
	return p ? &p->slot[index % ARENA_THREADS_PIECE] : NULL;
}

/* any: the same, if it is mapped already. */
static inline struct arena_thread *reach_thread_at_hand(uint32_t index)
{
	uint32_t i = index / ARENA_THREADS_PIECE % (PIECES - PIECES_OF_THREADS);

	return atomic_load_explicit(&reach_at[PIECES_OF_THREADS + i], memory_order_acquire) ? reach_thread(index) : NULL;
}

/* any: the place for spans of that index (0..); NULL: it cannot be mapped. */
static inline struct arena_spans *reach_spans(uint32_t index)
{
	uint32_t i = index / ARENA_SPANS_PIECE % (PIECES_OF_LOGS - PIECES_OF_SPANS);
	struct arena_spans_piece *p = atomic_load_explicit(&reach_at[PIECES_OF_SPANS + i], memory_order_acquire);

	p = likely(p != NULL) ? p : reach_map(PART_SPANS, i);
	return p ? &p->at[index % ARENA_SPANS_PIECE] : NULL;
}

/* any: the log of a burst with that index; NULL: it cannot be mapped. */
static inline struct arena_log *reach_log(uint32_t index)
{
	uint32_t i = index % ARENA_LOGS;
	struct arena_log_piece *p = atomic_load_explicit(&reach_at[PIECES_OF_LOGS + i], memory_order_acquire);

	p = likely(p != NULL) ? p : reach_map(PART_LOGS, i);
	return p ? &p->log : NULL;
}

/* ---- process.c: the processes of a recording ---- */

extern struct arena_process *process; /* our entry; not NULL when arena is not */
extern int32_t process_pid;           /* as getpid() has it */

/* init: takes an entry.  False when there is none.  argv NULL: the recorder has noted the command. */
bool process_join(struct arena *a, int argc, char *const *argv);

/* any: index of our entry, + 1: never 0. */
static inline uint32_t process_number(void)
{
	return (uint32_t)(process - arena->process) + 1;
}

/* any: where our modules are.  Mapped as long as `process` is not NULL. */
static inline struct arena_modules_piece *reach_modules(void)
{
	return atomic_load_explicit(&reach_at[PIECES_OF_MODULES + process_number() - 1], memory_order_relaxed);
}

/* any: the calling thread is about to fork; notes its clock, which goes on before the child gets to run. */
void process_forking(void);

/*
 * In a forked child, whose only thread is the calling one: it joins as a process
 * of its own, with the clock of the thread that forked it.  Run by pthread_atfork.
 * A child that is made past libc is not profiled until it execs; one of vfork(2)
 * is its parent, as far as it can tell, until it does.
 */
void process_forked(void);

/* init: the first thread of a program is about to begin with it. */
void process_begin(void);

/* any: the calling thread has been adopted; maybe it is the first one of the program. */
void process_adopt(void);

/* any: tells the conductor that there is something to look at. */
void process_news(void);

/* ---- thread.c: slots ---- */

/* How long a thread had no processor; see offcpu.c. */
struct offcpu {
	int64_t wall_ns, cpu_ns; /* the two clocks as they were last read; wall_ns 0: begin anew */
	int64_t unsampled_ns;    /* without a processor, that no sample has told of yet */
};

/* State of a thread that the conductor does not read. */
struct self {
	struct arena_thread *slot; /* NULL: this thread is not profiled */
	struct vclock clock;       /* of the slot */
	struct offcpu offcpu;
	_Atomic uint64_t *visits;  /* of the slot, by point */
	int perf_fd;               /* -1: none */
	uint64_t perf_id;          /* of the event: the number of a descriptor may have come to be another's */
	int timer;                 /* that was deleted last; -1: none */
	uint64_t masked;           /* of our signals, those that the program believes to have blocked, as the kernel has sets */
	/*
	 * > 0 while the thread is inside the runtime.  A sample that arrives then
	 * leaves its credit in `deferred_ns`: the clock has one user at a time.
	 */
	volatile sig_atomic_t busy;
	volatile int64_t deferred_ns;
	uint64_t put_off;          /* of these, those that are blocked indeed; see sample_signal.c */
	uint32_t found_busy;       /* samples in a row that found it so */
	uint64_t random;
	uint64_t period_ns;  /* of the next sample */
	int64_t switches;    /* of the thread, from and to a processor, as they were last looked at, */
	int64_t event_ns;    /* and the time that it has used since */
	int64_t kernel_ns;   /* time in the kernel, as it was last looked at */
	int64_t rest_ns;     /* time seen by the timer that no sample stands for yet */
	uintptr_t stack_lo, stack_hi; /* bounds of the stack, for the unwinder */
	bool over;           /* the thread is about to end */
	bool adopted;        /* it was there before us, and is just being taken */
	bool first_sample;   /* is still to come, after a random part of a period */
	uint32_t period_window; /* in which period_ns was drawn */
	bool tight;                    /* its alternate stack is too small for our handler */
	bool clockless;                /* may not read the processor's clock, and nobody that it begets: not profiled */
	int64_t latency_ns;            /* by how much sleeps are overslept, on average */
	int64_t fork_delay_ns;         /* D and its window, as the thread was about to fork */
	uint32_t fork_window;
	volatile uintptr_t waiting;    /* stack address of the call that can block and is on; 0: none */
	int64_t residue_ns[CLASSES];   /* time in waits that no blocked sample stands for yet */
	int64_t timed_ns;              /* processor time without pauses, as of the last signal of the timer; 0: none yet */
	int64_t hold_ns, held_ns;      /* processor time as the last pause began; of all pauses that the timer was held for */
	uint32_t ran_window;           /* the burst in which these were read: */
	int64_t ran_wall_ns, ran_cpu_ns; /* the time, and the thread's processor time then */
};

extern TLS struct self self;

/* any: the number of a thread, > 0. */
static inline uint32_t thread_number(const struct arena_thread *t)
{
	return t->number;
}

/* any: adds to what has one writer, the caller: a load and a store, no locked instruction. */
static inline void counter_add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

/* any: the slot of the calling thread, or NULL (unprofiled, or inside the runtime already). */
static inline struct arena_thread *self_slot(void)
{
	return likely(self.busy == 0) ? self.slot : NULL;
}

/* any: the calling thread is inside the runtime until it leaves it again: its samples only put off their credit.  May be nested. */
static inline void runtime_enter(void)
{
	self.busy++;
}

static inline void runtime_leave(void)
{
	self.busy--;
}

/* any: takes a slot for a thread that is about to be born with the caller's clock; NULL when there is none. */
struct arena_thread *thread_reserve(void);
bool thread_any_left(void);  /* any: has any thread of this process a slot, or one that is being born? */
void thread_refuse(bool on); /* any: there are none from now on, or there are again */
void thread_unreserve(struct arena_thread *slot); /* any: it was not born after all */

/* any: the calling thread begins to use `slot` (its own), and ends to use it.  NULL: nothing. */
void thread_begin(struct arena_thread *slot);
void thread_end(void);

/*
 * any: the same of a thread that has been running for long, and does not know us.  sp: its stack pointer, which is not
 * that of the caller; stack_lo: the lowest address of the mapping that this points into.
 */
void thread_adopt(struct arena_thread *slot, uintptr_t sp, uintptr_t stack_lo);

/* any: the calling thread is about to do without the processor's clock, and so without us. */
void thread_renounce(void);

/* In a forked child: the copy of the parent's thread is none; its descriptors are closed. */
void thread_forget(void);

/* ---- stack.c: whose code is running ---- */

struct stack {
	uint32_t n;
	bool hit;     /* in the region that is tried */
	bool given;   /* in the one that is faster in all windows */
	bool decided; /* a frame that is not somebody else's has been seen */
	uint32_t weight; /* see arena_weight */
	uint64_t place[ARENA_FRAMES];
};

/* any: the modules of this process, as the conductor knows them; *n is 0 until it does. */
const struct unwind_module *stack_modules(uint32_t *n);

/* any: walks from the frame of c. */
void stack_walk(struct stack *s, struct unwind_cursor *c);

/* any: the same of a wait of that class, which may be what is sped up. */
void stack_walk_wait(struct stack *s, struct unwind_cursor *c, uint32_t class);

/* ---- create.c ---- */

/*
 * any: a slot for the thread that is about to be created to run routine(arg), in
 * which both are kept; NULL: create it as if we were not there.  The new thread is
 * to run create_begin(slot), which returns what routine does.
 */
struct arena_thread *create_prepare(const pthread_attr_t *attr, void *(*routine)(void *), void *arg);
void *create_begin(void *slot);

/* any: the calling thread is about to end without libc's doing (libc's is seen to). */
void create_end(void);

/*
 * init: threads that were not created by us will be adopted; and any: the calling one is (or not any more: NULL), so
 * that it gives its slot back as it ends.  Where the program has so many keys that this would allocate, it keeps it.
 */
void create_adopt(void);
void create_adopt_thread(struct arena_thread *slot);

/* any: what a thread waits for that joins this one. */
uint64_t key_of_thread(pthread_t thread);

/* ---- sampler.c ---- */

/* How our events of perf are known: attr.sig_data is the mark, and below it a number. */
enum {
	SAMPLER_MARK = 0x616e6477,
	SAMPLER_NUMBER = 0xfffffff, /* of samples; breakpoints have others, */
	SAMPLER_RAWCALL = 0x1000,   /* those of rawcall.c from here on */
};

void sampler_init(void);                    /* init: handler, probing; sets arena->sampler */
bool sampler_start(void);                   /* any: for the calling thread */
void sampler_stop(void);                    /* any: for the calling thread */
void sampler_replace(uint32_t tid);         /* any: that thread of the process has lost its event of perf */
void sampler_pause(bool stop);              /* any: the same for a while, with its breakpoints; or starts it again */
void sampler_hold(void);                    /* any: the calling thread pauses, all signals blocked: that is not to be sampled; */
void sampler_go_on(void);                   /* any: the pause is over */
void sampler_stop_all(bool stop);           /* any: for all threads of the process, which are out of the handler then; or starts it again */

/* any: is it a signal of ours that has come, and not one of the program's with the same number? */
bool sampler_sent(int sig, const siginfo_t *info);

/* In the handler, for what sampler_sent. */
void sampler_handle(int sig, siginfo_t *info, void *context);

void sampler_withdraw(void); /* any: no thread of the process is sampled from now on, whatever is called above */
bool sampler_has_withdrawn(void);
void sampler_forget(void); /* in a forked child: it has no timer yet */
void sampler_forget_all(void); /* init: of an earlier recorder's time */
void sampler_vary(void);   /* in the handler: another period, if it is time */

/* ---- sample.c ---- */

/*
 * any: takes the credit that samples have put off while the thread was inside the runtime.
 * Between runtime_enter and runtime_leave.
 */
void credit_deferred(void);

/*
 * In the handler: the thread has used ns of processor time, for which so many samples
 * are counted, and was at the context (a ucontext_t) as the last of it ended.
 */
void sample_take(const void *context, uint32_t periods, int64_t ns);

/* ---- times ---- */

/* any: CLOCK_MONOTONIC, ns.  That takes 20 ns: a parameter `now` of others is what it was a moment ago. */
static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_of_libc(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* any: a clock of processor time, ns: by a system call, the vDSO has none of them. */
static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	SYS(SYS_clock_gettime, clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* any: the index of the processor that the calling thread has. */
static inline uint32_t processor_here(void)
{
	return (uint32_t)sched_getcpu() % VCLOCK_PROCESSORS;
}

/* any: that time, and here. */
static inline struct vclock_moment moment_at(int64_t now)
{
	return (struct vclock_moment){ .ns = now, .processor = processor_here() };
}

static inline struct vclock_moment moment_now(void)
{
	return moment_at(now_ns());
}

/* any: the number of the window that is on. */
static inline uint32_t current_window(void)
{
	return vclock_window(&arena->clock);
}

/* any: by how much the region is sped up just now, in 1/65536; 0: not at all. */
static inline uint32_t window_speedup(void)
{
	return vclock_speedup(&arena->clock);
}

/* any: is time of that class what is sped up just now? */
static inline bool class_is_wanted(enum arena_class class)
{
	return arena->targets[atomic_load_explicit(&arena->target, memory_order_acquire) & 1].class == class;
}

/* ---- pay.c: pauses.  The rules of virtual clocks are in lib/vclock ---- */

enum pause {
	PAUSE_BUSY,   /* on its processor */
	PAUSE_ASLEEP, /* off it, as it was in the wait that is over */
};

/* any: the calling thread pays what it owes, if that is at_least ns. */
void pay(int64_t at_least, enum pause how);

/* any: the same before it takes a lock: also what others have earned and are credited later.  Is there enough of it? */
void pay_before_lock(void);
bool pay_is_due_before_lock(void);

/* any: it need not pay.  But what it owes only because others were credited while it had no processor, it does not owe. */
void pay_not(void);

/* ---- offcpu.c: time without a processor ---- */

/*
 * any: sets the clock of the thread, should it have been without a processor; before it is
 * credited anything, or pays.  True: another thread has had the processor since the last look.
 */
bool offcpu_look(void);

void offcpu_begin(void); /* any: what has been so far, a wait or a pause, is none of that, */
void offcpu_pass(void);  /* any: nor what comes until offcpu_begin */

/* any, in a sample: how long the thread has been without since the last one; and sets its clock. */
int64_t offcpu_sample(void);

/* ---- object_key.c: names of sync objects, the same in all processes; never 0 ---- */

/* any: of an object in memory: of this process, unless it lies in memory that is shared. */
uint64_t key_of_address(const volatile void *p);

/* any: of anything else: a letter for its kind, and what identifies it. */
uint64_t key_of(char kind, uint64_t a, uint64_t b);

/* ---- wait.c: what can block ---- */

/*
 * A call that can block stands between wait_begin and one of the three ends.
 *
 *     struct wait w;
 *     wait_begin(&w, CLASS_IO, SITE, outside, WAIT_UNKNOWN);
 *     n = REAL(read)(fd, buf, size);
 *     n > 0 && key ? wait_by_peer(&w, key) : wait_outside(&w);
 *
 * errno is what the real call made of it.  Begin and end are two readings of the
 * clock when nothing is being sped up.
 */
struct wait {
	struct arena_thread *t; /* NULL: nothing to account for */
	const void *site;
	struct vclock_wait began;
	uint32_t class;         /* enum arena_class */
	bool outside;
	bool hit;               /* in the region, and published so: the conductor credits as time passes */
	int64_t extended_ns;    /* by how much the wait has been made longer, */
	int64_t again_ns;       /* the last time from here on */
	uintptr_t before;       /* self.waiting before: waits nest (pthread_join inside of a wrapped call) */
};

enum { WAIT_UNKNOWN = -1 };

/*
 * any.  site: where the program called from.  outside: only something that is not
 * of the recording can end the wait, as far as is known now (a device, time, a
 * process without runtime); such a wait is credited when it is in the region.
 * ns: how long it will be (sleeps), or WAIT_UNKNOWN.
 */
void wait_begin(struct wait *w, enum arena_class class, const void *site, bool outside, int64_t ns);

/* any: sync_release and wait_begin, for a call that lets another one go on and may then wait; 0: as wait_begin. */
void wait_begin_releasing(struct wait *w, enum arena_class class, const void *site, bool outside, int64_t ns, uint64_t key);

/* any: another thread of the recording let us go on, by way of key. */
void wait_by_peer(struct wait *w, uint64_t key);
void wait_by_peer2(struct wait *w, uint64_t a, uint64_t b); /* the later released of two */

/* any: nobody of the recording did: a device, a time-out, an error, a signal. */
void wait_outside(struct wait *w);

/*
 * any: a wait has timed out, but what the thread owes by now is time that it
 * would have waited on, in virtual time: were that paused after the wait, what
 * arrives meanwhile would find nobody waiting.  True: wait again, until *until on
 * CLOCK_MONOTONIC (or for *ns), then tell with wait_extended, and ask again if it
 * timed out again.
 */
bool wait_goes_on(struct wait *w, struct timespec *until, int64_t *ns);
void wait_extended(struct wait *w);

/* any: the same, at a channel whose other end belongs to a process that is not of the recording. */
void wait_stranger(struct wait *w);

/* any: a thread is profiled, and not inside the runtime. */
static inline bool wait_is_watched(void)
{
	return unlikely(arena != NULL) && self_slot() != NULL;
}

/* any: the same, and something is being sped up: clocks matter. */
static inline bool wait_is_accounted(void)
{
	return wait_is_watched() && window_speedup() != 0;
}

/* ---- sync.c: sync operations that are over at once ---- */

/* any: the thread does what can let another go on (before the real call). */
void sync_release(uint64_t key, const void *site);

/* any: the same, of a lock that the thread has, or a signal to those who will take it. */
void sync_unlock(uint64_t key, const void *site);

/* any: the thread is about to try to lock something: what it owes it pays before. */
void sync_before_lock(const void *site);

/* any: the thread has taken a lock that was free (after the real call). */
void sync_lock(uint64_t key, const void *site);

/* any: the thread got something else by way of key, and did not have to wait (after the real call). */
void sync_acquire(uint64_t key, const void *site);

/* any: the thread pays, and lets others go on by way of `key`, too: a part of another operation. */
void pay_and_release(uint64_t key);

/*
 * any: the clock of the thread is right up to here, where a segment begins that `site` tells from
 * others.  Between runtime_enter and runtime_leave.
 */
void account_up_to_here(const void *site);

/* ---- event.c: what a burst notes ---- */

/* any: is every event to be noted just now? */
static inline bool event_on(void)
{
	return unlikely(window_phase(atomic_load_explicit(&arena->clock.window, memory_order_relaxed)) == PHASE_BURST);
}

/* any: notes an event of the thread, the calling one.  For keys their low half. */
void event_note(struct arena_thread *t, enum burst_kind kind, int64_t at_ns, int64_t waited_ns, uint64_t object, uint64_t other,
		const void *site);

/* any: has the thread noted something in this burst? */
static inline bool event_has_log(const struct arena_thread *t)
{
	return t->log && t->log_window == current_window();
}

/* any: notes, first, how long the thread has been without a processor since event_ran; before a wait, and in samples. */
void event_queued(struct arena_thread *t, int64_t now);
void event_ran(int64_t now); /* any: and begins to count that anew */

/* ---- spin.c: waits that the program declares ---- */

void block_begin(const void *site);    /* any: the thread is going to wait; calls nest */
void block_end(int woken);             /* any: it has waited: for a thread of the recording, or (0) for the outside */
void block_catch_up(const void *site); /* any: it is going to let another one go on */
void block_begin_here(void);           /* any: the same, for the caller's place */
void block_catch_up_here(void);

/* ---- sleep.c, sigwait.c: for those who do without libc's functions ---- */

/* any: around a sleep; clock, flags and time as clock_nanosleep(2) has them. */
void sleep_begin(struct wait *w, clockid_t clock, int flags, const struct timespec *t, const void *site);
void sleep_end(struct wait *w, int flags);

/* any: before a signal is sent to a process (as kill(2) has it) or to a thread. */
void signal_to_process(pid_t pid, int sig, const void *site);
void signal_to_thread(pid_t tid, int sig, const void *site);

/* any: the thread waited for a signal and got `sig` (<= 0: none), of which info tells; or some, a handler having run. */
void signal_wait_end(struct wait *w, int sig, const siginfo_t *info);
void signal_wait_end_any(struct wait *w);

/* ---- sample_signal.c ---- */

bool sample_signal_take(int sig); /* init: the signal is one of ours from now on (there are two at most); false: it cannot be had */
bool sample_signal_in_place(void);  /* any: do our signals still have our handler? */
bool sample_signal_have_room(void); /* any: has the handler room wherever it would run in the calling thread? */

/*
 * For a program that was started without us.  init: its handlers, and any: the alternate stack of the calling thread,
 * are as if we had been there when they were set.
 */
void sample_signal_adopt(void);
void sample_signal_adopt_stack(void);

/* any: and a signal that waits for the calling thread, which has blocked it, is one that was put off. */
void sample_signal_adopt_pending(void);

/*
 * any: the calling thread is not sampled any more; samples that are on their way are thrown away.  All signals are
 * blocked.  And when no thread is sampled: the signals are the program's again.
 */
void sample_signal_drain(void);
void sample_signal_give_back(void);

/*
 * any: rt_sigaction(2) of the program's, past libc (act and old as the kernel has
 * them).  False: the signal is none of ours, and the kernel is to do it.
 */
bool sample_signal_act(int sig, const void *act, void *old);

/* any: copies the set, less the signals that are ours; these as the kernel's sets have them. */
void without_ours(const sigset_t *set, sigset_t *copy);
uint64_t sample_signal_word(void);

/* any: the program changes its mask (how and set as the kernel has them); returns the set that is to be used for it. */
uint64_t sample_signal_believe(int how, uint64_t set);

/* any: after any call that may have taken, or let in, a signal that was put off. */
void sample_signal_settle(void);

/* any: before a call that has a mask for as long as it lasts (NULL: none).  Returns a copy; *before: self.masked afterwards. */
const sigset_t *sample_signal_suspend(const sigset_t *mask, sigset_t *copy, uint64_t *before);

/* The call, with that mask. */
#define WITH_MASK(mask, call)                                                                                                \
	({                                                                                                                   \
		sigset_t copy_of_mask_;                                                                                      \
		uint64_t before_;                                                                                            \
		__typeof__(call) result_;                                                                                    \
		mask = sample_signal_suspend(mask, &copy_of_mask_, &before_);                                                \
		result_ = call;                                                                                              \
		self.masked = before_;                                                                                       \
		sample_signal_settle();                                                                                      \
		result_;                                                                                                     \
	})

/* ---- sample.c, stack.c: samples of waiting threads ---- */

/* any: keeps a sample of the calling thread. */
void sample_keep(struct arena_thread *t, const struct stack *stack, uint32_t class, uint32_t weight);

/* any: a random number, never 0. */
uint64_t sample_random(void);

/* ---- rawcall.c: handlers that are set by an instruction of the program's ---- */

void rawcall_init(void);   /* init: of what the recorder has found */
void rawcall_watch(void);  /* any: the calling thread has its breakpoints, */
void rawcall_forget(void); /* any: or has them no more */
void rawcall_hit(uint32_t number, void *context); /* in the handler: the event of that number */

/* ---- withdraw.c: samples would do harm, though the process goes on ---- */

void withdraw(uint32_t why); /* any: this process is not sampled any more; why: of enum arena_withdrawal */

/* any: the same, should somebody have asked for it. */
void withdraw_if_asked(void);

/* any: around ptrace(2) of the program's, by whatever way it comes. */
void withdraw_before_ptrace(long request, long pid);
void withdraw_after_ptrace(long request, long result);

/* ---- breakpoint.c: progress points that stand in no source ---- */

void breakpoint_measure(void);         /* init: what a hit costs, to arena->break_cost_ns */
void breakpoint_look(void);            /* any: watches, for the calling thread, what the conductor asks for by now */
void breakpoint_hit(uint32_t number);  /* in the handler: the event of that number */
void breakpoint_renew(void);           /* init: there is another arena */
void breakpoint_forget(void);          /* any: the calling thread watches nothing any more */

/* ---- callpoint.c: progress points at functions of libraries ---- */

void callpoint_init(void);                                    /* init: what there is to be saved */
uintptr_t callpoint_to(uint32_t call, uintptr_t function);    /* any: what counts the call (or hook), and goes on; 0: no room.  One at a time */
bool callpoint_is(uintptr_t address);                         /* any: is it such a thing? */
uintptr_t callpoint_function(uintptr_t address);              /* any: and what it goes on to */
void callpoint_slow(uint32_t point);                          /* any: the rest of a visit that is counted */

/* ---- redirect.c: who calls them ---- */

/* Other functions that are redirected; their numbers follow those of arena->call[]. */
enum { HOOK_DLOPEN = ARENA_CALLS, HOOK_DLSYM, HOOK_DLVSYM, HOOKS = HOOK_DLVSYM + 1 - ARENA_CALLS };

void redirect_init(struct arena *a); /* init: calls of what a->call[] names go through callpoint.c */

/*
 * init: all slots that hold what we would call come to our functions, in a process that was started without us; and
 * lead again where they led.  With getauxval they go on coming to us: what <andweorc.h> has learned of us, it calls.
 */
void redirect_wrappers(void);
void redirect_restore(void);

/* In the place of a function with these arguments: modules may be new.  Returns what is to be called. */
uintptr_t redirect_hook(uint32_t hook, uintptr_t function, uintptr_t first, uintptr_t second);

/* ---- progress.c ---- */

int point_number(const char *name);
void point_visit(int point);
void point_add(int point, uint64_t n); /* any: n units at once, of an automatic point */

/*
 * any: counts a visit of a point (0..).  True: a window is to be opened or closed, or
 * an experiment is on, and point_attend is to be called.
 */
static inline bool point_count(uint32_t number)
{
	const struct arena *a = arena; /* once: the compiler takes the counter for something that could change it */

	counter_add(&self.visits[number], 1);
	return unlikely(window_phase(atomic_load_explicit(&a->clock.window, memory_order_relaxed)) != PHASE_IDLE ||
			atomic_load_explicit(&a->clock.speedup, memory_order_relaxed) != 0);
}

void point_attend(struct arena_thread *t, uint32_t number);

/*
 * any: a part of a visit, for span.c: opens or closes a window, if that is what is
 * waited for; the visit is counted before.  Between runtime_enter and runtime_leave.
 */
void point_open_or_close(uint32_t number);

/* ---- control.c: what the program says of experiments ---- */

void control_experiments(int on); /* any: they are to be made from now on, or not */
int control_is_recorded(void);    /* any: is a recorder there? */

/* ---- moved.c ---- */

void moved_visit(enum arena_moved kind); /* any: there is one more, if the recorder wants to know */

/* ---- span.c: from a begin to an end ---- */

/* any: the number of the latency point called `name`, made when it is new; -1 when there is no room. */
int span_number(const char *name);

/* any: a span begins, and ends, in the calling thread; or, with a number that is its own while it is open, in any of the process. */
void span_begin(int point);
void span_end(int point);
void span_begin_numbered(int point, unsigned long number);
void span_end_numbered(int point, unsigned long number);

#endif
