/* The interface between the program `plugin` and its plugin. */
#ifndef WORKLOAD_PLUGIN_H
#define WORKLOAD_PLUGIN_H

#include <stdint.h>

#define PLUGIN_FILE "loaded.c"
#define PLUGIN_LINE 15 /* of the loop */

void plugin_work(uint64_t iterations);

#endif
