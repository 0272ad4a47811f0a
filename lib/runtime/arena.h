/*
 * arena: the memory that andweorc-record and the runtime share.
 *
 * One sparse memfd; only pages that are touched cost memory.  The recorder
 * creates it, decides, and reads; the runtime in the target counts, credits and
 * pauses.  Because every number lives here, a target that crashes, is killed or
 * calls _exit loses nothing that was measured.
 *
 * Address space is scarce in a target that limits it, or that locks what it has
 * mapped.  So the target maps all members up to `parts` at once.  Of the parts it maps
 * only those that it uses, and only when it first uses them (lib/runtime/reach.c).  The
 * recorder maps the whole.  It trusts nothing that it reads here: indices and counts go
 * through lib/target/shared.h.
 *
 * Each field names its one writer:  [C] the conductor (andweorc-record),
 * [T] the thread that owns the slot, [A] any thread of the target.
 *
 * Times are CLOCK_MONOTONIC nanoseconds.  Code is named by place: the number of
 * its module and the offset in it, which are the same in every process; each
 * process has a table of where its modules are.
 */
#ifndef ANDWEORC_RUNTIME_ARENA_H
#define ANDWEORC_RUNTIME_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "bucket.h"
#include "event.h"
#include "unwind.h"
#include "vclock/world.h"

enum {
	ARENA_MAGIC = 0x61774d12, /* changes with the layout: a runtime of another build stays inert */
	ARENA_PROCESSES = 1024,   /* processes at a time; further ones run unprofiled */
	ARENA_THREADS = 4096,     /* slots of all processes, at most; further threads run unprofiled */
	ARENA_THREADS_PIECE = 4,  /* so many slots are mapped at a time */
	ARENA_SPANS_PIECE = 16,   /* so many struct arena_spans are mapped at a time */
	ARENA_POINTS = 64,
	ARENA_BREAKS = 8,         /* places that are watched; each takes 32 bytes of the stack of each thread */
	BREAK_REGISTERS = 4,      /* so many of them are watched by debug registers of x86-64, the others by probes of the kernel */
	ARENA_FILE = 256,         /* of a path, with its NUL */
	ARENA_CALLS = 16,         /* functions whose calls are counted */
	ARENA_PATIENCE = 1 << 26, /* turns of a spin lock: a second or so */
	ARENA_POINT_NAME = 96,    /* bytes, with the NUL */
	ARENA_LIBRARY = 64,       /* the same */
	ARENA_COMMAND = 256,      /* the same */
	ARENA_RING = 128,         /* samples a thread keeps for the conductor; a power of two */
	ARENA_FRAMES = 24,        /* frames kept of a sample's stack */
	ARENA_RANGES = 8192,      /* address ranges of one target */
	ARENA_PATH = 8,           /* functions of a call path, at most */
	ARENA_LINKS = 2048,       /* address ranges of one call path */
	ARENA_MODULES = 512,      /* modules of a process */
	ARENA_ROWS = 6 << 20,     /* unwind rows of all modules */
	ARENA_AHEAD_NS = 2000000, /* by how much credits of sleeps run ahead of them */
	ARENA_SITES = 64,         /* places of waiting that a thread remembers; a power of two */
	ARENA_SPANS = 1 << 11,    /* threads that measure spans, times points; further ones only count them */
	ARENA_NUMBERED = 1 << 14, /* spans with numbers that are open at a time; a power of two */
	ARENA_EVENTS = 1 << 14,   /* events that a thread notes in a burst */
	ARENA_LOGS = 128,         /* threads that note events in a burst: 0.65 MB each, as they are needed */
};

/* Parts that are mapped separately begin at a multiple of this. */
#if defined(__x86_64__)
#define ARENA_PAGE 4096
#else
#define ARENA_PAGE 65536
#endif

/* The runtime's state, as far as the recorder needs to know it. */
enum {
	RUNTIME_ABSENT,  /* nothing has reported in yet */
	RUNTIME_READY,   /* the constructor ran; threads are sampled */
	RUNTIME_REFUSED, /* neither perf nor the timer could be had: see sampler_errno */
};

enum { SAMPLER_PERF = 1, SAMPLER_TIMER = 2 };

/*
 * The recorder is taken for dead when it has given no sign of life for so long: then
 * nothing is sped up, and no process waits for it.
 */
#define ARENA_ALIVE_NS 3000000000ll

