#include "profile/inlined.h"

#include <string.h>

#include "format/field.h"

/* A log of another program may have other text there, which is kept unchanged. */
static void unescape(char *text)
{
	if (!field_bad_escape(text, strlen(text)))
		field_unescape(text);
}

bool inlined_next(char **chain, struct inlined *f)
{
	char *text = strsep(chain, ";");

	if (!text)
		return false;
	f->function = strsep(&text, "@");
	f->place = text;
	unescape(f->function);
	if (f->place)
		unescape(f->place);
	return true;
}
