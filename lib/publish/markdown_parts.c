#include "publish/markdown_parts.h"

#include <stdlib.h>

#include "diff/words.h"
#include "publish/escape.h"

void markdown_code(struct buf *b, const char *text, size_t columns)
{
	char *name = words_name(text, columns);

	escape_markdown_code(b, name);
	free(name);
}

void markdown_plain(struct buf *b, const char *text, size_t columns)
{
	char *name = words_name(text, columns);

	escape_markdown_text(b, name);
	free(name);
}

const char *markdown_icon(const struct row *row)
{
	if (row->real[REAL_SHIFT] > 0)
		return "🔀";
	if (row_is_regression(row))
		return "❌";
	if (row->change == CHANGE_CHANGED && row->real[REAL_CONFIRMED] != 0 && !row_is_worse(row))
		return "✅";
	if (row->change <= CHANGE_LIKELY || row->change == CHANGE_NEW)
		return row_is_worse(row) || row->change == CHANGE_NEW ? "⚠️" : "🔹";
	return row_is_open(row) ? "❔" : "➖";
}
