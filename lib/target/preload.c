#include "target/preload.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "format.h"

/* Set by the makefile: the path relative to the installed tools. */
#ifndef RUNTIME_DIR
#define RUNTIME_DIR "../lib/andweorc"
#endif

static char *path, *link_dir; /* both are kept until exit; link_dir is NULL where no link is needed */

/* The directory of this executable, for the caller to free; NULL after a message. */
static char *own_directory(void)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n <= 0) {
		msg_error("cannot find the runtime: /proc is not mounted");
		return NULL;
	}
	exe[n] = '\0';
	*strrchr(exe, '/') = '\0';
	return xstrdup(exe);
}

static char *find_beside(const char *own)
{
	static const char *const places[] = { ".", RUNTIME_DIR, "../lib/andweorc" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *at = i ? xasprintf("%s/%s/%s", own, places[i], AW_RUNTIME_NAME) : xasprintf("%s/%s", own, AW_RUNTIME_NAME);

		if (access(at, R_OK) == 0)
			return at;
		free(at);
	}
	msg_error("cannot find %s in '%s' or '%s/%s'", AW_RUNTIME_NAME, own, own, RUNTIME_DIR);
	return NULL;
}

static bool can_be_preloaded(const char *name)
{
	return !strpbrk(name, " :$\t\n\v\f\r");
}

/* A new directory below `parent`, readable for all users, because the command may run as another one. */
static char *make_directory(const char *parent)
{
	char *dir;

	if (!parent || parent[0] != '/' || !can_be_preloaded(parent))
		return NULL;
	dir = xasprintf("%s/andweorc.XXXXXX", parent);
	if (mkdtemp(dir) && chmod(dir, 0755) == 0)
		return dir;
	free(dir);
	return NULL;
}

static void remove_link(void)
{
	unlink(path);
	rmdir(link_dir);
}

/* Puts a link in the place of the path. */
static bool go_by_a_link(void)
{
	char *name;

	link_dir = make_directory(getenv("TMPDIR"));
	if (!link_dir)
		link_dir = make_directory("/tmp");
	name = link_dir ? xasprintf("%s/%s", link_dir, AW_RUNTIME_NAME) : NULL;
	if (!name || symlink(path, name) != 0) {
		msg_error("cannot preload '%s': LD_PRELOAD has no way to write a blank or colon, and there can be no link to it in /tmp: %s",
			  path, strerror(errno));
		free(name);
		return false;
	}
	free(path);
	path = name;
	atexit(remove_link);
	return true;
}

const char *preload_find(void)
{
	char *own = own_directory();

	path = own ? find_beside(own) : NULL;
	free(own);
	if (path && !can_be_preloaded(path) && !go_by_a_link())
		return NULL;
	return path;
}
