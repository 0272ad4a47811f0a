#include "target/attach.h"

#if defined(__x86_64__)

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/msg.h"
#include "base/path.h"
#include "base/text.h"
#include "binary/live.h"
#include "format.h"
#include "runtime/attach.h"
#include "target/attachable.h"
#include "target/inject.h"
#include "target/procmaps.h"

enum {
	NAP_NS = 3 * 1000 * 1000, /* between two searches for a thread that can do it */
	DRAINS = 20,              /* at most, until no signal of a sample is pending */
	ROUNDS = 50,              /* at most, until no thread is new */
	RTLD_NOW_ONLY = 2,        /* of glibc: RTLD_NOW, RTLD_NOLOAD */
	RTLD_NOLOAD_ONLY = 4,
};

static const char LIBC[] = "libc.so.6";

static const int64_t THREAD_NS = 1500000000;   /* at most, until a thread has left the runtime's code */
static const int64_t PATIENCE_NS = 3000000000; /* at most, until some thread can load a library */

/* One attaching or detaching. */
struct work {
	struct attachment *a;
	struct injection in;
	struct live *live;  /* the modules, as they were last read; owned */
	struct held held;
	int64_t held_ns;    /* since this time */
	const char *arena;  /* name of the arena */
	uint64_t heap_lo, heap_hi; /* code of libc's allocator */
	uint64_t *marks;    /* addresses of words of <andweorc.h>; owned */
	size_t nmarks;
	enum attach_operation operation; /* that each thread is to do, */
	pid_t *seen;        /* and the threads that were asked to; owned */
	size_t nseen, seen_cap;
	char *why;          /* what went wrong; owned */
};

static void nap(void)
{
	struct timespec t = { .tv_nsec = NAP_NS };

	nanosleep(&t, NULL);
}

static bool fail(struct work *w, char *why)
{
	free(w->why);
	w->why = why;
	return false;
}

/* ---- threads --------------------------------------------------------------------------------- */

static enum held_how hold(struct work *w, pid_t tid)
{
	int64_t now = now_ns();
	enum held_how how = inject_hold(&w->in, &w->held, tid);

	w->held_ns = now;
	return how;
}

static void let_go(struct work *w);
static bool is_inside(struct work *w);

