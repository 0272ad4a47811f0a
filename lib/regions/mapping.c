#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/path.h"
#include "base/text.h"
#include "binary/unwind.h"
#include "format.h"
#include "regions/mapping.h"
#include "target/procmaps.h"

enum { MAKERS = 64 };

void mapping_init(struct mappings *m, const struct scope *scope)
{
	memset(m, 0, sizeof(*m));
	m->scope = scope;
}

void mapping_release(struct mappings *m)
{
	for (size_t i = 0; i < m->n; i++) {
		image_close(m->v[i].image);
		free(m->v[i].path);
		free(m->v[i].passed);
		free(m->v[i].limit);
	}
	free(m->v);
	mapping_init(m, m->scope);
}

bool mapping_is_of_the_system(const char *path)
{
	return text_begins(path, "/usr/lib") || text_begins(path, "/lib") || path[0] == '[';
}

bool mapping_is_wanted(const struct mapping *mod, const char *file)
{
	if (mod->excluded || (file && patterns_match(&mod->scope->exclude, file, 0)))
		return false;
	return mod->wanted || (file && patterns_match(&mod->scope->only, file, SCOPE_ANY_LINE));
}

bool mapping_file_in_scope(const char *file, void *mapping)
{
	return (!file || path_is_own_source(file)) && mapping_is_wanted(mapping, file);
}

/*
 * The part of the scope that an image needs.  A copy, because modules move in memory when
 * others are added, and images do not.
 */
struct mapping_limit {
	const struct scope *scope;
	bool wanted; /* as in the module */
};

/* Is the module a file in scope? */
static bool line_in_scope(const char *file, unsigned line, void *arg)
{
	const struct mapping_limit *l = arg;

	return !patterns_match(&l->scope->exclude, file, (int)line) && (l->wanted || patterns_match(&l->scope->only, file, (int)line));
}

static bool function_in_scope(const char *function, void *arg)
{
	const struct scope *s = ((const struct mapping_limit *)arg)->scope;

	if (s->only_functions.n > 0 && !function_patterns_match(&s->only_functions, function))
		return false;
	return !function_patterns_match(&s->exclude_functions, function);
}

bool mapping_is_excluded(const struct mapping *mod, const char *function, const char *file)
{
	if (mod->excluded || (file && patterns_match(&mod->scope->exclude, file, 0)))
		return true;
	return function_patterns_match(&mod->scope->exclude_functions, function);
}

bool mapping_function_in_scope(const char *function, const struct mapping *mod)
{
	struct mapping_limit l = { mod->scope, mod->wanted };

	return function_in_scope(function, &l);
}

static void limit(struct mapping *mod)
{
	const struct scope *s = mod->scope;
	bool functions = s->only_functions.n + s->exclude_functions.n > 0, lines = s->only.lines || s->exclude.lines;

	mod->limit = xcalloc(1, sizeof(*mod->limit));
	*mod->limit = (struct mapping_limit){ s, mod->wanted };
	image_limit(mod->image, functions ? function_in_scope : NULL, lines ? line_in_scope : NULL, mod->limit);
}

bool mapping_is_runtime(const struct mapping *mod)
{
	return strcmp(path_name(mod->path), AW_RUNTIME_NAME) == 0;
}

char *mapping_offset_name(const struct mapping *mod, uint64_t off)
{
	return xasprintf("%s+0x%llx", path_name(mod->path), (unsigned long long)off);
}

bool mapping_has_lines(const struct mapping *mod)
{
	return mod->image && image_debug(mod->image) == IMAGE_DWARF;
}

bool mapping_is_libc(const struct mapping *mod)
{
	static const char *const names[] = { "/libc.so.", "/libc-2.", "/libpthread", "/ld-linux", "/ld-2." };
	const char *slash = strrchr(mod->path, '/');

	for (size_t i = 0; slash && i < sizeof(names) / sizeof(names[0]); i++)
		if (text_begins(slash, names[i]))
			return true;
	return false;
}

/*
 * The load segment with the virtual address `at` (`executable` false), or the executable one that was mapped from
 * file offset `at`, which is that of a page.
 */
