/*
 * children: a parent that forks a child for each round, does something beside it,
 * waits for it, and does the rest.
 *
 * Round: task 6 in the child, beside it aside 3 in the parent; then rest 2.  Shrunk
 * by half: task 37.5 %, aside 0, rest 12.5 % (less what forking takes).
 */
#include "workload.h"

#include <sys/wait.h>
#include <unistd.h>

REGION(task, 6);
REGION(aside, 3);
REGION(rest, 2);

int main(int argc, char **argv)
{
	struct region *regions[] = {&task_region, &aside_region, &rest_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (;;) {
		pid_t pid = fork();

		if (pid < 0)
			workload_die("cannot make", "a child");
		if (pid == 0) {
			task();
			_exit(0);
		}
		aside();
		if (waitpid(pid, NULL, 0) != pid)
			workload_die("cannot wait for", "a child");
		rest();
		workload_visit();
	}
}
