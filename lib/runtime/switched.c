/*
 * switched: has a thread given up its processor since a moment?  See switched.h.
 *
 * The kernel kills a process whose section is not well formed.  So its end is at its
 * begin, at an address that holds data, and what follows is what the kernel wants to
 * see before the address to go to when the section is interrupted: the number that libc
 * has registered.
 */
#include <sys/resource.h>

#include "moment.h"
#include "switched.h"
#include "thread.h"

#if defined(__x86_64__)
enum { SIGNATURE = 0x53053053 };
#elif defined(__aarch64__)
enum { SIGNATURE = (int)0xd428bc00 };
#endif

static const struct {
	uint32_t never_run, signature, after;
} place = { .signature = (uint32_t)SIGNATURE };

/* Relocated as the library is loaded. */
const struct rseq_section no_section = { .begin = (uintptr_t)&place.never_run, .length = 1, .abort = (uintptr_t)&place.after };

intptr_t switched_area;

enum { UNTRIED, TOLD, NOT_TOLD };
enum { TRIES = 20, ENOUGH = 3 };

/*
 * Kernels may leave the name of the section alone after a system call, in which no section
 * can be (Linux 6.19 does, by its source), unless the thread has come to another processor.
 * So sleeps after which it is on the same one tell.
 */
static uint32_t try_sleeps(void)
{
	struct timespec t = { .tv_nsec = 1 };
	int told = 0;

	for (int i = 0; i < TRIES && told < ENOUGH; i++) {
		uint32_t before = processor_here();

		if (!switched_watch() || switched())
			return NOT_TOLD;
		sys_nap(&t);
		if (!switched())
			return NOT_TOLD;
		told += processor_here() == before;
	}
	return told == ENOUGH ? TOLD : NOT_TOLD;
}

bool switched_by_itself(void)
{
	struct rusage r;
	uint32_t before = self.gave_up;

	if (!switched_area || SYS(SYS_getrusage, RUSAGE_THREAD, &r) != 0)
		return true;
	self.gave_up = (uint32_t)r.ru_nvcsw;
	return self.gave_up != before;
}

void switched_init(void)
{
	uint32_t told = atomic_load_explicit(&arena->switches, memory_order_relaxed);

	switched_area = rseq_of_libc;
	if (switched_area && told == UNTRIED) {
		told = try_sleeps();
		atomic_store_explicit(&arena->switches, told, memory_order_relaxed);
	}
	if (told != TOLD)
		switched_area = 0;
}
