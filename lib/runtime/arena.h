/*
 * arena: the memory that andweorc-record and the runtime share.
 *
 * One sparse memfd; only pages that are touched cost memory.  The recorder
 * creates it, decides, and reads; the runtime in the target counts, credits and
 * pauses.  Because every number lives here, a target that crashes, is killed or
 * calls _exit loses nothing that was measured.
 *
 * Address space is scarce in a target that limits it, or that locks what it has
 * mapped.  So the target maps what all of it needs at once (up to `parts`), and
 * of the parts only what it uses, when it does (lib/runtime/reach.c).  The
 * recorder maps the whole.  It trusts nothing that it reads here: indices and
 * counts go through lib/recorder/shared.h.
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
	ARENA_MAGIC = 0x61774d10, /* changes with the layout: a runtime of another build stays inert */
	ARENA_PROCESSES = 1024,   /* at a time; further ones run unprofiled */
	ARENA_THREADS = 4096,     /* slots of all processes, at most; further threads run unprofiled */
	ARENA_THREADS_PIECE = 4,  /* so many slots are mapped at a time */
	ARENA_SPANS_PIECE = 16,   /* the same of struct arena_spans */
	ARENA_POINTS = 64,
	ARENA_BREAKS = 8,         /* places that are watched; each takes 32 bytes of the stack of each thread; */
	BREAK_REGISTERS = 4,      /* so many of them by debug registers of x86-64, the others by probes of the kernel */
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
	ARENA_LINKS = 2048,       /* address ranges of one */
	ARENA_MODULES = 512,      /* modules of a process */
	ARENA_ROWS = 6 << 20,     /* unwind rows of all modules */
	ARENA_AHEAD_NS = 2000000, /* by how much credits of sleeps run ahead of them */
	ARENA_SITES = 64,         /* places of waiting that a thread remembers; a power of two */
	ARENA_SPANS = 1 << 11,    /* threads that measure spans, times points; further ones only count them */
	ARENA_NUMBERED = 1 << 14, /* spans with numbers that are open at a time; a power of two */
	ARENA_EVENTS = 1 << 14,   /* that a thread notes in a burst */
	ARENA_LOGS = 64,          /* threads that note some */
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

/* If nothing is heard of the recorder for so long, it is gone: nothing is sped up, and nobody waits for it. */
#define ARENA_ALIVE_NS 3000000000ll

/* Why a process is not sampled any more; a bit each. */
enum arena_withdrawal {
	WITHDRAWN_HANDLER = 1, /* it has taken the handler of a signal of ours past libc */
	WITHDRAWN_TRACED = 2,  /* somebody traces it, and would be told of each sample */
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

/* The phases of a window.  `window` holds number << 2 | phase, so that one load tells both. */
enum {
	PHASE_IDLE,   /* visits only count */
	PHASE_OPEN,   /* the next visit of each point opens its count */
	PHASE_CLOSE,  /* the next visit of each point closes it */
	PHASE_BURST,  /* nothing is measured: threads note what they do to each other */
};

/* How a point is come to; points of one name and different kinds are different points. */
enum point_kind {
	POINT_THROUGHPUT, /* ANDWEORC_PROGRESS, COZ_PROGRESS: one visit, one unit of work */
	POINT_LATENCY,    /* ANDWEORC_BEGIN and ANDWEORC_END, COZ_BEGIN and COZ_END: a visit is an end */
	POINT_BREAK,      /* a place in code (-P) */
	POINT_CALL,       /* a function of a library, counted where it is called (-P) */
	POINT_AUTOMATIC,  /* nothing that the program marks: enum arena_moved, and processor time (":work") */
};

/* Progress of a program without marks: what moves through descriptors, and what libraries for parallel programs have done. */
enum arena_moved {
	MOVED_OUTPUT,  /* bytes written to files, pipes, sockets, terminals */
	MOVED_INPUT,   /* bytes read */
	MOVED_REPLIES, /* how often something was written to a descriptor that had been read from before */
	MOVED_UNASKED, /* those before are looked for where nothing is marked; these are not: */
	MOVED_PARALLEL = MOVED_UNASKED, /* parallel regions of OpenMP that have ended, but for those inside of others */
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
	uint64_t backoff;                    /* of no use to anybody */
};

/* One progress point.  Visits are counted by each thread for itself; here is what windows need. */
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
	uint64_t open_begins, close_begins; /* [C] of latency points: begins.count then */
	struct arena_counter ends, begins; /* begins: of latency points alone; also those that found no arena_spans */
};

