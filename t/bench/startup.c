/*
 * startup: the time from before the exec of a command to main of the program that it
 * runs.
 *
 *     startup COMMAND [ARG...]     notes the time and becomes COMMAND
 *     startup                      at the end of the chain: prints the ms since then
 *
 * As in: startup andweorc-record -o log -- startup
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(int argc, char **argv)
{
	int64_t began = now();
	const char *since = getenv("STARTUP_BEGAN");
	char text[32];

	if (argc == 1) {
		if (!since)
			return 2;
		printf("%.3f\n", (double)(began - atoll(since)) / 1e6);
		return 0;
	}
	snprintf(text, sizeof text, "%lld", (long long)now());
	setenv("STARTUP_BEGAN", text, 1);
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