/* Why a process is not sampled any more; a bit each. */
enum arena_withdrawal {
	WITHDRAWN_HANDLER = 1, /* the process has replaced our signal handler by a raw system call */
	WITHDRAWN_TRACED = 2,  /* another process traces it, and would be stopped at each sample */
};

/* The state of a thread as it was sampled.  Each class but CLASS_CPU can be a region (-r :io). */
enum arena_class {
	CLASS_CPU,
	CLASS_LOCK,     /* waited for another thread or process of the recording */
	CLASS_IO,       /* waited for a device, or for a process that is not of the recording */
	CLASS_SLEEP,    /* waited for time to pass */
	CLASS_RUNQUEUE, /* could have run, and had no processor */
	CLASSES
};

/* The phases of a window, in the lowest bits of clock.window_word. */
enum {
	PHASE_IDLE,   /* visits only count */
	PHASE_OPEN,   /* the next visit of each point opens its count */
	PHASE_CLOSE,  /* the next visit of each point closes it */
	PHASE_BURST,  /* nothing is measured: threads note their events */
};

/* The kinds of progress points.  Points of one name and different kinds are different points. */
enum point_kind {
	POINT_THROUGHPUT, /* ANDWEORC_PROGRESS, COZ_PROGRESS: one visit, one unit of work */
	POINT_LATENCY,    /* ANDWEORC_BEGIN and ANDWEORC_END, COZ_BEGIN and COZ_END: a visit is an end */
	POINT_BREAK,      /* a place in code (-P) */
	POINT_CALL,       /* a function of a library, counted where it is called (-P) */
	POINT_AUTOMATIC,  /* an automatic point, without a mark in the program: enum arena_moved, and processor time (":work") */
};

/*
 * Automatic progress points, for programs without marks: bytes through descriptors, and the
 * work of libraries for parallel programs.
 */
enum arena_moved {
	MOVED_OUTPUT,  /* bytes written to files, pipes, sockets, terminals */
	MOVED_INPUT,   /* bytes read */
	MOVED_REPLIES, /* how often something was written to a descriptor that had been read from before */
	MOVED_UNASKED, /* the points above are tried where the program marks nothing; the points below only on request: */
	MOVED_PARALLEL = MOVED_UNASKED, /* outermost parallel regions of OpenMP that have ended */
	MOVED_MPI,     /* collective calls of MPI that have returned, of each rank */
	MOVED_KOKKOS,  /* kernels of Kokkos that have ended */
	MOVED_KINDS
};

/*
 * A word that the program itself adds to: coz_counter_t of coz.h, whose layout
 * this is.  Alone in its cache line.
 */
struct arena_counter {
	_Alignas(64) _Atomic uint64_t count; /* [A] */
	uint64_t backoff;                    /* unused, kept for the layout */
};

/*
 * One progress point.  Each thread counts its visits for itself.  This struct holds the
 * numbers that open and close windows.
 */
struct arena_point {
	char name[ARENA_POINT_NAME];  /* [A] written before points_used grows */
	uint32_t kind;                /* [A] enum point_kind; the same */
	_Atomic uint32_t counted;     /* [A] 1: the program has a counter of it, so the conductor must watch that */
	_Atomic uint32_t open_taken;  /* [A] number of the window that some thread has begun to open */
	_Atomic uint32_t opened;      /* [A] number of the window whose open_* fields are complete */
	_Atomic uint32_t close_taken;
	_Atomic uint32_t closed;
	uint64_t open_count, close_count; /* [A] visits by all threads */
	int64_t open_ns, close_ns;        /* [A] virtual time of the visit on the clock of its thread */
	uint64_t open_begins, close_begins; /* [C] for latency points: begins.count at these times */
	struct arena_counter ends, begins; /* begins: of latency points alone; also those that found no arena_spans */
};

/* When a span began, on two clocks. */
struct arena_begin {
	_Atomic int64_t own_ns;  /* virtual time of the thread that began the span */
	_Atomic int64_t even_ns; /* virtual time of a thread without debt */
	_Atomic uint32_t window; /* the window in which the span began */
};

/* An open span that has a number.  Any thread of the process may end it, and looks it up here. */
struct arena_numbered {
	_Atomic uint64_t key; /* [A] hash of point, process and number; 0: free */
	struct arena_begin begin; /* [A] */
};

