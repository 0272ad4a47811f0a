/*
 * close: calls of the program that close descriptors.  Ours stay open.
 */
#include "fd_wait.h"
#include "runtime/hidden_fd.h"
#include "runtime/sys.h"

enum { CLOSE_ON_EXEC = 4 }; /* CLOSE_RANGE_CLOEXEC */

EXPORT int close(int fd)
{
	if (unlikely(arena != NULL)) {
		GUARDED(fd);
		fd_wait_closes(fd, SITE);
		channel_is_closed(fd);
		hidden_fd_wait_for_opening();
	}
	/* Allocators call this from inside dlsym. */
	return REAL(close) ? real.close(fd) : (int)sys_as_libc(SYS(SYS_close, fd));
}

/* The ranges of numbers between our descriptors, one after the other. */
static int close_between(unsigned first, unsigned last, int flags)
{
	for (;;) {
		unsigned ours = hidden_fd_next(first, last);
		int err;

		if (ours == HIDDEN_FD_NUMBERS)
			return first <= last ? real.close_range(first, last, flags) : 0;
		if (ours > first && (err = real.close_range(first, ours - 1, flags)) != 0)
			return err;
		first = ours + 1;
	}
}

EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	if (!REAL(close_range)) {
		errno = ENOSYS;
		return -1;
	}
	/* Ours are close-on-exec anyway. */
	if (likely(!arena) || first > last || (flags & CLOSE_ON_EXEC))
		return real.close_range(first, last, flags);
	channel_forget_all();
	hidden_fd_wait_for_opening();
	return close_between(first, last, flags);
}

EXPORT void closefrom(int from)
{
	unsigned first = from > 0 ? (unsigned)from : 0;

	if (!REAL(closefrom))
		return;
	channel_forget_all();
	hidden_fd_wait_for_opening();
	if (likely(!arena) || hidden_fd_next(first, ~0u) == HIDDEN_FD_NUMBERS) {
		real.closefrom(from);
		return;
	}
	if (real.close_range && close_between(first, ~0u, 0) == 0)
		return;
	/* On kernels before 5.9 libc uses /proc instead. */
	for (unsigned ours; (ours = hidden_fd_next(first, ~0u)) != HIDDEN_FD_NUMBERS; first = ours + 1)
		for (; first < ours; first++)
			SYS(SYS_close, first);
	real.closefrom((int)first);
}
