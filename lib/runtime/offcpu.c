/*
 * offcpu: how long a thread could have run, and had no processor.
 *
 * That is wall time less processor time since the last look.  Waits begin and end with
 * a look, so that they are none of it.  Waits that nobody wraps, page faults, are taken
 * for it.
 */
#include "runtime.h"

enum { READINGS = 3 }; /* of two clocks, at most, until they are of one moment */

/*
 * A kernel that preempts lazily does so as a system call returns, such as that for
 * the processor time: what comes then is looked at again.
 */
static int64_t since_last(void)
{
	struct offcpu *o = &self.offcpu, before = *o;

	for (int i = 0; i < READINGS; i++) {
		o->wall_ns = now_ns();
		o->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		if (now_ns() - o->wall_ns < VCLOCK_AT_ONCE_NS)
			break;
	}
	return before.wall_ns ? (o->wall_ns - before.wall_ns) - (o->cpu_ns - before.cpu_ns) : 0;
}

bool offcpu_look(void)
{
	int64_t ns;

	if (likely(!vclock_was_displaced(&self.clock, processor_here())))
		return false;
	ns = since_last();
	self.offcpu.unsampled_ns += ns;
	vclock_regain(&self.clock, ns, false, moment_now());
	return true;
}

void offcpu_begin(void)
{
	self.offcpu.wall_ns = now_ns();
	self.offcpu.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	/* Preempted as that returned (see since_last): here most of those are that have let another one go on. */
	if (now_ns() - self.offcpu.wall_ns >= VCLOCK_AT_ONCE_NS)
		offcpu_look();
}

void offcpu_pass(void)
{
	self.offcpu.wall_ns = 0;
}

int64_t offcpu_sample(void)
{
	int64_t ns = since_last(), all = self.offcpu.unsampled_ns + ns;

	self.offcpu.unsampled_ns = 0;
	if (window_speedup() && !self.busy)
		vclock_regain(&self.clock, ns, true, moment_now());
	return all;
}
