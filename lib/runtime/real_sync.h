/* Functions of libc that have wrappers in lib/wrap: sem.c, sysv.c, c11.c, spin.c, yield.c, once.c, futex.c, sigwait.c and sleep.c; see real.h. */
#ifndef ANDWEORC_RUNTIME_REAL_SYNC_H
#define ANDWEORC_RUNTIME_REAL_SYNC_H

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/types.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

struct sembuf;

/* syscall(2) and sem_open(3) are variadic, but integers are passed alike either way. */
#define REAL_SYNC(X) \
	X(syscall, long, (long, long, long, long, long, long, long)) \
	X(sem_wait, int, (sem_t *)) \
	X(sem_trywait, int, (sem_t *)) \
	X(sem_timedwait, int, (sem_t *, const struct timespec *)) \
	X(sem_clockwait, int, (sem_t *, clockid_t, const struct timespec *)) \
	X(sem_post, int, (sem_t *)) \
	X(sem_open, sem_t *, (const char *, int, ...)) \
	X(sem_close, int, (sem_t *)) \
	X(semop, int, (int, struct sembuf *, size_t)) \
	X(semtimedop, int, (int, struct sembuf *, size_t, const struct timespec *)) \
	X(msgsnd, int, (int, const void *, size_t, int)) \
	X(msgrcv, ssize_t, (int, void *, size_t, long, int)) \
	X(mtx_lock, int, (mtx_t *)) \
	X(mtx_timedlock, int, (mtx_t *, const struct timespec *)) \
	X(mtx_trylock, int, (mtx_t *)) \
	X(mtx_unlock, int, (mtx_t *)) \
	X(cnd_wait, int, (cnd_t *, mtx_t *)) \
	X(cnd_timedwait, int, (cnd_t *, mtx_t *, const struct timespec *)) \
	X(cnd_signal, int, (cnd_t *)) \
	X(cnd_broadcast, int, (cnd_t *)) \
	X(thrd_create, int, (thrd_t *, thrd_start_t, void *)) \
	X(thrd_join, int, (thrd_t, int *)) \
	X(thrd_sleep, int, (const struct timespec *, struct timespec *)) \
	X(call_once, void, (once_flag *, void (*)(void))) \
	X(pthread_once, int, (pthread_once_t *, void (*)(void))) \
	X(pthread_spin_lock, int, (pthread_spinlock_t *)) \
	X(pthread_spin_trylock, int, (pthread_spinlock_t *)) \
	X(pthread_spin_unlock, int, (pthread_spinlock_t *)) \
	X(pthread_rwlock_clockrdlock, int, (pthread_rwlock_t *, clockid_t, const struct timespec *)) \
	X(pthread_rwlock_clockwrlock, int, (pthread_rwlock_t *, clockid_t, const struct timespec *)) \
	X(kill, int, (pid_t, int)) \
	X(killpg, int, (pid_t, int)) \
	X(tgkill, int, (pid_t, pid_t, int)) \
	X(raise, int, (int)) \
	X(sigqueue, int, (pid_t, int, const union sigval)) \
	X(pthread_kill, int, (pthread_t, int)) \
	X(pthread_sigqueue, int, (pthread_t, int, const union sigval)) \
	X(sigwait, int, (const sigset_t *, int *)) \
	X(sigwaitinfo, int, (const sigset_t *, siginfo_t *)) \
	X(sigtimedwait, int, (const sigset_t *, siginfo_t *, const struct timespec *)) \
	X(sigsuspend, int, (const sigset_t *)) \
	X(pause, int, (void)) \
	X(sched_yield, int, (void)) \
	X(thrd_yield, void, (void)) \
	X(nanosleep, int, (const struct timespec *, struct timespec *)) \
	X(clock_nanosleep, int, (clockid_t, int, const struct timespec *, struct timespec *)) \
	X(usleep, int, (useconds_t)) \
	X(sleep, unsigned, (unsigned))

#endif
