/* Functions of libc that have wrappers in lib/wrap (lock.c and join.c), or in sample_signal.c; see real.h. */
#ifndef ANDWEORC_RUNTIME_REAL_PTHREAD_H
#define ANDWEORC_RUNTIME_REAL_PTHREAD_H

#include <pthread.h>
#include <signal.h>
#include <time.h>

#define REAL_PTHREAD(X) \
	X(pthread_create, int, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) \
	X(pthread_join, int, (pthread_t, void **)) \
	X(pthread_tryjoin_np, int, (pthread_t, void **)) \
	X(pthread_clockjoin_np, int, (pthread_t, void **, clockid_t, const struct timespec *)) \
	X(pthread_timedjoin_np, int, (pthread_t, void **, const struct timespec *)) \
	X(pthread_mutex_lock, int, (pthread_mutex_t *)) \
	X(pthread_mutex_trylock, int, (pthread_mutex_t *)) \
	X(pthread_mutex_timedlock, int, (pthread_mutex_t *, const struct timespec *)) \
	X(pthread_mutex_unlock, int, (pthread_mutex_t *)) \
	X(pthread_cond_wait, int, (pthread_cond_t *, pthread_mutex_t *)) \
	X(pthread_cond_timedwait, int, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *)) \
	X(pthread_cond_signal, int, (pthread_cond_t *)) \
	X(pthread_cond_broadcast, int, (pthread_cond_t *)) \
	X(pthread_rwlock_rdlock, int, (pthread_rwlock_t *)) \
	X(pthread_rwlock_tryrdlock, int, (pthread_rwlock_t *)) \
	X(pthread_rwlock_timedrdlock, int, (pthread_rwlock_t *, const struct timespec *)) \
	X(pthread_rwlock_wrlock, int, (pthread_rwlock_t *)) \
	X(pthread_rwlock_trywrlock, int, (pthread_rwlock_t *)) \
	X(pthread_rwlock_timedwrlock, int, (pthread_rwlock_t *, const struct timespec *)) \
	X(pthread_rwlock_unlock, int, (pthread_rwlock_t *)) \
	X(pthread_barrier_wait, int, (pthread_barrier_t *)) \
	X(pthread_sigmask, int, (int, const sigset_t *, sigset_t *)) \
	X(sigprocmask, int, (int, const sigset_t *, sigset_t *)) \
	X(sigaction, int, (int, const struct sigaction *, struct sigaction *)) \
	X(signal, __sighandler_t, (int, __sighandler_t)) \
	X(getauxval, unsigned long, (unsigned long)) \
	X(pthread_cond_clockwait, int, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *)) \
	X(pthread_mutex_clocklock, int, (pthread_mutex_t *, clockid_t, const struct timespec *))

#endif
