/*
 * libcheavy: a program that spends its time inside libc: qsort with a callback,
 * memcpy, malloc and free.  Each region calls libc in a loop; the innermost code
 * of its own, where there is any, is the callback.
 *
 * Round, about 3: sorting 40 %, copying 30 %, allocating 30 %.  Shrunk by half:
 * half of that.  How many calls make 1 ms is a constant, roughly right for one
 * machine: on others the shares differ, and the truth has to be measured.  As
 * lines, the regions are shorter: the callback and the choice of sizes have lines
 * of their own.
 */
#include "workload.h"

enum {
	SORT_N = 64,
	NUMBERS = 64 << 10, /* more than the branch predictor learns by heart */
	COPY_BYTES = 64 << 10,
	LIVE = 64,
	/* Iterations of the loop that take as long as one call. */
	PER_SORT = 1640,
	PER_COPY = 430,
	PER_ALLOCATION = 28,
};

static int shuffled[NUMBERS], sorted[SORT_N];
static unsigned at;
static char from[COPY_BYTES], to[COPY_BYTES];
static void *live[LIVE];

static int compare(const void *a, const void *b)
{
	const int *x = (const int *)a, *y = (const int *)b;

	return (*x > *y) - (*x < *y);
}

/* Numbers that look random, the same in each run. */
static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Sizes from 16 bytes to 4 KB, small ones more often. */
static size_t some_size(uint32_t *state)
{
	uint32_t x = next(state);

	return 16 + (x & 0xff) * ((x >> 8 & 0xff) >> 4);
}

/* The compiler does not know what a pointer is used for, so it leaves the calls as they are. */
#define USED(pointer_) __asm__ volatile("" : : "r"(pointer_) : "memory")

REGION_FUNCTION(WORKLOAD_OPAQUE, sorting, 1.2, (void),
	for (uint64_t n = sorting_region.iterations / PER_SORT; n > 0; n--) {
		memcpy(sorted, shuffled + at, sizeof sorted);
		at = (at + SORT_N) % NUMBERS;
		qsort(sorted, SORT_N, sizeof sorted[0], compare);
	});

REGION_FUNCTION(WORKLOAD_OPAQUE, copying, 0.9, (void),
	for (uint64_t n = copying_region.iterations / PER_COPY; n > 0; n--) {
		memcpy(to, from, sizeof to);
		USED(to);
	});

REGION_FUNCTION(WORKLOAD_OPAQUE, allocating, 0.9, (uint32_t *state),
	for (uint64_t n = allocating_region.iterations / PER_ALLOCATION; n > 0; n--) {
		void **slot = &live[next(state) % LIVE];

		free(*slot);
		*slot = malloc(some_size(state));
		USED(*slot);
	});

int main(int argc, char **argv)
{
	struct region *regions[] = {&sorting_region, &copying_region, &allocating_region, NULL};
	uint32_t state = 1;

	workload_start(argc, argv, regions, 1);
	for (int i = 0; i < NUMBERS; i++)
		shuffled[i] = (int)next(&state);
	for (;;) {
		sorting();
		copying();
		allocating(&state);
		workload_visit();
	}
}
