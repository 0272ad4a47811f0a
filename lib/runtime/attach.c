/*
 * attach: see attach.h.
 *
 * Context: any, except for ATTACH_BEGIN and ATTACH_END: see there.
 */
#include <signal.h>
#include <sys/auxv.h>

#include "attach.h"
#include "create.h"
#include "process.h"
#include "redirect.h"
#include "sample_signal.h"
#include "sys.h"
#include "thread.h"

#if defined(__x86_64__) && !defined(ANDWEORC_STATIC)

static bool attached;

/* A word is 0: it was not asked yet; < 0: there is no recorder; > 0: the number of a point in the arena. */
static void set_marks(const struct attach_request *r, int value)
{
	int *const *mark = (int *const *)(uintptr_t)r->marks;

	for (uint64_t i = 0; i < r->nmarks; i++)
		if (atomic_load_explicit((_Atomic int *)mark[i], memory_order_relaxed) != 0)
			atomic_store_explicit((_Atomic int *)mark[i], value, memory_order_relaxed);
}

static enum attach_answer begin(const struct attach_request *r)
{
	static const uint64_t all = ~0ull;
	enum attach_answer answer;

	if (attached)
		return ATTACH_DONE;
	answer = init_attach(r->name);
	/* Our samples stay pending until the thread goes on. */
	SYS(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof(all));
	if (answer != ATTACH_DONE)
		return answer;
	thread_refuse(false);
	create_adopt();
	sample_signal_adopt();
	set_marks(r, 0);
	attached = true;
	return ATTACH_DONE;
}

static enum attach_answer take_thread(const struct attach_request *r)
{
	uint64_t *mask = (uint64_t *)(uintptr_t)r->mask;
	struct arena_thread *slot;

	if (self.slot || self.life.clockless || self.life.over)
		return ATTACH_DONE;
	slot = thread_reserve();
	if (!slot)
		return ATTACH_NO_ROOM;
	/* If the program has blocked our signals, it will see them as blocked, though they are not. */
	self.signals.masked = *mask & sample_signal_word();
	*mask &= ~sample_signal_word();
	sample_signal_adopt_stack();
	thread_adopt(slot, (uintptr_t)r->sp, (uintptr_t)r->stack_lo);
	sample_signal_adopt_pending();
	*mask |= self.signals.put_off;
	create_adopt_thread(slot);
	process_adopt();
	return atomic_load_explicit(&arena->sampler, memory_order_relaxed) ? ATTACH_DONE : ATTACH_NO_SAMPLER;
}

static enum attach_answer leave(const struct attach_request *r)
{
	uint64_t *mask = (uint64_t *)(uintptr_t)r->mask;

	if (!self.slot)
		return ATTACH_DONE;
	if (self.busy)
		return ATTACH_BUSY;
	create_adopt_thread(NULL);
	thread_end();
	sample_signal_drain();
	*mask |= self.signals.masked | self.signals.put_off;
	self.signals.masked = self.signals.put_off = 0;
	self.waiting = 0;
	return ATTACH_DONE;
}

static enum attach_answer end(const struct attach_request *r)
{
	if (thread_any_left())
		return ATTACH_BUSY;
	attached = false;
	sample_signal_give_back();
	redirect_restore();
	set_marks(r, -1);
	/* Forked children do not join, either. */
	init_detach();
	return ATTACH_DONE;
}

long attach_call(struct attach_request *r)
{
	int saved = errno;
	enum attach_answer answer = ATTACH_DONE;

	/* A preloaded runtime is not attached: nothing to do. */
	if (!attached && r->operation != ATTACH_BEGIN)
		return ATTACH_DONE;
	switch ((enum attach_operation)r->operation) {
	case ATTACH_BEGIN:
		answer = begin(r);
		break;
	case ATTACH_THREAD:
		answer = take_thread(r);
		break;
	case ATTACH_DRAIN:
		sample_signal_drain();
		break;
	case ATTACH_PREPARE:
		thread_refuse(true);
		break;
	case ATTACH_LEAVE:
		answer = leave(r);
		break;
	case ATTACH_END:
		answer = end(r);
		break;
	}
	errno = saved;
	return answer;
}

#endif