/* Calls fn for each thread until it returns true; that is returned. */
static bool each_thread(struct work *w, bool (*fn)(struct work *w, pid_t tid))
{
	char name[64];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(name, sizeof(name), "/proc/%ld/task", (long)w->a->pid);
	d = opendir(name);
	while (d && !found && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			found = fn(w, (pid_t)atol(e->d_name));
	if (d)
		closedir(d);
	return found;
}

/* ---- can the thread load a library? ------------------------------------------------------------ */

static const char *const allocators[] = {
	"malloc", "free", "calloc", "realloc", "memalign", "posix_memalign", "aligned_alloc", "valloc", "pvalloc", "reallocarray",
	"malloc_trim", "mallinfo", "mallinfo2", "malloc_stats", "malloc_info", "mallopt", "malloc_usable_size", NULL,
};

/* These may hold locks that dlopen(3) needs. */
static const char *const of_the_linker[] = {
	"dl_iterate_phdr", "dlopen", "dlmopen", "dlclose", "dlsym", "dlvsym", "dladdr", "dladdr1", "dlinfo", "fork", "_Fork", "vfork",
	"exit", "_exit", "quick_exit", "__cxa_finalize", "pthread_create", "pthread_exit", "__register_atfork", NULL,
};

static bool is_libc(const char *file)
{
	return text_begins(file, "libc.so") || text_begins(file, "libc-2") || text_begins(file, "libpthread");
}

static bool is_linker(const char *file)
{
	return text_begins(file, "ld-linux") || text_begins(file, "ld-2");
}

/* operator new and delete */
static bool is_new(const char *function)
{
	return function && (text_begins(function, "_Znw") || text_begins(function, "_Zna") || text_begins(function, "_Zdl") ||
			    text_begins(function, "_Zda"));
}

struct view {
	bool in_call;        /* the thread is in a system call */
	bool unfit;
	bool libc_seen;      /* some frame was in libc */
	bool at_root;        /* the frame of __libc_start_main was reached: the outer ones are the program's start */
	unsigned frames;
	uint64_t heap_lo, heap_hi; /* code of libc's allocator */
};

static bool look_at_frame(void *arg, const struct live_frame *f)
{
	struct view *v = arg;
	const char *file = f->file ? path_name(f->file) : "";
	bool libc = is_libc(file);

	v->unfit = (f->interrupted && v->frames > 0) || is_linker(file) ||
		   text_is_one_of(f->function, allocators) || text_is_one_of(f->function, of_the_linker) || is_new(f->function) ||
		   (libc && f->pc >= v->heap_lo && f->pc < v->heap_hi) ||
		   /* A thread that computes in libc, or in code that libc has called, may hold a lock of libc. */
		   (!v->in_call && (libc ? v->frames == 0 : v->libc_seen && !v->at_root));
	v->at_root = v->at_root || (libc && f->function && strcmp(f->function, "__libc_start_main") == 0);
	v->libc_seen = v->libc_seen || libc;
	v->frames++;
	return !v->unfit;
}

/* Can the held thread load a library? */
static bool is_fit(struct work *w)
{
	struct view v = { .in_call = w->held.in_call, .heap_lo = w->heap_lo, .heap_hi = w->heap_hi };

	return live_stack(w->live, w->held.tid, look_at_frame, &v) && !v.unfit;
}

static bool hold_if_fit(struct work *w, pid_t tid)
{
	enum held_how how = hold(w, tid);

	if (how == HELD_REFUSED)
		return !fail(w, attachable_refusal(w->a->pid));
	if (how != HELD)
		return false;
	if (is_fit(w) && !is_inside(w))
		return true;
	let_go(w);
	return false;
}

/* Holds some thread that can load a library. */
static bool hold_fit(struct work *w)
{
	int64_t until = now_ns() + PATIENCE_NS;

	do {
		if (each_thread(w, hold_if_fit))
			return w->held.tid != 0 && !w->why;
		nap();
	} while (now_ns() < until);
	return fail(w, xstrdup("no thread of it can load a library: each is in the dynamic linker, an allocator, a handler of a signal, or "
			       "uninterruptible sleep, or its stack cannot be followed"));
}

/* ---- calls --------------------------------------------------------------------------------------- */

static bool call(struct work *w, uint64_t function, uint64_t a, uint64_t b, bool breakable, uint64_t *result)
{
	switch (inject_call(&w->in, &w->held, function, a, b, breakable, result)) {
	case INJECTED:
		return true;
	case INJECTED_STUCK:
		return fail(w, xstrdup("its dynamic linker is busy, with a library that is being loaded"));
	case INJECTED_FAULT:
		return fail(w, xstrdup("a call in it crashed, and was undone"));
	default:
		return fail(w, xstrdup("it has ended"));
	}
}

/* The address of the marks in the process: after the request. */
static uint64_t scratch_of_marks(const struct work *w)
{
	return inject_scratch(&w->in) + sizeof(struct attach_request);
}

/* The lowest address of the mapping that sp points into. */
static uint64_t stack_of(pid_t pid, uint64_t sp)
{
	FILE *f = procmaps_open(pid);
	struct procmaps_line l;
	uint64_t found = sp;

	while (procmaps_next(f, &l))
		if (sp >= l.lo && sp < l.hi)
			found = l.lo;
	if (f)
		fclose(f);
	return found;
}

/*
 * A thread may be sampled while it makes a call for us.  The signal of the sample is pending
 * then, and would interrupt the system call that the thread goes on with.  So it is thrown
 * away.  A signal that comes again and again is one of the program.
 */
static bool drain(struct work *w)
{
	const uint64_t samples = 1ull << (SIGTRAP - 1) | 1ull << (ATTACH_TIMER_SIGNAL - 1);
	struct attach_request r = { .operation = ATTACH_DRAIN };
	uint64_t answer;

	for (int i = 0; i < DRAINS && inject_has_pending(&w->in, &w->held, samples); i++)
		if (!inject_write(&w->in, inject_scratch(&w->in), &r, sizeof(r)) ||
		    !call(w, w->a->entry, inject_scratch(&w->in), 0, false, &answer))
			return false;
	return true;
}

static void let_go(struct work *w)
{
	int64_t ns;

	if (!w->held.tid)
		return;
	/* Even if the thread made no call: a sample may be pending since before it was stopped. */
	if (w->a->entry && w->in.region)
		drain(w);
	inject_let_go(&w->in, &w->held);
	ns = now_ns() - w->held_ns;
	w->a->longest_ns = ns > w->a->longest_ns ? ns : w->a->longest_ns;
}

/* The held thread asks the runtime for that operation; *answer is an enum attach_answer. */
static bool request(struct work *w, enum attach_operation operation, uint64_t *answer)
{
	size_t room = (INJECT_SCRATCH - sizeof(struct attach_request)) / sizeof(w->marks[0]);
	struct attach_request r = {
		.operation = operation,
		.sp = w->held.regs.rsp,
		.mask = inject_mask(&w->in),
		.marks = scratch_of_marks(w),
		.nmarks = w->nmarks < room ? w->nmarks : room,
	};

	if (operation == ATTACH_THREAD)
		r.stack_lo = stack_of(w->a->pid, r.sp);
	snprintf(r.name, sizeof(r.name), "%s", w->arena ? w->arena : "");
	if (!inject_write(&w->in, inject_scratch(&w->in), &r, sizeof(r)) ||
	    (r.nmarks && !inject_write(&w->in, r.marks, w->marks, r.nmarks * sizeof(w->marks[0]))))
		return fail(w, xstrdup("its memory cannot be written to"));
	return call(w, w->a->entry, inject_scratch(&w->in), 0, false, answer);
}

static bool must(struct work *w, enum attach_operation operation)
{
	static const char *const why[ATTACH_ANSWERS] = {
		[ATTACH_BUSY] = "it is inside the runtime",
		[ATTACH_PRELOADED] = "it was started with the runtime, by a recorder",
		[ATTACH_NO_ARENA] = "it cannot open the memory of the recorder",
		[ATTACH_NO_ROOM] = "it has no room for the memory of the recorder (ulimit -v)",
		[ATTACH_FOREIGN] = "it is in Valgrind, or its libc is not glibc",
	};
	uint64_t answer;

	if (!request(w, operation, &answer))
		return false;
	if (answer == ATTACH_DONE || answer == ATTACH_NO_SAMPLER)
		return true;
	return fail(w, xstrdup(answer < ATTACH_ANSWERS && why[answer] ? why[answer] : "the runtime refuses"));
}

static bool read_modules(struct work *w)
{
	live_close(w->live);
	w->live = live_open(w->a->pid);
	return (w->live && live_around(w->live, LIBC, allocators, &w->heap_lo, &w->heap_hi)) ||
	       fail(w, xstrdup("what it has mapped cannot be read"));
}

/* ---- in each thread --------------------------------------------------------------------------------- */

struct inside {
	bool in_call;
	bool is;
	bool ours;       /* some frame was in the runtime */
	unsigned frames;
};

static bool look_for_runtime(void *arg, const struct live_frame *f)
{
	struct inside *i = arg;
	const char *file = f->file ? path_name(f->file) : "";

	/* A signal handler has its own mask of blocked signals, which is not the thread's. */
	if (f->interrupted && i->frames > 0)
		i->is = true;
	/*
	 * The runtime may be left while it makes a system call in the program's place, but not while it
	 * does work of its own.  The outermost frame of a thread may be the runtime's, too.
	 */
	if (strcmp(file, AW_RUNTIME_NAME) == 0) {
		i->is = i->is || i->frames == 0;
		i->ours = true;
	} else if (i->ours && !i->in_call && !is_libc(file)) {
		i->is = true;
	}
	i->frames++;
	return true;
}

/* Is the thread where it can neither begin nor stop to be observed? */
static bool is_inside(struct work *w)
{
	struct inside i = { .in_call = w->held.in_call };

	live_stack(w->live, w->held.tid, look_for_runtime, &i);
	return i.is;
}

static bool is_seen(const struct work *w, pid_t tid)
{
	for (size_t i = 0; i < w->nseen; i++)
		if (w->seen[i] == tid)
			return true;
	return false;
}

static void see(struct work *w, pid_t tid)
{
	w->seen = xgrow(w->seen, w->nseen, &w->seen_cap, sizeof(*w->seen));
	w->seen[w->nseen++] = tid;
}

/* True: the thread has done it, or has ended.  *over: there is no use in trying again. */
static bool try_thread(struct work *w, pid_t tid, enum attach_operation operation, bool *over)
{
	uint64_t answer = ATTACH_BUSY;
	enum held_how how = hold(w, tid);

	*over = how == HELD_GONE;
	if (how != HELD)
		return *over;
	if (!is_inside(w) && !request(w, operation, &answer))
		*over = true;
	let_go(w);
	return answer != ATTACH_BUSY;
}

static bool do_thread(struct work *w, pid_t tid, enum attach_operation operation)
{
	int64_t until = now_ns() + THREAD_NS;
	bool over = false;

	while (!try_thread(w, tid, operation, &over)) {
		if (over || now_ns() >= until)
			return false;
		nap();
	}
	return true;
}

static bool do_once(struct work *w, pid_t tid)
{
	if (!is_seen(w, tid)) {
		see(w, tid);
		w->a->missed += !do_thread(w, tid, w->operation);
	}
	return false;
}

/* Threads that begin meanwhile are included: a thread that does not know the runtime yet may create others that do not either. */
static void do_all(struct work *w, enum attach_operation operation)
{
	size_t before;

	w->operation = operation;
	w->nseen = 0;
	w->a->missed = 0;
	for (int i = 0; i < ROUNDS; i++) {
		before = w->nseen;
		each_thread(w, do_once);
		if (w->nseen == before)
			break;
	}
}

/* ---- both ways --------------------------------------------------------------------------------------- */

static bool begin_work(struct work *w)
{
	static const char *const marks[] = { "andweorc_number", "andweorc_state", NULL };
	const char *why;

	if (!inject_begin(&w->in, w->a->pid, &why)) {
		errno = EPERM;
		return fail(w, why ? xstrdup(why) : attachable_refusal(w->a->pid));
	}
	w->in.region = w->a->region;
	if (!read_modules(w))
		return false;
	w->nmarks = live_words(w->live, marks, &w->marks);
	if (!hold_fit(w))
		return false;
	return w->in.region || inject_take(&w->in, &w->held) || fail(w, xasprintf("it cannot have memory for that: %s", strerror(errno)));
}

/* Some thread unmaps the memory.  No sample can disturb it any more. */
static bool give_back(struct work *w, pid_t tid)
{
	return hold(w, tid) == HELD && inject_give_back(&w->in, &w->held);
}

static void end_work(struct work *w, bool keep)
{
	if (!keep && w->in.region && w->held.tid)
		inject_give_back(&w->in, &w->held);
	let_go(w);
	if (!keep && w->in.region)
		each_thread(w, give_back);
	let_go(w);
	w->a->region = w->in.region;
	inject_end(&w->in);
	live_close(w->live);
	free(w->marks);
	free(w->seen);
}

/* ---- attaching ----------------------------------------------------------------------------------------- */

/* Reading the modules takes a while, so no thread is held then. */
static bool find_entry(struct work *w)
{
	uint64_t ask, entry;

	let_go(w);
	if (!read_modules(w) || !hold_fit(w))
		return false;
	ask = live_function(w->live, AW_RUNTIME_NAME, "getauxval");
	if (!ask || !call(w, ask, ATTACH_AUXV, 0, false, &entry) || !entry)
		return fail(w, xstrdup("the runtime was loaded, and is another one"));
	w->a->entry = entry;
	return true;
}

/* Why dlopen(3) has failed. */
static char *words_of_linker(struct work *w)
{
	uint64_t error = live_function(w->live, LIBC, "dlerror"), at;
	char text[256] = "";

	if (error && call(w, error, 0, 0, false, &at) && at)
		inject_read(&w->in, at, text, sizeof(text) - 1);
	return xasprintf("it cannot load '%s': %s", AW_RUNTIME_NAME, *text ? text : "its dynamic linker does not say why");
}

static bool load(struct work *w, const char *runtime)
{
	uint64_t open = live_function(w->live, LIBC, "dlopen"), handle, path = inject_scratch(&w->in);

	if (!open)
		return fail(w, xstrdup("its libc has no dlopen"));
	/* dlopen of the program itself, which is loaded: this tries the lock only, and can be given up. */
	if (!call(w, open, 0, RTLD_NOW_ONLY | RTLD_NOLOAD_ONLY, true, &handle))
		return false;
	if (!inject_write(&w->in, path, runtime, strlen(runtime) + 1))
		return fail(w, xstrdup("its memory cannot be written to"));
	if (!call(w, open, path, RTLD_NOW_ONLY, false, &handle))
		return false;
	return handle || fail(w, words_of_linker(w));
}

/* Ends it when all threads have left.  Threads that began meanwhile are told to leave, too. */
static bool finish(struct work *w)
{
	uint64_t answer = ATTACH_BUSY;

	for (int i = 0; i < ROUNDS; i++) {
		if (!hold_fit(w) || !request(w, ATTACH_END, &answer))
			return false;
		if (answer == ATTACH_DONE)
			return true;
		let_go(w);
		do_all(w, ATTACH_LEAVE);
	}
	return fail(w, xstrdup("a thread does not let go of it"));
}

/* Ends what a killed recorder has left. */
static bool clear_away(struct work *w)
{
	if (!attachable_has_arena(w->a->pid))
		return true;
	if (!must(w, ATTACH_PREPARE))
		return false;
	let_go(w);
	do_all(w, ATTACH_LEAVE);
	if (w->a->missed)
		return fail(w, xstrdup("a recorder that was killed was attached to it, and a thread does not let go of that"));
	return finish(w);
}

/*
 * The first perf event of a thread on a machine takes the kernel 30 ms.  So we open one,
 * before a stopped thread has to.  Returns -1 if perf is refused.
 */
static int prepare_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool attach_begin(struct attachment *a, pid_t pid, const char *runtime, const char *arena)
{
	struct work w = { .a = a, .arena = arena, .in = { .memory = -1 } };
	int perf = prepare_perf();
	bool ok;

	*a = (struct attachment){ .pid = pid };
	w.why = attachable_obstacle(pid, runtime);
	ok = !w.why && begin_work(&w) && load(&w, runtime) && find_entry(&w) && clear_away(&w) && must(&w, ATTACH_BEGIN);
	if (ok) {
		let_go(&w);
		do_all(&w, ATTACH_THREAD);
	}
	end_work(&w, ok);
	if (perf >= 0)
		close(perf);
	if (!ok) {
		msg_error("cannot attach to process %ld: %s", (long)pid, w.why);
		a->pid = 0;
	} else if (a->missed) {
		msg_warn("%u threads of process %ld could not be reached, and are not observed", a->missed, (long)pid);
	}
	free(w.why);
	return ok;
}

/* ---- detaching ------------------------------------------------------------------------------------------- */

void attach_end(struct attachment *a)
{
	struct work w = { .a = a, .in = { .memory = -1 } };
	pid_t pid = a->pid;
	bool ok;

	if (!pid)
		return;
	/* The first thread leaves in the same stop, so that it is not stopped twice. */
	ok = begin_work(&w) && must(&w, ATTACH_PREPARE) && must(&w, ATTACH_LEAVE);
	if (ok) {
		let_go(&w);
		do_all(&w, ATTACH_LEAVE);
		if (a->missed)
			ok = fail(&w, xasprintf("%u threads could not be reached", a->missed));
		else
			ok = finish(&w);
	}
	end_work(&w, !ok && w.why);
	if (!ok && attachable_has_arena(pid))
		msg_warn("process %ld keeps the runtime, which does nothing more: %s", (long)pid, w.why);
	a->pid = 0;
	free(w.why);
}

#else

#include "base/msg.h"

bool attach_begin(struct attachment *a, pid_t pid, const char *runtime, const char *arena)
{
	(void)runtime, (void)arena;
	*a = (struct attachment){ .pid = 0 };
	msg_error("cannot attach to process %ld: that works on x86-64 only", (long)pid);
	return false;
}

void attach_end(struct attachment *a)
{
	(void)a;
}

#endif
