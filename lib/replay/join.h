/* join: makes one wait of the several looks and waits that it consists of, and one visit of many. */
#ifndef ANDWEORC_REPLAY_JOIN_H
#define ANDWEORC_REPLAY_JOIN_H

#include "replay/burst.h"

/*
 * Joins waits that timed out in vain: the thread has only looked, perhaps taking locks,
 * and waited again at the same place.  They become one wait, which ends like the last one;
 * waits that last until the end of the burst are removed.
 *
 * Joins polls in the same way: yields, or naps, from one place.  A poll becomes a wait
 * - for the lock that the thread takes as the poll ends;
 * - for the object that it then waits for;
 * - for an object that it waits for at other times, or that threads waited for after such
 *   polls, if another thread released one during the poll: the last one.
 * Any other poll becomes a BURST_POLL.  Other sleeps become waits for the outside.
 */
void join_waits(struct burst *b);

/*
 * If a thread visits a point more than a thousand times in the burst, each n visits that follow one another become the last one of
 * them, which counts for all.  Between them, the thread does nothing but visit points.  Returns how many visits are gone.
 */
size_t visits_join(struct burst *b);

/* Part of join_waits: forked children are born by the threads that forked them, see births.c. */
void births_join(struct burst *b);

/*
 * Part of join_waits: joins naps between looks under a lock, see naps.c.  They become waits for objects of their own; as `other`,
 * the RELEASE of such an object has the time between two looks, ns.
 */
void naps_join(struct burst *b);

#endif
