#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "recorder/machine.h"
#include "target/usage.h"

/*
 * Smaller differences from the usual are noise, which averages out: a share of the
 * processors' time, used by others (counted in ticks of 10 ms).
 */
static const double TAKEN_SHARE = 1 / 16.;

/*
 * A window is unusual when it is so many standard deviations above the median.  The
 * standard deviation is estimated from the median deviation.
 */
static const double STANDS_OUT = 3 * 1.4826;

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) == 0 ? t.tv_sec * 1000000000ll + t.tv_nsec : 0;
}

static int64_t pressure_ns(void)
{
	unsigned long long us = 0;
	FILE *f = fopen("/proc/pressure/cpu", "re");

	if (!f)
		return 0;
	if (fscanf(f, "some avg10=%*f avg60=%*f avg300=%*f total=%llu", &us) != 1)
		us = 0;
	fclose(f);
	return (int64_t)us * 1000;
}

struct machine_use machine_now(struct processes *p)
{
	/* user nice system idle iowait irq softirq steal; see proc(5) */
	unsigned long long v[8] = { 0 };
	int64_t tick = 1000000000 / sysconf(_SC_CLK_TCK);
	struct usage ended = usage_of_children();
	struct machine_use o = { .unaccounted = p->unaccounted };
	FILE *f = fopen("/proc/stat", "re");

	o.waited_ns = pressure_ns();
	o.queued_ns = processes_queued_ns(p);
	if (!f)
		return o;
	if (fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) == 8) {
		o.stolen_ns = (int64_t)v[7] * tick;
		o.foreign_ns = (int64_t)(v[0] + v[1] + v[2]) * tick - clock_ns(CLOCK_PROCESS_CPUTIME_ID) - processes_cpu_ns(p) -
			       ended.user_ns - ended.system_ns;
	}
	fclose(f);
	return o;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void remember_usual(struct usual *u, double x)
{
	if (u->n < MACHINE_FIRST)
		u->first[u->n] = x;
	u->v = xgrow(u->v, u->n, &u->cap, sizeof(*u->v));
	u->v[u->n++] = x;
	qsort(u->v, u->n, sizeof(*u->v), by_value);
}

static double median_of(const struct usual *u)
{
	return u->n > 0 && u->v[u->n / 2] > 0 ? u->v[u->n / 2] : 0;
}

/*
 * The median distance from the median, of a sorted array.  Half of all elements are no
 * farther than that: they are neighbours in v, around the median.
 */
static double deviation_of(const struct usual *u)
{
	double median = median_of(u);
	size_t lo = u->n / 2, hi = u->n / 2, taken = 1;

	while (taken <= u->n / 2) {
		if (hi + 1 == u->n || (lo > 0 && median - u->v[lo - 1] <= u->v[hi + 1] - median))
			lo--;
		else
			hi++;
		taken++;
	}
	return fmax(median - u->v[lo], u->v[hi] - median);
}

/* Is x unusual, and above the median by more than the margin? */
static bool stands_out(const struct usual *u, double x, double margin)
{
	double median = median_of(u);

	return x > median + margin + fmax(median / 2, STANDS_OUT * deviation_of(u));
}

void machine_release(struct machine *m)
{
	free(m->taken.v);
	free(m->waited.v);
	*m = (struct machine){ 0 };
}

struct machine_use machine_since(struct machine_use now, struct machine_use before)
{
	now.stolen_ns -= before.stolen_ns;
	/* It would hold all the time of a process of the target. */
	now.foreign_ns = now.unaccounted == before.unaccounted ? now.foreign_ns - before.foreign_ns : 0;
	now.waited_ns -= before.waited_ns;
	now.queued_ns -= before.queued_ns;
	return now;
}

/*
 * That threads of the program have waited for a processor is no mark of a disturbance.  What is faster may make them wait
 * more, and that is a part of its effect.  In a program with LevelDB, of which a fast reader lets two writers run at the same
 * time, all nine windows of the reader's checksum at 50 % were set aside for such waits.
 */
static enum machine_verdict verdict(const struct machine *m, double taken)
{
	if (m->taken.n <= MACHINE_FIRST)
		return MACHINE_UNKNOWN;
	return stands_out(&m->taken, taken, TAKEN_SHARE) ? MACHINE_DISTURBED : MACHINE_USUAL;
}

enum machine_verdict machine_judge(struct machine *m, const struct machine_use *use, int64_t wall_ns)
{
	double taken = (double)(use->stolen_ns + use->foreign_ns) / (double)wall_ns / (double)sysconf(_SC_NPROCESSORS_ONLN);

	remember_usual(&m->taken, taken);
	remember_usual(&m->waited, (double)use->waited_ns / (double)wall_ns);
	return verdict(m, taken);
}

enum machine_verdict machine_first(const struct machine *m, size_t k)
{
	return k < MACHINE_FIRST && k < m->taken.n ? verdict(m, m->taken.first[k]) : MACHINE_UNKNOWN;
}

double machine_usually_taken(const struct machine *m)
{
	return median_of(&m->taken);
}

double machine_usually_waited(const struct machine *m)
{
	return median_of(&m->waited);
}
