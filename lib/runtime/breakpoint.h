/* breakpoint: progress points at places in code. */
#ifndef ANDWEORC_RUNTIME_BREAKPOINT_H
#define ANDWEORC_RUNTIME_BREAKPOINT_H

#include <stdint.h>

void breakpoint_measure(void);         /* init: measures the cost of a hit, into arena->break_cost_ns */
void breakpoint_look(void);            /* any: sets the breakpoints of the calling thread that the conductor now wants */
void breakpoint_hit(uint32_t number);  /* in the handler: a hit of the event of that number */
void breakpoint_renew(void);           /* init: there is another arena */
void breakpoint_forget(void);          /* any: removes the breakpoints of the calling thread */

#endif
