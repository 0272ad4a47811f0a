/*
 * spin: pthread's spin locks.  Other locks without system calls are those that the
 * program declares (runtime/block.h).
 */
#include "wrap.h"

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
	LOCK(l, EBUSY, REAL(pthread_spin_trylock)(l), REAL(pthread_spin_lock)(l));
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
	TRY_LOCK(l, REAL(pthread_spin_trylock)(l));
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
	object_unlock(l, SITE);
	return REAL(pthread_spin_unlock)(l);
}
