#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/path.h"
#include "recorder/status.h"

enum { DRAW_NS = 500 * 1000 * 1000, LEADERS = 2, LABEL = 28 };

void status_init(struct status *s, int64_t now)
{
	const char *term = getenv("TERM");

	memset(s, 0, sizeof(*s));
	s->shown = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
	s->began_ns = now;
}

static bool slope_of(const struct evidence *e, const struct region *region, struct estimate *out)
{
	struct causal_obs *obs = xcalloc(e->n + 1, sizeof(*obs));
	struct causal_slope fit;
	bool ok = causal_fit(obs, evidence_of(e, region->id, obs), &fit);

	free(obs);
	if (ok)
		*out = fit.slope;
	return ok;
}

static void add_label(struct buf *b, const struct region *g)
{
	/* Names come from the program, so only printable ASCII is written to the terminal. */
	char label[LABEL + 12];

	if (g->scope == REGION_LINE)
		snprintf(label, sizeof(label), "%.*s:%u", LABEL, path_name(g->file), g->line);
	else
		snprintf(label, sizeof(label), "%.*s", LABEL, g->function);
	for (char *p = label; *p; p++)
		buf_addc(b, *p >= ' ' && *p < 0x7f ? *p : '?');
}

struct leader {
	const struct region *region;
	struct estimate slope;
};

static int by_slope(const void *a, const void *b)
{
	const struct leader *x = a, *y = b;

	return x->slope.value > y->slope.value ? -1 : x->slope.value < y->slope.value;
}

void status_draw(struct status *s, int64_t now, uint64_t windows, struct regions *regions,
		 const struct evidence *evidence)
{
	struct leader *leader;
	struct buf b = BUF_INIT;
	size_t n = 0;

	if (!s->shown || now - s->drawn_ns < DRAW_NS)
		return;
	s->drawn_ns = now;
	leader = xcalloc(regions->n + 1, sizeof(*leader));
	for (size_t i = 0; i < regions->n; i++)
		if (regions->v[i]->logged && slope_of(evidence, regions->v[i], &leader[n].slope))
			leader[n++].region = regions->v[i];
	qsort(leader, n, sizeof(*leader), by_slope);
	buf_addf(&b, "\r\033[K%3.0f s  %llu windows", (double)(now - s->began_ns) / 1e9, (unsigned long long)windows);
	for (size_t i = 0; i < n && i < LEADERS; i++) {
		buf_adds(&b, "  ");
		add_label(&b, leader[i].region);
		buf_addf(&b, " %.2f [%.2f, %.2f]", leader[i].slope.value, leader[i].slope.lo, leader[i].slope.hi);
	}
	if (write(STDERR_FILENO, b.s, b.len) < 0)
		s->shown = false;
	free(leader);
	buf_release(&b);
}

void status_clear(struct status *s)
{
	if (s->shown && s->drawn_ns && write(STDERR_FILENO, "\r\033[K", 4) < 0)
		s->shown = false;
}
