/*
 * runtime: the library inside the profiled process.
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
 *   offcpu         no processor              stack       the region of a frame
 *   sampler        signals of samples        unwind      from a frame to its caller
 *   sample         the handler's work        hidden_fd   our own descriptors
 *   seccomp_filter the program's filters     withdraw    the end of sampling
 *   breakpoint     progress points at places in code
 *   callpoint      and at functions of libraries
 *   redirect       makes callers of these functions go through callpoint
 *   rawcall        handlers set past libc
 *   wait           calls that can block      progress    visits of progress points
 *   sync           those that cannot         span        lengths of spans
 *   event          notes of both in a burst  control     starting and stopping experiments
 *   thread         slots of threads          process, init  life
 *   attach         life in a process that was started without the runtime
 *   reach          mapped parts of the arena
 *   real           libc's functions          sys         our own system calls
 *
 * All other files have wrappers, the functions that a program calls instead of libc's:
 * lock, create, sample_signal (pthread's locks, threads, our signals), and every file
 * that includes "wrap.h".
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
 * NULL: the process is not profiled, and every wrapper passes through.  It is also NULL
 * in a copy of the process that was made past libc (raw clone).
 */
extern struct arena *arena;

/*
 * arena_adopt, init: sets the arena.  arena_adopt_again, in a forked child: sets it to that of
 * the parent; false when that was NULL.
 */
void arena_adopt(struct arena *a);
bool arena_adopt_again(void);

/* init, and any: for attach.c, see there.  name: of the arena. */
enum attach_answer init_attach(const char *name);
void init_detach(void);

/* ---- reach.c: the parts of the arena, mapped as they are needed ---- */

/* In the order of the members of struct arena_parts. */
enum arena_part { PART_MODULES, PART_SPANS, PART_LOGS, PART_THREADS };

enum {
	PIECES_OF_MODULES = 0,
	PIECES_OF_SPANS = PIECES_OF_MODULES + ARENA_PROCESSES,
	PIECES_OF_LOGS = PIECES_OF_SPANS + ARENA_SPANS / ARENA_SPANS_PIECE,
	PIECES_OF_THREADS = PIECES_OF_LOGS + ARENA_LOGS,
	PIECES = PIECES_OF_THREADS + ARENA_THREADS / ARENA_THREADS_PIECE
};

extern _Atomic(void *) reach_at[PIECES]; /* pieces of all parts, where they are mapped; NULL: not yet */

void *reach_place(void);                   /* init: the address for the mapping; NULL: any */
void reach_begin(struct arena *a, int fd); /* init: `a` is mapped up to its parts; takes over fd */
void reach_settle(void);                   /* init: closes that fd */
void reach_end(void);                      /* init: unmaps all that was mapped since reach_begin */

/*
 * any: no thread is profiled any more.  Threads may still look into the arena: it stays mapped, but reads as 0, is
 * private to the process, and takes no memory.
 */
void reach_blank(void);

/* any: maps piece i of that part; NULL: refused (a resource limit, a seccomp filter). */
void *reach_map(enum arena_part part, uint32_t i);

/* any: unmaps it.  No thread may be using it. */
void reach_leave(enum arena_part part, uint32_t i);

/* any: rows [first, first + n) of the unwind tables; NULL: they cannot be mapped, or n is 0. */
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

/*
 * any: notes the clock of the calling thread, which is about to fork.  The clock will have
 * moved on before the child runs.
 */
void process_forking(void);

/*
 * Run by pthread_atfork in a forked child, by its only thread: joins the recording as a
 * new process, with the clock of the thread that forked it.  A child that is made past
 * libc is not profiled until it execs.  A child of vfork(2) counts as its parent until
 * it execs.
 */
void process_forked(void);

/* init: the main thread is about to enter its program. */
void process_begin(void);

/* any: the calling thread has been adopted; it may be the first one of the program. */
void process_adopt(void);

/* any: wakes the conductor, which has something to look at. */
void process_news(void);

/* ---- thread.c: slots ---- */

/* How long a thread had no processor; see offcpu.c. */
struct offcpu {
	int64_t wall_ns, cpu_ns; /* the two clocks as they were last read; wall_ns 0: begin anew */
	int64_t unsampled_ns;    /* time without a processor that no sample stands for yet */
};

