/*
 * peak: runs a command and measures its time and memory.
 *
 *     peak FILE COMMAND [ARG...]
 *
 * Writes to FILE: seconds of wall time, seconds of CPU time, and the greatest
 * resident size in KB.  Exits as the command did (128 + signal when killed).
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage use;
	double began;
	FILE *out;
	pid_t pid;
	int status;

	if (argc < 3)
		return 2;
	began = now();
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) != pid) {
		perror("peak");
		return 2;
	}
	out = fopen(argv[1], "w");
	if (!out || fprintf(out, "%.3f %.3f %ld\n", now() - began, seconds(use.ru_utime) + seconds(use.ru_stime), use.ru_maxrss) < 0 ||
	    fclose(out)) {
		perror(argv[1]);
		return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
