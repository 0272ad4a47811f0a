/*
 * init: how the runtime comes to life in a process, and when it stays inert.
 *
 * Inert means: `arena` is NULL, and every wrapper is one load and a jump.  That
 * is the case without the environment variable, when the arena cannot be
 * mapped or was made by another build, and in every process but the one that
 * the recorder started (its children are told of, not profiled).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "../andweorc.h"
#include "../format.h"
#include "runtime.h"

struct arena *arena;

/*
 * The recorder names its own descriptor (/proc/PID/fd/N), so the target inherits
 * none: its descriptor numbers are the same as without us.
 */
static struct arena *map_arena(const char *path)
{
	struct arena *a;
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) != 0 || st.st_size < (off_t)sizeof(*a)) {
		close(fd);
		return NULL;
	}
	a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	if (a == MAP_FAILED)
		return NULL;
	if (a->magic != ARENA_MAGIC || a->size_check != (uint32_t)sizeof(*a)) {
		munmap(a, sizeof(*a));
		return NULL;
	}
	return a;
}

/* The first process to ask has the arena, and keeps it through exec. */
static bool claim(struct arena *a)
{
	int32_t expected = 0, pid = getpid();

	if (atomic_compare_exchange_strong(&a->pid, &expected, pid) || expected == pid)
		return true;
	atomic_fetch_add_explicit(&a->attached, 1, memory_order_relaxed);
	return false;
}

__attribute__((constructor(101))) static void init(void)
{
	int saved = errno;
	const char *path;
	struct arena *a;

	real_resolve();
	path = getenv(AW_ENV_ARENA);
	if (!path || (a = map_arena(path)) == NULL)
		goto out;
	if (!claim(a)) {
		munmap(a, sizeof(*a));
		goto out;
	}
	arena = a;
	atomic_store_explicit(&a->base, (uintptr_t)a, memory_order_relaxed);
	atomic_store_explicit(&a->breaks_used, 0, memory_order_relaxed);
	/* Pairs with the acquire of the conductor: it sees the new base. */
	atomic_fetch_add_explicit(&a->incarnation, 1, memory_order_release);
	pthread_atfork(NULL, NULL, thread_forget);
	sampler_init();
	thread_begin(thread_reserve());
	atomic_store_explicit(&a->runtime, self.slot ? RUNTIME_READY : RUNTIME_REFUSED, memory_order_release);
out:
	errno = saved;
}

/* How <andweorc.h> finds us: a type of the auxiliary vector that no kernel has. */
__attribute__((visibility("default"))) unsigned long getauxval(unsigned long type)
{
	static const struct andweorc_api api = {
		.size = sizeof(api),
		.point = point_number,
		.visit = point_visit,
	};

	/* Also when not profiled (a forked child): the functions themselves know, and points may have been asked for before. */
	if (type == ANDWEORC_AUXV)
		return (unsigned long)&api;
	if (!REAL(getauxval)) {
		errno = ENOENT;
		return 0;
	}
	return real.getauxval(type);
}
