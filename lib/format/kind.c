#include "format/kind.h"

#include <stddef.h>
#include <string.h>

static const struct {
	enum kind kind;
	const char *name;
} all[] = {
	{ KIND_THROUGHPUT, "throughput" },
	{ KIND_LATENCY, "latency" },
	{ KIND_RUN, "run" },
};

const char *kind_name(unsigned kinds)
{
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (kinds == all[i].kind)
			return all[i].name;
	return NULL;
}

unsigned kind_named(const char *name)
{
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!strcmp(name, all[i].name))
			return all[i].kind;
	return 0;
}
