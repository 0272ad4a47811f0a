/*
 * aio: POSIX's asynchronous input and output.
 *
 * glibc does it by threads of its own, which are not observed.  So a control block that is
 * submitted asks the outside for something, and a wait for it is one for the answer.  Where
 * the descriptor leads to a thread of the recording, that one gives the answer.
 */
#include "runtime/process.h"
#include "runtime/sys.h"
#include "watch.h"

static uint64_t request_of(const volatile void *block)
{
	return key_of(KEY_AIO, (uintptr_t)block, process_number());
}

/*
 * Is about to be submitted.  On a pipe or a socket it does what a call would do: it makes room, or brings data.  Anything
 * else is asked of the kernel.
 */
static void request(const struct aiocb *block, bool reads, const void *site)
{
	uint64_t key;

	if (!block || !wait_is_accounted())
		return;
	key = reads ? channel_space(channel_in(block->aio_fildes)) : channel_out(block->aio_fildes);
	sync_release(key ? key : request_of(block), site);
}

static void request_sync(const volatile void *block, const void *site)
{
	if (block && wait_is_accounted())
		sync_release(request_of(block), site);
}

/* On 64-bit machines, both types are the same. */
static const struct aiocb *small(const struct aiocb64 *block)
{
	return (const void *)block;
}

/* ---- submitting ----------------------------------------------------------------------- */

EXPORT int aio_read(struct aiocb *block)
{
	request(block, true, SITE);
	return REAL(aio_read)(block);
}

EXPORT int aio_read64(struct aiocb64 *block)
{
	request(small(block), true, SITE);
	return REAL(aio_read64)(block);
}

EXPORT int aio_write(struct aiocb *block)
{
	request(block, false, SITE);
	return REAL(aio_write)(block);
}

EXPORT int aio_write64(struct aiocb64 *block)
{
	request(small(block), false, SITE);
	return REAL(aio_write64)(block);
}

EXPORT int aio_fsync(int operation, struct aiocb *block)
{
	request_sync(block, SITE);
	return REAL(aio_fsync)(operation, block);
}

EXPORT int aio_fsync64(int operation, struct aiocb64 *block)
{
	request_sync(block, SITE);
	return REAL(aio_fsync64)(operation, block);
}

/* ---- waiting ----------------------------------------------------------------------------- */

static void completed(struct watch *w, const struct aiocb *const *list, int n, int result)
{
	for (int i = 0; i < n && result == 0 && watch_is_curious(w); i++) {
		int fd, mode;

		if (!list[i] || aio_error(list[i]) == EINPROGRESS)
			continue;
		fd = list[i]->aio_fildes;
		mode = (int)SYS(SYS_fcntl, fd, F_GETFL) & O_ACCMODE;
		if (channel_in(fd) || channel_out(fd))
			watch_ready(w, fd, mode != O_WRONLY, mode != O_RDONLY);
		else
			watch_answer(w, request_of(list[i]), false);
	}
	watch_end(w, result == 0 ? 1 : errno == EAGAIN ? 0 : -1);
}

#define WAIT(list, n, call) WATCH_THEN(completed(&w_, list, n, got_), (size_t)(n), WAIT_UNKNOWN, call)

EXPORT int aio_suspend(const struct aiocb *const *list, int n, const struct timespec *timeout)
{
	WAIT(list, n, REAL(aio_suspend)(list, n, timeout));
}

EXPORT int aio_suspend64(const struct aiocb64 *const *list, int n, const struct timespec *timeout)
{
	WAIT((const struct aiocb *const *)list, n, REAL(aio_suspend64)(list, n, timeout));
}

#define SUBMIT_LIST(mode, list, n, call)                                                                                     \
	do {                                                                                                                 \
		const struct aiocb *const *blocks_ = (const struct aiocb *const *)(list);                                    \
		for (int i = 0; i < (n) && wait_is_accounted(); i++)                                                         \
			if (blocks_[i] && blocks_[i]->aio_lio_opcode != LIO_NOP)                                             \
				request(blocks_[i], blocks_[i]->aio_lio_opcode == LIO_READ, SITE);                           \
		if ((mode) != LIO_WAIT)                                                                                      \
			return call;                                                                                         \
		WAIT(blocks_, n, call);                                                                                      \
	} while (0)

EXPORT int lio_listio(int mode, struct aiocb *const *list, int n, struct sigevent *event)
{
	SUBMIT_LIST(mode, list, n, REAL(lio_listio)(mode, list, n, event));
}

EXPORT int lio_listio64(int mode, struct aiocb64 *const *list, int n, struct sigevent *event)
{
	SUBMIT_LIST(mode, list, n, REAL(lio_listio64)(mode, list, n, event));
}
