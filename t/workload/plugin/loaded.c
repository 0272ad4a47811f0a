/*
 * loaded: the shared object that the program plugin opens while it runs.
 */
#include "../workload.h"
#include "plugin.h"

_Static_assert(__LINE__ + 8 == PLUGIN_LINE, "plugin.h says another line");

/*
 * Not static, unlike other regions: it is looked up by its name, and is a
 * dynamic symbol.
 */
WORKLOAD_OPAQUE void plugin_work(uint64_t iterations)
{
	WORKLOAD_LOOP(iterations);
}
