#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/msg.h"

/* How often a text is in a file, and where last. */
struct count {
	size_t n, at;
};

static struct count *counts(struct map *m, const struct line *l, size_t file)
{
	char key[64];
	void **place;

	snprintf(key, sizeof key, "%zx %llx", file, (unsigned long long)l->hash);
	place = map_at(m, key);
	if (!*place)
		*place = xcalloc(1, sizeof(struct count));
	return *place;
}

static struct map count_lines(const struct tree *t)
{
	struct map m = MAP_INIT;

	for (size_t i = 0; i < t->nlines; i++) {
		struct count *c = counts(&m, &t->line[i], t->line[i].file);

		c->n++;
		c->at = i;
		counts(&m, &t->line[i], SIZE_MAX)->n++; /* anywhere */
	}
	return m;
}

static void release_counts(struct map *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->entry[i].value);
	map_release(m);
}

/* The result on which all algorithms agree for a line of base; UNKNOWN when they disagree. */
static size_t by_maps(const struct linemap *maps, const struct tree *base, struct tree *head, const char *path, const struct line *l, bool *edited)
{
	struct linemap_answer first = linemap_forward(&maps[0], path, l->number);
	struct line *to;

	*edited = first.fate == LINEMAP_EDITED;
	for (size_t i = 1; i < MAPS; i++) {
		struct linemap_answer a = linemap_forward(&maps[i], path, l->number);

		if (a.fate != first.fate || a.line != first.line || (a.fate == LINEMAP_EDITED && a.n != first.n))
			return UNKNOWN;
	}
	if (first.fate == LINEMAP_GONE)
		return GONE;
	if (first.fate == LINEMAP_UNKNOWN || !first.line)
		return UNKNOWN;
	if (*edited) {
		struct linemap_answer back = linemap_backward(&maps[0], first.file, first.line);

		if (first.n != 1 || back.n != 1 || first.similarity < 0.5)
			return UNKNOWN;
	}
	to = tree_line(head, first.file, first.line);
	/* Braces and the like are kept across functions where that makes a patch shorter. */
	if (to && (!l->function || !to->function ||
		   strcmp(base->function[l->function - 1].name, head->function[to->function - 1].name) != 0))
		return UNKNOWN;
	return to ? TRUE + (size_t)(to - head->line) : UNKNOWN;
}

/* In a file of the same name or of the one that it was renamed to, or UNKNOWN. */
static size_t by_text(struct map *base_counts, struct map *head_counts, const struct linemap *map, struct tree *base,
		      struct tree *head, const struct line *l)
{
	struct linemap_answer a = linemap_forward(map, base->file[l->file].path, 1);
	struct line *first = tree_line(head, a.file, 1);
	struct count *there;

	if (!first || l->len < 8 || counts(base_counts, l, l->file)->n != 1)
		return UNKNOWN;
	there = counts(head_counts, l, first->file);
	return there->n == 1 ? TRUE + there->at : UNKNOWN;
}

size_t truth_find(struct tree *base, struct tree *head, const struct linemap maps[MAPS])
{
	struct map b = count_lines(base), h = count_lines(head);
	size_t disputed = 0;

	for (size_t i = 0; i < base->nlines; i++) {
		struct line *l = &base->line[i];
		size_t text = by_text(&b, &h, &maps[0], base, head, l);
		size_t map = by_maps(maps, base, head, base->file[l->file].path, l, &l->edited);

		if (map == GONE && (text != UNKNOWN || counts(&h, l, SIZE_MAX)->n > 0))
			map = UNKNOWN; /* it may have moved */
		if (l->edited && counts(&h, l, SIZE_MAX)->n > 0)
			map = UNKNOWN;
		l->truth = text != UNKNOWN ? text : map;
		if (text != UNKNOWN && map > GONE && map != text) {
			l->truth = UNKNOWN;
			disputed++;
		}
		l->edited = l->edited && l->truth == map && map != UNKNOWN;
	}
	release_counts(&b);
	release_counts(&h);
	return disputed;
}

bool truth_read(const char *path, struct tree *base, struct tree *head)
{
	FILE *in = fopen(path, "re");
	char from[512], to[512], line[32];
	unsigned long number;

	if (!in)
		return false;
	while (fscanf(in, "%511s %lu %511s %31s", from, &number, to, line) == 4) {
		struct line *b = tree_line(base, from, number), *h = tree_line(head, to, strtoul(line, NULL, 10));

		if (!b || (!h && *to != '-'))
			msg_die(2, "%s: no line %s:%lu or %s:%s", path, from, number, to, line);
		b->truth = h ? TRUE + (size_t)(h - head->line) : GONE;
		b->edited = h && h->hash != b->hash;
	}
	fclose(in);
	return true;
}

void truth_find_changed(struct tree *base, const struct tree *head)
{
	struct map same = MAP_INIT;

	for (size_t i = 0; i < head->nfunctions; i++) {
		char *key = xasprintf("%s %s", head->function[i].name, head->function[i].hash);

		*map_at(&same, key) = base;
		free(key);
	}
	for (size_t i = 0; i < base->nlines; i++) {
		const struct function *fn = base->line[i].function ? &base->function[base->line[i].function - 1] : NULL;
		char *key = fn ? xasprintf("%s %s", fn->name, fn->hash) : NULL;

		base->line[i].changed = fn && !map_get(&same, key);
		free(key);
	}
	map_release(&same);
}
