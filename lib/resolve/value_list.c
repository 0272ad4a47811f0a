#include "resolve/value_list.h"

#include <string.h>

void value_list_add(struct buf *list, const char *text, const char *separators)
{
	for (; *text; text++) {
		if (*text == '%' || strchr(separators, *text))
			buf_addf(list, "%%%02X", (unsigned char)*text);
		else
			buf_addc(list, *text);
	}
}
