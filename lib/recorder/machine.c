#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "recorder/machine.h"

enum { USUAL_WINDOWS = 5 }; /* before one can say what is usual */

/*
 * Above what is usual, so much is more than noise that averages out: of the
 * processors' time, taken by others (which is counted in ticks of 10 ms); and of
 * the window, with a thread waiting for a processor.
 */
static const double TAKEN_SHARE = 1 / 16., WAITED_SHARE = 1 / 64.;

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
	struct machine_use o = { .changes = p->changes };
	FILE *f = fopen("/proc/stat", "re");

	o.waited_ns = pressure_ns();
	if (!f)
		return o;
	if (fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) == 8) {
		o.stolen_ns = (int64_t)v[7] * tick;
		o.foreign_ns = (int64_t)(v[0] + v[1] + v[2]) * tick - clock_ns(CLOCK_PROCESS_CPUTIME_ID) -
			       processes_cpu_ns(p);
	}
	fclose(f);
	return o;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Remembers x; is it above one and a half times the median of what has been seen so far, and the margin? */
static bool is_unusual(struct usual *u, double x, double margin)
{
	double median = u->n >= USUAL_WINDOWS ? u->v[u->n / 2] : 0;

	u->v = xgrow(u->v, u->n, &u->cap, sizeof(*u->v));
	u->v[u->n++] = x;
	qsort(u->v, u->n, sizeof(*u->v), by_value);
	median = median > 0 ? median : 0;
	return x > median * 1.5 + margin;
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
	now.foreign_ns -= before.foreign_ns;
	now.waited_ns -= before.waited_ns;
	now.foreign_known = now.changes == before.changes;
	return now;
}

bool machine_is_disturbed(struct machine *m, const struct machine_use *use, int64_t wall_ns)
{
	double wall = (double)wall_ns, taken = (double)(use->stolen_ns + (use->foreign_known ? use->foreign_ns : 0));
	bool busy = is_unusual(&m->taken, taken / wall / (double)sysconf(_SC_NPROCESSORS_ONLN), TAKEN_SHARE);
	bool queued = is_unusual(&m->waited, (double)use->waited_ns / wall, WAITED_SHARE);

	return busy || queued;
}