/* Spans of one point, begun or ended by the threads of one slot; see lib/runtime/span.c. */
struct arena_spans {
	_Alignas(64) _Atomic uint32_t point; /* [T] number of the point, > 0 */
	int32_t tid;                /* [T] number of the thread whose span without a number is open; 0: none */
	struct arena_begin begin;   /* [T] when that span began */
	_Atomic uint32_t changing;  /* [T] a sequence lock: grows with each change of the next four; odd while one is being made */
	_Atomic uint64_t begins, begins_ns; /* [T] number of begins, and the sum of their virtual times; sums wrap */
	_Atomic uint64_t ends, ends_ns;     /* [T] */
	_Atomic uint64_t measured;  /* [T] ends whose begin was found */
	_Atomic uint64_t crossing;  /* [T] measured spans that began in another window */
	_Atomic int64_t virtual_ns; /* [T] sum of their lengths */
	_Atomic uint32_t bucket[BUCKETS]; /* [T] lengths */
};

/*
 * A place in code: number of its module in the high 16 bits, module-relative
 * offset in the low 48.  Module 0 stands for code outside all known modules: the offset
 * is then the address.
 */
enum { PLACE_MODULE_SHIFT = 48 };

static inline uint64_t arena_place(uint32_t module, uint64_t offset)
{
	return (uint64_t)module << PLACE_MODULE_SHIFT | (offset & ((1ull << PLACE_MODULE_SHIFT) - 1));
}

static inline uint32_t arena_module_of(uint64_t place)
{
	return (uint32_t)(place >> PLACE_MODULE_SHIFT);
}

static inline uint64_t arena_offset_of(uint64_t place)
{
	return place & ((1ull << PLACE_MODULE_SHIFT) - 1);
}

/* A progress point without a mark in the source: each execution of the code at this place is a visit. */
struct arena_break {
	uint64_t place;
	uint64_t semaphore;   /* place of the probe's semaphore, a 16-bit count of its observers (see lib/binary/probes.c); 0: none */
	uint32_t point;       /* number of the point, > 0 */
	uint64_t file_off;    /* of the instruction in that file: */
	char file[ARENA_FILE]; /* watched by a probe of the kernel (uprobe) in this file; "": by a breakpoint of the processor */
	_Atomic uint32_t call; /* > 0: watched only until calls of arena->call[call - 1] are counted */
	_Atomic uint32_t off; /* [A] BREAK_*: why it is no longer watched; 0: it is watched */
};

enum { BREAK_TOO_HOT = 1, BREAK_NEEDLESS };

/* Assumed cost of a hit where it could not be measured, in ns. */
enum { BREAK_UNMEASURED_NS = 20 * 1000 };

/* A value of break_errno beside real errnos: the machine accepts breakpoints, but never reports a hit. */
enum { BREAK_NEVER_HIT = -1 };

/* A function whose calls can be counted if it is in a library; see lib/runtime/redirect.c. */
struct arena_call {
	char name[ARENA_POINT_NAME];  /* [C] before the target is started; "": none */
	char library[ARENA_LIBRARY];  /* [C] the same: as library_is_called has it; "": any */
	_Atomic uint32_t point;       /* [C] number of the point; 0: its calls are not counted */
	_Atomic uint32_t slots;       /* [A] number of redirected slots through which it is called */
	_Atomic uint32_t seen;        /* [A] 1: calls have been counted */
	_Atomic uint64_t off;         /* [A] where it is in its module; before slots grows */
};

/*
 * Does a library's name of len bytes mean the file with this path?  A library may be
 * named by its file name, or by the part of that before any dot: libz.so.1.2 is also
 * "libz", "libz.so" and "libz.so.1".
 */
static inline bool library_is_called(const char *path, const char *name, size_t len)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

	return strncmp(file, name, len) == 0 && (file[len] == '\0' || file[len] == '.');
}

/*
 * System call instructions in the program's own file, for rawcall.c.  Offsets are virtual
 * addresses as the ELF file states them.
 */
enum { ARENA_RAWCALLS = 2 };

struct arena_rawcalls {
	uint64_t dev, ino; /* the file */
	uint64_t off[ARENA_RAWCALLS];
	uint32_t n;
};

/* [lo, hi), places. */
struct arena_range {
	uint64_t lo, hi;
};

/*
 * A range of code of one or more functions of a call path "a;b;c".  The stack is
 * searched from the innermost frame outwards.  If n functions of the path were still to
 * be found before a frame in [lo, hi), left[n] are still to be found after it.
 */
