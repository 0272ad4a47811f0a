#include "recorder/scope.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void patterns_add(struct patterns *p, const char *pattern)
{
	p->v = xgrow(p->v, p->n, &p->cap, sizeof(*p->v));
	p->v[p->n++] = xstrdup(pattern);
}

bool patterns_match(const struct patterns *p, const char *path)
{
	for (const char *end = path; end; end = strchr(end, '/') ? strchr(end, '/') + 1 : NULL)
		for (size_t i = 0; i < p->n; i++)
			if (fnmatch(p->v[i], end, 0) == 0)
				return true;
	return false;
}

static void patterns_release(struct patterns *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i]);
	free(p->v);
	*p = (struct patterns){ 0 };
}

void scope_release(struct scope *s)
{
	patterns_release(&s->only);
	patterns_release(&s->exclude);
}
