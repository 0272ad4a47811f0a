#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "binary/unwind.h"
#include "format.h"
#include "recorder/mapping.h"

void mapping_init(struct mappings *m)
{
	memset(m, 0, sizeof(*m));
}

void mapping_release(struct mappings *m)
{
	for (size_t i = 0; i < m->n; i++) {
		image_close(m->v[i].image);
		free(m->v[i].path);
		free(m->v[i].passed);
	}
	free(m->v);
	mapping_init(m);
}

static bool begins_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Libraries of the system are not the user's to optimise. */
static bool of_the_system(const char *path)
{
	return begins_with(path, "/usr/lib") || begins_with(path, "/lib") || path[0] == '[';
}

bool mapping_file_in_scope(const char *file, void *unused)
{
	static const char *const foreign[] = { "/usr/include/", "/usr/lib/", "/usr/src/", "/usr/local/include/", "/rustc/",
					       "/build/glibc" };
	(void)unused;
	if (!file)
		return false;
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (begins_with(file, foreign[i]))
			return false;
	return !strstr(file, "/.cargo/registry/") && !strstr(file, "/rustlib/src/") && !strstr(file, "/sysdeps/") &&
	       !strstr(file, "/bits/stl_");
}

bool mapping_is_runtime(const struct mapping *mod)
{
	const char *slash = strrchr(mod->path, '/');

	return slash && strcmp(slash + 1, AW_RUNTIME_NAME) == 0;
}

/* Where the file's virtual address 0 would be, had its first segment been mapped at `start`. */
static bool bias_of(const char *path, uint64_t start, uint64_t *bias)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	bool found = false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (pread(fd, &eh, sizeof(eh), 0) == sizeof(eh) && memcmp(eh.e_ident, ELFMAG, SELFMAG) == 0 &&
	    eh.e_ident[EI_CLASS] == ELFCLASS64) {
		for (unsigned i = 0; i < eh.e_phnum && !found; i++) {
			if (pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + i * sizeof(ph))) != sizeof(ph))
				break;
			if (ph.p_type != PT_LOAD)
				continue;
			*bias = start - (ph.p_vaddr & ~(uint64_t)4095);
			found = true;
		}
	}
	close(fd);
	return found;
}

static struct mapping *of_path(struct mappings *m, const char *path)
{
	struct mapping *new;

	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->v[i].path, path) == 0)
			return &m->v[i];
	m->v = xgrow(m->v, m->n, &m->cap, sizeof(*m->v));
	new = &m->v[m->n];
	memset(new, 0, sizeof(*new));
	new->id = (unsigned)++m->n;
	new->path = xstrdup(path);
	return new;
}

/* One line of /proc/PID/maps that is code of a file.  Returns whether that is news. */
static bool take(struct mappings *m, const char *path, uint64_t lo, uint64_t hi, uint64_t base, const char *exe)
{
	struct mapping *mod;
	uint64_t bias = base;
	bool moved;

	if (path[0] == '/' && !bias_of(path, base, &bias))
		return false;
	mod = of_path(m, path);
	moved = !mod->mapped || mod->bias != bias;
	if (moved && !mod->seen) {
		mod->lo = lo;
		mod->hi = hi;
	}
	moved = moved || lo < mod->lo || hi > mod->hi;
	mod->lo = lo < mod->lo ? lo : mod->lo;
	mod->hi = hi > mod->hi ? hi : mod->hi;
	mod->bias = bias;
	mod->mapped = mod->seen = true;
	mod->own = strcmp(path, exe) == 0 || !(of_the_system(path) || mapping_is_runtime(mod));
	return moved;
}

static bool read_maps(struct mappings *m, const char *name, const char *exe, bool *any)
{
	char line[4600], path[4200], last[4200] = "", perms[8];
	unsigned long lo, hi, offset, base = 0;
	bool changed = false;
	FILE *f = fopen(name, "re");

	while (f && fgets(line, sizeof(line), f)) {
		*any = true;
		path[0] = '\0';
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4199[^\n]", &lo, &hi, perms, &offset, path) < 4)
			continue;
		if (path[0] != '/' && strcmp(path, "[vdso]") != 0)
			continue;
		if (offset == 0 && strcmp(path, last) != 0) {
			base = lo;
			strcpy(last, path);
		}
		if (perms[2] == 'x' && strcmp(path, last) == 0)
			changed |= take(m, path, lo, hi, base, exe);
	}
	if (f)
		fclose(f);
	return changed;
}

