#include "recorder/offers.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/path.h"
#include "binary/image.h"
#include "regions/mapping.h"
#include "target/launch.h"
#include "target/shared.h"

/* The program, files[0], and the libraries that it is linked to, in the order in which names are looked up in them. */
struct files {
	struct file {
		char *path;        /* owned */
		struct image *img; /* owned; NULL: it cannot be read */
	} *v;
	size_t n, cap;
};

static void add_file(struct files *f, const char *path)
{
	const char *why;

	f->v = xgrow(f->v, f->n, &f->cap, sizeof(*f->v));
	f->v[f->n++] = (struct file){ xstrdup(path), image_open(path, NULL, &why) };
}

static void files_release(struct files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].path);
		image_close(f->v[i].img);
	}
	free(f->v);
}

/* ---- libraries ------------------------------------------------------------------------- */

/* A line of the dynamic linker: "NAME => PATH (ADDRESS)", or "PATH (ADDRESS)".  Leaves the path in it; NULL: there is none. */
static char *path_in(char *line)
{
	char *arrow = strstr(line, " => "), *path = arrow ? arrow + 4 : line + strspn(line, " \t"), *end = strstr(path, " (0x");

	if (*path != '/' || !end)
		return NULL;
	*end = '\0';
	return path;
}

/* Asks the dynamic linker.  It loads the program and its libraries, but runs no code of them. */
static void add_libraries(struct files *f, char *interpreter, char *program)
{
	char list[] = "--list", *argv[] = { interpreter, list, program, NULL }, *line = NULL, *path;
	posix_spawn_file_actions_t actions;
	extern char **environ;
	int out[2], err;
	size_t cap = 0;
	FILE *in;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) != 0)
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	err = posix_spawn(&pid, interpreter, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(out[1]);
	in = err ? NULL : fdopen(out[0], "r");
	while (in && getline(&line, &cap, in) > 0)
		if ((path = path_in(line)) != NULL)
			add_file(f, path);
	free(line);
	if (in)
		fclose(in);
	else
		close(out[0]);
	while (!err && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* The name of a library as LIBRARY!FUNCTION has it: its file's, up to the first dot. */
static size_t short_name(const char *path, const char **name)
{
	*name = path_name(path);
	return strcspn(*name, ".");
}

static bool has_library(const struct files *f, const char *const *names)
{
	const char *name;

	for (size_t i = 1; i < f->n; i++)
		for (size_t k = 0; names[k]; k++) {
			size_t len = short_name(f->v[i].path, &name);

			if (len == strlen(names[k]) && memcmp(name, names[k], len) == 0)
				return true;
		}
	return false;
}

/* ---- what is counted without marks in the program ------------------------------------------ */

static void ignore_function(void *arg, uint64_t off, const struct frame *at, enum called how)
{
	(void)arg, (void)off, (void)at, (void)how;
}

/* Kokkos may be linked into the program, or into any library. */
static bool has_kokkos(const struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].img && image_find_functions(f->v[i].img, "Kokkos::Tools::endParallelFor", ignore_function, NULL) > 0)
			return true;
	return false;
}

static void print_automatic(const struct files *f)
{
	static const char *const openmp[] = { "libgomp", "libomp", "libomp5", "libiomp5", NULL };
	static const char *const mpi[] = { "libmpi", "libmpich", "libmpi_mpifh", "libmpicxx", NULL };

	puts(":input\n:output\n:replies\n:run\n:work");
	if (has_library(f, openmp))
		puts(":parallel");
	if (has_library(f, mpi))
		puts(":mpi");
	if (has_kokkos(f))
		puts(":kokkos");
}

/* ---- sorted lists without duplicates --------------------------------------------------------- */

static int by_key(const void *pa, const void *pb)
{
	const struct map_entry *a = pa, *b = pb;

	return strcmp(a->key, b->key);
}

static void print_sorted(struct map *names)
{
	if (names->n > 0)
		qsort(names->entry, names->n, sizeof(*names->entry), by_key);
	for (size_t i = 0; i < names->n; i++)
		puts(names->entry[i].key);
	map_release(names);
}

static void add_probe(void *names, const struct probe *probe)
{
	char *name = xasprintf("%s:%s", probe->provider, probe->name);

	map_at(names, name);
	free(name);
}

/* Probes of libc and of the dynamic linker are included; they are about malloc and setjmp. */
static void print_probes(const struct files *f)
{
	struct map names = MAP_INIT;

	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].img)
			image_find_probes(f->v[i].img, "*:*", add_probe, &names);
	print_sorted(&names);
}

/* ---- functions of libraries -------------------------------------------------------------------- */

struct links {
	const struct files *files;
	const struct file *library; /* its exports are added now */
	struct map exports;         /* by name: the first file that exports it, which is the one that calls go to */
	struct map calls;           /* LIBRARY!FUNCTION */
};

static void note_export(void *arg, const char *name)
{
	struct links *l = arg;
	union {
		const struct file *file;
		void *value;
	} u = { .file = l->library };
	char *plain = xstrndup(name, strcspn(name, "@"));
	void **place = map_at(&l->exports, plain);

	*place = *place ? *place : u.value;
	free(plain);
}

static void note_import(void *arg, const char *name)
{
	struct links *l = arg;
	char *plain = xstrndup(name, strcspn(name, "@")), *call;
	const struct file *file = map_get(&l->exports, plain);
	const char *library;
	size_t len;

	if (file && file != l->files->v && strlen(plain) < ARENA_POINT_NAME) {
		len = short_name(file->path, &library);
		call = xasprintf("%.*s!%s", (int)len, library, plain);
		map_at(&l->calls, call);
		free(call);
	}
	free(plain);
}

static void print_calls(const struct files *f)
{
	struct links l = { .files = f };

	for (size_t i = 0; i < f->n; i++) {
		l.library = &f->v[i];
		if (f->v[i].img)
			image_each_dynamic(f->v[i].img, false, note_export, &l);
	}
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].img && (i == 0 || !mapping_is_of_the_system(f->v[i].path)))
			image_each_dynamic(f->v[i].img, true, note_import, &l);
	map_release(&l.exports);
	print_sorted(&l.calls);
}

/* ---- all --------------------------------------------------------------------------------------- */

bool offers_print(const char *command)
{
	char *path = launch_find(command), interpreter[LAUNCH_INTERPRETER] = "";
	struct files f = { 0 };
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool ok = fd >= 0 && launch_interpreter(fd, interpreter);

	if (!path || fd < 0)
		msg_error("cannot read '%s': %s", command, strerror(path ? errno : ENOENT));
	else if (!ok)
		msg_error("'%s' is no program for this machine: name what it starts", command);
	if (fd >= 0)
		close(fd);
	if (ok) {
		add_file(&f, path);
		if (*interpreter)
			add_libraries(&f, interpreter, path);
		print_automatic(&f);
		print_probes(&f);
		print_calls(&f);
		files_release(&f);
	}
	free(path);
	return ok;
}

void offers_print_marks(const struct arena *arena)
{
	struct map names = MAP_INIT;

	for (uint32_t i = 0; i < arena_points(arena); i++) {
		enum point_kind kind = shared_kind(arena, i);

		if (kind == POINT_THROUGHPUT || kind == POINT_LATENCY)
			map_at(&names, shared_name(arena, i));
	}
	print_sorted(&names);
}