/* The begin of a span, on two clocks. */
struct arena_begin {
	_Atomic int64_t own_ns;  /* virtual time of the thread that was there */
	_Atomic int64_t even_ns; /* that of a thread that owed nothing */
	_Atomic uint32_t window; /* in which it was */
};

/* A span with a number, while it is open: whoever ends it finds it here. */
struct arena_numbered {
	_Atomic uint64_t key; /* [A] of point, process and number; 0: free */
	struct arena_begin begin; /* [A] */
};

/* The spans of one point that threads of one slot have begun, and those that they have ended; see lib/runtime/span.c. */
struct arena_spans {
	_Alignas(64) _Atomic uint32_t point; /* [T] number of the point, > 0 */
	int32_t tid;                /* [T] whose span without a number is open; 0: none is */
	struct arena_begin begin;   /* [T] of that */
	_Atomic uint32_t changing;  /* [T] odd: the next four are being changed; it grows with each change */
	_Atomic uint64_t begins, begins_ns; /* [T] how many, and the sum of the virtual times at which; sums wrap */
	_Atomic uint64_t ends, ends_ns;     /* [T] */
	_Atomic uint64_t measured;  /* [T] ends whose begin was found */
	_Atomic uint64_t crossing;  /* [T] of these, begun in another window */
	_Atomic int64_t virtual_ns; /* [T] sum of their lengths */
	_Atomic uint32_t bucket[BUCKETS]; /* [T] lengths */
};

/*
 * A place in code: number of its module in the high 16 bits, module-relative
 * offset in the low 48.  Module 0: the code of no module that is known, the
 * offset is its address.
 */
enum { PLACE_MODULE_SHIFT = 48 };

static inline uint64_t arena_place(uint32_t module, uint64_t offset)
{
	return (uint64_t)module << PLACE_MODULE_SHIFT | (offset & ((1ull << PLACE_MODULE_SHIFT) - 1));
}

/* A progress point that stands in no source: a place whose execution is a visit. */
struct arena_break {
	uint64_t place;
	uint64_t semaphore;   /* place of a counter, of 16 bits, of those who watch it (see lib/binary/probes.c); 0: none */
	uint32_t point;       /* number of the point, > 0 */
	uint64_t file_off;    /* of the instruction in that file: */
	char file[ARENA_FILE]; /* watched by a probe of the kernel (uprobe) in this file; "": by a register of the processor */
	_Atomic uint32_t call; /* > 0: only as long as no call of arena->call[call - 1] is seen */
	_Atomic uint32_t off; /* [A] BREAK_*: why nobody watches it any more; 0: it is watched */
};

enum { BREAK_TOO_HOT = 1, BREAK_NEEDLESS };

/* What a hit is taken to cost where that could not be measured, in ns. */
enum { BREAK_UNMEASURED_NS = 20 * 1000 };

/* In the place of an errno (break_errno): breakpoints are taken, and never hit. */
enum { BREAK_NEVER_HIT = -1 };

/* A function that may be one of a library, so that its calls can be counted; see lib/runtime/redirect.c. */
struct arena_call {
	char name[ARENA_POINT_NAME];  /* [C] before the target is started; "": none */
	char library[ARENA_LIBRARY];  /* [C] the same: as library_is_called has it; "": any */
	_Atomic uint32_t point;       /* [C] number of the point; 0: its calls are not counted */
	_Atomic uint32_t slots;       /* [A] through which it is called */
	_Atomic uint32_t seen;        /* [A] 1: calls have been counted */
	_Atomic uint64_t off;         /* [A] where it is in its module; before slots grows */
};

