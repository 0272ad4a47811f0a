#include "binary/debuginfod.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"

#define LIBRARY "libdebuginfod.so.1"

/* Of <elfutils/debuginfod.h>, which may not be installed. */
struct client {
	void *(*begin)(void);
	int (*find_debuginfo)(void *client, const unsigned char *build_id, int build_id_len, char **path);
	void *handle;
};

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

/* Loads the library once.  It stays loaded: the client keeps its connections for the next file. */
static struct client *the_client(void)
{
	static struct client c;
	static bool tried;
	void *library;

	if (tried)
		return c.handle ? &c : NULL;
	tried = true;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return NULL;
	*(void **)&c.begin = dlsym(library, "debuginfod_begin");
	*(void **)&c.find_debuginfo = dlsym(library, "debuginfod_find_debuginfo");
	if (c.begin && c.find_debuginfo)
		c.handle = c.begin();
	return c.handle ? &c : NULL;
}

char *debuginfod_fetch(const char *build_id)
{
	struct client *c = is_set("DEBUGINFOD_URLS") ? the_client() : NULL;
	char *path = NULL, *copy;
	int fd;

	if (!c)
		return NULL;
	fd = c->find_debuginfo(c->handle, (const unsigned char *)build_id, 0, &path);
	if (fd < 0)
		return NULL;
	close(fd);
	copy = xstrdup(path);
	free(path);
	return copy;
}

char *debuginfod_cached(const char *build_id)
{
	const char *home = getenv("HOME");
	char *old;

	if (is_set("DEBUGINFOD_CACHE_PATH"))
		return xasprintf("%s/%s/debuginfo", getenv("DEBUGINFOD_CACHE_PATH"), build_id);
	if (home && *home) {
		old = xasprintf("%s/.debuginfod_client_cache/%s/debuginfo", home, build_id);
		if (!access(old, R_OK))
			return old;
		free(old);
	}
	if (is_set("XDG_CACHE_HOME"))
		return xasprintf("%s/debuginfod_client/%s/debuginfo", getenv("XDG_CACHE_HOME"), build_id);
	return home && *home ? xasprintf("%s/.cache/debuginfod_client/%s/debuginfo", home, build_id) : NULL;
}
