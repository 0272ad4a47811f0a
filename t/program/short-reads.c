/*
 * Reads a file of 1 MiB again and again, in pieces of 4 KiB, for 1.5 s of processor time.  The file is in memory, so that no read
 * waits.  Prints its processor time in ns.
 */
#include <andweorc.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 4096, PIECES = 256 };

static long long used_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) static void read_all(int fd)
{
	static char piece[PIECE];

	for (int i = 0; i < PIECES; i++)
		if (pread(fd, piece, PIECE, (off_t)i * PIECE) != PIECE)
			exit(1);
}

int main(void)
{
	FILE *f = tmpfile();

	if (!f || ftruncate(fileno(f), PIECE * PIECES) != 0)
		return 1;
	for (int i = 0; i < PIECES; i++)
		if (pwrite(fileno(f), (char[PIECE]){ 1 }, PIECE, (off_t)i * PIECE) != PIECE)
			return 1;
	while (used_ns() < 1500000000) {
		read_all(fileno(f));
		ANDWEORC_PROGRESS("file");
	}
	printf("%lld\n", used_ns());
	return 0;
}
