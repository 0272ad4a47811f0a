/* pay: pauses of the calling thread.  The rules of virtual clocks are in lib/vclock. */
#ifndef ANDWEORC_RUNTIME_PAY_H
#define ANDWEORC_RUNTIME_PAY_H

#include <stdbool.h>
#include <stdint.h>

enum pause {
	PAUSE_BUSY,   /* the thread keeps its processor and spins */
	PAUSE_ASLEEP, /* the thread sleeps, as in the wait that has ended */
};

/* any: the calling thread pays its debt, if that is at_least ns. */
void pay(int64_t at_least, enum pause how);

/*
 * any: the same before the thread takes a lock: it also pays for what others have earned
 * and will be credited later.  The second tells whether there is enough to pay.
 */
void pay_before_lock(void);
bool pay_is_due_before_lock(void);

/* any: does not pay, but forgives the debt that is from credits of others while the thread had no processor. */
void pay_forgive_queued(void);

#endif
