/* mover KIND MS [EVERY [LATE]]: works for so long, and moves something in each or each so many rounds; marks them from LATE ms on. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifdef MARKED
#include <andweorc.h>
#else
#define ANDWEORC_PROGRESS(name) ((void)0)
#endif

static volatile unsigned sink;
static char block[3000];

__attribute__((noinline)) static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

static void move(const char *kind, int fd, FILE *f, int pair[2])
{
	struct iovec v[2] = { { block, 1000 }, { block, 2000 } };

	if (!strcmp(kind, "write") && write(fd, block, sizeof block) < 0)
		exit(1);
	if (!strcmp(kind, "writev") && writev(fd, v, 2) < 0)
		exit(1);
	if (!strcmp(kind, "pwrite") && (pread(fd, block, 10, 0) < 0 || pwrite(fd, block, sizeof block, 0) < 0))
		exit(1);
	if (!strcmp(kind, "fwrite"))
		fwrite(block, 1, sizeof block, f);
	if (!strcmp(kind, "fprintf"))
		fprintf(f, "%3000d", 1);
	if (!strcmp(kind, "read") && read(fd, block, sizeof block) < 0)
		exit(1);
	if (!strcmp(kind, "answer") && (send(pair[0], "?", 1, 0) < 0 || recv(pair[1], block, 9, 0) < 0 || send(pair[1], "yes", 3, 0) < 0 ||
					write(pair[1], ".", 1) < 0 || recv(pair[0], block, 9, 0) < 0))
		exit(1);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	long ms = argc > 2 ? atol(argv[2]) : 100, moves = 0, every = argc > 3 ? atol(argv[3]) : 1;
	int fd = open(!strcmp(kind, "read") ? "/dev/zero" : "moved", O_RDWR | O_CREAT, 0600), pair[2];
	FILE *f = fopen("stream", "w");
	clock_t end, late;

	if (fd < 0 || !f || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 1;
	end = clock() + ms * (CLOCKS_PER_SEC / 1000);
	late = clock() + (argc > 4 ? atol(argv[4]) : 0) * (CLOCKS_PER_SEC / 1000);
	while (clock() < end) {
		work(400000);
		if (clock() >= late)
			ANDWEORC_PROGRESS("round");
		if (++moves % every == 0)
			move(kind, fd, f, pair);
	}
	fclose(f);
	printf("%ld\n", moves / every);
	return 0;
}