bool mapping_read(struct mappings *m, pid_t pid)
{
	char name[300], exe[4096];
	bool changed = false, any = false;
	struct dirent *e;
	ssize_t n;
	DIR *tasks;

	snprintf(name, sizeof(name), "/proc/%ld/exe", (long)pid);
	n = readlink(name, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; i < m->n; i++)
		m->v[i].seen = false;
	snprintf(name, sizeof(name), "/proc/%ld/maps", (long)pid);
	changed = read_maps(m, name, exe, &any);

	/* A main thread that has ended (pthread_exit) has no map any more; its siblings do. */
	snprintf(name, sizeof(name), "/proc/%ld/task", (long)pid);
	tasks = any ? NULL : opendir(name);
	while (tasks && !any && (e = readdir(tasks)) != NULL) {
		snprintf(name, sizeof(name), "/proc/%ld/task/%s/maps", (long)pid, e->d_name);
		changed |= read_maps(m, name, exe, &any);
	}
	if (tasks)
		closedir(tasks);
	for (size_t i = 0; any && i < m->n; i++) {
		changed |= m->v[i].mapped != m->v[i].seen;
		m->v[i].mapped = m->v[i].seen;
	}
	return changed;
}

struct mapping *mapping_find(struct mappings *m, uint64_t pc)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].mapped && pc >= m->v[i].lo && pc < m->v[i].hi)
			return &m->v[i];
	return NULL;
}

void mapping_pass(struct mapping *mod, const struct range *ranges, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		bool known = false;

		for (size_t i = 0; i < mod->npassed && !known; i++)
			known = mod->passed[i].lo == ranges[k].lo;
		if (known)
			continue;
		mod->passed = xgrow(mod->passed, mod->npassed, &mod->passed_cap, sizeof(*mod->passed));
		mod->passed[mod->npassed++] = ranges[k];
	}
}

static void load_rows(struct mappings *m, struct mapping *mod, struct arena *arena)
{
	struct unwind_row *rows;
	const char *why;
	size_t n = unwind_rows(mod->path, NULL, &rows, &why);

	mod->has_rows = true;
	if (n == 0)
		return;
	if (n <= ARENA_ROWS - m->rows_used) {
		memcpy(&arena->row[m->rows_used], rows, n * sizeof(*rows));
		mod->first = m->rows_used;
		mod->nrows = (uint32_t)n;
		m->rows_used += (uint32_t)n;
	}
	free(rows);
}

static int by_lo(const void *a, const void *b)
{
	const struct unwind_module *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static int range_by_lo(const void *a, const void *b)
{
	const struct arena_range *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

void mapping_publish(struct mappings *m, struct arena *arena)
{
	uint32_t next = !(atomic_load(&arena->modules) & 1), next_scope = !(atomic_load(&arena->scope) & 1);
	struct arena_modules *set = &arena->module_sets[next];
	struct arena_scope *scope = &arena->scopes[next_scope];
	uintptr_t rows;

	set->base = atomic_load_explicit(&arena->base, memory_order_acquire);
	rows = (uintptr_t)set->base + offsetof(struct arena, row);
	set->n = scope->nown = scope->npassed = 0;
	for (size_t i = 0; i < m->n && set->n < ARENA_MODULES; i++) {
		struct mapping *mod = &m->v[i];

		if (!mod->mapped)
			continue;
		if (!mod->has_rows)
			load_rows(m, mod, arena);
		set->module[set->n++] = (struct unwind_module){
			.lo = mod->lo,
			.hi = mod->hi,
			.bias = mod->bias,
			.rows = (const struct unwind_row *)(rows + mod->first * sizeof(struct unwind_row)),
			.nrows = mod->nrows,
		};
		if (mod->own)
			scope->own[scope->nown++] = (struct arena_range){ mod->lo, mod->hi };
		for (size_t k = 0; k < mod->npassed && scope->npassed < ARENA_RANGES; k++)
			scope->passed[scope->npassed++] =
				(struct arena_range){ mod->passed[k].lo + mod->bias, mod->passed[k].hi + mod->bias };
	}
	qsort(scope->passed, scope->npassed, sizeof(scope->passed[0]), range_by_lo);
	qsort(set->module, set->n, sizeof(set->module[0]), by_lo);
	qsort(scope->own, scope->nown, sizeof(scope->own[0]), range_by_lo);
	/* Pairs with the acquire in the handler: the tables are there before they are named. */
	atomic_store_explicit(&arena->modules, next, memory_order_release);
	atomic_store_explicit(&arena->scope, next_scope, memory_order_release);
}
