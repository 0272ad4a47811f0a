/*
 * device: a thread that asks a slow device and waits for its answer, and a second
 * thread that is busy in the meantime.  The device is a process of its own that no
 * profiler follows: it is started without LD_PRELOAD and ANDWEORC_*, and answers every
 * byte by another one after a sleep.
 *
 * Round: ask 2, compute 1.5.  Shrunk by half: ask 28.6 % (less what the two
 * processes need to wake each other), compute 21.4 %, aside 0.
 */
#include "workload.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int device;

/* Waits inside read(2); how long is up to the device. */
REGION_FUNCTION(WORKLOAD_OPAQUE, ask, 2.0, (char *byte), if (write(device, byte, 1) != 1 || read(device, byte, 1) != 1) exit(1));
REGION(compute, 1.5);
REGION(aside, 1.0);

/* Serves standard input until it is closed. */
static int run_device(double ms)
{
	struct timespec t = workload_timespec(ms);
	char byte;

	prctl(PR_SET_TIMERSLACK, 1);
	while (read(0, &byte, 1) == 1) {
		nanosleep(&t, NULL);
		if (write(0, &byte, 1) != 1)
			break;
	}
	return 0;
}

static void clean_environment(void)
{
	char **kept = environ;

	for (char **e = environ; *e; e++)
		if (strncmp(*e, "LD_PRELOAD=", 11) != 0 && strncmp(*e, "ANDWEORC_", 9) != 0)
			*kept++ = *e;
	*kept = NULL;
}

/* The program's end of the wire. */
static int start_device(double ms)
{
	char number[32];
	int wire[2];
	pid_t pid;

	snprintf(number, sizeof number, "%.6f", ms);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, wire) || (pid = fork()) < 0)
		workload_die("cannot make", "a device");
	if (pid == 0) {
		dup2(wire[1], 0);
		close(wire[0]);
		close(wire[1]);
		clean_environment();
		execl("/proc/self/exe", "device", "--device", number, (char *)NULL);
		_exit(127);
	}
	close(wire[1]);
	return wire[0];
}

static void *run_counted(void *arg)
{
	char byte = 0;

	for (;;) {
		ask(&byte);
		compute();
		workload_visit();
	}
	return arg;
}

static void *run_aside(void *arg)
{
	for (;;)
		aside();
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&ask_region, &compute_region, &aside_region, NULL};

	if (argc == 3 && !strcmp(argv[1], "--device"))
		return run_device(workload_number(argv[2]));
	workload_start(argc, argv, regions, 1);
	device = start_device(ask_region.ms);
	workload_run_two(run_counted, NULL, run_aside, NULL);
}
