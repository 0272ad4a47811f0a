/*
 * reaper: a child for each piece of work, and a parent that learns of its end as make does:
 * the signal interrupts pselect(2).  For every second child it learns of it as newer
 * programs do, from a descriptor of the child (pidfd_open(2)).
 *
 * Round: build 3.0, plan 1.0.  Measured, shrunk by half: build 34 %, plan 11 %.
 */
#include "workload.h"

#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

REGION(build, 3.0);
REGION(plan, 1.0);

static volatile sig_atomic_t ended;
static sigset_t unblocked;

static void note_end(int sig)
{
	(void)sig;
	ended = 1;
}

static void wait_by_signal(void)
{
	while (!ended)
		pselect(0, NULL, NULL, NULL, NULL, &unblocked);
}

static void wait_by_descriptor(pid_t pid)
{
	struct pollfd child = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};

	while (child.fd >= 0 && poll(&child, 1, -1) < 1)
		;
	if (child.fd >= 0)
		close(child.fd);
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&build_region, &plan_region, NULL};
	struct sigaction act = {.sa_handler = note_end};
	sigset_t block;

	workload_start(argc, argv, regions, 1);
	sigaction(SIGCHLD, &act, NULL);
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &unblocked);
	for (unsigned n = 0;; n++) {
		pid_t pid;

		ended = 0;
		plan();
		pid = fork();
		if (pid == 0) {
			build();
			_exit(0);
		}
		if (n % 2)
			wait_by_signal();
		else
			wait_by_descriptor(pid);
		waitpid(pid, NULL, 0);
		workload_visit();
	}
}