/*
 * Is the file, by its path, what a name of len bytes stands for?  That is the name
 * of the file, or its begin up to a dot: libz.so.1.2 is "libz", "libz.so" and
 * "libz.so.1".
 */
static inline bool library_is_called(const char *path, const char *name, size_t len)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

	return strncmp(file, name, len) == 0 && (file[len] == '\0' || file[len] == '.');
}

/* Where a program makes system calls past libc, for rawcall.c; offsets in its file's own terms. */
enum { ARENA_RAWCALLS = 2 };

struct arena_rawcalls {
	uint64_t dev, ino; /* of the file */
	uint64_t off[ARENA_RAWCALLS];
	uint32_t n;
};

/* [lo, hi), places. */
struct arena_range {
	uint64_t lo, hi;
};

/*
 * Of a call path "a;b;c": [lo, hi) holds code of some of these.  Where n of them
 * are still to be found on the stack, those further in having been, left[n] are
 * behind a frame that is here.
 */
struct arena_link {
	uint64_t lo, hi; /* places */
	uint8_t left[ARENA_PATH + 1];
};

/*
 * What counts as "in the region".  Two of these take turns; the runtime uses
 * the one that `target` names.  Sorted by lo, disjoint.
 *
 * A sample is in the region when its innermost frame outside `passed` code is
 * in `range` (exclusive: line regions), or any of its frames is (inclusive:
 * function regions), or the thread was waiting in this way (class regions), or
 * its frames have all of a call path, from the last function outwards, with
 * whatever else between them.  Is the last of the path a line, then it is found as
 * a line region is, if not `inclusive`.
 */
