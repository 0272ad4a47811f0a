/* report_point: the number of visits of a point, and the windows that were not used. */
#include "report/report_parts.h"

#include <math.h>
#include <stdio.h>

#include "text/prose.h"

static void add_latency_point(struct buf *out, const struct impact_point *p, const char *period, const char *interval)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < PERCENTILES; i++) {
		char time[32];

		if (!isnan(p->percentile_ns[i]))
			buf_addf(&b, ", p%d %s", percentile_pct[i], prose_time(p->percentile_ns[i], time));
	}
	prose_wrap(out, "point    ", "         ", "'%s' (latency%s): a span takes %s%s%s; %.0f spans in %zu windows", p->name,
		   p->measures == MEASURE_IN_FLIGHT ? ", by Little's law" : "", period, interval, b.len ? b.s : "", p->visits,
		   p->windows);
	buf_release(&b);
}

/* There is no baseline, but bursts have measured the period. */
static void add_observed(struct buf *out, const struct impact_point *p)
{
	char period[32];

	prose_time(p->replay.period_ns, period);
	if (p->whole)
		prose_wrap(out, "point    ", "         ", "'%s': one run takes %s", p->name, period);
	else if (p->latency)
		prose_wrap(out, "point    ", "         ", "'%s' (latency): a span takes %s", p->name, period);
	else
		prose_wrap(out, "point    ", "         ", "'%s': one %s every %s", p->name, report_visit(p) ? report_visit(p) : "visit", period);
}

static void add_line(struct buf *out, const struct impact_point *p)
{
	char period[32], lo[32], hi[32], interval[96] = "";

	/* one that is wider than +-100 % says nothing */
	if (isfinite(p->period.lo) && isfinite(p->period.hi) && (p->period.hi - p->period.lo) / 2 <= p->period.value)
		snprintf(interval, sizeof interval, " (%s to %s)", prose_time(p->period.lo, lo), prose_time(p->period.hi, hi));
	prose_time(p->period.value, period);
	if (isnan(p->period.value) && p->replay.use == REPLAY_USED)
		add_observed(out, p);
	else if (isnan(p->period.value))
		prose_wrap(out, "point    ", "         ", "'%s': no %s", p->name, p->whole ? "baseline run" : "visit in a baseline window");
	else if (p->whole)
		prose_wrap(out, "point    ", "         ", "'%s': one run takes %s%s, %zu runs used", p->name, period, interval, p->windows);
	else if (p->latency)
		add_latency_point(out, p, period, interval);
	else
		prose_wrap(out, "point    ", "         ", "'%s'%s: one %s every %s%s, %.0f %s in %zu windows", p->name,
			    p->kinds == KIND_LATENCY ? " (latency point: throughput of its ends)" : "",
			    report_visit(p) ? report_visit(p) : "visit", period, interval, p->visits, report_visit(p) ? "of them" : "visits", p->windows);
}

/* Windows that do not count, by reason. */
static void add_aside(struct buf *out, const struct impact_point *p)
{
	const struct profile_set_aside *a = &p->aside;

	if (p->unvisited)
		prose_wrap(out, "         ", "         ", "%zu window%s without a visit from which time could be taken", p->unvisited,
			   p->unvisited == 1 ? "" : "s");
	if (a->downweighted)
		prose_wrap(out, "         ", "         ", "%zu window%s far slower than their like, by something outside the program: they count "
			    "%.2f of the others", a->downweighted, a->downweighted == 1 ? "" : "s", a->weight / (double)a->downweighted);
	if (a->slow > a->downweighted)
		prose_wrap(out, "         ", "         ", "%zu window%s far slower than their like: they count in full, as they may be a phase of "
			    "the program", a->slow - a->downweighted, a->slow - a->downweighted == 1 ? "" : "s");
}

/* Least number that is worth a line. */
static const double LEAST_DRIFT = 0.01;

static void add_drift(struct buf *out, const struct impact_point *p)
{
	if (p->drift >= LEAST_DRIFT)
		prose_wrap(out, "         ", "         ", "within runs, it was now faster and now slower, by %.0f %% (standard deviation): windows are "
			   "compared with those near them in time, so this is in no impact", 100 * p->drift);
}

void report_point(struct buf *out, const struct impact_point *p)
{
	add_line(out, p);
	add_aside(out, p);
	add_drift(out, p);
}