static bool find_segment(int fd, uint64_t at, bool executable, Elf64_Phdr *ph)
{
	Elf64_Ehdr eh;

	if (pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		uint64_t first, begin;

		if (pread(fd, ph, sizeof(*ph), (off_t)(eh.e_phoff + i * sizeof(*ph))) != sizeof(*ph))
			return false;
		if (ph->p_type != PT_LOAD || (executable && !(ph->p_flags & PF_X)))
			continue;
		first = executable ? ph->p_offset : ph->p_vaddr;
		begin = executable ? first & ~(uint64_t)4095 : first;
		if (at >= begin && at - begin < first - begin + ph->p_filesz)
			return true;
	}
	return false;
}

/*
 * The load bias of code at `lo` that is mapped from file offset `off`.  A program may have mapped a part of its code
 * again elsewhere, with a bias of its own: so does node with the built-in functions of V8.
 */
static bool bias_of(const char *path, uint64_t lo, uint64_t off, uint64_t *bias)
{
	int fd = file_open_regular(path);
	Elf64_Phdr ph;
	bool found;

	if (fd < 0)
		return false;
	found = find_segment(fd, off, true, &ph);
	close(fd);
	if (found)
		*bias = lo - (off - ph.p_offset + ph.p_vaddr);
	return found;
}

bool mapping_file_offset(int fd, uint64_t off, uint64_t *at)
{
	Elf64_Phdr ph;

	if (!find_segment(fd, off, false, &ph))
		return false;
	*at = off - ph.p_vaddr + ph.p_offset;
	return true;
}

static struct mapping *add_module(struct mappings *m, const char *path)
{
	struct mapping *new;

	m->v = xgrow(m->v, m->n, &m->cap, sizeof(*m->v));
	new = &m->v[m->n];
	memset(new, 0, sizeof(*new));
	new->id = (unsigned)++m->n;
	new->path = xstrdup(path);
	new->scope = m->scope;
	new->wanted = m->scope->only.n == 0 || patterns_match(&m->scope->only, path, 0);
	new->excluded = patterns_match(&m->scope->exclude, path, 0);
	return new;
}

static struct mapping *of_path(struct mappings *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->v[i].path, path) == 0 && !m->v[i].made)
			return &m->v[i];
	return add_module(m, path);
}

/*
 * Each process generates code at its own addresses, so each has a module for it, which
 * is reused in the next run.  If there are very many processes, the last ones share a
 * module.
 */
static struct mapping *of_maker(struct mappings *m, pid_t pid)
{
	char name[64];
	struct mapping *at = NULL;
	struct stat st;
	unsigned n = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (!m->v[i].made)
			continue;
		n++;
		if (m->v[i].maker == pid)
			return &m->v[i];
		if (!at || at->maker)
			at = &m->v[i];
	}
	if (!at || (at->maker && n < MAKERS))
		at = add_module(m, "[jit]");
	else if (at->maker)
		return at;
	snprintf(name, sizeof(name), "/proc/%ld", (long)pid);
	at->made = true;
	at->maker = pid;
	at->maker_uid = stat(name, &st) == 0 ? st.st_uid : (uid_t)-1;
	return at;
}

void mapping_new_run(struct mappings *m)
{
	for (size_t i = 0; i < m->n; i++) {
		m->v[i].mapped = m->v[i].logged = m->v[i].searched = false;
		m->v[i].maker = 0;
	}
}

struct mapping *mapping_of(struct mappings *m, unsigned id)
{
	return id > 0 && id <= m->n ? &m->v[id - 1] : NULL;
}

struct image *mapping_image(struct mapping *mod)
{
	const char *why;

	if (mod->path[0] == '[')
		mod->unreadable = true;
	if (!mod->image && !mod->unreadable) {
		mod->image = image_open(mod->path, NULL, &why);
		mod->unreadable = !mod->image;
		if (mod->image)
			limit(mod);
	}
	return mod->image;
}

/* ---- a process ------------------------------------------------------------------- */

