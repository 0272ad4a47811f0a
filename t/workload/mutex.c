/*
 * mutex: two threads and one mutex, held for 60 % of each thread's work.  The
 * mutex is the bottleneck, so work inside counts in full until both threads
 * together no longer fill it (at 33 %), work outside does not.
 */
#include "workload.h"

REGION(inside, 1.2);
REGION(outside, 0.8);

#include "onelock.h"