struct arena_target {
	uint32_t nranges;
	uint32_t inclusive;
	uint32_t class; /* enum arena_class; CLASS_CPU: not a class region */
	uint32_t path;  /* so many functions and lines that `link` is of; 0: not a call path */
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

/* Where a process has its modules, and how to unwind them: `first` counts in the arena's rows, `rows` is NULL. */
struct arena_modules {
	uint64_t base; /* where it had mapped the arena as this was written: after an exec the addresses are stale */
	uint32_t n;
	struct unwind_module module[ARENA_MODULES]; /* sorted by lo */
};

/*
 * A process of the recording: one program in it, for what exec makes of it joins
 * anew.  Entries are taken by processes, and freed by the conductor alone.
 */
struct arena_process {
	_Alignas(64) _Atomic int32_t pid;         /* [A] for the recorder; < 0: it cannot see the process, whose own number this is; 0: free */
	_Atomic uint32_t id;         /* [A] 1.., in the order of joining; 0: the rest is not there yet */
	_Atomic int32_t parent;      /* [A] */
	_Atomic uint32_t left;       /* [A] 1: the process is another program by now */
	_Atomic uint64_t signals;    /* [A] that have our handler there, as the kernel has sets */
	_Atomic uint32_t withdraw;   /* [A] it is to do without samples: enum arena_withdrawal */
	_Atomic uint32_t attended;   /* [C] `id`, once its modules have been searched for what was asked for */
	_Atomic uint64_t base;       /* [A] where it has mapped the arena */
	_Atomic uint64_t visits;     /* [A] of all points, by those of its threads that have ended */
	_Atomic uint32_t modules;    /* [C] index into its modules; by the process itself while it is being forked */
};

struct arena_sample {
	uint32_t nframes; /* >= 1 */
	uint16_t hit;     /* 1: counted as in the region of the current window */
	uint16_t class;   /* enum arena_class */
	uint32_t weight;  /* periods that it stands for */
	uint64_t place[ARENA_FRAMES]; /* place[0] where the sample hit; then the calls that led there */
};

/* How long a thread waits at one place, on average. */
struct arena_site {
	uint64_t key;    /* where the wait was called from; 0: free */
	int64_t mean_ns;
};

/*
 * A wait that is expected to be long, while it lasts: the conductor credits it as
 * time passes.  `since` is set last and cleared first.
 */
struct arena_wait {
	_Atomic int64_t since;  /* [T] 0: none */
	_Atomic int64_t until;  /* [T] when a sleep will end; INT64_MAX: unknown */
	_Atomic int64_t base;   /* [T] min(D, G) as it began, or 0 */
	uint32_t outside;       /* [T] 1: waits for no thread of the recording, as far as is known */
	uint32_t weight;        /* [T] of the place; see arena_weight */
	struct arena_sample at; /* [T] the stack; `hit` and `class` too */
};

/* Something that a thread did in a burst; see struct burst_event. */
struct arena_event {
	int64_t at_ns, waited_ns;
	uint64_t site;          /* address in the thread's process; 0: not known */
	uint32_t object, other; /* the low half of a key; a number (of a point, a visit); of a sample, where it is in the ring */
	uint32_t kind;          /* enum burst_kind */
};

/* The events of the threads that had one slot, one after the other, in a burst. */
struct arena_log {
	uint32_t thread;    /* [T] the slot's number, > 0 */
	_Atomic uint32_t n; /* [T] */
	struct arena_event event[ARENA_EVENTS]; /* [T] */
};

enum { SLOT_FREE, SLOT_UNBORN, SLOT_LIVE };

/* A thread.  Counters survive the thread and are never reset: the conductor works with differences. */
struct arena_thread {
	_Alignas(64) _Atomic uint32_t state; /* SLOT_*, for people who look */
	_Atomic uint32_t process;   /* [A] index of the thread's process */
	int32_t tid;
	uint32_t number;            /* [T] of the slot, > 0 */
	_Atomic uint64_t visits_before; /* [A] of all points, by those that had the slot before */
	uint64_t routine, arg;      /* of a thread that is unborn: what it will run, */
	int64_t ready_ns;           /* since when, */
	uint64_t stack_bytes;       /* and on how large a stack, */
	uint64_t masked;            /* and which of our signals it will believe to have blocked; see sample_signal.c */
	_Atomic uint64_t samples;   /* [T] */
	_Atomic uint64_t hits;      /* [T] samples in the region of the window that was current */
	_Atomic uint64_t sampled_ns; /* [T] periods of all samples, each as long as it was */
	_Atomic uint64_t worked_ns; /* [T] the same without those of spinning in a wait */
	_Atomic uint64_t paused_ns; /* [T] real time spent in pauses */
	_Atomic uint64_t lost;      /* [T] samples that found the ring full */
	_Atomic uint64_t waited_ns[CLASSES]; /* [T] real time in waits; [CLASS_CPU] is not used */
	_Atomic uint64_t absolute_ns; /* [T] of these, until a moment of the wall clock */
	_Atomic uint64_t stranger_ns; /* [T] of these, on channels whose other end nobody of the recording has */
	struct vclock_account account; /* [T] */
	uint64_t learned_from;      /* [T] `memory` and `site` hold what threads with this routine have learned, one after the other */
	uint32_t has_sites;         /* [T] 1: `site` is not empty */
	uint32_t log, log_window;   /* [T] number of the slot's arena_log in the burst that is that window; 0: there was none left */
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
	_Alignas(ARENA_PAGE) struct arena_modules set[2]; /* [C] of one process; the two take turns */
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
 * What a process maps as it needs it.  A new part is a member here, in front of
 * the last one, and a function of lib/runtime/reach.c.  The last one is the largest:
 * where the recorder may have less memory, or smaller files, it is cut short.
 */
struct arena_parts {
	struct arena_modules_piece modules[ARENA_PROCESSES];         /* a process maps its own, as it joins */
	struct arena_spans_piece spans[ARENA_SPANS / ARENA_SPANS_PIECE]; /* as spans are measured */
	struct arena_log_piece log[ARENA_LOGS];                      /* as events are noted */
	_Alignas(ARENA_PAGE) struct unwind_row row[ARENA_ROWS];      /* [C] appended to, what a set refers to stays; those of a module, as its code is met */
	struct arena_threads_piece threads[ARENA_THREADS / ARENA_THREADS_PIECE]; /* as threads begin */
};

struct arena {
	uint32_t magic;
	uint32_t size_check;        /* sizeof(struct arena), truncated: as magic */
	_Atomic uint32_t news;      /* [A] futex: changes when a process has joined, or a module is unknown */
	_Atomic int32_t pid;        /* [A] the first process to report in; 0 until then */
	_Atomic uint32_t runtime;   /* [A] RUNTIME_* */
	_Atomic uint32_t sampler;   /* [A] SAMPLER_* in use */
	_Atomic int32_t sampler_errno; /* [A] why perf was refused, or 0 */
	_Atomic uint32_t kernel_sampled;   /* [A] 1: time in the kernel is sampled too; 0: that is skipped */
	_Atomic uint32_t processes_used; /* [A] highest entry ever taken, plus one */
	_Atomic uint32_t joined;         /* [A] processes that have ever joined: the id of the last one */
	_Atomic uint32_t farewell;       /* [A] 1: a process has come to its own end, not to an exec or a signal */
	uint32_t run;                    /* [C] number of the run, which the environment of its processes names too */
	_Atomic uint32_t processes_refused; /* [A] that found no entry */
	_Atomic uint32_t unknown_code;   /* [A] samples in code of no module that is known: time to look again */
	_Atomic uint32_t serial;         /* [A] for things that have no name of their own (socket pairs, shared memory) */
	uint32_t want_sampler;      /* [C] SAMPLER_* to use, 0 = perf, else timer */
	uint64_t seed;              /* [C] for the jitter of the period */
	uint32_t threads_most;      /* [C] slots that there are, <= ARENA_THREADS */
	uint32_t attend_first;      /* [C] 1: a program waits with its first instruction until it has been attended to */
	_Atomic uint32_t main_slot; /* [A] of the thread that the recorder has started: its number, > 0 */
	_Atomic int64_t main_began_ns;  /* [A] when it began with its program */
	_Atomic int64_t main_waited_ns; /* [A] and waited to be attended to since then (after an exec) */

