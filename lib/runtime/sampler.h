/* sampler: signals of samples. */
#ifndef ANDWEORC_RUNTIME_SAMPLER_H
#define ANDWEORC_RUNTIME_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Identifies our perf events: attr.sig_data holds this mark, and a number in its low bits. */
enum {
	SAMPLER_MARK = 0x616e6477,
	SAMPLER_NUMBER = 0xfffffff, /* the number of sampling events; breakpoints have others */
	SAMPLER_RAWCALL = 0x1000,   /* the numbers of rawcall.c begin here */
};

void sampler_init(void);                    /* init: handler, probing; sets arena->sampler */
bool sampler_start(void);                   /* any: for the calling thread */
void sampler_stop(void);                    /* any: for the calling thread */
void sampler_replace(uint32_t tid);         /* any: gives a thread of the process that has lost its perf event a timer instead */
void sampler_pause(bool stop);              /* any: pauses (or resumes) the sampling and the breakpoints of the calling thread */
void sampler_hold(void);                    /* any: holds the samples of the calling thread, which begins a pause with all signals blocked */
void sampler_go_on(void);                   /* any: the pause is over */
void sampler_stop_all(bool stop);           /* any: stops (or resumes) all threads' sampling; when it returns, none is in the handler */

/* any: has our sampler sent this signal, and not the program one of the same number? */
bool sampler_sent(int sig, const siginfo_t *info);

/* In the handler, for signals for which sampler_sent is true. */
void sampler_handle(int sig, siginfo_t *info, void *context);

void sampler_withdraw(void); /* any: ends the sampling of the process for good; the functions above do nothing from now on */
bool sampler_has_withdrawn(void);
void sampler_forget(void); /* in a forked child: no thread has a timer, and no handler runs */
void sampler_forget_all(void); /* init: no thread has a timer of an earlier recorder, and no signal is taken */
void sampler_vary(void);   /* in the handler: draws another period, once a window */

#endif
