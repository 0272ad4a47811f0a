/*
 * logger: two threads print to one stream.  The stream is locked in libc, by each call, while
 * it writes.  Only these calls tell of that lock.
 *
 * Round: written 0.3 (with the stream's lock), outside 0.5.
 */
#include "workload.h"

#include <stdio.h>

REGION(written, 0.3);
REGION(outside, 0.5);

static FILE *stream;

static ssize_t take(void *cookie, const char *text, size_t n)
{
	written();
	return cookie && text ? (ssize_t)n : -1;
}

static void *run(void *arg)
{
	for (;;) {
		outside();
		if (fprintf(stream, "%p\n", arg) < 0)
			abort();
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&written_region, &outside_region, NULL};

	workload_start(argc, argv, regions, 2);
	stream = fopencookie(regions, "w", (cookie_io_functions_t){ .write = take });
	if (!stream)
		return 1;
	setvbuf(stream, NULL, _IONBF, 0);
	workload_run_two(run, NULL, run, NULL);
}
