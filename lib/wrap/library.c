/* library: functions of libraries that only some programs have; see library.h. */
#include <dlfcn.h>
#include <stddef.h>

#include "library.h"

void library_keep(const void *function)
{
	Dl_info info;

	if (dladdr(function, &info))
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void *library_look_up(const char *name, const void *site)
{
	void *found = dlsym(RTLD_NEXT, name), *module;
	Dl_info info;

	/* A plugin has loaded the library, without making its symbols global. */
	if (!found && dladdr(site, &info) && (module = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) != NULL) {
		found = dlsym(module, name);
		dlclose(module);
	}
	return found;
}

void *library_find(void *_Atomic *known, const char *name, const void *site)
{
	void *found = atomic_load_explicit(known, memory_order_relaxed);

	if (__builtin_expect(found != NULL, 1))
		return found;
	found = library_look_up(name, site);
	if (found) {
		library_keep(found);
		atomic_store_explicit(known, found, memory_order_relaxed);
	}
	return found;
}
