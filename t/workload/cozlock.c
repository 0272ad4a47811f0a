/*
 * cozlock: Coz's benchmark `lock_test`, two threads that contend for a lock.  What
 * is done with the lock counts in full until both threads together no longer fill
 * it (at 44 %); what is done without it does not count.
 */
#include "cozmarks.h"
#include "workload.h"

REGION(inside, 0.9);
REGION(outside, 0.5);

#include "onelock.h"