	struct vclock_world clock; /* the window, and all accounts in common */

	/* The rest of the window. */
	_Alignas(64) _Atomic uint32_t target; /* [C] index into targets */
	_Atomic uint32_t scope;               /* [C] index into scopes */
	_Atomic uint32_t weights[4];          /* [C] see arena_weight */
	_Atomic int64_t expires_ns;           /* [C] the recorder is gone if this has passed; it postpones that always */
	_Atomic uint32_t control;             /* [A] experiments are on, or stopped; see arena_control */
	_Atomic int64_t control_ns;           /* [A] when that was last changed */

	_Alignas(64) _Atomic uint32_t threads_used; /* [A] highest slot ever taken, plus one */
	_Atomic uint64_t threads_free;              /* [A] stack of slots that threads have left; see thread.c */
	_Atomic uint32_t next_free[ARENA_THREADS];  /* [A] of a free slot: number of the next one, 0: none */
	_Atomic uint8_t waits[ARENA_THREADS];       /* [T] 1: the thread's `wait` may be on; all that the conductor must look at often */
	_Atomic uint32_t ticking;                   /* [C] 1: the conductor looks at waits often */
	_Atomic uint32_t threads_refused;           /* [A] threads that found no slot, or could not be sampled */
	_Atomic uint32_t sealed;                    /* [A] 1: a seccomp filter of the program's forbids what the runtime needs */
	_Atomic uint32_t withdrawn;                 /* [A] why some process is not sampled any more: enum arena_withdrawal */
	_Atomic uint32_t points_used;               /* [A] */
	_Atomic uint32_t points_lock;               /* [A] taken while a point is added */
	_Atomic uint32_t moved[MOVED_KINDS];        /* [C] numbers of the points that count what moves; 0: nobody wants to know */

	uint32_t want_breaks;                       /* [C] 1: breakpoints will be asked for, so measure what a hit costs */
	_Atomic uint32_t breaks_used;               /* [C] */
	_Atomic uint32_t breaks_version;            /* [A] grows with breaks_used, and when one is given up */
	_Atomic uint64_t break_cost_ns;             /* [A] of one hit; 0: not measured */
	uint32_t uprobe_type;                       /* [C] perf's number for probes of the kernel; 0: there are none */
	_Atomic int32_t break_errno;                /* [A] why a breakpoint was refused, or BREAK_NEVER_HIT, or 0 */