/* How the thread is sampled (sampler.c). */
struct sampling {
	int perf_fd;         /* -1: none */
	uint64_t perf_id;    /* the kernel's id of the event, since the descriptor's number may have been reused */
	int timer;           /* the timer that was deleted last; -1: none */
	uint64_t period_ns;  /* period of the next sample */
	uint32_t period_window; /* the window in which it was drawn */
	bool first;          /* the first sample, due after a random part of a period, is still to come */
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

/* The two clocks at the last event (event.c). */
struct ran {
	uint32_t window; /* the burst in which they were read */
	int64_t wall_ns, cpu_ns;
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
	struct ran ran;
	/*
	 * > 0 while the thread is inside the runtime.  A sample that arrives then
	 * leaves its credit in `deferred_ns`: the clock has one user at a time.
	 */
	volatile sig_atomic_t busy;
	volatile int64_t deferred_ns;
	uint32_t found_busy;           /* consecutive samples that found busy > 0 */
	uint64_t random;
	struct { uintptr_t lo, hi; } stack; /* its bounds, for the unwinder */
	struct { int64_t delay_ns; uint32_t window; } forked; /* D, as the thread was about to fork (process.c) */
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
 * only defer their credit.  Nests.
 */
static inline void runtime_enter(void)
{
	self.busy++;
}

static inline void runtime_leave(void)
{
	self.busy--;
}

/*
 * any: takes a slot for a thread that is about to be created, and gives it the caller's
 * clock; NULL when there is none.
 */
struct arena_thread *thread_reserve(void);
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

/* ---- stack.c: whose code is running ---- */

struct stack {
	uint32_t n;
	bool hit;     /* in the region that is tried */
	bool given;   /* in the region that is faster in all windows (--given) */
	bool decided; /* a frame in the program's own code has been seen */
	uint32_t weight; /* see arena_weight */
	uint64_t place[ARENA_FRAMES];
};

/* any: the modules of this process that the conductor has published; *n is 0 until it has. */
const struct unwind_module *stack_modules(uint32_t *n);

/* any: walks the stack from the frame of c. */
void stack_walk(struct stack *s, struct unwind_cursor *c);

/* any: the same for a wait of that class, which may itself be the region. */
void stack_walk_wait(struct stack *s, struct unwind_cursor *c, uint32_t class);

/* ---- create.c ---- */

/*
 * any: takes a slot for a thread that is about to be created to run routine(arg), and
 * stores both there.  The new thread must run create_begin(slot), which returns the
 * result of routine.  NULL: create the thread unprofiled.
 */
struct arena_thread *create_prepare(const pthread_attr_t *attr, void *(*routine)(void *), void *arg);
void *create_begin(void *slot);

/* any: call before the calling thread ends by a raw system call. (Ends by libc are noticed.) */
void create_end(void);

/*
 * init: threads that the runtime did not create will be adopted.
 * any: the calling thread is adopted, and gives its slot back as it ends; NULL: it is not any more.  Where the program
 * has so many thread-specific keys that this would allocate memory, the slot is kept.
 */
void create_adopt(void);
void create_adopt_thread(struct arena_thread *slot);

/* any: the key that threads wait for when they join this one. */
uint64_t key_of_thread(pthread_t thread);

/* ---- sampler.c ---- */

/* Identifies our perf events: attr.sig_data holds this mark, and a number in its low bits. */
enum {
	SAMPLER_MARK = 0x616e6477,
	SAMPLER_NUMBER = 0xfffffff, /* the number of sampling events; breakpoints have others */
	SAMPLER_RAWCALL = 0x1000,   /* the numbers of rawcall.c begin here */
};

void sampler_init(void);                    /* init: handler, probing; sets arena->sampler */
bool sampler_start(void);                   /* any: for the calling thread */
void sampler_stop(void);                    /* any: for the calling thread */
void sampler_replace(uint32_t tid);         /* any: notes that this thread of the process has lost its perf event */
void sampler_pause(bool stop);              /* any: pauses (or resumes) the sampling and the breakpoints of the calling thread */
void sampler_hold(void);                    /* any: holds the samples of the calling thread, which begins a pause with all signals blocked */
void sampler_go_on(void);                   /* any: the pause is over */
void sampler_stop_all(bool stop);           /* any: stops (or resumes) all threads' sampling; when it returns, none is in the handler */

/* any: has our sampler sent this signal, and not the program one of the same number? */
bool sampler_sent(int sig, const siginfo_t *info);

/* In the handler, for signals for which sampler_sent is true. */
void sampler_handle(int sig, siginfo_t *info, void *context);

void sampler_withdraw(void); /* any: ends the sampling of the process for good; the functions above do nothing from now on */
bool sampler_has_withdrawn(void);
void sampler_forget(void); /* in a forked child: the calling thread has no timer yet */
void sampler_forget_all(void); /* init: the same of all threads, which an earlier recorder sampled */
void sampler_vary(void);   /* in the handler: draws another period, once a window */

/* ---- sample.c ---- */

/*
 * any: adds the credit of samples that arrived while the thread was inside the runtime.
 * Call it between runtime_enter and runtime_leave.
 */
void credit_deferred(void);

/*
 * In the handler: accounts for ns of processor time of the thread, counted as that many
 * samples.  The context (a ucontext_t) is where the signal has interrupted the thread.
 */
void sample_take(const void *context, uint32_t periods, int64_t ns);

/* ---- times ---- */

/*
 * any: CLOCK_MONOTONIC, ns.  A call takes 20 ns, so functions with a parameter `now` accept
 * a value read shortly before.
 */
static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_of_libc(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* any: a clock of processor time, ns.  A system call, because the vDSO does not have these clocks. */
static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	SYS(SYS_clock_gettime, clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* any: the index of the processor that the calling thread runs on. */
static inline uint32_t processor_here(void)
{
	return (uint32_t)sched_getcpu() % VCLOCK_PROCESSORS;
}

/* any: a moment of that time, on the present processor. */
static inline struct vclock_moment moment_at(int64_t now)
{
	return (struct vclock_moment){ .ns = now, .processor = processor_here() };
}

static inline struct vclock_moment moment_now(void)
{
	return moment_at(now_ns());
}

/* any: the number of the current window. */
static inline uint32_t current_window(void)
{
	return vclock_window(&arena->clock);
}

/* any: the speedup of the current window, in 1/65536; 0: none. */
static inline uint32_t window_speedup(void)
{
	return vclock_speedup(&arena->clock);
}

/* any: is this class the region of the current window? */
static inline bool class_is_wanted(enum arena_class class)
{
	return arena->targets[atomic_load_explicit(&arena->target, memory_order_acquire) & 1].class == class;
}

/* ---- pay.c: pauses.  The rules of virtual clocks are in lib/vclock ---- */

enum pause {
	PAUSE_BUSY,   /* the thread keeps its processor and spins */
	PAUSE_ASLEEP, /* the thread sleeps, as in the wait that has ended */
};

/* any: the calling thread pays its debt, if that is at_least ns. */
void pay(int64_t at_least, enum pause how);

/*
 * any: the same before the thread takes a lock: it also pays for what others have earned
 * and will be credited later.  The second tells whether there is enough to pay.
 */
void pay_before_lock(void);
bool pay_is_due_before_lock(void);

/* any: forgives debt that arose only from credits of others while the thread had no processor.  Does not pay. */
void pay_not(void);

/* ---- offcpu.c: time without a processor ---- */

/*
 * any: corrects the clock of the thread if it has been without a processor.  Call it before
 * the thread is credited or pays.  True: another thread has used the processor since the last
 * look.
 */
bool offcpu_look(void);

void offcpu_begin(void); /* any: time up to now was a wait or a pause, not time without a processor */
void offcpu_pass(void);  /* any: nor is time from now until offcpu_begin */

/* any, in a sample: how long the thread has been without a processor since the last one.  Corrects its clock, too. */
int64_t offcpu_sample(void);

/* ---- object_key.c: names of sync objects, the same in all processes; never 0 ---- */

/* any: the key of an object in memory.  In shared memory, all processes get the same key for it. */
uint64_t key_of_address(const volatile void *p);

/* any: the key of any other object, from a letter for its kind and the numbers that identify it. */
uint64_t key_of(char kind, uint64_t a, uint64_t b);

/* ---- wait.c: calls that can block ---- */

/*
 * A call that can block stands between wait_begin and one of the three ends.
 *
 *     struct wait w;
 *     wait_begin(&w, CLASS_IO, SITE, outside, WAIT_UNKNOWN);
 *     n = REAL(read)(fd, buf, size);
 *     n > 0 && key ? wait_by_peer(&w, key) : wait_outside(&w);
 *
 * errno stays as the real call set it.  Without a speedup, begin and end cost two
 * readings of the clock.
 */
struct wait {
	struct arena_thread *t; /* NULL: nothing to account for */
	const void *site;
	struct vclock_wait began;
	uint32_t class;         /* enum arena_class */
	bool outside;
	bool by_clock;          /* it ends at a moment of the clock, whenever it began */
	bool hit;               /* in the region, and published so: the conductor credits as time passes */
	int64_t extended_ns;    /* how much longer the wait has been made */
	int64_t again_ns;       /* when the last extension of the wait began */
	uintptr_t before;       /* the previous self.waiting, because waits nest (pthread_join inside a wrapped call) */
};

enum { WAIT_UNKNOWN = -1 };

/*
 * any.  site: the program's call.  outside: as far as is known, only the outside can
 * end the wait (a device, time, a process without the runtime); such a wait is credited
 * when it is in the region.  ns: how long it will be (sleeps), or WAIT_UNKNOWN.
 */
void wait_begin(struct wait *w, enum arena_class class, const void *site, bool outside, int64_t ns);

/*
 * any: sync_release of `key` (0: none) and wait_begin in one, for a call that lets another
 * thread go on and may then wait.
 */
void wait_begin_releasing(struct wait *w, enum arena_class class, const void *site, bool outside, int64_t ns, uint64_t key);

/* any: ends a wait that another thread of the recording has ended, by a release of key. */
void wait_by_peer(struct wait *w, uint64_t key);
void wait_by_peer2(struct wait *w, uint64_t a, uint64_t b); /* by the key of two that was released later */

/* any: ends a wait that the outside has ended: a device, a time-out, an error, a signal. */
void wait_outside(struct wait *w);

/*
 * any: call after a wait has timed out.  In virtual time the thread would still be
 * waiting for as long as its debt; a pause after the wait would miss signals that
 * arrive in that time.  True: wait again, until *until on CLOCK_MONOTONIC (or for *ns).
 * Then call wait_extended, and if the wait has timed out again, this function again.
 */
bool wait_goes_on(struct wait *w, struct timespec *until, int64_t *ns);
void wait_extended(struct wait *w);

/* any: as wait_outside, at a channel whose other end belongs to a process outside of the recording. */
void wait_stranger(struct wait *w);

/* any: is the calling thread profiled, and not inside the runtime? */
static inline bool wait_is_watched(void)
{
	return unlikely(arena != NULL) && self_slot() != NULL;
}

/* any: the same, and is a speedup on, so that clocks matter? */
static inline bool wait_is_accounted(void)
{
	return wait_is_watched() && window_speedup() != 0;
}

/* ---- sync.c: sync operations that are over at once ---- */

/* any: the thread is about to let another go on.  Call it before the real call.  Pays. */
void sync_release(uint64_t key, const void *site);

/*
 * any: the same for a lock that the thread holds, or a signal to threads that will take
 * that lock.  Does not pay: see sync.c.
 */
void sync_unlock(uint64_t key, const void *site);

/* any: the thread is about to try to take a lock.  Pays. */
void sync_before_lock(const void *site);

/* any: the thread has taken a lock that was free.  Call it after the real call. */
void sync_lock(uint64_t key, const void *site);

/* any: the thread has acquired `key`, which is not a lock, without a wait.  Call it after the real call. */
void sync_acquire(uint64_t key, const void *site);

/* any: pays, and releases `key`, as a part of another operation. */
void pay_and_release(uint64_t key);

/*
 * any: ends the thread's segment and begins one that is identified by `site`. The clock of the
 * thread must be up to date.  Call it between runtime_enter and runtime_leave.
 */
void account_up_to_here(const void *site);

/* ---- event.c: events of a burst ---- */

/* any: is a burst on, so that every event must be noted? */
static inline bool event_on(void)
{
	return unlikely(window_phase(atomic_load_explicit(&arena->clock.window, memory_order_relaxed)) == PHASE_BURST);
}

/* any: notes an event of the calling thread.  Of a key, only the low half is noted. */
void event_note(struct arena_thread *t, enum burst_kind kind, int64_t at_ns, int64_t waited_ns, uint64_t object, uint64_t other,
		const void *site);

/* any: has the thread noted an event in this burst? */
static inline bool event_has_log(const struct arena_thread *t)
{
	return t->log && t->log_window == current_window();
}

/*
 * any: notes how long the thread has been without a processor since event_ran.  Call it
 * before the event of a wait or of a sample.
 */
void event_queued(struct arena_thread *t, int64_t now);
void event_ran(int64_t now); /* any: begins to count that anew */

/*
 * any: notes the end of a wait for the outside, and how much of it was processor time.  Call
 * event_queued when the wait begins.
 */
void event_outside(struct arena_thread *t, int64_t now, int64_t waited_ns, const void *site);

/* ---- spin.c: waits that the program declares ---- */

void block_begin(const void *site);    /* any: the thread is going to wait; calls nest */
void block_end(int woken);             /* any: the wait is over; 1: a thread of the recording has ended it, 0: the outside */
void block_catch_up(const void *site); /* any: the thread is about to let another one go on */
void block_begin_here(void);           /* any: the same, with the caller's site */
void block_catch_up_here(void);

/* ---- sleep.c, sigwait.c: for callers that bypass libc's functions ---- */

/* any: around a sleep; clock, flags and time as clock_nanosleep(2) has them. */
void sleep_begin(struct wait *w, clockid_t clock, int flags, const struct timespec *t, const void *site);
void sleep_end(struct wait *w, int flags);

/* any: before a signal is sent to a process (as kill(2) has it) or to a thread. */
void signal_to_process(pid_t pid, int sig, const void *site);
void signal_to_thread(pid_t tid, int sig, const void *site);

/*
 * any: end a wait for signals.  The first: `sig` came, which info describes (<= 0: no
 * signal came).  The second: signals came, and their handlers have run.
 */
void signal_wait_end(struct wait *w, int sig, const siginfo_t *info);
void signal_wait_end_any(struct wait *w);

/* ---- sample_signal.c ---- */

bool sample_signal_take(int sig); /* init: makes the signal one of ours (at most two); false: refused */
bool sample_signal_in_place(void);  /* any: do our signals still have our handler? */
bool sample_signal_have_room(void); /* any: is there room for the handler on any stack where it could run in the calling thread? */

/*
 * For a program that was started without the runtime.  init: its handlers, and any: the alternate stack of the calling
 * thread, are treated as if the runtime had been there when they were set.
 */
void sample_signal_adopt(void);
void sample_signal_adopt_stack(void);

/* any: a pending signal that the calling thread blocks is treated as one that was put off. */
void sample_signal_adopt_pending(void);

/*
 * any: the calling thread is not sampled any more; samples on their way are dropped.  All signals are blocked.  Then,
 * when no thread is sampled: gives the signals back to the program.
 */
void sample_signal_drain(void);
void sample_signal_give_back(void);

/*
 * any: performs an rt_sigaction(2) that the program makes past libc (act and old in the
 * kernel's layout).  False: the signal is not ours, so the kernel must do it.
 */
bool sample_signal_act(int sig, const void *act, void *old);

/* any: copies the set without our signals; returns those of them that were in it, in the kernel's layout. */
void without_ours(const sigset_t *set, sigset_t *copy);
uint64_t sample_signal_word(void);

/*
 * any: notes a change of the program's signal mask (how and set as the kernel takes them);
 * returns the set to use for it.
 */
uint64_t sample_signal_believe(int how, uint64_t set);

/* any: call after any call that may have delivered a deferred signal. */
void sample_signal_settle(void);

/*
 * any: call before a call that sets a signal mask for its duration (NULL: none).  Returns a
 * copy of the mask without our signals; *before is the value for self.signals.masked afterwards.
 */
const sigset_t *sample_signal_suspend(const sigset_t *mask, sigset_t *copy, uint64_t *before);

/* Makes the call with that mask. */
#define WITH_MASK(mask, call)                                                                                                \
	({                                                                                                                   \
		sigset_t copy_of_mask_;                                                                                      \
		uint64_t before_;                                                                                            \
		__typeof__(call) result_;                                                                                    \
		mask = sample_signal_suspend(mask, &copy_of_mask_, &before_);                                                \
		result_ = call;                                                                                              \
		self.signals.masked = before_;                                                                                       \
		sample_signal_settle();                                                                                      \
		result_;                                                                                                     \
	})

/* ---- sample.c, stack.c: samples of waiting threads ---- */

/* any: keeps a sample of the calling thread. */
void sample_keep(struct arena_thread *t, const struct stack *stack, uint32_t class, uint32_t weight);

/* any: a random number, never 0. */
uint64_t sample_random(void);

/* ---- rawcall.c: handlers that are set by an instruction of the program's ---- */

void rawcall_init(void);   /* init: for the instructions that the recorder has found */
void rawcall_watch(void);  /* any: sets the breakpoints of the calling thread */
void rawcall_forget(void); /* any: removes them */
void rawcall_hit(uint32_t number, void *context); /* in the handler: a hit of the event of that number */

/* ---- withdraw.c: processes in which samples would do harm ---- */

void withdraw(uint32_t why); /* any: ends the sampling of this process; why: of enum arena_withdrawal */

/* any: the same, if the recorder or another process has asked for it. */
void withdraw_if_asked(void);

/* any: call before and after each ptrace(2) of the program, made by libc or by number. */
void withdraw_before_ptrace(long request, long pid);
void withdraw_after_ptrace(long request, long result);

/* ---- breakpoint.c: progress points at places in code ---- */

void breakpoint_measure(void);         /* init: measures the cost of a hit, into arena->break_cost_ns */
void breakpoint_look(void);            /* any: sets the breakpoints of the calling thread that the conductor now wants */
void breakpoint_hit(uint32_t number);  /* in the handler: a hit of the event of that number */
void breakpoint_renew(void);           /* init: there is another arena */
void breakpoint_forget(void);          /* any: removes the breakpoints of the calling thread */

/* ---- callpoint.c: progress points at functions of libraries ---- */

void callpoint_init(void);                                    /* init: finds out which registers must be saved */
uintptr_t callpoint_to(uint32_t call, uintptr_t function);    /* any: makes a trampoline, which counts the call (or runs the hook); 0: no room.  Not reentrant */
bool callpoint_is(uintptr_t address);                         /* any: is the address a trampoline? */
uintptr_t callpoint_function(uintptr_t address);              /* any: the function that a trampoline goes on to */
void callpoint_slow(uint32_t point);                          /* any: the rest of a visit, after it is counted */

/* ---- redirect.c: redirects callers to these trampolines ---- */

/* Other functions that are redirected; their numbers follow those of arena->call[]. */
enum { HOOK_DLOPEN = ARENA_CALLS, HOOK_DLSYM, HOOK_DLVSYM, HOOKS = HOOK_DLVSYM + 1 - ARENA_CALLS };

void redirect_init(struct arena *a); /* init: calls of what a->call[] names go through callpoint.c */

/*
 * init: in a process that was started without the runtime, makes all slots that hold a function with a wrapper lead to
 * the wrapper; and restores them.  The slots of getauxval stay, as <andweorc.h> calls what it has learned by it.
 */
void redirect_wrappers(void);
void redirect_restore(void);

/*
 * Runs instead of a hooked function, with its arguments, after which modules may be new.
 * Returns the function to call.
 */
uintptr_t redirect_hook(uint32_t hook, uintptr_t function, uintptr_t first, uintptr_t second);

/* ---- progress.c ---- */

int point_number(const char *name);
void point_visit(int point);
void point_add(int point, uint64_t n); /* any: counts n units at once at an automatic point */

/*
 * any: counts a visit of a point (0..).  True: call point_attend, because a window is
 * to be opened or closed, or an experiment is on.
 */
static inline bool point_count(uint32_t number)
{
	const struct arena *a = arena; /* loaded once: the compiler assumes that the store to the counter could change it */

	counter_add(&self.visits[number], 1);
	return unlikely(window_phase(atomic_load_explicit(&a->clock.window, memory_order_relaxed)) != PHASE_IDLE ||
			atomic_load_explicit(&a->clock.speedup, memory_order_relaxed) != 0);
}

void point_attend(struct arena_thread *t, uint32_t number);

/*
 * any: a part of a visit, for span.c: opens or closes a window where the conductor
 * wants that.  The visit must be counted before.  Call it between runtime_enter and
 * runtime_leave.
 */
void point_open_or_close(uint32_t number);

/* ---- control.c: the program starts and stops experiments ---- */

void control_experiments(int on); /* any: starts or stops experiments */
int control_is_recorded(void);    /* any: is the process being recorded? */

/* ---- moved.c ---- */

void moved_visit(enum arena_moved kind); /* any: counts one, if the recorder wants this point */

/* ---- span.c: from a begin to an end ---- */

/* any: the number of the latency point called `name`, made when it is new; -1 when there is no room. */
int span_number(const char *name);

/*
 * any: a span begins, or ends.  Without a number, both must be in one thread.  With a
 * number, which no other open span may have, any thread of the process may end it.
 */
void span_begin(int point);
void span_end(int point);
void span_begin_numbered(int point, unsigned long number);
void span_end_numbered(int point, unsigned long number);

#endif
