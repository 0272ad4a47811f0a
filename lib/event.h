/*
 * event: kinds of events of threads, in the runtime's notes, in logs, and in replay.h.
 * `object`, `other` and `waited_ns` are those of struct burst_event and of struct
 * arena_event.
 *
 * SPDX-License-Identifier: 0BSD
 */
#ifndef ANDWEORC_EVENT_H
#define ANDWEORC_EVENT_H

enum burst_kind {
	BURST_RELEASE, /* is about to let others go on by way of `object`: a post, bytes written, an arrival at a barrier, its own end */
	BURST_ACQUIRE, /* goes on because of a release of `object`, or has the lock `object` after having waited; waited_ns 0: at once */
	BURST_UNLOCK,  /* is about to let go the lock `object`, or to signal the condition variable `object` */
	BURST_LOCK,    /* has taken the lock `object`, which was free */
	BURST_WAIT,    /* goes on after a signal of the condition variable `object`, with the mutex `other`, which an earlier event unlocked */
	BURST_OUTSIDE, /* waited for no thread of the recording: for a device, or for time to pass */
	BURST_QUEUED,  /* since its last event it was ready to run for waited_ns, and had no processor */
	BURST_VISIT,   /* visits of the progress point `object`, `other` times */
	BURST_BEGIN,   /* a span of the latency point `object` begins; `other`: its number, 0 where a thread has one at a time */
	BURST_END,     /* a span ends, possibly in another thread */
	BURST_BIRTH,   /* is about to create the thread whose id is `object` */
	BURST_DEATH,   /* the thread ends */
	BURST_SAMPLE,  /* a sample, which stands for the waited_ns of processor time before it; `object`: the number of its stack */
	BURST_WAITING, /* a sample of waits of the kind OUTSIDE at `site`, which stands for waited_ns of them; `object`: the number of its stack */
	BURST_TIMEOUT, /* waited for other threads of the recording in vain: the time was up, or a signal came */
	BURST_CLOCK,   /* waited until a moment of the clock */
	BURST_SLEEP,   /* like OUTSIDE: slept for a time of its own choice */
	BURST_POLL,    /* gave up its processor for waited_ns, perhaps again and again, as a thread does that looks for what another one has done */
	BURST_MOVED,   /* since its last event it has come to another processor, whose number is `object` - 1; its first event: runs there */
	BURST_KERNEL,  /* the wait OUTSIDE that ends with the next event was waited_ns of processor time: the kernel copied bytes */
	BURST_ANSWERED, /* goes on because the outside has done what its release of `object` had asked for: time has passed, a file was read */
	BURST_BORN,    /* begins as the first thread of a process, which the thread `object` (0: not known) began to create waited_ns ago */
	BURST_KINDS
};

/*
 * The runtime adds this to the kind of a wait that any of several things could have ended; see poll(2).  An event with it that has
 * no site tells what the thread has taken without a call, at some time since its last wait.
 */
enum { BURST_ANY = 128 };

#endif
