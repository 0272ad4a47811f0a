/* sample_signal: our signals, hidden from the program. */
#ifndef ANDWEORC_RUNTIME_SAMPLE_SIGNAL_H
#define ANDWEORC_RUNTIME_SAMPLE_SIGNAL_H

#include <signal.h>

#include "thread.h"

bool sample_signal_take(int sig); /* init: makes the signal one of ours (at most two); false: refused */
bool sample_signal_in_place(void);  /* any: do our signals still have our handler? */
bool sample_signal_have_room(void); /* any: is there room for the handler on any stack where it could run in the calling thread? */

/*
 * For a program that was started without the runtime.  init: its handlers, and any: the alternate stack of the calling
 * thread, are treated as if the runtime had been there when they were set.
 */
void sample_signal_adopt(void);
void sample_signal_adopt_stack(void);

/* any: a pending signal that the calling thread blocks is treated as one that was put off. */
void sample_signal_adopt_pending(void);

/*
 * any: the calling thread is not sampled any more; samples on their way are dropped.  All signals are blocked.  Then,
 * when no thread is sampled: gives the signals back to the program.
 */
void sample_signal_drain(void);
void sample_signal_give_back(void);

/*
 * any: performs an rt_sigaction(2) that the program makes past libc (act and old in the
 * kernel's layout).  False: the signal is not ours, so the kernel must do it.
 */
bool sample_signal_act(int sig, const void *act, void *old);

/* any: copies the set without our signals; returns those of them that were in it, in the kernel's layout. */
void without_ours(const sigset_t *set, sigset_t *copy);
uint64_t sample_signal_word(void);

/*
 * any: notes a change of the program's signal mask (how and set as the kernel takes them);
 * returns the set to use for it.
 */
uint64_t sample_signal_believe(int how, uint64_t set);

/* any: call after any call that may have delivered a deferred signal. */
void sample_signal_settle(void);

/*
 * any: call before a call that sets a signal mask for its duration (NULL: none).  Returns a
 * copy of the mask without our signals; *before is the value for self.signals.masked afterwards.
 */
const sigset_t *sample_signal_suspend(const sigset_t *mask, sigset_t *copy, uint64_t *before);

/* Makes the call with that mask. */
#define WITH_MASK(mask, call)                                                                                                \
	({                                                                                                                   \
		sigset_t copy_of_mask_;                                                                                      \
		uint64_t before_;                                                                                            \
		__typeof__(call) result_;                                                                                    \
		mask = sample_signal_suspend(mask, &copy_of_mask_, &before_);                                                \
		result_ = call;                                                                                              \
		self.signals.masked = before_;                                                                                       \
		sample_signal_settle();                                                                                      \
		result_;                                                                                                     \
	})

#endif
