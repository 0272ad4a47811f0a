#include "diff/place.h"

/* Line numbers are read as reals, which can have any value in a damaged analysis. */
static unsigned long line_number(double x)
{
	return x > 0 && x < 1e9 ? (unsigned long)x : 0;
}

struct match_place place_of(const struct finding *f)
{
	return (struct match_place){
		.scope = f->scope,
		.function = f->function,
		.symbol = f->symbol,
		.file = f->file,
		.module = f->module,
		.line = line_number(f->line),
		.function_line = line_number(f->function_line),
		.line_hash = f->line_hash,
		.context_hash = f->context_hash,
		.function_hash = f->function_hash,
	};
}
