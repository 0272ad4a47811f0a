/* caveats WHAT [MS]: a program whose answers cannot be right: spin, flag, bounded, absolute, timer, alarm, paced, naps, crowd, none. */
#include <andweorc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int turn;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

__attribute__((noinline)) static void work(int us)
{
	for (int64_t end = now() + us * 1000ll; now() < end;)
		continue;
}

/* Waits as a careful spinner does. */
__attribute__((noinline)) static void spin(int mine)
{
	while (atomic_load(&turn) != mine)
#if defined(__x86_64__)
		__builtin_ia32_pause();
#else
		continue;
#endif
}

/* As a careless one does, without end or for a while. */
static volatile int flag;

__attribute__((noinline)) static void wait_for_flag(int mine)
{
	while (flag != mine)
		continue;
}

__attribute__((noinline)) static void wait_a_while(int mine)
{
	volatile unsigned long i = 0;

	while (flag != mine && i < 1000000)
		i++;
	while (flag != mine)
		sched_yield();
}

static void (*wait_for)(int mine);

static void *partner(void *unused)
{
	for (;;) {
		wait_for(1);
		work(500);
		flag = 0;
	}
	return unused;
}

static void *other(void *unused)
{
	for (;;) {
		spin(1);
		work(500);
		atomic_store(&turn, 0);
	}
	return unused;
}

static void *crowd(void *unused)
{
	for (;;)
		work(1000);
	return unused;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "none";
	int64_t end = now() + (argc > 2 ? atoi(argv[2]) : 1000) * 1000000ll, next = now();
	int sleeps = strcmp(what, "paced") == 0 || strcmp(what, "naps") == 0;
	int alarm = strcmp(what, "alarm") == 0;
	int timer = alarm || strcmp(what, "timer") == 0 ? timerfd_create(CLOCK_MONOTONIC, 0) : -1;
	struct itimerspec every = { { 0, 4000000 }, { 0, 4000000 } }, once = { { 0, 0 }, { 0, 4000000 } };
	struct stat status;
	pthread_t t;

	if (timer >= 0 && timerfd_settime(timer, 0, &every, NULL) != 0)
		return 2;
	wait_for = strcmp(what, "flag") == 0 ? wait_for_flag : strcmp(what, "bounded") == 0 ? wait_a_while : NULL;
	if (wait_for && pthread_create(&t, NULL, partner, NULL) != 0)
		return 2;
	if (strcmp(what, "spin") == 0 && pthread_create(&t, NULL, other, NULL) != 0)
		return 2;
	/* Two more than there are processors. */
	for (long n = strcmp(what, "crowd") == 0 ? sysconf(_SC_NPROCESSORS_ONLN) + 1 : 0; n > 0; n--)
		if (pthread_create(&t, NULL, crowd, NULL) != 0)
			return 2;
	for (int round = 0; now() < end; round++) {
		if (alarm && timerfd_settime(timer, 0, &once, NULL) != 0)
			return 2;
		work(sleeps ? 500 * (1 + round % 3) : 1000);
		for (int n = strcmp(what, "kernel") == 0 ? 2000 : 0; n > 0; n--)
			stat("/usr", &status);
		if (strcmp(what, "spin") == 0) {
			atomic_store(&turn, 1);
			spin(0);
		} else if (wait_for) {
			flag = 1;
			wait_for(0);
		} else if (strcmp(what, "absolute") == 0) {
			struct timespec at;

			/* After a delay, it does not catch up. */
			next = (next > now() ? next : now()) + 2000000;
			at = (struct timespec){ next / 1000000000, next % 1000000000 };
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		} else if (timer >= 0) {
			uint64_t ticks;

			if (read(timer, &ticks, sizeof(ticks)) != sizeof(ticks))
				return 2;
		} else if (strcmp(what, "paced") == 0) {
			struct timespec left = { 0, 0 };
			int64_t at = now();

			/* Far enough that a round is in time, where others use the processors too. */
			next += 10000000;
			if (next < at)
				next = at + 10000000;
			left.tv_nsec = next - at;
			nanosleep(&left, NULL);
		} else if (strcmp(what, "naps") == 0) {
			struct timespec nap = { 0, 1000000 + round % 7 * 200000 };

			nanosleep(&nap, NULL);
		}
		ANDWEORC_PROGRESS("round");
	}
	return 0;
}