/* One line of /proc/PID/maps that is code of a file. */
static void take_mapping(struct space *s, struct mappings *m, const struct procmaps_line *l, const char *exe)
{
	const char *path = l->path;
	struct mapping *mod;
	struct mapped *at;
	uint64_t bias = l->lo;

	if (path[0] == '/' && !bias_of(path, l->lo, l->offset, &bias))
		return;
	mod = of_path(m, path);
	mod->mapped = true;
	/*
	 * A program is the user's own code, in any directory.  It stays so if another
	 * process maps it as a library.
	 */
	mod->own = !mod->excluded && (mod->own || strcmp(path, exe) == 0 || !(mapping_is_of_the_system(path) || mapping_is_runtime(mod)));
	at = s->n ? &s->v[s->n - 1] : NULL;
	if (at && at->module == mod->id && at->bias == bias) {
		at->hi = l->hi; /* another piece of its code */
		return;
	}
	s->v = xgrow(s->v, s->n, &s->cap, sizeof(*s->v));
	s->v[s->n++] = (struct mapped){ mod->id, l->lo, l->hi, bias };
}

/* Is it anonymous memory, or a deleted file, such as compilers use for generated code? */
static bool is_made(const char *path)
{
	static const char *const begins[] = { "//anon", "[anon", "[heap]", "[stack", "/memfd:", "/dev/zero", "/dev/shm/", "/SYSV" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (text_begins(path, begins[i]))
			return true;
	return !*path;
}

/* Pieces without other code between them count as one, because compilers often change which pages are executable. */
static void take_made(struct space *s, struct mappings *m, pid_t pid, uint64_t lo, uint64_t hi)
{
	struct mapping *mod = of_maker(m, pid);
	struct mapped *at = s->n ? &s->v[s->n - 1] : NULL;

	mod->mapped = true;
	if (at && at->module == mod->id) {
		at->hi = hi;
		return;
	}
	s->v = xgrow(s->v, s->n, &s->cap, sizeof(*s->v));
	s->v[s->n++] = (struct mapped){ mod->id, lo, hi, 0 };
}

static bool read_maps(struct space *s, struct mappings *m, pid_t pid, FILE *f, const char *exe, uint64_t arena)
{
	struct procmaps_line l;
	bool any = false;

	while (procmaps_next(f, &l)) {
		bool code = l.rights[2] == 'x';

		any = true;
		if (code && is_made(l.path))
			take_made(s, m, pid, l.lo, l.hi);
		if (l.path[0] != '/' && strcmp(l.path, "[vdso]") != 0)
			continue;
		s->arena = s->arena || (l.lo == arena && text_begins(l.path, "/memfd:" AW_ARENA_NAME " "));
		if (code)
			take_mapping(s, m, &l, exe);
	}
	/* The file is read in pieces.  If the process execs or ends between them, they do not belong together. */
	if (any) {
		rewind(f);
		any = fgetc(f) != EOF;
	}
	if (f)
		fclose(f);
	return any;
}

static bool same(const struct space *a, const struct space *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].module != b->v[i].module || a->v[i].lo != b->v[i].lo || a->v[i].hi != b->v[i].hi ||
		    a->v[i].bias != b->v[i].bias)
			return false;
	return true;
}

enum space_news space_read(struct space *s, struct mappings *m, pid_t pid, uint64_t arena)
{
	char name[300], exe[4096];
	struct space now = { 0 };
	struct dirent *e;
	bool any, changed;
	ssize_t n;
	DIR *tasks;

