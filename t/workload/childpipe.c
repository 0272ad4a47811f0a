/*
 * childpipe: a parent asks a forked child over one pipe and gets answers over
 * another, with up to 4 requests under way.  The child is the bottleneck; the parent
 * works at the same time.
 *
 * Round: answer 1.2 in the child, beside it prepare 0.4 and digest 0.3.  Shrunk
 * by half: answer 41.7 % (then the parent is slower), prepare and digest 0.
 */
#include "workload.h"

#include <unistd.h>

REGION(prepare, 0.4);
REGION(digest, 0.3);
REGION(answer, 1.2);

enum { DEPTH = 4 };

static void send_number(int fd, uint64_t n)
{
	if (write(fd, &n, sizeof n) != (ssize_t)sizeof n)
		workload_die("cannot write to a", "pipe");
}

/* False at the end of file. */
static bool receive_number(int fd, uint64_t *n)
{
	ssize_t got = read(fd, n, sizeof *n);

	if (got != 0 && got != (ssize_t)sizeof *n)
		workload_die("cannot read from a", "pipe");
	return got != 0;
}

static void run_child(int requests, int answers)
{
	uint64_t n;

	while (receive_number(requests, &n)) {
		answer();
		send_number(answers, n + 1);
	}
}

static void run_parent(int requests, int answers)
{
	uint64_t got;

	for (uint64_t sent = 0, done = 0;;) {
		prepare();
		send_number(requests, sent++);
		if (sent - done < DEPTH)
			continue;
		if (!receive_number(answers, &got) || got != ++done)
			workload_die("wrong answer from the", "child");
		digest();
		workload_visit();
	}
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&prepare_region, &digest_region, &answer_region, NULL};
	int requests[2], answers[2];
	pid_t child;

	workload_start(argc, argv, regions, 1);
	if (pipe(requests) || pipe(answers) || (child = fork()) < 0)
		workload_die("cannot make", "a child");
	if (child == 0) {
		close(requests[1]);
		close(answers[0]);
		run_child(requests[0], answers[1]);
		_exit(0);
	}
	close(requests[0]);
	close(answers[1]);
	run_parent(requests[1], answers[0]);
}
