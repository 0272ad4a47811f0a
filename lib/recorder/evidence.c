#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "recorder/evidence.h"

void evidence_release(struct evidence *e)
{
	for (size_t i = 0; i < e->npoints; i++)
		free(e->point[i].name);
	free(e->point);
	free(e->v);
	*e = (struct evidence){ 0 };
}

/* Numbers of points differ from run to run; names do not. */
static size_t point_at(struct evidence *e, const char *name)
{
	for (size_t i = 0; i < e->npoints; i++)
		if (strcmp(e->point[i].name, name) == 0)
			return i;
	e->point = xgrow(e->point, e->npoints, &e->cap_points, sizeof(*e->point));
	e->point[e->npoints] = (struct evidence_point){ .name = xstrdup(name) };
	return e->npoints++;
}

void evidence_add(struct evidence *e, const char *point, unsigned region, const struct causal_obs *obs)
{
	size_t at = point_at(e, point);

	e->point[at].windows++;
	e->v = xgrow(e->v, e->n, &e->cap, sizeof(*e->v));
	e->v[e->n++] = (struct evidence_window){ *obs, region, at };
}

static size_t deciding(const struct evidence *e)
{
	size_t best = 0;

	for (size_t i = 1; i < e->npoints; i++)
		if (e->point[i].windows > e->point[best].windows)
			best = i;
	return best;
}

const char *evidence_point(const struct evidence *e)
{
	return e->npoints ? e->point[deciding(e)].name : NULL;
}

size_t evidence_of(const struct evidence *e, unsigned region, struct causal_obs *out)
{
	size_t point = deciding(e), n = 0;

	for (size_t i = 0; i < e->n; i++)
		if (e->v[i].point == point && (e->v[i].region == region || e->v[i].region == 0))
			out[n++] = e->v[i].obs;
	return n;
}
