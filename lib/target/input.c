#include "target/input.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Is it a pipe or a socket whose other end is closed, and that contains nothing more? */
static bool is_at_end(void)
{
	struct pollfd at = { .fd = STDIN_FILENO, .events = POLLIN | POLLRDHUP };
	int left = 0;

	if (poll(&at, 1, 0) <= 0 || !(at.revents & (POLLHUP | POLLRDHUP)))
		return false;
	return ioctl(STDIN_FILENO, FIONREAD, &left) != 0 || left == 0;
}

void input_note(struct input *in)
{
	in->begin = lseek(STDIN_FILENO, 0, SEEK_CUR);
	in->had_more = in->begin < 0 && !is_at_end();
}

bool input_rewind(const struct input *in)
{
	if (in->begin >= 0)
		return lseek(STDIN_FILENO, in->begin, SEEK_SET) == in->begin;
	return !(in->had_more && is_at_end());
}
