/*
 * processor: what threads wait for when there are more of them than processors.
 *
 * Rule 3 of virtual clocks, for a processor as the object: a thread that could
 * run, and had to wait until another one left the processor, goes on because of
 * that one, so what the other was credited meanwhile it is not to lose again.
 *
 *     V = max(V as it became ready, V of who left + time since)
 *
 * This also stands in for locks whose release nobody sees: where the holder and
 * who wants the lock are on one processor, the latter finds it free.
 *
 * Who leaves a processor notes its clock there: as it begins to wait, in pauses,
 * and at each sample, for it may be preempted before the next.  Clocks of a
 * thread that was preempted are thus late by a sample's credit at most.
 */
#include <sched.h>
#include <string.h>

#include "runtime.h"

enum {
	AT_ONCE_NS = 50 * 1000, /* waking up takes so long without a queue */
	READINGS = 3,           /* of two clocks, at most, until they are of one moment */
};

static uint64_t key_here(void)
{
	return key_of('P', (uint64_t)sched_getcpu(), 0);
}

void processor_note(int64_t virt, int64_t now)
{
	sync_mark(key_here(), virt, now);
}

void processor_leave(struct arena_thread *t)
{
	int64_t now = now_ns();

	processor_note(now - delay_of(t), now);
}

/* When was the processor left that the calling thread has, for which it was ready since ready_ns?  False: it need not wait. */
static bool was_left(int64_t ready_ns, int64_t now, int64_t *virt, int64_t *when)
{
	return now - ready_ns >= AT_ONCE_NS && sync_seen(key_here(), virt, when) && *when >= ready_ns;
}

/* The later of the two clocks by now, but no later than v. */
static int64_t bound(int64_t v, int64_t ready_virt, int64_t left_virt)
{
	int64_t later = left_virt > ready_virt ? left_virt : ready_virt;

	return later < v ? later : v;
}

int64_t processor_bound(int64_t v, int64_t ready_virt, int64_t ready_ns, int64_t now)
{
	int64_t left_virt, left_ns;

	return was_left(ready_ns, now, &left_virt, &left_ns) ? bound(v, ready_virt, left_virt + (now - left_ns)) : v;
}

static int64_t thread_cpu_ns(void)
{
	struct timespec t;

	SYS(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/*
 * Wall time less processor time.  Waits that nobody wraps, page faults, are taken for this.
 *
 * A kernel that preempts lazily does so as a system call returns, such as that for
 * the processor time: what comes then is looked at again.
 */
int64_t processor_queued(void)
{
	int64_t wall, cpu, queued;

	for (int i = 0; i < READINGS; i++) {
		wall = now_ns();
		cpu = thread_cpu_ns();
		if (now_ns() - wall < AT_ONCE_NS)
			break;
	}
	queued = self.wall_ns ? (wall - self.wall_ns) - (cpu - self.cpu_ns) : 0;

	self.wall_ns = wall;
	self.cpu_ns = cpu;
	return queued;
}

void processor_mark(void)
{
	self.wall_ns = now_ns();
	self.cpu_ns = thread_cpu_ns();
	processor_placed();
}

void processor_placed(void)
{
	memset(self.unplaced, 0, sizeof(self.unplaced));
}

void processor_credited(int64_t ns)
{
	/* A segment has just looked at the clock: here that would cost what a baseline does not. */
	int64_t at = self.segment ? self.segment_ns : now_ns();
	struct credit *c = self.unplaced;

	/* Without room, the two oldest become one, as late as the later. */
	if (c[UNPLACED - 1].ns && at - c[UNPLACED - 1].at >= AT_ONCE_NS) {
		c[1].ns += c[0].ns;
		memmove(c, c + 1, (UNPLACED - 1) * sizeof(*c));
		c[UNPLACED - 1].ns = 0;
	}
	while (c < self.unplaced + UNPLACED - 1 && c->ns && at - c->at >= AT_ONCE_NS)
		c++;
	c->at = at;
	c->ns += ns;
}

static int64_t credited_since(int64_t when)
{
	int64_t sum = 0;

	for (int i = 0; i < UNPLACED; i++)
		sum += self.unplaced[i].at > when ? self.unplaced[i].ns : 0;
	return sum;
}

/*
 * When in this time it was off its processor nobody knows.  What it was credited since
 * the other one left comes on top of the clock that that one left; of what it was
 * credited before, for which the other may have paid, as much as all owe by now.
 */
void processor_regained(struct arena_thread *t, int64_t queued_ns)
{
	int64_t now = now_ns(), ready = now - queued_ns, left_virt, left_ns, late, all, virt, v, owed;

	if (!was_left(ready, now, &left_virt, &left_ns))
		return;
	late = credited_since(left_ns);
	all = credited_since(0);
	virt = now - (delay_of(t) - all);
	v = bound(virt, virt - queued_ns, left_virt + (now - left_ns));
	processor_placed();
	if (v == virt)
		return;
	owed = atomic_load_explicit(&arena->delay_ns, memory_order_relaxed) - (now - v);
	if (owed > all)
		owed = all;
	delay_set(t, now - v);
	delay_credit(t, owed > late ? owed : late);
	processor_placed();
}
