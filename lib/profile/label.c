/* Names for regions, as short as they can be while each names one region. */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "profile/region_class.h"

/* How much is said: each step is taken only by regions that would share a label otherwise. */
enum detail { PLAIN, WITH_FILE, WITH_MODULE, WITH_RANGES };

/* The last `components` components of path; all of it when it has no more. */
static const char *path_tail(const char *path, size_t components)
{
	const char *at = path + strlen(path);

	while (at > path && components) {
		at--;
		if (*at == '/' && !--components)
			return at + 1;
	}
	return path;
}

static const char *base_name(const char *path)
{
	return path_tail(path, 1);
}

/* The shortest tail of file that no other file of the profile has. */
static const char *short_file(const struct profile *p, const char *file)
{
	for (size_t components = 1;; components++) {
		const char *tail = path_tail(file, components);
		bool shared = false;

		for (size_t i = 0; i < p->nregions && !shared; i++) {
			const char *other = p->region[i].file;

			shared = other && strcmp(other, file) && !strcmp(path_tail(other, components), tail);
		}
		if (!shared || tail == file)
			return tail;
	}
}

static void add_place(struct buf *b, const struct profile_region *r)
{
	const char *ranges = r->ranges ? r->ranges : "?";

	buf_adds(b, r->module ? base_name(r->module) : "?");
	buf_addf(b, "+%.*s", (int)strcspn(ranges, "-,"), ranges);
}

static char *make_label(const struct profile *p, const struct profile_region *r, enum detail detail)
{
	bool is_line = r->scope && !strcmp(r->scope, "line") && r->file && r->line;
	struct buf b = BUF_INIT;

	if (is_line)
		buf_addf(&b, "%s:%llu", short_file(p, r->file), (unsigned long long)r->line);
	else if (r->function || r->symbol)
		buf_adds(&b, r->function ? r->function : r->symbol);
	else
		add_place(&b, r);
	if (region_is_class(r->scope))
		return buf_detach(&b); /* it has no place that could be said */
	if (detail >= WITH_FILE && r->file && !is_line)
		buf_addf(&b, " (%s)", short_file(p, r->file));
	if (detail >= WITH_MODULE && r->module)
		buf_addf(&b, " in %s", base_name(r->module));
	if (detail >= WITH_RANGES)
		buf_addf(&b, " at %s", r->ranges ? r->ranges : "?");
	return buf_detach(&b);
}

void profile_label(struct profile *p)
{
	for (size_t i = 0; i < p->nregions; i++)
		p->region[i].label = make_label(p, &p->region[i], PLAIN);
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
			p->region[i].label = make_label(p, &p->region[i], detail);
		}
		free(shared);
		map_release(&seen);
	}
}
