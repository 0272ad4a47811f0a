/* Progress points by their names. */
#include "profile/load.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* Linear search, because programs have few points. */
size_t load_point(struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->npoints; i++)
		if (!strcmp(p->point[i].name, name))
			return i;
	p->point = xgrow(p->point, p->npoints, &p->cap_points, sizeof *p->point);
	p->point[p->npoints] = (struct profile_point){ .name = xstrdup(name), .clocked = NAN };
	return p->npoints++;
}
