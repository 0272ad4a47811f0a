#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/num.h"
#include "regions/nearest.h"
#include "regions/regions.h"

enum {
	NAMED = 3,        /* names that are offered */
	NAME_MAX_LEN = 64, /* bytes of a component that are compared */
	LIBRARY = 2,      /* added to the distance of a function of a library */
	FAR = 1000,
};

/* The number of insertions, deletions, changes and exchanges of neighbours that turn a into b. */
static unsigned edit_distance(const char *a, const char *b)
{
	unsigned row[3][NAME_MAX_LEN + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > NAME_MAX_LEN || m > NAME_MAX_LEN)
		return NAME_MAX_LEN;
	for (size_t j = 0; j <= m; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);

			best = last[j] + 1 < best ? last[j] + 1 : best;
			best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
	}
	return row[n % 3][m];
}

/* ---- functions ------------------------------------------------------------------------ */

struct near {
	const char *want;     /* the last component */
	const char *want_path;
	struct mapping *mod; /* the module that is searched */
	struct {
		char *path;   /* owned */
		unsigned far;
	} v[NAMED];           /* the nearest first */
	size_t n;
};

/*
 * The distance of a function's name from the requested one; a large number when they
 * are unlike.  Among equal names, one in the requested namespace or type is nearer.
 */
static unsigned how_far(const struct near *near, const char *path)
{
	const char *last = called_last(path);
	size_t len = strlen(near->want), around = (size_t)(near->want - near->want_path);
	unsigned far = 2 * edit_distance(near->want, last), most = 2 * (unsigned)((len + 2) / 4);

	/* Names in libraries are many, and a part of one is hardly ever meant. */
	if (far > most && (!near->mod->own || len < 4 || !strstr(last, near->want)))
		return FAR;
	if (far > most)
		far = most + 2;
	if (around > 0 && ((size_t)(last - path) < around || memcmp(last - around, near->want_path, around) != 0))
		far++;
	return far;
}

static void offer(struct near *near, const char *path, unsigned far)
{
	size_t at = near->n;

	for (size_t i = 0; i < near->n; i++)
		if (!strcmp(near->v[i].path, path))
			return;
	while (at > 0 && near->v[at - 1].far > far)
		at--;
	if (at == NAMED)
		return;
	if (near->n == NAMED)
		free(near->v[--near->n].path);
	memmove(&near->v[at + 1], &near->v[at], (near->n - at) * sizeof(near->v[0]));
	near->v[at].path = xstrdup(path);
	near->v[at].far = far;
	near->n++;
}

static void consider(void *arg, uint64_t off, const struct frame *at, enum called how)
{
	struct near *near = arg;
	char *path = called_path(at->function);
	unsigned far = how_far(near, path);

	(void)off, (void)how;
	if (far < FAR && *path)
		offer(near, path, far + (!near->mod->own || (at->file && !mapping_file_in_scope(at->file, near->mod)) ? LIBRARY : 0));
	free(path);
}

/* Adds the suggestions to the text, and frees them. */
static void add_meant(struct buf *text, struct near *near)
{
	for (size_t i = 0; i < near->n; i++)
		buf_addf(text, "%s'%.200s'", i == 0 ? "; did you mean " : i + 1 < near->n ? ", " : " or ", near->v[i].path);
	if (near->n > 0)
		buf_addc(text, '?');
	while (near->n > 0)
		free(near->v[--near->n].path);
}

static void add_functions(struct buf *text, struct mappings *m, const char *name)
{
	struct near near = { 0 };
	char *path = called_path(name);

	near.want_path = path;
	near.want = called_last(path);
	for (size_t i = 0; i < m->n && !strpbrk(name, "*?["); i++) {
		near.mod = &m->v[i];
		if (m->v[i].mapped && !mapping_is_runtime(&m->v[i]) && mapping_image(&m->v[i]))
			image_find_functions(m->v[i].image, "*", consider, &near);
	}
	add_meant(text, &near);
	free(path);
}

/* ---- lines ---------------------------------------------------------------------------- */

static void describe_line(struct buf *text, struct mappings *m, const char *name, const char *called, const char *colon, unsigned line)
{
	char *file = xstrndup(name, (size_t)(colon - name));
	bool debug = false;
	unsigned near = 0;

	for (size_t i = 0; i < m->n && !near; i++) {
		struct mapping *mod = &m->v[i];

		if (!mod->mapped || !mod->own || !mapping_image(mod))
			continue;
		debug = debug || image_debug(mod->image) == IMAGE_DWARF;
		near = image_nearest_line(mod->image, file, line, mapping_file_in_scope, mod);
	}
	if (near)
		buf_addf(text, "no code of the program or its libraries is called %s; the %s line with code is %u", called,
			 near > line ? "next" : "last", near);
	else
		buf_addf(text, "no code of the program or its libraries is called %s%s", called,
			 debug ? ": nothing that was compiled with -g comes from a file of that name" : ": lines are not known without debug information, so compile with -g");
	free(file);
}

/* ---- probes --------------------------------------------------------------------------- */

static void consider_probe(void *arg, const struct probe *probe)
{
	struct near *near = arg;
	char *name = xasprintf("%s:%s", probe->provider, probe->name);
	unsigned far = edit_distance(near->want, name);

	if (far <= (strlen(near->want) + 2) / 4)
		offer(near, name, far);
	free(name);
}

static void describe_probe(struct buf *text, struct mappings *m, const char *name, const char *called)
{
	struct near near = { .want = name };
	size_t found = 0;

	for (size_t i = 0; i < m->n; i++) {
		near.mod = &m->v[i];
		if (m->v[i].mapped && !mapping_is_runtime(&m->v[i]) && mapping_image(&m->v[i]))
			found += image_find_probes(m->v[i].image, "*:*", consider_probe, &near);
	}
	buf_addf(text, "no probe of the program or its libraries is called %s%s", called, found ? "" : ": they have none");
	add_meant(text, &near);
}

/* ---- classes of time ------------------------------------------------------------------- */

static void add_classes(struct buf *text, const char *name)
{
	static const char *const classes[] = { ":io", ":sleep", ":lock", ":runqueue", ":alloc" };
	struct near near = { 0 };

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (edit_distance(name, classes[i]) <= 2)
			offer(&near, classes[i], edit_distance(name, classes[i]));
	add_meant(text, &near);
}

char *nearest_text(struct mappings *m, const char *name, const char *called)
{
	const char *colon = strrchr(name, ':');
	struct buf text = BUF_INIT;
	uint64_t line;

	if (colon && colon > name && num_u64(colon + 1, &line) && line <= UINT32_MAX) {
		describe_line(&text, m, name, called, colon, (unsigned)line);
		return buf_detach(&text);
	}
	if (image_is_probe_name(name)) {
		describe_probe(&text, m, name, called);
		return buf_detach(&text);
	}
	buf_addf(&text, "no code of the program or its libraries is called %s", called);
	/* LIBRARY!FUNCTION */
	if (regions_library(name))
		name += regions_library(name) + 1;
	if (name[0] == ':' && name[1] != ':')
		add_classes(&text, name);
	else
		add_functions(&text, m, name);
	return buf_detach(&text);
}
