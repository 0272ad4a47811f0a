#include "binary/debugfile.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "binary/debuginfod.h"

#define SYSTEM_DIR "/usr/lib/debug"

static uint32_t file_crc(int fd)
{
	uLong crc = crc32(0, NULL, 0);
	unsigned char chunk[1 << 16];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, chunk, sizeof chunk, at)) > 0) {
		crc = crc32(crc, chunk, (uInt)n);
		at += n;
	}
	return (uint32_t)crc;
}

static const char *next_dir(const struct debug_places *where, size_t i)
{
	const char *const *dirs = where->dirs;

	for (size_t k = 0; k < i; k++)
		if (!dirs || !dirs[k])
			return NULL;
	return dirs && dirs[i] ? dirs[i] : SYSTEM_DIR;
}

/* Opens path (which is freed, and may be NULL) when it has this build-id. */
static bool try_id(struct elffile *debug, char *path, const char *build_id)
{
	const char *why;
	bool ok = path && elffile_open(debug, path, &why);

	free(path);
	if (ok && strcmp(debug->build_id, build_id) != 0) {
		elffile_close(debug);
		return false;
	}
	return ok;
}

/*
 * Both parts of a name must be there.  A log can contain any text, so only hexadecimal digits become a path, or are sent to
 * a server.
 */
static bool is_build_id(const char *id)
{
	return strlen(id) >= 3 && strspn(id, "0123456789abcdef") == strlen(id);
}

static bool in_dirs(struct elffile *debug, const char *build_id, const struct debug_places *where)
{
	const char *dir;

	for (size_t i = 0; (dir = next_dir(where, i)); i++)
		if (try_id(debug, xasprintf("%s/.build-id/%.2s/%s.debug", dir, build_id, build_id + 2), build_id))
			return true;
	return false;
}

static bool from_server(struct elffile *debug, const char *build_id, const struct debug_places *where)
{
	return try_id(debug, debuginfod_cached(build_id), build_id) || (where->servers && try_id(debug, debuginfod_fetch(build_id), build_id));
}

bool debugfile_by_id(struct elffile *debug, const char *build_id, const struct debug_places *where)
{
	return is_build_id(build_id) && (in_dirs(debug, build_id, where) || from_server(debug, build_id, where));
}

/* If both files have a build-id, it decides.  The CRC is for files without one, because it needs the whole file. */
static bool is_linked(const struct elffile *debug, const struct elffile *main, uint32_t crc)
{
	if (main->build_id[0] && debug->build_id[0])
		return !strcmp(main->build_id, debug->build_id);
	return file_crc(debug->fd) == crc;
}

static bool try_link(struct elffile *debug, char *path, const struct elffile *main, uint32_t crc)
{
	const char *why;
	bool ok = elffile_open(debug, path, &why);

	free(path);
	if (ok && !(elffile_has_dwarf(debug) && is_linked(debug, main, crc))) {
		elffile_close(debug);
		return false;
	}
	return ok;
}

static bool by_link(struct elffile *debug, const struct elffile *main, const char *path, const struct debug_places *where)
{
	GElf_Word crc;
	const char *name = dwelf_elf_gnu_debuglink(main->elf, &crc);
	const char *slash = strrchr(path, '/'), *dir;
	int parent = slash ? (int)(slash - path) : 1;
	bool found;

	/* The section names a file, not a path out of the directory. */
	if (!name || !*name || strchr(name, '/'))
		return false;
	if (!slash)
		path = ".";
	found = try_link(debug, xasprintf("%.*s/%s", parent, path, name), main, crc) ||
		try_link(debug, xasprintf("%.*s/.debug/%s", parent, path, name), main, crc);
	for (size_t i = 0; !found && (dir = next_dir(where, i)); i++) {
		found = try_link(debug, xasprintf("%s/%.*s/%s", dir, parent, path, name), main, crc) ||
			try_link(debug, xasprintf("%s/%s", dir, name), main, crc);
	}
	return found;
}

bool debugfile_find(struct elffile *debug, const struct elffile *main, const char *path, const struct debug_places *where)
{
	bool named = is_build_id(main->build_id);

	return (named && in_dirs(debug, main->build_id, where)) || by_link(debug, main, path, where) ||
		(named && from_server(debug, main->build_id, where));
}
