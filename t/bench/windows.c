/*
 * windows: prints logs of a simulated program, for benches of their readers.
 *
 *     windows LINES REGIONS WINDOWS RUNS
 *
 * LINES or a little more `experiment` and `visits` lines, of runs of WINDOWS windows
 * each, RUNS of them under each header.  The first region has 60 % of a visit,
 * the others nothing.  The noise is the same every time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BASELINES = 2, LEVELS = 3 };

static uint64_t state = 88172645463325252u;

/* -0.5 to 0.5 */
static double noise(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / (double)(1ull << 53) - 0.5;
}

struct run {
	unsigned long id, next; /* the next window, under the header */
	unsigned long long clock;
};

static void window(struct run *r, unsigned long block, unsigned long region, unsigned pct)
{
	unsigned long count = 40 + (unsigned long)(20 * (noise() + 0.5)), id = r->next++;
	double time = (double)count * 2e6 * (1 - (region == 1 ? 0.6 * pct / 100 : 0)) * (1 + 0.05 * noise());
	unsigned long long wall = (unsigned long long)(time * (1 + pct / 100.0));
	char name[24] = "-";

	if (pct)
		snprintf(name, sizeof name, "%lu", region);
	printf("experiment\tid=%lu\trun=%lu\tblock=%lu\tregion=%s\tspeedup_pct=%u\tstart_ns=%llu\twall_ns=%llu\tdelay_ns=%llu\tsamples=%llu\t"
	       "region_samples=%llu\tsteal_ns=0\tforeign_ns=%u\twaited_ns=%u\tpreemptions=%u\n",
	       id, r->id, block, name, pct, r->clock, wall, wall - (unsigned long long)time, wall / 1000000,
	       region == 1 ? wall * 6 / 10000000 : wall / 50000000, 40000 + (unsigned)(id % 977), 9000 + (unsigned)(id % 313), (unsigned)(id % 7));
	printf("visits\texperiment=%lu\tpoint=round\tkind=throughput\tcount=%lu\tvirtual_ns=%.0f\n", id, count, time);
	r->clock += wall + 3000000;
}

/* A sweep: the baselines between the regions. */
static unsigned long block(struct run *r, unsigned long nth, unsigned long regions)
{
	for (unsigned i = 0; i < LEVELS * regions; i++) {
		if (i % (LEVELS * regions / BASELINES + 1) == 0)
			window(r, nth, 0, 0);
		window(r, nth, 1 + i % (unsigned)regions, 25 + 25 * ((i / (unsigned)regions + (unsigned)nth) % LEVELS));
	}
	return BASELINES + LEVELS * regions;
}

int main(int argc, char **argv)
{
	unsigned long lines, regions, windows, runs, nth = 0;
	struct run r = { 0 };

	if (argc != 5)
		return 2;
	lines = strtoul(argv[1], NULL, 10);
	regions = strtoul(argv[2], NULL, 10);
	windows = strtoul(argv[3], NULL, 10);
	runs = strtoul(argv[4], NULL, 10);
	if (!regions || !windows || !runs)
		return 2;
	for (unsigned long done = 0; done < lines; nth++) {
		unsigned long in_run = 0;

		if (nth % runs == 0) {
			r = (struct run){ .next = 1 };
			puts("andweorc\tversion=1\ttool=record");
		}
		r.id++;
		r.clock = 0;
		printf("run\tid=%lu\tcommand=sim\thost=bench\tkernel=none\tcpus=2\tsampler=perf\tperiod_ns=1000000\tstarted_ns=17%09lu00000000\t"
		       "seed=%lu\tmode=function\nmodule\trun=%lu\tid=1\tpath=/build/sim\n", r.id, nth, nth, r.id);
		for (unsigned long i = 1; i <= regions; i++)
			printf("region\tid=%lu\tscope=function\tmodule=1\tranges=0x%lx-0x%lx\tfunction=region%lu\n", i, 4096 * i, 4096 * i + 64, i);
		for (unsigned long b = 1; in_run < windows; b++)
			in_run += block(&r, b, regions);
		for (unsigned long i = 1; i <= regions; i++)
			printf("share\trun=%lu\tregion=%lu\tsamples=%d\ttotal=1000\n", r.id, i, i == 1 ? 600 : 20);
		printf("end\trun=%lu\tstatus=exit:0\twall_ns=%llu\texperiments=%lu\n", r.id, r.clock, in_run);
		done += 2 * in_run;
	}
	return ferror(stdout) || fclose(stdout) ? 1 : 0;
}
