#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "base/alloc.h"
#include "recorder/collect.h"
#include "target/shared.h"

enum {
	QUEUE = 1 << 15, /* samples of 16 processors in 2 s; 7 MB of address space, but only used pages take memory */
	ALARM_MS = 40,   /* a ring is full after 128 ms */
};

static struct arena *from; /* NULL: no arena is read */
static struct collected *queue;
static size_t first, end;                 /* queue[first..end) is waiting */
static volatile sig_atomic_t moving;      /* the queue is being changed, so the alarm must not use it */
static struct sigaction sigalrm_before;

static void move_ring(uint32_t slot)
{
	struct arena_thread *t = shared_thread(from, slot);
	uint32_t process = atomic_load_explicit(&t->process, memory_order_relaxed);
	uint32_t tail, n = shared_ring(t, &tail);

	if (n > QUEUE - end)
		n = (uint32_t)(QUEUE - end);
	for (uint32_t i = 0; i < n; i++)
		queue[end++] = (struct collected){ slot, tail + i, process, shared_sample(t, tail + i) };
	atomic_store_explicit(&t->ring_tail, tail + n, memory_order_release);
}

static void move_all(void)
{
	uint32_t n = shared_threads(from);

	for (uint32_t i = 0; i < n; i++)
		move_ring(i);
}

static void on_alarm(int sig)
{
	int error = errno;

	(void)sig;
	if (from && !moving)
		move_all();
	errno = error;
}

/* The alarm runs in the same thread, so only the order of the compiler matters. */
static void set_moving(bool on)
{
	atomic_signal_fence(memory_order_seq_cst);
	moving = on;
	atomic_signal_fence(memory_order_seq_cst);
}

void collect_begin(struct arena *arena)
{
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };

	queue = xcalloc(QUEUE, sizeof(*queue));
	first = end = 0;
	from = arena;
	sigemptyset(&act.sa_mask);
	sigaction(SIGALRM, &act, &sigalrm_before);
}

void collect_end(void)
{
	collect_while_busy(false);
	sigaction(SIGALRM, &sigalrm_before, NULL);
	from = NULL;
	free(queue);
	queue = NULL;
}

void collect_samples(void)
{
	set_moving(true);
	move_all();
	set_moving(false);
}

bool collect_next(struct collected *c)
{
	bool any;

	set_moving(true);
	any = first < end;
	if (any)
		*c = queue[first++];
	else
		first = end = 0;
	set_moving(false);
	return any;
}

void collect_while_busy(bool busy)
{
	struct itimerval alarm = { 0 };

	if (busy)
		alarm.it_value.tv_usec = alarm.it_interval.tv_usec = ALARM_MS * 1000;
	setitimer(ITIMER_REAL, &alarm, NULL);
}