	snprintf(name, sizeof(name), "/proc/%ld/exe", (long)pid);
	n = readlink(name, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	any = read_maps(&now, m, pid, procmaps_open(pid), exe, arena);

	/* If the main thread has ended (pthread_exit), its maps file is empty; those of other threads are not. */
	snprintf(name, sizeof(name), "/proc/%ld/task", (long)pid);
	tasks = any ? NULL : opendir(name);
	while (tasks && !any && (e = readdir(tasks)) != NULL) {
		snprintf(name, sizeof(name), "/proc/%ld/task/%s/maps", (long)pid, e->d_name);
		any = read_maps(&now, m, pid, fopen(name, "re"), exe, arena);
	}
	if (tasks)
		closedir(tasks);
	changed = any && !same(s, &now);
	if (any) {
		space_release(s);
		*s = now;
	} else {
		space_release(&now);
	}
	return !any ? SPACE_UNREADABLE : changed ? SPACE_CHANGED : SPACE_SAME;
}

void space_release(struct space *s)
{
	free(s->v);
	*s = (struct space){ 0 };
}

void space_copy(struct space *to, const struct space *from)
{
	space_release(to);
	*to = *from;
	to->cap = from->n;
	to->v = xcalloc(from->n + 1, sizeof(*to->v));
	if (from->n)
		memcpy(to->v, from->v, from->n * sizeof(*to->v));
}

const struct mapped *space_find(const struct space *s, uint64_t pc)
{
	for (size_t i = 0; i < s->n; i++)
		if (pc >= s->v[i].lo && pc < s->v[i].hi)
			return &s->v[i];
	return NULL;
}

unsigned space_made(const struct space *s, const struct mappings *m)
{
	for (size_t i = 0; i < s->n; i++)
		if (m->v[s->v[i].module - 1].made)
			return s->v[i].module;
	return 0;
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

bool mapping_passes(const struct mapping *mod, uint64_t off)
{
	for (size_t i = 0; i < mod->npassed; i++)
		if (off >= mod->passed[i].lo && off < mod->passed[i].hi)
			return true;
	return false;
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
		memcpy(&arena->parts.row[m->rows_used], rows, n * sizeof(*rows));
		mod->first = m->rows_used;
		mod->nrows = (uint32_t)n;
		m->rows_used += (uint32_t)n;
	}
	free(rows);
}

static int range_by_lo(const void *a, const void *b)
{
	const struct arena_range *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

void mapping_publish(struct mappings *m, struct arena *arena)
{
	uint32_t next = !(atomic_load(&arena->scope) & 1);
	static struct arena_scope scope; /* private memory, which the program cannot change during the sorting */

	scope.npassed = 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct mapping *mod = &m->v[i];

		for (size_t k = 0; k < mod->npassed && scope.npassed < ARENA_RANGES; k++)
			scope.passed[scope.npassed++] = (struct arena_range){ arena_place(mod->id, mod->passed[k].lo),
									      arena_place(mod->id, mod->passed[k].hi) };
	}
	qsort(scope.passed, scope.npassed, sizeof(scope.passed[0]), range_by_lo);
	memcpy(arena->scopes[next].passed, scope.passed, scope.npassed * sizeof(scope.passed[0]));
	arena->scopes[next].npassed = scope.npassed;
	/* Pairs with the acquire in the handler: the table is complete before it is published. */
	atomic_store_explicit(&arena->scope, next, memory_order_release);
}

void space_publish(const struct space *s, struct mappings *m, struct arena *arena, struct arena_process *process)
{
	uint32_t next = !(atomic_load(&process->modules) & 1);
	struct arena_modules *set = &arena->parts.modules[process - arena->process].set[next];
	uint32_t n = 0;

	set->base = atomic_load_explicit(&process->base, memory_order_acquire);
	/* /proc lists mappings by address: the table is sorted. */
	for (size_t i = 0; i < s->n && n < ARENA_MODULES; i++) {
		const struct mapped *at = &s->v[i];
		struct mapping *mod = mapping_of(m, at->module);

		if (!mod->has_rows)
			load_rows(m, mod, arena);
		set->module[n++] = (struct unwind_module){
			.lo = at->lo,
			.hi = at->hi,
			.bias = at->bias,
			.nrows = mod->nrows,
			.first = mod->first,
			.id = at->module,
			.own = mod->own,
		};
	}
	set->n = n;
	/* Pairs with the acquire in the handler: the table is complete before it is published. */
	atomic_store_explicit(&process->modules, next, memory_order_release);
}

bool space_is_published(const struct space *s, struct arena *arena, struct arena_process *process)
{
	const struct arena_modules *set = &arena->parts.modules[process - arena->process].set[atomic_load(&process->modules) & 1];

	return set->base == atomic_load_explicit(&process->base, memory_order_acquire) && set->n == s->n;
}
