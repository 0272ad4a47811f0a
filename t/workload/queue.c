/*
 * queue: a producer and a slower consumer over a bounded queue of 8.  The
 * consumer counts in full until it is as fast as the producer (at 40 %), the
 * producer does not.
 */
#include "workload.h"

REGION(produce, 0.6);
REGION(consume, 1.0);

#define SPARING 0
#include "onequeue.h"
