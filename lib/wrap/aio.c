/*
 * aio: POSIX's asynchronous input and output.
 *
 * glibc does it by threads of its own, which are not observed.  So a control block that is
 * submitted asks the outside for something, and a wait for it is one for the answer.
 */
#include "runtime/process.h"
#include "wrap.h"

static uint64_t request_of(const volatile void *block)
{
	return key_of(KEY_AIO, (uintptr_t)block, process_number());
}

static void request(const volatile void *block, const void *site)
{
	if (block && wait_is_accounted())
		sync_release(request_of(block), site);
}

/* ---- submitting ----------------------------------------------------------------------- */

EXPORT int aio_read(struct aiocb *block)
{
	request(block, SITE);
	return REAL(aio_read)(block);
}

EXPORT int aio_read64(struct aiocb64 *block)
{
	request(block, SITE);
	return REAL(aio_read64)(block);
}

EXPORT int aio_write(struct aiocb *block)
{
	request(block, SITE);
	return REAL(aio_write)(block);
}

EXPORT int aio_write64(struct aiocb64 *block)
{
	request(block, SITE);
	return REAL(aio_write64)(block);
}

EXPORT int aio_fsync(int operation, struct aiocb *block)
{
	request(block, SITE);
	return REAL(aio_fsync)(operation, block);
}

EXPORT int aio_fsync64(int operation, struct aiocb64 *block)
{
	request(block, SITE);
	return REAL(aio_fsync64)(operation, block);
}

/* ---- waiting ----------------------------------------------------------------------------- */

/* Of several blocks, it is not known which one has ended the wait. */
#define WAIT(list, n, call)                                                                                                  \
	WAIT_OUTSIDE_THEN(wait_answered(&w_, got_ == 0 && (n) == 1 && (list)[0] ? request_of((list)[0]) : 0), call)

EXPORT int aio_suspend(const struct aiocb *const *list, int n, const struct timespec *timeout)
{
	WAIT(list, n, REAL(aio_suspend)(list, n, timeout));
}

EXPORT int aio_suspend64(const struct aiocb64 *const *list, int n, const struct timespec *timeout)
{
	WAIT(list, n, REAL(aio_suspend64)(list, n, timeout));
}

#define SUBMIT_LIST(mode, list, n, call)                                                                                     \
	do {                                                                                                                 \
		for (int i = 0; i < (n) && wait_is_accounted(); i++)                                                         \
			request((list)[i], SITE);                                                                            \
		if ((mode) != LIO_WAIT)                                                                                      \
			return call;                                                                                         \
		WAIT(list, n, call);                                                                                         \
	} while (0)

EXPORT int lio_listio(int mode, struct aiocb *const *list, int n, struct sigevent *event)
{
	SUBMIT_LIST(mode, list, n, REAL(lio_listio)(mode, list, n, event));
}

EXPORT int lio_listio64(int mode, struct aiocb64 *const *list, int n, struct sigevent *event)
{
	SUBMIT_LIST(mode, list, n, REAL(lio_listio64)(mode, list, n, event));
}
