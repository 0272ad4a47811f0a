#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/msg.h"
#include "recorder/absent.h"
#include "regions/nearest.h"

enum { PATIENCE_MS = 3000 }; /* by then a program has mostly loaded its plugins and started its children */

/* ---- names that were not found ---------------------------------------------------------------------- */

static bool any_absent(const struct conductor *c)
{
	bool any = c->plan->given && !c->given_found;

	for (size_t i = 0; i < c->plan->nnames; i++)
		any = any || !c->name_found[i];
	for (size_t i = 0; i < c->points.nwanted; i++)
		any = any || !c->points.wanted[i].found;
	return any;
}

static void tell_region(struct conductor *c, const char *name, void (*fn)(struct conductor *c, const char *what, const char *text))
{
	char *missing = regions_missing(c->regions, name);
	char *quoted = strcmp(missing, name) == 0 ? xasprintf("'%s'", name) : xasprintf("'%s' (of '%s')", missing, name);
	char *text = nearest_text(c->modules, missing, quoted);

	fn(c, "no-such-region", text);
	free(missing);
	free(text);
	free(quoted);
}

static void tell_point(struct conductor *c, const char *name, void (*fn)(struct conductor *c, const char *what, const char *text))
{
	char *why = nearest_text(c->modules, name, "so"), *text = xasprintf("no progress point at '%s': %s", name, why);

	fn(c, "no-such-point", text);
	free(text);
	free(why);
}

void absent_tell(struct conductor *c, void (*fn)(struct conductor *c, const char *what, const char *text))
{
	for (size_t i = 0; i < c->plan->nnames; i++)
		if (!c->name_found[i])
			tell_region(c, c->plan->names[i], fn);
	if (c->plan->given && !c->given_found)
		tell_region(c, c->plan->given, fn);
	for (size_t i = 0; i < c->points.nwanted; i++)
		if (!c->points.wanted[i].found)
			tell_point(c, c->points.wanted[i].name, fn);
}

/* ---- can they come later?  ------------------------------------------------------------- */

/* Libraries that load only their own plugins. */
static bool is_harmless(const struct mapping *mod)
{
	static const char *const libraries[] = { "libc.so.6", "libdl.so.2", "ld-linux-x86-64.so.2", "libgomp.so.1", "libomp.so.5" };
	const char *slash = strrchr(mod->path, '/');

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (!slash || strcmp(slash + 1, libraries[i]) == 0)
			return true;
	return mapping_is_runtime(mod);
}

/* Can code of this module load other modules, or start other programs? */
static bool brings_code(struct mapping *mod)
{
	static const char *const functions[] = {
		"dlopen", "dlmopen", "execl", "execle", "execlp", "execv", "execve", "execveat", "execvp", "execvpe", "fexecve",
		"posix_spawn", "posix_spawnp", "popen", "system", "wordexp", NULL,
	};

	return !is_harmless(mod) && (!mapping_image(mod) || image_imports(mod->image, functions));
}

static bool more_may_come(struct conductor *c)
{
	unsigned seen = 0;

	for (size_t i = 0; i < ARENA_PROCESSES; i++) {
		const struct member *m = &c->processes.member[i];

		if (!m->pid || m->ended)
			continue;
		/*
		 * A process that has exec'd joins again with its new program.  Until then,
		 * the code of that program is not known.
		 */
		if (m->pid < 0 || !m->id || m->space.n == 0 || atomic_load_explicit(&c->arena->process[i].left, memory_order_acquire))
			return true;
		for (size_t k = 0; k < m->space.n; k++)
			if (brings_code(mapping_of(c->modules, m->space.v[k].module)))
				return true;
		seen++;
	}
	return seen == 0;
}

/* ---- the recording -------------------------------------------------------------------- */

bool absent_refuse(struct conductor *c)
{
	if (c->refused || c->run > 1 || c->experiments > 0 || !any_absent(c) || more_may_come(c))
		return c->refused;
	c->refused = true;
	return true;
}

static void refuse(struct conductor *c, const char *what, const char *text)
{
	msg_error("%s", text);
	journal_warning(c->journal, c->run, what, text);
}

void absent_end(struct conductor *c)
{
	if (c->refused)
		absent_tell(c, refuse);
}

static void warn_absent(struct conductor *c, const char *what, const char *text)
{
	(void)c, (void)what;
	msg_warn("so far: %s", text);
}

void absent_warn(struct conductor *c)
{
	if (c->named_in_vain || !c->ready || c->run > 1 || now_ns() < c->began_ns + PATIENCE_MS * MS)
		return;
	c->named_in_vain = true;
	absent_tell(c, warn_absent);
}
