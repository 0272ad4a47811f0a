#include "target/lend.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/procstatus.h"

/*
 * Becomes a process of that user.  As the user may look into it, it gets the descriptor
 * but none of our memory and environment: it executes another program.  The pipe is closed
 * by that; if something fails, a byte is written to it.
 */
static _Noreturn void be(const struct procstatus *s, int fd, int report)
{
	char *const nothing[] = { NULL };

	if (setgroups(0, NULL) == 0 && setresgid(s->gid, s->gid, s->gid) == 0 && setresuid(s->uid, s->uid, s->uid) == 0 &&
	    prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && fcntl(fd, F_SETFD, 0) == 0) {
		for (int i = 0; i < STDERR_FILENO + 1; i++)
			close(i);
		execle("/bin/sleep", "sleep", "60", (char *)NULL, nothing);
	}
	if (write(report, "", 1) < 0)
		_exit(2);
	_exit(1);
}

pid_t lend_begin(pid_t pid, int fd)
{
	struct procstatus s;
	int report[2];
	pid_t child;
	char byte;
	ssize_t n;

	if (!procstatus_read(pid, &s)) {
		errno = ESRCH;
		return -1;
	}
	if (s.uid == geteuid())
		return getpid();
	if (pipe2(report, O_CLOEXEC) != 0)
		return -1;
	child = fork();
	if (child == 0)
		be(&s, fd, report[1]);
	close(report[1]);
	do
		n = child > 0 ? read(report[0], &byte, 1) : 1;
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n == 0)
		return child;
	lend_end(child);
	errno = EPERM;
	return -1;
}

void lend_end(pid_t lender)
{
	if (lender <= 0 || lender == getpid())
		return;
	kill(lender, SIGKILL);
	while (waitpid(lender, NULL, 0) < 0 && errno == EINTR)
		;
}
