/*
 * openmp-plugin: a plugin that brings its own OpenMP runtime (-DPLUGIN), and the
 * program that loads such plugins.
 *
 *     openmp-plugin FILE...
 */
#ifdef PLUGIN

#include <omp.h>

/* How many of the team did their part: as many as the team has, each known to the runtime by a number of its own. */
long plugin(long rounds);

long plugin(long rounds)
{
	static long by[4], together;
	long wrong = 0;

	for (long r = 0; r < rounds; r++) {
#pragma omp parallel num_threads(4)
		{
			by[omp_get_thread_num()]++;
#pragma omp critical
			together++;
#pragma omp barrier
			if (omp_get_num_threads() != 4) {
#pragma omp atomic
				wrong++;
			}
		}
	}
	for (int i = 0; i < 4; i++)
		wrong += by[i] != rounds;
	return wrong ? -wrong : together;
}

#else

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		long (*plugin)(long) = handle ? (long (*)(long))dlsym(handle, "plugin") : NULL;

		if (!plugin) {
			puts(dlerror());
			return 1;
		}
		printf("%ld\n", plugin(100));
	}
	return 0;
}

#endif
