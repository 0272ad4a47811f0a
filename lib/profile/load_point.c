/* Progress points by their names. */
#include "profile/load.h"

#include <string.h>

#include "base/alloc.h"

/* Linear search, because programs have few points.  p->npoints: there is none of that name. */
static size_t find_point(const struct profile *p, const char *name)
{
	size_t i = 0;

	while (i < p->npoints && strcmp(p->point[i].name, name))
		i++;
	return i;
}

bool load_knows_point(const struct profile *p, const char *name)
{
	return find_point(p, name) < p->npoints;
}

size_t load_point(struct profile *p, const char *name)
{
	size_t at = find_point(p, name);

	if (at < p->npoints)
		return at;
	p->point = xgrow(p->point, p->npoints, &p->cap_points, sizeof *p->point);
	p->point[p->npoints] = (struct profile_point){ .name = xstrdup(name) };
	return p->npoints++;
}
