/*
 * jit MS [MAP]: makes a loop as it runs, and is in it for so much processor time; a visit for each turn.
 * MAP: its name is told to perf, in a file (told), or behind a link (linked).
 */
#include <andweorc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* push %rbp; mov %rsp,%rbp; 1: dec %rdi; jnz 1b; pop %rbp; ret */
static const unsigned char loop[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3 };

/* An address that is reused has the later name; invalid lines of a list are ignored. */
static void tell(const char *file, uintptr_t at)
{
	FILE *f = fopen(file, "w");

	if (!f)
		exit(99);
	fprintf(f, "%lx 10 older\nnonsense\n%lx\n%lx zz x\n%lx 0 empty\n", at, at, at, at);
	fprintf(f, "%lx %zx js *spin\ta.js:12\n%lx 1000 other\n", at, sizeof(loop), at + PAGE);
	fclose(f);
}

int main(int argc, char **argv)
{
	unsigned char *code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(uint64_t) = (void (*)(uint64_t))(uintptr_t)(code + PAGE);
	char name[64];
	clock_t end = clock() + atol(argv[1]) * (CLOCKS_PER_SEC / 1000);

	memcpy(code + PAGE, loop, sizeof(loop));
	mprotect(code, 2 * PAGE, PROT_READ | PROT_EXEC);
	snprintf(name, sizeof(name), "/tmp/perf-%ld.map", (long)getpid());
	if (argc > 2 && strcmp(argv[2], "linked") == 0) {
		tell("list", (uintptr_t)run);
		if (symlink(realpath("list", NULL), name) != 0)
			return 99;
	} else if (argc > 2) {
		tell(name, (uintptr_t)run);
	}
	if (argc > 2)
		printf("%s\n", name);
	while (clock() < end) {
		run(1000000);
		ANDWEORC_PROGRESS("unit");
	}
	return 0;
}
