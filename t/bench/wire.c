/*
 * wire: the cost of calls on descriptors.
 *
 *     wire [MS]
 *
 * Takes batches in turns for so long (default 500 ms) and prints the medians, a
 * line each: "write NS" (one byte to /dev/null), "poll NS" (of a pipe with data in
 * it), "pass NS" (one byte through a pipe, written and read by one thread),
 * "round NS" (to another thread on the same processor and back), "getc NS" (a
 * character from a buffer), "fgets NS" (a line of 40 from a buffer).  Each turn is a
 * visit, so that experiments can be made at the same time.
 */
#include <andweorc.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batches.h"

enum { BATCH = 500, ROUNDS = 50, MOST = 20000, KINDS = 6 };

static int null, there[2], back[2], own[2];
static FILE *text;

static void need(int done)
{
	if (!done)
		exit(1);
}

/* Both threads stay on one processor: on two, the wire may be ten times slower, by chance. */
static void keep_to_one_processor(void)
{
	cpu_set_t only;

	CPU_ZERO(&only);
	CPU_SET(sched_getcpu(), &only);
	sched_setaffinity(0, sizeof only, &only);
}

static void *echo(void *arg)
{
	char c;

	while (read(there[0], &c, 1) == 1)
		need(write(back[1], &c, 1) == 1);
	return arg;
}

static __attribute__((noinline)) double time_write(void)
{
	double began = now();

	for (int i = 0; i < BATCH; i++)
		need(write(null, "x", 1) == 1);
	return (now() - began) / BATCH;
}

static __attribute__((noinline)) double time_poll(void)
{
	struct pollfd ready = {.fd = own[0], .events = POLLIN};
	double began, took;
	char c;

	need(write(own[1], "x", 1) == 1);
	began = now();
	for (int i = 0; i < BATCH; i++)
		need(poll(&ready, 1, -1) == 1);
	took = now() - began;
	need(read(own[0], &c, 1) == 1);
	return took / BATCH;
}

static __attribute__((noinline)) double time_pass(void)
{
	double began = now();
	char c;

	for (int i = 0; i < BATCH; i++)
		need(write(own[1], "x", 1) == 1 && read(own[0], &c, 1) == 1);
	return (now() - began) / BATCH;
}

static __attribute__((noinline)) double time_round(void)
{
	double began = now();
	char c;

	for (int i = 0; i < ROUNDS; i++)
		need(write(there[1], "x", 1) == 1 && read(back[0], &c, 1) == 1);
	return (now() - began) / ROUNDS;
}

static __attribute__((noinline)) double time_getc(void)
{
	double began;

	rewind(text);
	need(getc(text) != EOF);
	began = now();
	for (int i = 0; i < BATCH; i++)
		need(getc(text) != EOF);
	return (now() - began) / BATCH;
}

static __attribute__((noinline)) double time_fgets(void)
{
	char line[64];
	double began;

	rewind(text);
	need(getc(text) != EOF);
	began = now();
	for (int i = 0; i < ROUNDS; i++)
		need(fgets(line, sizeof(line), text) != NULL);
	return (now() - began) / ROUNDS;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		double (*time)(void);
	} kind[KINDS] = {{"write", time_write}, {"poll", time_poll}, {"pass", time_pass},
			 {"round", time_round}, {"getc", time_getc}, {"fgets", time_fgets}};
	static double took[KINDS][MOST];
	static char line[] = "a line of forty characters, one of many\n", buffer[1 << 14];
	double end = now() + 1e6 * (argc > 1 ? atof(argv[1]) : 500);
	pthread_t t;
	int n = 0;

	keep_to_one_processor();
	null = open("/dev/null", O_WRONLY);
	text = tmpfile();
	need(null >= 0 && text && pipe(there) == 0 && pipe(back) == 0 && pipe(own) == 0);
	setvbuf(text, buffer, _IOFBF, sizeof buffer);
	for (int i = 0; i < 100; i++)
		fputs(line, text);
	need(pthread_create(&t, NULL, echo, NULL) == 0);
	do {
		for (int k = 0; k < KINDS; k++)
			took[k][n] = kind[k].time();
		n++;
		ANDWEORC_PROGRESS("batch");
	} while (n < MOST && now() < end);
	for (int k = 0; k < KINDS; k++)
		printf("%s %.3f\n", kind[k].name, median(took[k], n));
	return 0;
}
