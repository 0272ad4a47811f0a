/*
 * create: see create.h.
 */
#include "create.h"
#include "event_log.h"
#include "object_key.h"
#include "process.h"
#include "sync.h"
#include "sys.h"
#include "thread.h"
#include "wait.h"

/*
 * A new thread must know its slot before it runs any code of the program.  The slot
 * holds the function that it is to run, and its argument.  So nothing is allocated, and
 * the creator need not wait until the thread has read them.
 */
static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;
static bool has_end_key;

uint64_t key_of_thread(pthread_t thread)
{
	return key_of(KEY_THREAD, (uint64_t)thread, process_number());
}

void create_end(void)
{
	/* The thread may have been cancelled in a call of a library. */
	runtime_unhush_all();
	if (wait_is_accounted()) {
		runtime_enter();
		/* If it was cancelled in a wait, that wait has no end.  The thread owes nothing for that time. */
		if (self.waiting && self.waiting != UINTPTR_MAX && vclock_debt(&self.clock) > 0)
			vclock_set_delay(&self.clock, vclock_owed(&arena->clock));
		runtime_leave();
		sync_release(key_of_thread(pthread_self()), NULL); /* a thread that joins this one acquires this */
	}
	thread_end();
	self.life.over = true;
}

/* The destructor of thread-specific data runs however the thread ends: by return, pthread_exit or cancellation. */
static void at_end(void *unused)
{
	(void)unused;
	create_end();
}

static void make_end_key(void)
{
	has_end_key = pthread_key_create(&end_key, at_end) == 0;
}

void create_adopt(void)
{
	pthread_once(&end_key_once, make_end_key);
}

/* Up to this number the library has room for what a thread keeps by a key in the thread itself; more it allocates. */
enum { KEYS_AT_HAND = 32 };

void create_adopt_thread(struct arena_thread *slot)
{
	if (has_end_key && end_key < KEYS_AT_HAND && SYS(SYS_gettid) != process_pid)
		pthread_setspecific(end_key, slot);
}

void *create_begin(void *p)
{
	struct arena_thread *slot = p;
	void *(*routine)(void *) = (void *(*)(void *))slot->routine;
	void *arg = (void *)slot->arg;

	self.signals.masked = slot->masked;
	thread_begin(slot);
	pthread_setspecific(end_key, slot);
	return routine(arg);
}

static size_t stack_bytes(const pthread_attr_t *attr)
{
	pthread_attr_t dflt;
	size_t bytes = 0;

	if (attr) {
		pthread_attr_getstacksize(attr, &bytes);
	} else if (pthread_attr_init(&dflt) == 0) {
		pthread_attr_getstacksize(&dflt, &bytes);
		pthread_attr_destroy(&dflt);
	}
	return bytes;
}

struct arena_thread *create_prepare(const pthread_attr_t *attr, void *(*routine)(void *), void *arg)
{
	struct arena_thread *slot;

	if (!arena || self.life.clockless)
		return NULL;
	pthread_once(&end_key_once, make_end_key);
	runtime_enter();
	/* The new thread inherits the clock of this one. */
	if (self.slot)
		account_up_to_here((const void *)(uintptr_t)routine);
	slot = has_end_key ? thread_reserve() : NULL;
	runtime_leave();
	if (!slot)
		return NULL;
	slot->routine = (uintptr_t)routine;
	slot->arg = (uintptr_t)arg;
	slot->stack_bytes = stack_bytes(attr);
	slot->masked = self.signals.masked;
	slot->ready_ns = now_ns();
	if (self.slot && event_on()) {
		runtime_enter();
		event_note(self.slot, BURST_BIRTH, slot->ready_ns, 0, thread_number(slot), 0, (const void *)(uintptr_t)routine);
		runtime_leave();
	}
	return slot;
}
