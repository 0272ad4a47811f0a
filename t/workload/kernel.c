/*
 * kernel: a thread that spends three quarters of its time in the kernel: in page
 * faults, in system calls that cannot block, and in others that could, but need not
 * wait.
 *
 * How much of each makes 1 ms is a constant, roughly right for one machine: on
 * others the shares differ, and the truth has to be measured.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workload.h"

enum {
	PAGE_BYTES = 4096,
	PIPE_BYTES = 32 << 10,
	/* Iterations of the loop that take as long as one of each. */
	PER_FAULT = 1400,
	PER_STATUS = 650,
	PER_PASSAGE = 8000,
};

static int ends[2]; /* of a pipe that the thread has to itself */
static char bytes[PIPE_BYTES];

REGION_FUNCTION(WORKLOAD_OPAQUE, faulting, 0.6, (void), {
	size_t pages = faulting_region.iterations / PER_FAULT;
	char *memory = (char *)mmap(NULL, pages * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		workload_die("cannot map", "memory");
	for (size_t i = 0; i < pages; i++)
		memory[i * PAGE_BYTES] = 1;
	munmap(memory, pages * PAGE_BYTES);
});

REGION_FUNCTION(WORKLOAD_OPAQUE, asking, 0.6, (void), {
	struct stat status;

	for (uint64_t n = asking_region.iterations / PER_STATUS; n > 0; n--)
		if (stat("/usr", &status))
			workload_die("no status of", "/usr");
});

REGION_FUNCTION(WORKLOAD_OPAQUE, passing, 0.6, (void), {
	for (uint64_t n = passing_region.iterations / PER_PASSAGE; n > 0; n--)
		if (write(ends[1], bytes, PIPE_BYTES) != PIPE_BYTES || read(ends[0], bytes, PIPE_BYTES) != PIPE_BYTES)
			workload_die("cannot pass", "bytes");
});

REGION(computing, 0.6);

int main(int argc, char **argv)
{
	struct region *regions[] = {&faulting_region, &asking_region, &passing_region, &computing_region, NULL};

	workload_start(argc, argv, regions, 1);
	if (pipe2(ends, O_CLOEXEC))
		workload_die("cannot make a", "pipe");
	for (;;) {
		faulting();
		asking();
		passing();
		computing();
		workload_visit();
	}
}
