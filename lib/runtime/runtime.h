/*
 * runtime: the library inside the profiled process.
 *
 * The runtime is loaded with LD_PRELOAD into programs that know nothing of it.
 * It has no thread of its own, never allocates, prints, or changes the status of its
 * host; it links nothing but libc.  It takes no lock that it could wait for, but in
 * arena_add_point, once for each progress point.
 *
 * Two contexts, stated for each function in the headers:
 *
 *   any     may run in the sampling signal handler or inside an interposed
 *           call, on any thread: async-signal-safe, bounded.
 *   init    runs once, in the constructor, before main.
 *
 * Files, from the inside out; the contract of each is in the header of its name:
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
 *   moved          bytes and answers         memory      memcpy and the like
 *   sync           those that cannot         span        lengths of spans
 *   block          waits that are declared   yield       waits by polling
 *   event_log      notes of both in a burst  control     starting and stopping experiments
 *   thread         slots of threads          create      their births and ends
 *   process, init  life
 *   attach         life in a process that was started without the runtime
 *   reach          mapped parts of the arena moment      times, and the processor
 *   real           libc's functions          sys         our own system calls
 *   switched       whether a call has waited, as the kernel tells
 *
 * Most wrappers, the functions that a program calls instead of libc's, are in lib/wrap.
 * Those by which a program could harm the runtime are here: sample_signal (signals),
 * seccomp_filter (prctl), withdraw (ptrace), and init (getauxval).  object_key has mmap and
 * munmap, because it names objects by their mappings.
 */
#ifndef ANDWEORC_RUNTIME_RUNTIME_H
#define ANDWEORC_RUNTIME_RUNTIME_H

#include "arena.h"
#include "attach.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define TLS __thread __attribute__((tls_model("initial-exec")))

/* Exports a wrapper to the program; all other functions are hidden. */
#define EXPORT __attribute__((visibility("default")))

/*
 * Every sync operation ends a segment of the thread and begins another one, which is
 * identified by the place from which the operation was called.
 */
#define SITE __builtin_return_address(0)

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

#endif
