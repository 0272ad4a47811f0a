/*
 * uprobe: may the kernel's probes watch places in programs?
 */
#ifndef ANDWEORC_TARGET_UPROBE_H
#define ANDWEORC_TARGET_UPROBE_H

#include <stdint.h>

/* perf's number for events that are probes in programs; 0: this kernel has none, or we may not have any. */
uint32_t uprobe_type(void);

#endif