struct arena_link {
	uint64_t lo, hi; /* places */
	uint8_t left[ARENA_PATH + 1];
};

/*
 * The code of the region.  There are two of these, used in turn; the runtime uses the
 * one that `target` names.  Ranges are sorted by lo and disjoint.
 *
 * A sample is in the region when its innermost frame outside `passed` code is
 * in `range` (exclusive: line regions), or any of its frames is (inclusive:
 * function regions), or the thread was waiting in this way (class regions), or its
 * frames contain the whole call path, from its last function outwards; other frames may
 * stand between.  If the last element of the path is a line, it is found as a line
 * region is, unless `inclusive` is set.
 */
struct arena_target {
	uint32_t nranges;
	uint32_t inclusive;
	uint32_t class; /* enum arena_class; CLASS_CPU: not a class region */
	uint32_t path;  /* number of functions and lines of the call path in `link`; 0: not a call path */
	uint32_t nlinks;
	struct arena_range range[ARENA_RANGES];
	struct arena_link link[ARENA_LINKS]; /* sorted by lo, disjoint */
};

/*
 * Code in modules of the program's own that comes from elsewhere (templates,
 * header libraries): its samples are charged to the caller, as those of all
 * modules that are not its own.
 */
struct arena_scope {
	uint32_t npassed;
	struct arena_range passed[ARENA_RANGES];
};

/*
 * Where the modules of a process are mapped, and how to unwind them.  In these, `first` is
 * an index into the arena's rows, and `rows` is NULL.
 */
struct arena_modules {
	uint64_t base; /* address of the arena in the process when this was written; it differs after an exec, and all this is stale */
	uint32_t n;
	struct unwind_module module[ARENA_MODULES]; /* sorted by lo */
};

/*
 * One program in a process of the recording.  After an exec, the new program takes an
 * entry of its own.  Entries are taken by processes, and freed by the conductor alone.
 */
struct arena_process {
	_Alignas(64) _Atomic int32_t pid;         /* [A] as the recorder sees it; < 0: minus getpid(), where the recorder cannot; 0: free */
	_Atomic uint32_t id;         /* [A] 1.., in the order of joining; 0: the rest is not there yet */
	_Atomic int32_t parent;      /* [A] */
	_Atomic uint32_t left;       /* [A] 1: the process is another program by now */
	_Atomic uint64_t signals;    /* [A] the set of signals that have our handler, in the kernel's layout */
	_Atomic uint32_t withdraw;   /* [A] why it is not to be sampled any more: enum arena_withdrawal */
	_Atomic uint32_t attended;   /* [C] equals `id` once its modules have been searched for points and regions */
	_Atomic uint32_t forked;     /* [A] 1: it was forked by `parent`, which had the same modules */
	_Atomic uint64_t base;       /* [A] where it has mapped the arena */
	_Atomic uint64_t visits;     /* [A] visits of all points by threads that have ended */
	_Atomic uint32_t modules;    /* [C] which of its two sets of modules is valid; written by the process itself in a fork */
};

struct arena_sample {
	uint32_t nframes; /* >= 1 */
	uint16_t hit;     /* 1: counted as in the region of the current window */
	uint16_t class;   /* enum arena_class */
	uint32_t weight;  /* number of periods that the sample stands for */
	uint64_t place[ARENA_FRAMES]; /* place[0] is where the sample hit; then follow the return addresses, innermost first */
};

/* What a thread knows of its calls from one place that can wait. */
struct arena_site {
	uint64_t key;    /* the place; 0: free */
	int64_t mean_ns; /* mean length of its last waits.  A call that is known to have kept its processor counts as 0 */
	int32_t waits;   /* the part of its last calls that waited; 1 << 16: all */
};

/*
 * A wait that is on and is expected to be long.  The conductor credits it as time
 * passes.  `since` is set last and cleared first.
 */
struct arena_wait {
	_Atomic int64_t since;  /* [T] 0: none */
	_Atomic int64_t until;  /* [T] when a sleep will end; INT64_MAX: unknown */
	_Atomic int64_t base;   /* [T] min(D, G) as it began, or 0 */
	uint32_t outside;       /* [T] 1: the wait is expected to be for the outside */
	uint32_t weight;        /* [T] weight of the place; see arena_weight */
	struct arena_sample at; /* [T] the stack; `hit` and `class` too */
};

