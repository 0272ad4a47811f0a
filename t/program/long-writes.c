/*
 * long-writes [told]: writes a megabyte to a file in memory, again and again, for 0.7 s:
 * long calls that do not wait.  With `told`: the status is 0 if the kernel tells a
 * thread that it has given up its processor, as lib/runtime/switched.h needs it.
 */
#include <andweorc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>

static const struct {
	uint32_t never_run, signature, after;
} place = { .signature = RSEQ_SIG };

static int is_told(void)
{
	static struct rseq_cs section;
	struct rseq *area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
	struct timespec soon = { 0, 1000 };

	if (__rseq_size == 0)
		return 0;
	section.start_ip = (uintptr_t)&place.never_run;
	section.post_commit_offset = 1;
	section.abort_ip = (uintptr_t)&place.after;
	*(volatile uint64_t *)&area->rseq_cs = (uintptr_t)&section;
	nanosleep(&soon, NULL);
	return *(volatile uint64_t *)&area->rseq_cs == 0;
}
#else
static int is_told(void)
{
	return 0;
}
#endif

enum { MEGABYTE = 1 << 20 };

__attribute__((noinline)) static void write_all(int fd, const char *data)
{
	if (pwrite(fd, data, MEGABYTE, 0) != MEGABYTE)
		abort();
}

int main(int argc, char **argv)
{
	char name[] = "/dev/shm/long-writes.XXXXXX", *data = malloc(MEGABYTE);
	int fd;

	if (argc > 1 && strcmp(argv[1], "told") == 0)
		return !is_told();
	fd = mkstemp(name);
	if (fd < 0 || unlink(name) != 0)
		return 99;
	memset(data, 'x', MEGABYTE);
	while (clock() < 7 * CLOCKS_PER_SEC / 10) {
		write_all(fd, data);
		ANDWEORC_PROGRESS("megabyte");
	}
	return 0;
}
