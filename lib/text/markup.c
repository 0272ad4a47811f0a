#include "text/markup.h"

#include <stdlib.h>

#include "text/prose.h"

void markup_add(struct buf *b, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			buf_adds(b, "&lt;");
			break;
		case '>':
			buf_adds(b, "&gt;");
			break;
		case '&':
			buf_adds(b, "&amp;");
			break;
		case '"':
			buf_adds(b, "&quot;");
			break;
		default:
			buf_addc(b, *text);
		}
}

void markup_add_clean(struct buf *b, const char *text)
{
	char *clean = prose_clean(text);

	markup_add(b, clean);
	free(clean);
}