/* Something that a thread did in a burst; see struct burst_event. */
struct arena_event {
	int64_t at_ns, waited_ns;
	uint64_t site;          /* address in the thread's process; 0: not known */
	uint32_t object, other; /* the low half of a key; the number of a point or of a visit; for a sample, its index in the ring */
	uint16_t kind;          /* enum burst_kind, perhaps with BURST_ANY */
	uint16_t processor;     /* that it was noted on; see processor_here */
};

/* The events that the threads of one slot have noted in a burst, in order of time. */
struct arena_log {
	uint32_t thread;    /* [T] the slot's number, > 0 */
	_Atomic uint32_t n; /* [T] */
	struct arena_event event[ARENA_EVENTS]; /* [T] */
};

enum { SLOT_FREE, SLOT_UNBORN, SLOT_LIVE };

/* A thread.  Counters survive the thread and are never reset: the conductor works with differences. */
struct arena_thread {
	_Alignas(64) _Atomic uint32_t state; /* SLOT_*, for debugging */
	_Atomic uint32_t process;   /* [A] index of the thread's process */
	int32_t tid;
	uint32_t number;            /* [T] number of the thread, > 0 */
	_Atomic uint64_t visits_before; /* [A] visits of all points by earlier threads of the slot */
	uint64_t routine, arg;      /* for an unborn thread: the function that it will run, and its argument; of a forked child 0, and the number of its parent */
	int64_t ready_ns;           /* for an unborn thread: when it was created */
	uint64_t stack_bytes;       /* for an unborn thread: the size of its stack */
	uint64_t masked;            /* for an unborn thread: those of our signals that it inherits as blocked; see sample_signal.c */
	_Atomic uint64_t samples;   /* [T] */
	_Atomic uint64_t hits;      /* [T] samples in the region of the window that was current */
	_Atomic uint64_t sampled_ns; /* [T] periods of all samples, each as long as it was */
	_Atomic uint64_t own_ns;    /* [T] the same, of samples that hit the runtime; and what it took to begin in a forked child */
	_Atomic uint64_t worked_ns; /* [T] the same, of samples that hit neither it nor a thread that spins in a wait */
	_Atomic uint64_t paused_ns; /* [T] real time spent in pauses */
	_Atomic uint64_t lost;      /* [T] samples that found the ring full */
	_Atomic uint64_t waited_ns[CLASSES]; /* [T] real time in waits; [CLASS_CPU] is not used */
	_Atomic uint64_t absolute_ns; /* [T] waits for a moment of the clock, or for a tick, that cannot be put off */
	_Atomic uint64_t stranger_ns; /* [T] waits on channels whose other end is outside of the recording */
	struct vclock_account account; /* [T] */
	uint64_t learned_from;      /* [T] the routine of the threads from which `memory` and `site` were learned */
	uint32_t has_sites;         /* [T] 1: `site` is not empty */
	uint32_t log, log_window;   /* [T] number of the slot's arena_log, and the window (a burst) that it is for; 0: no log was left */
	struct arena_wait wait;     /* [T] */
	struct arena_site site[ARENA_SITES]; /* [T] */
	uint16_t spans[ARENA_POINTS]; /* [T] number of the slot's arena_spans for the point, > 0; 0: none yet */
	struct vclock_memory memory; /* [T] */
	_Alignas(64) _Atomic uint32_t ring_head; /* [T] next to write */
	_Atomic uint32_t ring_tail;              /* [C] next to read */
	struct arena_sample ring[ARENA_RING];
};

/* Pieces that are mapped by themselves. */
struct arena_modules_piece {
	_Alignas(ARENA_PAGE) struct arena_modules set[2]; /* [C] modules of one process; the two take turns */
};

struct arena_spans_piece {
	_Alignas(ARENA_PAGE) struct arena_spans at[ARENA_SPANS_PIECE];
};

struct arena_log_piece {
	_Alignas(ARENA_PAGE) struct arena_log log;
};

struct arena_threads_piece {
	_Alignas(ARENA_PAGE) struct arena_thread slot[ARENA_THREADS_PIECE];
};

/*
 * Parts of the arena that a process maps when it needs them.  To add a part, add a
 * member in front of the last one, and a function to lib/runtime/reach.c.  The last
 * part is the largest.  It is cut short where the recorder's limits on memory or file
 * size demand it.
 */
