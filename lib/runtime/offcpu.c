/*
 * offcpu: the time in which a thread was runnable, but had no processor.
 *
 * It is the wall time less the processor time since the last look.  Waits begin and end
 * with a look, so that they are excluded.  Waits without a wrapper, such as page
 * faults, are included by mistake.
 */
#include "moment.h"
#include "offcpu.h"
#include "thread.h"

enum { READINGS = 3 }; /* readings of two clocks, at most, until both are of one moment */

/*
 * A kernel with lazy preemption preempts at the return from a system call, such as the
 * one that reads the processor time.  So a preemption just after that is looked for
 * again.
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
	/*
	 * Preempted at that return (see since_last): threads that have let another one go
	 * on are mostly preempted here.
	 */
	if (now_ns() - self.offcpu.wall_ns >= VCLOCK_AT_ONCE_NS)
		offcpu_look();
}

int64_t offcpu_pass(void)
{
	int64_t looked_ns = self.offcpu.wall_ns;

	self.offcpu.wall_ns = 0;
	return looked_ns;
}

/* Both clocks have gone on alike. */
void offcpu_go_on(int64_t looked_ns)
{
	self.offcpu.wall_ns = looked_ns;
}

int64_t offcpu_sample(void)
{
	int64_t ns = since_last(), all = self.offcpu.unsampled_ns + ns;

	self.offcpu.unsampled_ns = 0;
	if (window_speedup() && !self.busy)
		vclock_regain(&self.clock, ns, true, moment_now());
	return all;
}
