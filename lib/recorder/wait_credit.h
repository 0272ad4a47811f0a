/*
 * wait_credit: credits threads that wait in the region while the wait lasts.
 */
#ifndef ANDWEORC_RECORDER_WAIT_CREDIT_H
#define ANDWEORC_RECORDER_WAIT_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arena.h"

/*
 * Raises G by what threads that wait in the region have earned by `now_ns`.  True
 * when there are such threads: call it again in TICK_NS.
 */
bool wait_credit(struct arena *a, int64_t now_ns);

enum { TICK_NS = 1000000 };

#endif