struct arena_parts {
	struct arena_modules_piece modules[ARENA_PROCESSES];         /* a process maps its own, as it joins */
	struct arena_spans_piece spans[ARENA_SPANS / ARENA_SPANS_PIECE]; /* as spans are measured */
	struct arena_log_piece log[ARENA_LOGS];                      /* as events are noted */
	_Alignas(ARENA_PAGE) struct unwind_row row[ARENA_ROWS];      /* [C] only appended to; rows of a module are added when its code is first met */
	struct arena_threads_piece threads[ARENA_THREADS / ARENA_THREADS_PIECE]; /* as threads begin */
};

struct arena {
	uint32_t magic;
	uint32_t size_check;        /* sizeof(struct arena), truncated: as magic */
	_Atomic uint32_t news;      /* [A] futex: changes when a process has joined, or has anything else to look at */
	_Atomic int32_t pid;        /* [A] the first process to report in; 0 until then */
	_Atomic uint32_t runtime;   /* [A] RUNTIME_* */
	_Atomic uint32_t sampler;   /* [A] SAMPLER_* in use */
	_Atomic int32_t sampler_errno; /* [A] why perf was refused, or 0 */
	_Atomic uint32_t kernel_sampled;   /* [A] 1: time in the kernel is sampled too; 0: that is skipped */
	_Atomic uint32_t processes_used; /* [A] highest entry ever taken, plus one */
	_Atomic uint32_t joined;         /* [A] processes that have ever joined: the id of the last one */
	_Atomic uint32_t farewell;       /* [A] 1: some process has ended by itself, not by a signal */
	_Atomic uint32_t switches;       /* [A] does the kernel tell threads that they have given up their processor?  See switched.c; 0: untried */
	uint32_t run;                    /* [C] number of the run; the environment of its processes names it too */
	_Atomic uint32_t processes_refused; /* [A] processes that found no free entry */
	_Atomic uint32_t unknown_code;   /* [A] samples outside all known modules; makes the conductor read the mappings again */
	_Atomic uint32_t serial;         /* [A] the last serial number given to objects without a name (socket pairs, shared memory) */
	uint32_t want_sampler;      /* [C] SAMPLER_* to use, 0 = perf, else timer */
	uint64_t period_ns;         /* [C] processor time that a sample in the log stands for: clock.period_ns, or a multiple of it */
	uint64_t seed;              /* [C] for random numbers, such as the jitter of the period */
	uint32_t threads_most;      /* [C] number of slots, <= ARENA_THREADS */
	uint32_t attend_first;      /* [C] 1: a new program does not begin until the conductor has searched its modules */
	_Atomic uint32_t main_slot; /* [A] number (> 0) of the main thread of the command */
	_Atomic int64_t main_began_ns;  /* [A] when that thread entered its program */
	_Atomic int64_t main_waited_ns; /* [A] how long it has waited since then for the conductor (after an exec) */

	struct vclock_world clock; /* the window, and all accounts in common */

	/* The rest of the window. */
	_Alignas(64) _Atomic uint32_t target; /* [C] index into targets */
	_Atomic uint32_t scope;               /* [C] index into scopes */
	_Atomic uint32_t weights[4];          /* [C] see arena_weight */
	_Atomic int64_t expires_ns;           /* [C] if this time has passed, the recorder is dead; a live one sets it later again and again */
	_Atomic uint32_t control;             /* [A] whether experiments are on or stopped; see arena_control */
	_Atomic int64_t control_ns;           /* [A] when that was last changed */

	_Alignas(64) _Atomic uint32_t threads_used; /* [A] highest slot ever taken, plus one */
	_Atomic uint64_t threads_free;              /* [A] stack of slots that threads have left; see thread.c */
	_Atomic uint32_t next_free[ARENA_THREADS];  /* [A] for a free slot: number of the next free one; 0: none */
	_Atomic uint8_t waits[ARENA_THREADS];       /* [T] 1: the thread's `wait` may be on.  Other threads need no frequent look of the conductor */
	_Atomic uint32_t ticking;                   /* [C] 1: the conductor looks at waits often */
	_Atomic uint32_t threads_refused;           /* [A] threads that found no slot, or could not be sampled */
	_Atomic uint32_t sealed;                    /* [A] 1: a seccomp filter of the program forbids system calls that the runtime needs */
	_Atomic uint32_t withdrawn;                 /* [A] why some process is not sampled any more: enum arena_withdrawal */
	_Atomic uint32_t points_used;               /* [A] */
	_Atomic uint32_t points_lock;               /* [A] taken while a point is added */
	_Atomic uint32_t moved[MOVED_KINDS];        /* [C] numbers of the automatic points; 0: not counted */

