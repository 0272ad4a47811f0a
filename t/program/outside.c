/*
 * outside: a parent that runs a program which is not profiled, ./nap, and waits
 * for it: for its parent it is a device.
 *
 * Round: ask 4 and what a process takes, 0.7 where this was tried; digest 4.
 */
#include "../../workload/workload.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

REGION(digest, 4);

WORKLOAD_OPAQUE static void ask(void)
{
	char *argv[] = {(char[]){"nap"}, NULL};
	pid_t pid;

	if (posix_spawn(&pid, "./nap", NULL, NULL, argv, environ) != 0 || waitpid(pid, NULL, 0) != pid)
		workload_die("cannot run", "./nap");
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&digest_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (;;) {
		ask();
		digest();
		workload_visit();
	}
}
