/*
 * children: a parent that forks a child for each round, waits for it, and does the
 * rest.
 *
 * Round: task 6 in the child, then rest 2 in the parent.  Shrunk by half: task
 * 37.5 %, rest 12.5 %, less what forking takes.
 */
#include "workload.h"

#include <sys/wait.h>
#include <unistd.h>

REGION(task, 6);
REGION(rest, 2);

int main(int argc, char **argv)
{
	struct region *regions[] = {&task_region, &rest_region, NULL};

	workload_start(argc, argv, regions, 1);
	for (;;) {
		pid_t pid = fork();

		if (pid < 0)
			workload_die("cannot make", "a child");
		if (pid == 0) {
			task();
			_exit(0);
		}
		if (waitpid(pid, NULL, 0) != pid)
			workload_die("cannot wait for", "a child");
		rest();
		workload_visit();
	}
}