	uint32_t want_breaks;                       /* [C] 1: breakpoints will be asked for, so measure what a hit costs */
	_Atomic uint32_t breaks_used;               /* [C] */
	_Atomic uint32_t breaks_version;            /* [A] grows when a breakpoint is added or given up */
	_Atomic uint64_t break_cost_ns;             /* [A] cost of one hit; 0: not measured */
	uint32_t uprobe_type;                       /* [C] perf's type number of the kernel's probes; 0: there are none */
	_Atomic int32_t break_errno;                /* [A] why a breakpoint was refused, or BREAK_NEVER_HIT, or 0 */

	struct arena_rawcalls rawcalls;             /* [C] raw calls in the command's file, set before it is started */
	struct arena_break brk[ARENA_BREAKS];       /* [C] */
	struct arena_call call[ARENA_CALLS];
	struct arena_point point[ARENA_POINTS];
	_Atomic uint32_t spans_used;                /* [A] */
	struct arena_numbered numbered[ARENA_NUMBERED]; /* [A] */
	_Atomic uint32_t logs_used;                 /* [A] logs asked for in this burst; may exceed the number of logs */
	_Atomic int64_t cut_ns;                     /* [A] when the first event found no room; 0: all found room */
	_Alignas(64) _Atomic uint64_t visits[ARENA_THREADS][ARENA_POINTS]; /* [T] by slot and by point */
	struct arena_target targets[2];
	struct arena_target givens[2];          /* code that is taken to be faster in all windows (--given); same index as targets */
	struct arena_scope scopes[2];
	struct arena_process process[ARENA_PROCESSES];
	char command[ARENA_PROCESSES][ARENA_COMMAND]; /* [A] the command of each process: words separated by blanks, cut to the size */
	struct arena_parts parts;
};

/* The size of what every process maps: all members before the parts. */
#define ARENA_SHARED_BYTES offsetof(struct arena, parts)

/* The size of an arena with so many slots, a multiple of ARENA_THREADS_PIECE. */
static inline uint64_t arena_bytes(uint32_t threads)
{
	return offsetof(struct arena, parts.threads) + threads / ARENA_THREADS_PIECE * sizeof(struct arena_threads_piece);
}

/* How many points there are.  Never more than ARENA_POINTS, even if the target has overwritten the number. */
static inline uint32_t arena_points(const struct arena *a)
{
	/* Pairs with the release in arena_add_point: names of all counted points are complete. */
	uint32_t n = atomic_load_explicit(&a->points_used, memory_order_acquire);

	return n < ARENA_POINTS ? n : ARENA_POINTS;
}

/*
 * The number (> 0) of the point of that kind called `name`, which is made if there is
 * none; -1 when there is no room.  Recorder and target call this once for each point,
 * so a spin lock held for a copy of 96 bytes is enough.  Async-signal-safe but for the
 * lock.  A process that is killed while it holds the lock never frees it; so after
 * ARENA_PATIENCE turns the lock counts as abandoned, and is broken.
 */
static inline int arena_add_point(struct arena *a, const char *name, enum point_kind kind)
{
	uint32_t unlocked, n, i, patience = ARENA_PATIENCE;

	do {
		unlocked = 0;
	} while (patience-- > 0 &&
		 !atomic_compare_exchange_weak_explicit(&a->points_lock, &unlocked, 1, memory_order_acquire, memory_order_relaxed));
	n = arena_points(a);
	for (i = 0; i < n; i++)
		if (a->point[i].kind == kind && strncmp(a->point[i].name, name, ARENA_POINT_NAME - 1) == 0)
			break;
	if (i == n && n < ARENA_POINTS) {
		a->point[n].kind = kind;
		strncpy(a->point[n].name, name, ARENA_POINT_NAME - 1);
		/* Pairs with the acquires of points_used: the name is complete before the point counts. */
		atomic_store_explicit(&a->points_used, n + 1, memory_order_release);
	}
	atomic_store_explicit(&a->points_lock, 0, memory_order_release);
	return i < ARENA_POINTS ? (int)i + 1 : -1;
}

/*
 * Free slots form a stack, so that the slot of the thread that ended last, still warm
 * in the cache, is used next.  The word holds the number of the top slot (0: empty),
 * and in its upper half a count of pushes, against the ABA problem.
 */
