/*
 * sparing: a producer and a slightly slower consumer over a bounded queue of 8.  Both
 * signal only if the other one waits.  The queue is never empty, so nobody ever waits for
 * that to change, and no event tells that a faster consumer would have to.
 *
 * The consumer counts until it is as fast as the producer (at 15 %), the producer does not.
 */
#include "workload.h"

REGION(produce, 0.85);
REGION(consume, 1.0);

#define SPARING 1
#include "onequeue.h"
