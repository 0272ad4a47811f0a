#include "profile/given_windows.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/num.h"
#include "format/region_class.h"
#include "profile/latency.h"

static void add_name(struct buf *b, const struct profile_region *r)
{
	if (region_is_line(r->scope) && r->file)
		buf_addf(b, "%s:%llu", r->file, (unsigned long long)r->line);
	else
		buf_adds(b, r->function ? r->function : r->symbol ? r->symbol : r->ranges ? r->ranges : "?");
}

/* "3,4" */
static void add_names(struct buf *b, struct context *c, const char *ids)
{
	char *copy = xstrdup(ids), *rest = copy, *item;
	const char *between = "";
	uint64_t id;

	while ((item = strsep(&rest, ",")) != NULL) {
		buf_adds(b, between);
		if (num_u64(item, &id))
			add_name(b, &c->region[context_region(c, id)].region);
		else
			buf_adds(b, "?");
		between = " and ";
	}
	free(copy);
}

static size_t point_of(struct profile *p, size_t plain, char *name)
{
	for (size_t i = 0; i < p->npoints; i++)
		if (!strcmp(p->point[i].name, name)) {
			p->point[i].kinds |= p->point[plain].kinds;
			free(name);
			return i;
		}
	p->point = xgrow(p->point, p->npoints, &p->cap_points, sizeof *p->point);
	p->point[p->npoints] = (struct profile_point){ .name = name, .kinds = p->point[plain].kinds, .plain = true, .given = true };
	return p->npoints++;
}

/* Notes the given regions of a window; "": none. */
static void note_given(struct profile *p, const char *given)
{
	if (!p->first_given)
		p->first_given = xstrdup(given);
	p->mixed = p->mixed || strcmp(p->first_given, given) != 0;
}

/* The windows of a log mostly have the same given regions. */
struct last {
	const char *given;
	double pct;
	size_t from, to;
};

static size_t point_of_window(struct context *c, struct last *last, size_t point, const struct context_window *w)
{
	struct profile *p = c->p;
	struct buf b = BUF_INIT;

	if (!w->given) {
		p->point[point].plain = true;
		note_given(p, "");
		return point;
	}
	p->point[point].split = true;
	if (last->given == w->given && last->pct == w->given_pct && last->from == point)
		return last->to;
	buf_addf(&b, "%s (given ", p->point[point].name);
	add_names(&b, c, w->given);
	buf_addf(&b, " %g %% faster)", w->given_pct);
	note_given(p, b.s + strlen(p->point[point].name));
	*last = (struct last){ w->given, w->given_pct, point, point_of(p, point, buf_detach(&b)) };
	return last->to;
}

void given_split(struct context *c)
{
	struct last last = { 0 };

	for (size_t i = 0; i < c->nvisits; i++)
		c->visits[i].point = point_of_window(c, &last, c->visits[i].point, &c->window[c->visits[i].window]);
	for (size_t i = 0; i < c->nspans; i++)
		c->spans[i].point = point_of_window(c, &last, c->spans[i].point, &c->window[c->spans[i].window]);
}
