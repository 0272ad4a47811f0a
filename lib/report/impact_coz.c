/*
 * impact_coz: a profile in the format of Coz, for its viewers.
 *
 *     experiment        selected=/src/a.c:12  speedup=0.25  duration=5000000  selected-samples=3
 *     throughput-point  name=a.c:20  delta=117
 *
 * Time per visit is the sum of durations over the sum of deltas, for each line, point
 * and speedup.  Here the visits of each point have a time of their own, so each has an
 * experiment of its own; and a line's experiments at 0 are the baselines of all lines.
 * Coz knows no escapes, no intervals and no regions but lines: functions have their name.
 */
#include "base/msg.h"
#include "report/report.h"

/* For the viewer of Coz, a tab ends the name. */
static void put_name(const char *name, FILE *out)
{
	for (; *name; name++)
		putc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name, out);
}

static void put_selected(const struct profile_region *r, FILE *out)
{
	fputs("selected=", out);
	if (r->file && r->line && r->scope && r->scope[0] == 'l') {
		put_name(r->file, out);
		fprintf(out, ":%llu", (unsigned long long)r->line);
	} else {
		put_name(r->label, out);
	}
}

static void put_experiment(const struct profile_region *r, const char *point, double s, double ns, double visits, unsigned samples, FILE *out)
{
	fputs("experiment\t", out);
	put_selected(r, out);
	fprintf(out, "\tspeedup=%.2f\tduration=%.0f\tselected-samples=%u\n", s, ns, samples);
	fputs("throughput-point\tname=", out);
	put_name(point, out);
	fprintf(out, "\tdelta=%.0f\n", visits);
}

/* Is it a visit that counts, in a window that is not set aside? */
static bool is_used(const struct profile *p, const struct profile_visits *v)
{
	return !p->window[v->window].disturbed && v->weight > 0 && v->virtual_ns > 0;
}

static void put_point(const struct analysis *a, const struct impact_point *point, size_t top, FILE *out)
{
	const struct profile *p = a->profile;
	double ns = 0, visits = 0;

	for (size_t i = 0; i < p->nvisits; i++) {
		if (p->point[p->visits[i].point].name != point->name || !is_used(p, &p->visits[i]) || p->window[p->visits[i].window].s > 0)
			continue;
		ns += p->visits[i].virtual_ns;
		visits += (double)p->visits[i].count;
	}
	for (size_t k = 0; k < point->nimpacts && k < top; k++) {
		const struct profile_region *region = point->impact[k].region;

		if (visits > 0)
			put_experiment(region, point->name, 0, ns, visits, 0, out);
		for (size_t i = 0; i < p->nvisits; i++) {
			const struct profile_visits *v = &p->visits[i];
			const struct profile_window *w = &p->window[v->window];

			if (p->point[v->point].name == point->name && is_used(p, v) && w->s > 0 && w->region != PROFILE_NONE &&
			    &p->region[w->region] == region)
				put_experiment(region, point->name, w->s, v->virtual_ns, (double)v->count, w->region_samples, out);
		}
	}
}

static void put_samples(const struct profile *p, FILE *out)
{
	double wall_ns = 0;

	for (size_t i = 0; i < p->nregions; i++) {
		if (!p->region[i].tried)
			continue;
		fputs("samples\tlocation=", out);
		put_name(p->region[i].label, out);
		fprintf(out, "\tcount=%llu\n", (unsigned long long)p->region[i].samples);
	}
	for (size_t i = 0; i < p->nruns; i++)
		wall_ns += (double)p->run[i].wall_ns;
	fprintf(out, "runtime\ttime=%.0f\n", wall_ns);
}

void impact_write_coz(const struct analysis *a, size_t top, FILE *out)
{
	fputs("startup\ttime=0\n", out);
	for (size_t i = 0; i < a->npoints; i++) {
		if (a->point[i].latency)
			msg_warn("'%s' is left out: format coz has no lengths of spans", a->point[i].name);
		else
			put_point(a, &a->point[i], top, out);
	}
	put_samples(a->profile, out);
}
