/*
 * init: starts the runtime in a process, or leaves it inert.
 *
 * Inert means: `arena` is NULL, and every wrapper is one load and a jump.  The runtime
 * stays inert without its environment variable; when the arena cannot be mapped, was
 * made by another build, or has no free entry for a process; when a debugger or
 * emulator would receive our signals; and with a libc other than glibc (musl).
 * Functions that musl lacks are weak symbols.  Otherwise the library could not be
 * loaded there, and programs that use musl and inherit LD_PRELOAD would not start.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/auxv.h>

#include <gnu/libc-version.h>

#include "../andweorc.h"
#include "../format.h"
#include "block.h"
#include "breakpoint.h"
#include "control.h"
#include "process.h"
#include "progress.h"
#include "reach.h"
#include "real.h"
#include "redirect.h"
#include "sampler.h"
#include "span.h"
#include "switched.h"
#include "sys.h"
#include "thread.h"

/*
 * `arena` has a page of its own, which the kernel clears in every copy of the process
 * (MADV_WIPEONFORK, Linux 4.14).  So a copy is not profiled unless libc made it and
 * called our handler.  Otherwise, after a raw clone(2), two processes would write to
 * one slot.
 */
static union {
	struct arena *arena;
	char bytes[ARENA_PAGE];
} page __attribute__((aligned(ARENA_PAGE), used));
extern struct arena *arena __attribute__((alias("page")));

#ifdef ANDWEORC_STATIC
/* By this section the recorder recognises a static program that is linked with the runtime. */
__attribute__((visibility("default"), used, section(AW_STATIC_SECTION))) const char andweorc_linked_in[] = "andweorc";
#endif

static struct arena *inherited; /* the value of arena, also in a copy of the process */

void arena_adopt(struct arena *a)
{
	arena = inherited = a;
}

bool arena_adopt_again(void)
{
	arena = inherited;
	return arena != NULL;
}

/* Is it an arena, made for this runtime and that run? */
static bool is_ours(const struct arena *a, uint32_t run)
{
	return a->magic == ARENA_MAGIC && a->size_check == (uint32_t)sizeof(*a) && a->run == run;
}

/*
 * The environment variable names the recorder's own descriptor and the run
 * (/proc/PID/fd/N#RUN).  So the target inherits no descriptor, and its descriptor
 * numbers are the same as without a recording.  A process left over from an earlier run
 * finds another run there, or nothing.
 */
static struct arena *map_arena(const char *name)
{
	char path[64];
	struct arena *a;
	struct stat st;
	uint32_t run = 0;
	size_t n = 0;
	long at;
	int fd;

	for (; name[n] && name[n] != '#' && n < sizeof(path) - 1; n++)
		path[n] = name[n];
	path[n] = '\0';
	for (n += name[n] == '#'; name[n] >= '0' && name[n] <= '9'; n++)
		run = run * 10 + (uint32_t)(name[n] - '0');
	if (name[n])
		return NULL;
	fd = (int)SYS(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	at = SYS(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH);
	if (at == 0)
		at = st.st_size < (off_t)arena_bytes(ARENA_THREADS_PIECE)
			     ? -EINVAL
			     : SYS(SYS_mmap, reach_place(), ARENA_SHARED_BYTES, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_NORESERVE | (reach_place() ? MAP_FIXED : 0), fd, 0);
	if (at < 0 && at > -4096) {
		SYS(SYS_close, fd);
		return NULL;
	}
	a = (struct arena *)at;
	reach_begin(a, fd);
	if (is_ours(a, run))
		return a;
	reach_end();
	return NULL;
}

/*
 * Valgrind emulates the processor, and would die of our signals.  It recognises this
 * sequence of instructions, which does nothing on a real processor.
 */
static bool is_in_valgrind(void)
{
#if defined(__x86_64__)
	volatile uint64_t is_anybody_there[6] = { 0x1001 };
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(is_anybody_there)
			 : "cc", "memory");
	return answer != 0;
#else
	return false;
#endif
}

/* A debugger would stop the program at each of our signals. */
static bool is_traced(void)
{
	static const char field[] = "\nTracerPid:\t";
	char text[512];
	const char *at;
	int fd = (int)SYS(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
	long n;

	if (fd < 0)
		return false;
	n = SYS(SYS_read, fd, text, sizeof(text) - 1);
	SYS(SYS_close, fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, field);
	return at && at[sizeof(field) - 1] != '0';
}

/*
 * The function that pthread_atfork(3) calls.  pthread_atfork itself is in libc's static
 * part, and would be linked into the runtime.
 */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);
