/*
 * Maps a function of its own code again at another address, as V8 does with its built-in
 * functions, and runs it there for so many milliseconds.
 */
#include <andweorc.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096 };

/* Uses nothing but registers, so that it runs anywhere. */
__attribute__((noinline, aligned(4096))) static uint64_t spin_moved(uint64_t n)
{
	uint64_t x = n;

	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("imul $25214903, %0, %0\n\tadd $11, %0" : "+r"(x));
	return x;
}

/* The file offset of an address in the program. */
static off_t offset_of(const void *address)
{
	unsigned long lo, hi, off, at = (unsigned long)address;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];

	while (maps && fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &lo, &hi, &off) != 3 || at < lo || at >= hi)
			continue;
		fclose(maps);
		return (off_t)(off + at - lo);
	}
	exit(1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	double end = now_ms() + (argc > 1 ? atof(argv[1]) : 1000);
	int fd = open("/proc/self/exe", O_RDONLY);
	void *code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, offset_of((void *)spin_moved));
	uint64_t (*moved)(uint64_t) = (uint64_t (*)(uint64_t))code, sum = 0;

	if (fd < 0 || code == MAP_FAILED)
		return 1;
	while (now_ms() < end) {
		sum += moved(100000);
		ANDWEORC_PROGRESS("call");
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
