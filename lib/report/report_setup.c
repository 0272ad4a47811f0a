#include "report/report_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/prose.h"

/* One text for all runs, or how many there are. */
static const char *common(const struct profile *p, size_t offset, const char *several)
{
	const char *all = NULL;

	for (size_t i = 0; i < p->nruns; i++) {
		const char *text = *(char *const *)(const void *)((const char *)&p->run[i] + offset);

		if (text && all && strcmp(text, all))
			return several;
		all = text ? text : all;
	}
	return all;
}

/* The number of runs, and of their processes. */
static char *runs_text(const struct profile *p)
{
	size_t least = SIZE_MAX, most = 0, all = 0;

	for (size_t i = 0; i < p->nruns; i++) {
		size_t n = p->run[i].processes;

		least = n < least ? n : least;
		most = n > most ? n : most;
		all += n;
	}
	if (most < 2)
		return xasprintf("%zu run%s", p->nruns, p->nruns == 1 ? "" : "s");
	if (least == most)
		return xasprintf("%zu run%s of %zu processes", p->nruns, p->nruns == 1 ? "" : "s", most);
	return xasprintf("%zu runs of %zu processes in all", p->nruns, all);
}

/* The amount of data for replay; no line if there is none. */
static char *events_text(const struct profile *p)
{
	size_t bursts = 0, events = 0;
	double ns = 0;

	for (size_t i = 0; i < p->nruns; i++) {
		bursts += p->run[i].bursts;
		events += p->run[i].events;
		ns += p->run[i].burst_ns;
	}
	return bursts ? xasprintf(", %zu events of %.1f s", events, ns / 1e9) : xstrdup("");
}

/* Least value that is not printed as 0.0. */
static const double LEAST_SECONDS = 0.05;

/* The time of threads by kind.  No line if blocked time was not sampled, as by older recorders. */
static void add_time(struct buf *out, const struct profile *p)
{
	struct profile_spent all = impact_spent_in_all(p);
	const struct {
		const char *name;
		double seconds;
	} class[] = {
		{ "lock", (double)all.lock / 1e9 },
		{ "io", (double)all.io / 1e9 },
		{ "sleep", (double)all.sleep / 1e9 },
		{ "runqueue", (double)all.runqueue / 1e9 },
	};
	double cpu = (double)all.cpu / 1e9, blocked = (double)all.blocked / 1e9;
	struct buf classes = BUF_INIT;

	if (blocked < LEAST_SECONDS)
		return;
	for (size_t i = 0; i < sizeof class / sizeof class[0]; i++)
		if (class[i].seconds >= LEAST_SECONDS)
			buf_addf(&classes, "%s%s %.1f s", classes.len ? ", " : " (", class[i].name, class[i].seconds);
	prose_wrap(out, "time     ", "         ", "on CPU %.1f s, blocked %.1f s%s%s; over all threads, idle ones too", cpu, blocked,
		   classes.len ? classes.s : "", classes.len ? ")" : "");
	buf_release(&classes);
}

/* Is each window a run? */
static bool are_whole(const struct profile *p)
{
	for (size_t i = 0; i < p->npoints; i++)
		if (!profile_is_whole(p, i))
			return false;
	return p->npoints > 0;
}

void report_setup(struct buf *out, const struct profile *p)
{
	const char *command = common(p, offsetof(struct profile_run, command), "several commands");
	const char *commit = common(p, offsetof(struct profile_run, commit), "several");
	const char *host = common(p, offsetof(struct profile_run, host), "several machines");
	const char *sampler = common(p, offsetof(struct profile_run, sampler), "several");
	size_t windows = 0, disturbed = 0;
	char *runs = runs_text(p), *events = events_text(p);

	for (size_t i = 0; i < p->nruns; i++) {
		windows += p->run[i].windows;
		disturbed += p->run[i].disturbed;
	}
	prose_wrap(out, "program  ", "         ", "%s%s%s", command ? command : "unknown", commit ? ", commit " : "",
		    commit ? commit : "");
	prose_wrap(out, "data     ", "         ", "%s%s%s, %zu%s used, %zu set aside as disturbed%s%s%s", runs, host ? " on " : "",
		   host ? host : "", windows - disturbed, are_whole(p) ? "" : " windows", disturbed, events, sampler ? ", sampler " : "",
		   sampler ? sampler : "");
	add_time(out, p);
	free(runs);
	free(events);
}
