/* breakpoint: progress points at places in code. */
#ifndef ANDWEORC_RUNTIME_BREAKPOINT_H
#define ANDWEORC_RUNTIME_BREAKPOINT_H

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>

#include "sampler.h"

/* any: an event that sends a signal, with that number, when the thread comes to the address. */
static inline struct perf_event_attr breakpoint_attr(uintptr_t address, uint32_t number)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(struct perf_event_attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = address,
		.bp_len = sizeof(long),
		.sample_period = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = 1,
		.remove_on_exec = 1, /* required with sigtrap */
		.sig_data = (uint64_t)SAMPLER_MARK << 32 | number,
	};
}

void breakpoint_measure(void);         /* init: measures the cost of a hit, into arena->break_cost_ns */
void breakpoint_look(void);            /* any: sets the breakpoints of the calling thread that the conductor now wants */
void breakpoint_hit(uint32_t number);  /* in the handler: a hit of the event of that number */
void breakpoint_renew(void);           /* init: there is another arena */
void breakpoint_forget(void);          /* any: removes the breakpoints of the calling thread */

#endif
