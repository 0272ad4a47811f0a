/*
 * regions_stand_in: functions of libc that programs reach only through wrappers of the
 * runtime.
 *
 * A program that calls fdatasync calls the runtime's wrapper, which accounts for the
 * wait and calls libc's function.  During the wait the wrapper is on the stack, and
 * libc's function is not.  So the region of libc's function contains the code of the
 * wrapper, too.  Otherwise it would seem to take no time, though sqlite3 spends half of
 * its time there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "regions/regions_parts.h"
#include "runtime/real.h"

static const char *const stand_ins[] = {
#define X(name, type, params) #name,
	REAL_FUNCTIONS(X)
#undef X
};

enum { ALIASES = 16 }; /* __unlink, unlink: names of one function */

bool regions_is_stood_in_for(const char *function)
{
	for (size_t i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]); i++)
		if (strcmp(stand_ins[i], function) == 0)
			return true;
	return false;
}

static void take_stand_in(struct region *g, struct mapping *runtime, const char *function)
{
	free(g->stand_ins);
	g->nstand_ins = regions_places(runtime, function, &g->stand_ins);
}

void regions_stand_in(struct regions *r, struct region *g, struct mapping *mod)
{
	const char *name[ALIASES];
	size_t n = mapping_is_libc(mod) && g->nranges > 0 ? image_aliases(mod->image, g->ranges[0].lo, name, ALIASES) : 0;

	for (size_t k = 0; k < n && k < ALIASES; k++)
		for (size_t i = 0; regions_is_stood_in_for(name[k]) && i < r->modules->n; i++)
			if (mapping_is_runtime(&r->modules->v[i]) && mapping_image(&r->modules->v[i]))
				take_stand_in(g, &r->modules->v[i], name[k]);
}
