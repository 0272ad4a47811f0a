/*
 * plugin: opens a shared object a tenth of a second after its start, which is
 * before a profiler has found out how long a round takes, and from then on calls
 * it in each round.  It lies beside the program: plugin.so.
 *
 * Round: program_work 1.2, plugin_work 0.8.  Shrunk by half: 30 % and 20 %.
 */
#include "workload.h"
#include "plugin/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

REGION(program_work, 1.2);

static struct region plugin_work_region = {"plugin_work", PLUGIN_FILE, PLUGIN_LINE, 0.8, 0};

static void *open_beside(const char *name)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1 - strlen(name));
	void *handle;

	if (n <= 0)
		workload_die("cannot read", "/proc/self/exe");
	path[n] = '\0';
	strcpy(strrchr(path, '/') + 1, name);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		workload_die("cannot open the plugin:", dlerror());
	return handle;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&program_work_region, &plugin_work_region, NULL};
	void (*work)(uint64_t iterations);
	uint64_t start = workload_now();

	workload_start(argc, argv, regions, 1);
	while (workload_now() - start < 100000000)
		program_work();
	work = (void (*)(uint64_t))dlsym(open_beside("plugin.so"), "plugin_work");
	if (!work)
		workload_die("no such symbol", "plugin_work");
	for (;;) {
		program_work();
		work(plugin_work_region.iterations);
		workload_visit();
	}
}
