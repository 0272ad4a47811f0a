/*
 * regions_stand_in: functions of libc that the program never comes to.
 *
 * A program that calls fdatasync calls the runtime's, which notes the wait and calls
 * libc's.  While it waits, the runtime's is on its stack, and libc's is not.  So the
 * region of libc's function has the code of the runtime's, too; else it would be told
 * to take no time, where sqlite3 is for half of its time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "recorder/regions_parts.h"
#include "runtime/real.h"

static const char *const stand_ins[] = {
#define X(name, type, params) #name,
	REAL_FUNCTIONS(X)
#undef X
};

enum { ALIASES = 16 }; /* __unlink, unlink: of one function */

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
