#include "resolve/modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"

void modules_init(struct modules *m)
{
	*m = (struct modules){ 0 };
}

void modules_release(struct modules *m)
{
	for (size_t i = 0; i < m->file.n; i++) {
		struct module *mod = m->file.entry[i].value;

		image_close(mod->img);
		free(mod->path);
		free(mod->build_id);
		free(mod);
	}
	for (size_t i = 0; i < m->nmaps; i++)
		free((void *)(uintptr_t)m->map_from[i]);
	free(m->debug_dir);
	free(m->map_from);
	free(m->map_to);
	map_release(&m->file);
	map_release(&m->id);
	modules_init(m);
}

void modules_add_debug_dir(struct modules *m, const char *dir)
{
	m->debug_dir = xrealloc(m->debug_dir, m->ndebug_dirs + 2, sizeof *m->debug_dir);
	m->debug_dir[m->ndebug_dirs++] = dir;
	m->debug_dir[m->ndebug_dirs] = NULL;
}

bool modules_add_path_map(struct modules *m, const char *map)
{
	const char *eq = strchr(map, '=');

	if (!eq || eq == map)
		return false;
	m->map_from = xrealloc(m->map_from, m->nmaps + 1, sizeof *m->map_from);
	m->map_to = xrealloc(m->map_to, m->nmaps + 1, sizeof *m->map_to);
	m->map_from[m->nmaps] = xstrndup(map, (size_t)(eq - map));
	m->map_to[m->nmaps++] = eq + 1;
	return true;
}

void modules_forget_ids(struct modules *m)
{
	map_release(&m->id);
	m->last = NULL;
}

static struct module *module_at(struct modules *m, const char *path, const char *build_id)
{
	/* A build-id has no LF that could be mistaken: whatever is before the first one is it. */
	char *key = xasprintf("%.*s\n%s", (int)strcspn(build_id, "\n"), build_id, path);
	void **place = map_at(&m->file, key);
	struct module *mod = *place;

	free(key);
	if (mod)
		return mod;
	*place = mod = xcalloc(1, sizeof *mod);
	mod->path = xstrdup(path);
	mod->build_id = xstrdup(build_id);
	return mod;
}

bool modules_add(struct modules *m, struct record *rec)
{
	const char *build_id = record_get(rec, "build_id");
	uint64_t id = record_get_u64(rec, "id");
	struct module *mod;
	char text[24];
	void **place;

	if (!record_need_all(rec))
		return false;
	mod = module_at(m, record_get(rec, "path"), build_id ? build_id : "");
	snprintf(text, sizeof text, "%" PRIu64, id);
	place = map_at(&m->id, text);
	if (*place && *place != mod) {
		msg_error_at(rec->path, rec->line, "module %" PRIu64 " is '%s' already", id, ((struct module *)*place)->path);
		return false;
	}
	*place = mod;
	return true;
}

struct module *modules_find(struct modules *m, uint64_t id)
{
	char text[24];

	if (m->last && m->last_id == id)
		return m->last;
	snprintf(text, sizeof text, "%" PRIu64, id);
	m->last = map_get(&m->id, text);
	m->last_id = id;
	return m->last;
}

char *modules_local_path(const struct modules *m, const char *path)
{
	for (size_t i = 0; i < m->nmaps; i++) {
		size_t n = strlen(m->map_from[i]);

		if (!strncmp(path, m->map_from[i], n) && (path[n] == '\0' || path[n] == '/' || path[n - 1] == '/'))
			return xasprintf("%s%s", m->map_to[i], path + n);
	}
	return xstrdup(path);
}

/* The remedy is told once: it is the same for each module. */
static void warn_bare(struct modules *m, const char *path, enum image_debug debug)
{
	const char *remedy = m->told ? "" : "; to have lines, compile with -g, or get debug files: see andweorc-resolve(1)";

	if (debug == IMAGE_SYMBOLS)
		msg_warn("no debug information for '%s'; its functions come from symbols and the unwind table, without lines%s", path, remedy);
	else
		msg_warn("neither debug information nor symbols for '%s'; its functions come from the unwind table, without names%s", path,
		         remedy);
	m->told = true;
}

struct image *modules_image(struct modules *m, struct module *mod)
{
	const char *why = "";
	char *path;

	if (mod->opened)
		return mod->img;
	mod->opened = true;
	/* [vdso] and the like are no files, and nothing can be done about it. */
	if (mod->path[0] != '/' && !m->nmaps)
		return NULL;
	path = modules_local_path(m, mod->path);
	mod->img = image_open_in(path, mod->build_id, &(struct debug_places){ .dirs = m->debug_dir, .servers = true }, &why);
	if (!mod->img)
		msg_warn("cannot use '%s': %s; its code is shown as module+offset", path, why);
	else if (image_debug(mod->img) != IMAGE_DWARF)
		warn_bare(m, path, image_debug(mod->img));
	free(path);
	return mod->img;
}