	struct arena_rawcalls rawcalls;             /* [C] of the command's file, before it is started */
	struct arena_break brk[ARENA_BREAKS];       /* [C] */
	struct arena_call call[ARENA_CALLS];
	struct arena_point point[ARENA_POINTS];
	_Atomic uint32_t spans_used;                /* [A] */
	struct arena_numbered numbered[ARENA_NUMBERED]; /* [A] */
	_Atomic uint32_t logs_used;                 /* [A] in this burst; maybe more than there are */
	_Atomic int64_t cut_ns;                     /* [A] when the first event found no room; 0: all did */
	_Alignas(64) _Atomic uint64_t visits[ARENA_THREADS][ARENA_POINTS]; /* [T] of each slot, of each point */
	struct arena_target targets[2];
	struct arena_target givens[2];          /* what is faster in all windows; the same index */
	struct arena_scope scopes[2];
	struct arena_process process[ARENA_PROCESSES];
	char command[ARENA_PROCESSES][ARENA_COMMAND]; /* [A] of each: words separated by blanks; cut where it is longer */
	struct arena_parts parts;
};

/* The size of what every process maps: all members before the parts. */
#define ARENA_SHARED_BYTES offsetof(struct arena, parts)

/* With fewer slots than there could be, of which some always fill a piece. */
static inline uint64_t arena_bytes(uint32_t threads)
{
	return offsetof(struct arena, parts.threads) + threads / ARENA_THREADS_PIECE * sizeof(struct arena_threads_piece);
}

/* How many points there are; also when something else has been written there. */
static inline uint32_t arena_points(const struct arena *a)
{
	/* Pairs with the release in arena_add_point: their names are there. */
	uint32_t n = atomic_load_explicit(&a->points_used, memory_order_acquire);

	return n < ARENA_POINTS ? n : ARENA_POINTS;
}

/*
 * The number (> 0) of the point of that kind called `name`, which is made when it
 * is new; -1 when there is no room.  Called by both sides, once for each point: a
 * spin lock held for a copy of 96 bytes is enough.  Async-signal-safe but for the
 * lock.  A process that is killed while it holds it keeps it; nobody waits for that
 * for ever.
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
		/* Pairs with the acquires of points_used: the name is there before the point is. */
		atomic_store_explicit(&a->points_used, n + 1, memory_order_release);
	}
	atomic_store_explicit(&a->points_lock, 0, memory_order_release);
	return i < ARENA_POINTS ? (int)i + 1 : -1;
}

/*
 * Free slots form a stack, so that the slot of the thread that ended last, still
 * warm, is the next to be used.  The word holds the number of its top (0: empty)
 * and above that a count of pushes, which tells a top that went and came back
 * from one that stayed.
 */
static inline uint64_t arena_with_top(uint64_t word, uint32_t top)
{
	return ((word >> 32) + 1) << 32 | top;
}

/* Visits of all points that have been counted in the slot of that index; bytes are no visits. */
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

/* Gives the slot of that index, t, back.  By its thread, or by the conductor when the thread's process is dead. */
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
 * Experiments are to be stopped, or started again, from now on; the conductor sees to
 * it within milliseconds.  The last word counts, whoever says it: any thread of any
 * process, or the user by a signal to the recorder.  The word counts changes, so that a
 * window is known in which experiments were stopped and started again.  Returns whether
 * that is new.  Async-signal-safe.
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
 * What a place is credited, 0 .. 1 << 16, relative to `speedup`: that depends on
 * whether it is in the region that is tried, and in the one that is given.
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
 * How much of a call path is still to be found behind a frame at `place`, if it was
 * `left` before it.  No number and no content of the links is harmful, as they may be overwritten.
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

static inline uint32_t window_number(uint32_t window)
{
	return window >> 2;
}

static inline uint32_t window_phase(uint32_t window)
{
	return window & 3;
}

#endif