extern void *__dso_handle __attribute__((visibility("hidden")));

#ifdef ANDWEORC_STATIC
static bool is_glibc(void)
{
	return true; /* set where the linker has resolved it */
}
#else
#pragma weak gnu_get_libc_version
#pragma weak __register_atfork

static bool is_glibc(void)
{
	return gnu_get_libc_version && __register_atfork;
}
#endif

static void begin_in(struct arena *a)
{
	static bool forks_known;

	arena_adopt(a);
	switched_init();
	SYS(SYS_madvise, &page, sizeof(page), MADV_WIPEONFORK);
	if (!forks_known)
		__register_atfork(process_forking, NULL, process_forked, &__dso_handle);
	forks_known = true;
	sampler_init();
}

/* The dynamic linker of glibc gives constructors what main gets. */
__attribute__((constructor(101))) static void init(int argc, char **argv)
{
	int saved = errno;
	const char *path;
	struct arena *a;

	if (!is_glibc())
		return;
	real_resolve();
	path = getenv(AW_ENV_ARENA);
	if (!path || is_in_valgrind() || is_traced() || (a = map_arena(path)) == NULL)
		goto out;
	redirect_init(a); /* before the conductor can look whether calls are counted here */
	if (!process_join(a, argc, argv)) {
		reach_end();
		goto out;
	}
	begin_in(a);
	thread_begin(thread_reserve());
	reach_settle();
	atomic_store_explicit(&a->runtime, self.slot ? RUNTIME_READY : RUNTIME_REFUSED, memory_order_release);
	process_news();
	process_begin();
out:
	errno = saved;
}

#if defined(__x86_64__) && !defined(ANDWEORC_STATIC)
/*
 * The process was started without us, and does not know us: nothing of it may come to
 * our functions yet.  Who traces it is the recorder.
 */
enum attach_answer init_attach(const char *name)
{
	struct arena *a;

	if (!is_glibc() || is_in_valgrind())
		return ATTACH_FOREIGN;
	if (!real_resolve_behind())
		return ATTACH_PRELOADED;
	if ((a = map_arena(name)) == NULL)
		return ATTACH_NO_ARENA;
	if (!process_join(a, 0, NULL)) {
		reach_blank();
		arena_adopt(a);
		init_detach();
		return ATTACH_NO_ROOM;
	}
	sampler_forget_all();
	breakpoint_renew();
	/* Nor can threads be sampled before. */
	thread_refuse(true);
	arena_adopt(a);
	/* Before the handlers of signals are ours: whoever asks for them asks us. */
	redirect_wrappers();
	begin_in(a);
	reach_settle();
	atomic_store_explicit(&a->runtime, RUNTIME_READY, memory_order_release);
	process_news();
	return ATTACH_DONE;
}

/*
 * `arena` does not become NULL: a thread may be about to look into it.  What it finds there
 * is nothing: no window, no slot, no point.
 */
void init_detach(void)
{
	inherited = NULL;
	reach_blank();
}
#endif

#ifndef ANDWEORC_STATIC
/*
 * AddressSanitizer's library refuses to run if it is not the first library, unless its
 * default options allow that.  This function, which the linker finds before the
 * program's own, adds that option and calls the program's own.
 */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
#endif

/* How <andweorc.h> finds the runtime: it calls getauxval with a type that no kernel has. */
__attribute__((visibility("default"))) unsigned long getauxval(unsigned long type)
{
	static const struct andweorc_api api = {
		.size = sizeof(api),
		.point = point_number,
		.visit = point_visit,
		.pre_block = block_begin_here,
		.post_block = block_end,
		.catch_up = block_catch_up_here,
		.span = span_number,
		.begin = span_begin,
		.end = span_end,
		.begin_id = span_begin_numbered,
		.end_id = span_end_numbered,
		.experiments = control_experiments,
		.is_recorded = control_is_recorded,
	};

	/*
	 * Answered even when the process is not profiled (a forked child): the functions
	 * check that themselves, and points may have been requested before.
	 */
	if (type == ANDWEORC_AUXV)
		return (unsigned long)&api;
#if defined(__x86_64__) && !defined(ANDWEORC_STATIC)
	if (type == ATTACH_AUXV)
		return (unsigned long)attach_call;
#endif
	if (!REAL(getauxval)) {
		errno = ENOENT;
		return 0;
	}
	return real.getauxval(type);
}
