/*
 * inflight: a parent that keeps four jobs in flight, and two workers, forked beforehand.
 * Jobs and results go through one pipe each.  The parent counts results.
 *
 * Three processes want two processors, and none is ever idle, so all work counts by its
 * share: parse 0.1, score 1.2, merge 0.05.  Shrunk by half: 3.7 %, 44.4 % and 1.9 %.  The
 * parent preempts a worker as that writes a result.
 */
#include "workload.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

REGION(parse, 0.1);
REGION(score, 1.2);
REGION(merge, 0.05);

enum { WORKERS = 2, IN_FLIGHT = 4 };

static int jobs[2], results[2];

static void run_worker(void)
{
	char job;

	/* Also when the parent is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(jobs[1]);
	close(results[0]);
	while (read(jobs[0], &job, 1) == 1) {
		score();
		if (write(results[1], &job, 1) != 1)
			break;
	}
	exit(0);
}

static void send_job(void)
{
	parse();
	if (write(jobs[1], "", 1) != 1)
		workload_die("cannot send", "a job");
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&parse_region, &score_region, &merge_region, NULL};
	char result;

	workload_start(argc, argv, regions, 1);
	if (pipe(jobs) || pipe(results))
		workload_die("cannot make", "a pipe");
	for (int i = 0; i < WORKERS; i++) {
		pid_t pid = fork();

		if (pid < 0)
			workload_die("cannot make", "a worker");
		if (pid == 0)
			run_worker();
	}
	for (int i = 0; i < IN_FLIGHT; i++)
		send_job();
	for (;;) {
		if (read(results[0], &result, 1) != 1)
			workload_die("cannot read", "a result");
		merge();
		if (workload_count())
			return 0;
		send_job();
	}
}