static inline uint64_t arena_with_top(uint64_t word, uint32_t top)
{
	return ((word >> 32) + 1) << 32 | top;
}

/* Visits of all points that have been counted in the slot of that index.  Points that count bytes are left out. */
static inline uint64_t arena_visits(const struct arena *a, uint32_t slot)
{
	uint32_t n = arena_points(a);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		if (a->point[i].kind != POINT_AUTOMATIC)
			sum += atomic_load_explicit(&a->visits[slot][i], memory_order_relaxed);
	return sum;
}

/* Puts the slot of that index onto the stack of those that are free. */
static inline void arena_push_slot(struct arena *a, uint32_t slot)
{
	uint64_t word = atomic_load_explicit(&a->threads_free, memory_order_relaxed);

	do {
		atomic_store_explicit(&a->next_free[slot], (uint32_t)word, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(&a->threads_free, &word, arena_with_top(word, slot + 1),
							memory_order_release, memory_order_relaxed));
}

/*
 * Gives back the slot t of that index.  Called by its thread, or by the conductor when the
 * thread's process is dead.
 */
static inline void arena_free_slot(struct arena *a, struct arena_thread *t, uint32_t slot)
{
	uint32_t of = atomic_load_explicit(&t->process, memory_order_relaxed);
	uint64_t visits = arena_visits(a, slot) - atomic_load_explicit(&t->visits_before, memory_order_relaxed);

	if (visits)
		atomic_fetch_add_explicit(&a->process[of % ARENA_PROCESSES].visits, visits, memory_order_relaxed);
	/* A thread that was cancelled or killed in a wait waits no more. */
	atomic_store_explicit(&a->waits[slot], 0, memory_order_relaxed);
	atomic_store_explicit(&t->wait.since, 0, memory_order_relaxed);
	atomic_store_explicit(&t->state, SLOT_FREE, memory_order_relaxed);
	arena_push_slot(a, slot);
}

/*
 * Stops experiments, or starts them again; the conductor follows within milliseconds.
 * Any thread of any process may call this, and so may the user, by a signal to the
 * recorder; the last call counts.  The word contains a count of changes, so that the
 * conductor notices a window in which experiments were stopped and started again.
 * Returns whether the state has changed.  Async-signal-safe.
 */
static inline bool arena_control(struct arena *a, bool stop, int64_t now_ns)
{
	uint32_t word = atomic_load_explicit(&a->control, memory_order_relaxed);

	do {
		if ((word & 1) == stop)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&a->control, &word, word + 1, memory_order_release, memory_order_relaxed));
	atomic_store_explicit(&a->control_ns, now_ns, memory_order_relaxed);
	return true;
}

/*
 * The weight of time at a place: its credit relative to `speedup`, 0 .. 1 << 16.  It
 * depends on whether the place is in the region that is tried, and whether it is in the
 * given region (--given).
 */
static inline uint32_t arena_weight(const struct arena *a, bool tried, bool given)
{
	return atomic_load_explicit(&a->weights[(unsigned)tried | (unsigned)given << 1], memory_order_relaxed);
}

/* Is the place in one of r[0..n)?  Never more than ARENA_RANGES of them. */
static inline bool arena_in_ranges(const struct arena_range *r, uint32_t n, uint64_t place)
{
	uint32_t lo = 0, hi = n < ARENA_RANGES ? n : ARENA_RANGES;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (place < r[mid].lo)
			hi = mid;
		else if (place >= r[mid].hi)
			lo = mid + 1;
		else
			return true;
	}
	return false;
}

/*
 * How many functions of a call path are still to be found after a frame at `place`, if `left` were
 * before it.  Safe for any content of the links, since the target may overwrite them.
 */
static inline uint32_t arena_path_left(const struct arena_link *link, size_t nlinks, uint32_t left, uint64_t place)
{
	size_t lo = 0, hi = nlinks < ARENA_LINKS ? nlinks : ARENA_LINKS;

	if (left > ARENA_PATH)
		return left;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (place < link[mid].lo)
			hi = mid;
		else if (place >= link[mid].hi)
			lo = mid + 1;
		else
			return link[mid].left[left] < left ? link[mid].left[left] : left;
	}
	return left;
}

/* Is there a conductor?  A live one renews its promise to be there for some more seconds. */
static inline bool arena_is_conducted(const struct arena *a, int64_t now)
{
	return now < atomic_load_explicit(&a->expires_ns, memory_order_relaxed);
}

#endif
