#include "format/region_class.h"

#include <stddef.h>
#include <string.h>

bool region_is_class(const char *scope)
{
	return scope && !strcmp(scope, "class");
}

bool region_is_line(const char *scope)
{
	return scope && !strcmp(scope, "line");
}

const char *region_class_words(const char *symbol)
{
	static const struct {
		const char *symbol, *words;
	} known[] = {
		{ ":io", "waiting for devices, files and sockets" },
		{ ":sleep", "asleep for a time that the program chose" },
		{ ":lock", "waiting for other threads and processes of the program" },
		{ ":runqueue", "ready to run, but without a processor" },
		{ ":alloc", "malloc and its family" },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (symbol && !strcmp(symbol, known[i].symbol))
			return known[i].words;
	return NULL;
}
