/* Names for regions, as short as they can be while each names one region. */
#include "profile/profile.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/path.h"
#include "format/region_class.h"

/* How much a label contains.  Regions that would share a label go to the next step. */
enum detail { PLAIN, WITH_FILE, WITH_MODULE, WITH_RANGES };

/* From each file of the profile to the shortest tail of it that no other file has. */
struct tails {
	struct map of;
};

/* The tail that is one component longer than the last `shared` bytes. */
static const char *tail_beyond(const char *file, size_t shared)
{
	const char *at = file + strlen(file) - shared;

	if (shared && at > file)
		at--; /* the '/' before it */
	while (at > file && at[-1] != '/')
		at--;
	return at;
}

static int compare_files(const void *a, const void *b)
{
	return path_order_by_tail((*(struct map_entry *const *)a)->key, (*(struct map_entry *const *)b)->key);
}

static void tails_init(struct tails *t, const struct profile *p)
{
	struct map_entry **file;

	*t = (struct tails){ MAP_INIT };
	for (size_t i = 0; i < p->nregions; i++)
		if (p->region[i].file)
			map_at(&t->of, p->region[i].file);
	file = xcalloc(t->of.n + 1, sizeof(struct map_entry *));
	for (size_t i = 0; i < t->of.n; i++)
		file[i] = &t->of.entry[i];
	qsort(file, t->of.n, sizeof(struct map_entry *), compare_files);
	for (size_t i = 0; i < t->of.n; i++) {
		size_t before = i ? path_common_tail(file[i]->key, file[i - 1]->key) : 0;
		size_t after = i + 1 < t->of.n ? path_common_tail(file[i]->key, file[i + 1]->key) : 0;

		file[i]->value = (void *)(uintptr_t)tail_beyond(file[i]->key, before > after ? before : after);
	}
	free(file);
}

static const char *tails_of(const struct tails *t, const char *file)
{
	return map_get(&t->of, file);
}

static void add_place(struct buf *b, const struct profile_region *r)
{
	const char *ranges = r->ranges ? r->ranges : "?";

	buf_adds(b, r->module ? path_name(r->module) : "?");
	buf_addf(b, "+%.*s", (int)strcspn(ranges, "-,"), ranges);
}

static char *make_label(const struct tails *tails, const struct profile_region *r, enum detail detail)
{
	bool is_line = region_is_line(r->scope) && r->file && r->line;
	struct buf b = BUF_INIT;

	if (is_line)
		buf_addf(&b, "%s:%llu", tails_of(tails, r->file), (unsigned long long)r->line);
	else if (r->function || r->symbol)
		buf_adds(&b, r->function ? r->function : r->symbol);
	else
		add_place(&b, r);
	if (region_is_class(r->scope))
		return buf_detach(&b); /* no place of it is known */
	if (detail >= WITH_FILE && r->file && !is_line)
		buf_addf(&b, " (%s)", tails_of(tails, r->file));
	if (detail >= WITH_MODULE && r->module)
		buf_addf(&b, " in %s", path_name(r->module));
	if (detail >= WITH_RANGES)
		buf_addf(&b, " at %s", r->ranges ? r->ranges : "?");
	return buf_detach(&b);
}

bool profile_region_has_name(const struct profile_region *r)
{
	return r->symbol || !r->function || !strstr(r->function, "+0x");
}

void profile_label(struct profile *p)
{
	struct tails tails;

	tails_init(&tails, p);
	for (size_t i = 0; i < p->nregions; i++)
		p->region[i].label = make_label(&tails, &p->region[i], PLAIN);
	for (enum detail detail = WITH_FILE; detail <= WITH_RANGES; detail++) {
		struct map seen = MAP_INIT;
		bool *shared = xcalloc(p->nregions + 1, sizeof *shared);

		for (size_t i = 0; i < p->nregions; i++) {
			void **first = map_at(&seen, p->region[i].label);

			if (*first)
				*(bool *)*first = shared[i] = true;
			else
				*first = &shared[i];
		}
		for (size_t i = 0; i < p->nregions; i++) {
			if (!shared[i])
				continue;
			free(p->region[i].label);
			p->region[i].label = make_label(&tails, &p->region[i], detail);
		}
		free(shared);
		map_release(&seen);
	}
	map_release(&tails.of);
}
