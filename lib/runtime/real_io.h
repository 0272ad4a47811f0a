/* Functions of libc that have wrappers in lib/wrap: io.c, aio.c, file.c, filesystem.c, socket.c, poll.c and stdio.c; see real.h. */
#ifndef ANDWEORC_RUNTIME_REAL_IO_H
#define ANDWEORC_RUNTIME_REAL_IO_H

#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAL_BYTES(X) \
	X(read, ssize_t, (int, void *, size_t)) \
	X(__read_chk, ssize_t, (int, void *, size_t, size_t)) \
	X(pread, ssize_t, (int, void *, size_t, off_t)) \
	X(pread64, ssize_t, (int, void *, size_t, off64_t)) \
	X(__pread_chk, ssize_t, (int, void *, size_t, off_t, size_t)) \
	X(__pread64_chk, ssize_t, (int, void *, size_t, off64_t, size_t)) \
	X(readv, ssize_t, (int, const struct iovec *, int)) \
	X(preadv, ssize_t, (int, const struct iovec *, int, off_t)) \
	X(preadv64, ssize_t, (int, const struct iovec *, int, off64_t)) \
	X(preadv2, ssize_t, (int, const struct iovec *, int, off_t, int)) \
	X(preadv64v2, ssize_t, (int, const struct iovec *, int, off64_t, int)) \
	X(write, ssize_t, (int, const void *, size_t)) \
	X(pwrite, ssize_t, (int, const void *, size_t, off_t)) \
	X(pwrite64, ssize_t, (int, const void *, size_t, off64_t)) \
	X(writev, ssize_t, (int, const struct iovec *, int)) \
	X(pwritev, ssize_t, (int, const struct iovec *, int, off_t)) \
	X(pwritev64, ssize_t, (int, const struct iovec *, int, off64_t)) \
	X(pwritev2, ssize_t, (int, const struct iovec *, int, off_t, int)) \
	X(pwritev64v2, ssize_t, (int, const struct iovec *, int, off64_t, int)) \
	X(sendfile, ssize_t, (int, int, off_t *, size_t)) \
	X(sendfile64, ssize_t, (int, int, off64_t *, size_t)) \
	X(splice, ssize_t, (int, off64_t *, int, off64_t *, size_t, unsigned)) \
	X(tee, ssize_t, (int, int, size_t, unsigned)) \
	X(vmsplice, ssize_t, (int, const struct iovec *, size_t, unsigned)) \
	X(copy_file_range, ssize_t, (int, off64_t *, int, off64_t *, size_t, unsigned)) \
	X(pipe, int, (int *)) \
	X(pipe2, int, (int *, int)) \
	X(eventfd, int, (unsigned, int)) \
	X(eventfd_read, int, (int, eventfd_t *)) \
	X(eventfd_write, int, (int, eventfd_t)) \
	X(timerfd_create, int, (int, int)) \
	X(timerfd_settime, int, (int, int, const struct itimerspec *, struct itimerspec *)) \
	X(dup, int, (int)) \
	X(dup2, int, (int, int)) \
	X(dup3, int, (int, int, int)) \
	X(mq_receive, ssize_t, (mqd_t, char *, size_t, unsigned *)) \
	X(mq_timedreceive, ssize_t, (mqd_t, char *, size_t, unsigned *, const struct timespec *)) \
	X(mq_send, int, (mqd_t, const char *, size_t, unsigned)) \
	X(mq_timedsend, int, (mqd_t, const char *, size_t, unsigned, const struct timespec *))

/* Variadic functions are declared with a last argument of the type that libc reads. */
#define REAL_FILE(X) \
	X(open, int, (const char *, int, ...)) \
	X(open64, int, (const char *, int, ...)) \
	X(openat, int, (int, const char *, int, ...)) \
	X(openat64, int, (int, const char *, int, ...)) \
	X(creat, int, (const char *, mode_t)) \
	X(creat64, int, (const char *, mode_t)) \
	X(__open_2, int, (const char *, int)) \
	X(__open64_2, int, (const char *, int)) \
	X(__openat_2, int, (int, const char *, int)) \
	X(__openat64_2, int, (int, const char *, int)) \
	X(flock, int, (int, int)) \
	X(lockf, int, (int, int, off_t)) \
	X(lockf64, int, (int, int, off64_t)) \
	X(fcntl, int, (int, int, ...)) \
	X(fcntl64, int, (int, int, ...))

#define REAL_FILESYSTEM(X) \
	X(sync, void, (void)) \
	X(fsync, int, (int)) \
	X(fdatasync, int, (int)) \
	X(sync_file_range, int, (int, off64_t, off64_t, unsigned)) \
	X(syncfs, int, (int)) \
	X(msync, int, (void *, size_t, int)) \
	X(unlink, int, (const char *)) \
	X(unlinkat, int, (int, const char *, int)) \
	X(remove, int, (const char *)) \
	X(rename, int, (const char *, const char *)) \
	X(renameat, int, (int, const char *, int, const char *)) \
	X(renameat2, int, (int, const char *, int, const char *, unsigned)) \
	X(link, int, (const char *, const char *)) \
	X(linkat, int, (int, const char *, int, const char *, int)) \
	X(symlink, int, (const char *, const char *)) \
	X(symlinkat, int, (const char *, int, const char *)) \
	X(mkdir, int, (const char *, mode_t)) \
	X(mkdirat, int, (int, const char *, mode_t)) \
	X(rmdir, int, (const char *)) \
	X(truncate, int, (const char *, off_t)) \
	X(truncate64, int, (const char *, off64_t)) \
	X(ftruncate, int, (int, off_t)) \
	X(ftruncate64, int, (int, off64_t)) \
	X(fallocate, int, (int, int, off_t, off_t)) \
	X(fallocate64, int, (int, int, off64_t, off64_t)) \
	X(posix_fallocate, int, (int, off_t, off_t)) \
	X(posix_fallocate64, int, (int, off64_t, off64_t))

