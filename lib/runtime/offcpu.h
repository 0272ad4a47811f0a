/* offcpu: time without a processor. */
#ifndef ANDWEORC_RUNTIME_OFFCPU_H
#define ANDWEORC_RUNTIME_OFFCPU_H

#include <stdbool.h>
#include <stdint.h>

/*
 * any: corrects the clock of the thread if it has been without a processor.  Call it before
 * the thread is credited or pays.  True: another thread has used the processor since the last
 * look.
 */
bool offcpu_look(void);

void offcpu_begin(void); /* any: time up to now was a wait or a pause, not time without a processor */
int64_t offcpu_pass(void); /* any: nor is time from now until offcpu_begin.  Returns when it last looked */
void offcpu_go_on(int64_t looked_ns); /* any: instead of offcpu_begin, if the thread has kept its processor since offcpu_pass, which returned looked_ns */

/* any, in a sample: how long the thread has been without a processor since the last one.  Corrects its clock, too. */
int64_t offcpu_sample(void);

#endif
