#include "match/match_function_chance.h"

#include "base/text.h"

/* With fewer lines, many functions are alike. */
#define LINES_MIN 4
/* Functions of different names with the same text are not rare up to here. */
#define TWINS_MAX 8
/* Sketches that share less are no evidence. */
#define SHARED_MIN 0.4
/* A first line with less similarity is another line. */
#define FIRST_LINE_MIN 0.6

/* The part of their lines that the two share, 0..1; -1 unknown. */
static double shared(const struct match_group *b, const struct match_group *h)
{
	size_t same = 0;

	if (!b->has_body || !h->has_body)
		return -1;
	if (b->body == h->body)
		return 1;
	for (size_t i = 0; i < SKETCH; i++)
		same += b->sketch[i] == h->sketch[i];
	return (double)same / SKETCH;
}

const char *match_path_in_head(const struct match_group *b, const struct linemap *map)
{
	return map && b->any->path ? linemap_forward(map, b->any->path, 1).file : b->any->path;
}

double match_function_by_name(const struct match_group *b, const struct match_group *h, const struct linemap *map,
			      struct match_namesakes known)
{
	bool same_path = text_same(match_path_in_head(b, map), h->any->path) || (!b->any->path && !h->any->path);
	double s = shared(b, h);

	if (known.alone && same_path)
		return MATCH_FUNCTION_CERTAIN;
	/* in another file it may be another function, and the profile happens to have only one on each side */
	if (known.alone && known.files_stay)
		return s < 0 ? 0.5 : 0.4 + 0.3 * s;
	if (known.alone)
		return s < 0 ? 0.6 : 0.5 + 0.45 * s;
	/* lambdas, and functions in alternative branches of #if: they are distinguished by their text */
	if (s < 0)
		return b->any->p->function_line == h->any->p->function_line ? 0.6 : 0.4;
	return (same_path ? 0.4 : 0.3) + 0.58 * s;
}

static bool leads_to(const struct linemap *map, const struct match_group *b, const struct match_group *h)
{
	struct linemap_answer a;

	if (!map || !b->any->path || !h->any->path || !b->any->p->function_line || !h->any->p->function_line)
		return false;
	a = linemap_forward(map, b->any->path, b->any->p->function_line);
	return (a.fate == LINEMAP_SAME || (a.fate == LINEMAP_EDITED && a.similarity >= FIRST_LINE_MIN)) &&
	       text_same(a.file, h->any->path) && a.line == h->any->p->function_line;
}

double match_function_by_first_line(const struct match_group *b, const struct match_group *h, const struct linemap *map)
{
	double s = shared(b, h);

	if (!leads_to(map, b, h))
		return 0;
	if (text_same(b->any->function, h->any->function))
		return MATCH_FUNCTION_CERTAIN;
	return s < 0 ? 0.9 : 0.6 + 0.38 * s;
}

double match_function_by_body(const struct match_group *b, const struct match_group *h, const struct linemap *map)
{
	double s = shared(b, h);
	bool same_path = text_same(match_path_in_head(b, map), h->any->path);

	if (s < SHARED_MIN || b->lines < LINES_MIN || h->lines < LINES_MIN)
		return 0;
	/* identical text; short functions may have duplicates */
	if (s >= 1)
		return b->lines < TWINS_MAX ? 0.72 : same_path ? 0.96 : 0.8;
	return same_path ? 0.45 + 0.45 * s : 0.3 + 0.45 * s;
}