#define REAL_AIO(X) \
	X(aio_read, int, (struct aiocb *)) \
	X(aio_read64, int, (struct aiocb64 *)) \
	X(aio_write, int, (struct aiocb *)) \
	X(aio_write64, int, (struct aiocb64 *)) \
	X(aio_fsync, int, (int, struct aiocb *)) \
	X(aio_fsync64, int, (int, struct aiocb64 *)) \
	X(aio_suspend, int, (const struct aiocb *const *, int, const struct timespec *)) \
	X(aio_suspend64, int, (const struct aiocb64 *const *, int, const struct timespec *)) \
	X(lio_listio, int, (int, struct aiocb *const *, int, struct sigevent *)) \
	X(lio_listio64, int, (int, struct aiocb64 *const *, int, struct sigevent *))

#define REAL_SOCKET(X) \
	X(socket, int, (int, int, int)) \
	X(socketpair, int, (int, int, int, int *)) \
	X(accept, int, (int, __SOCKADDR_ARG, socklen_t *)) \
	X(accept4, int, (int, __SOCKADDR_ARG, socklen_t *, int)) \
	X(connect, int, (int, __CONST_SOCKADDR_ARG, socklen_t)) \
	X(shutdown, int, (int, int)) \
	X(recv, ssize_t, (int, void *, size_t, int)) \
	X(__recv_chk, ssize_t, (int, void *, size_t, size_t, int)) \
	X(recvfrom, ssize_t, (int, void *, size_t, int, __SOCKADDR_ARG, socklen_t *)) \
	X(__recvfrom_chk, ssize_t, (int, void *, size_t, size_t, int, __SOCKADDR_ARG, socklen_t *)) \
	X(recvmsg, ssize_t, (int, struct msghdr *, int)) \
	X(recvmmsg, int, (int, struct mmsghdr *, unsigned, int, struct timespec *)) \
	X(send, ssize_t, (int, const void *, size_t, int)) \
	X(sendto, ssize_t, (int, const void *, size_t, int, __CONST_SOCKADDR_ARG, socklen_t)) \
	X(sendmsg, ssize_t, (int, const struct msghdr *, int)) \
	X(sendmmsg, int, (int, struct mmsghdr *, unsigned, int)) \
	X(getaddrinfo, int, (const char *, const char *, const struct addrinfo *, struct addrinfo **))

#define REAL_POLL(X) \
	X(poll, int, (struct pollfd *, nfds_t, int)) \
	X(__poll_chk, int, (struct pollfd *, nfds_t, int, size_t)) \
	X(ppoll, int, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *)) \
	X(__ppoll_chk, int, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t)) \
	X(select, int, (int, fd_set *, fd_set *, fd_set *, struct timeval *)) \
	X(pselect, int, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *)) \
	X(epoll_create, int, (int)) \
	X(epoll_create1, int, (int)) \
	X(epoll_ctl, int, (int, int, int, struct epoll_event *)) \
	X(epoll_wait, int, (int, struct epoll_event *, int, int)) \
	X(epoll_pwait, int, (int, struct epoll_event *, int, int, const sigset_t *)) \
	X(epoll_pwait2, int, (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))

#define REAL_STDIO(X) \
	X(fread, size_t, (void *, size_t, size_t, FILE *)) \
	X(fread_unlocked, size_t, (void *, size_t, size_t, FILE *)) \
	X(__fread_chk, size_t, (void *, size_t, size_t, size_t, FILE *)) \
	X(__fread_unlocked_chk, size_t, (void *, size_t, size_t, size_t, FILE *)) \
	X(fgets, char *, (char *, int, FILE *)) \
	X(fgets_unlocked, char *, (char *, int, FILE *)) \
	X(__fgets_chk, char *, (char *, size_t, int, FILE *)) \
	X(__fgets_unlocked_chk, char *, (char *, size_t, int, FILE *)) \
	X(getline, ssize_t, (char **, size_t *, FILE *)) \
	X(getdelim, ssize_t, (char **, size_t *, int, FILE *)) \
	X(fgetc, int, (FILE *)) \
	X(__uflow, int, (FILE *)) \
	X(fwrite, size_t, (const void *, size_t, size_t, FILE *)) \
	X(fwrite_unlocked, size_t, (const void *, size_t, size_t, FILE *)) \
	X(fputs, int, (const char *, FILE *)) \
	X(fputs_unlocked, int, (const char *, FILE *)) \
	X(puts, int, (const char *)) \
	X(fputc, int, (int, FILE *)) \
	X(__overflow, int, (FILE *, int)) \
	X(vfprintf, int, (FILE *, const char *, va_list)) \
	X(__vfprintf_chk, int, (FILE *, int, const char *, va_list)) \
	X(vdprintf, int, (int, const char *, va_list)) \
	X(__vdprintf_chk, int, (int, int, const char *, va_list)) \
	X(fflush, int, (FILE *)) \
	X(flockfile, void, (FILE *)) \
	X(ftrylockfile, int, (FILE *)) \
	X(funlockfile, void, (FILE *)) \
	X(fflush_unlocked, int, (FILE *)) \
	X(fclose, int, (FILE *))

#define REAL_IO(X) REAL_BYTES(X) REAL_AIO(X) REAL_FILE(X) REAL_FILESYSTEM(X) REAL_SOCKET(X) REAL_POLL(X) REAL_STDIO(X)

#endif
