#include <inttypes.h>

#include "target/procmaps.h"

FILE *procmaps_open(pid_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%ld/maps", (long)pid);
	return fopen(name, "re");
}

bool procmaps_next(FILE *f, struct procmaps_line *l)
{
	char text[4096 + 512];

	while (f && fgets(text, sizeof(text), f)) {
		l->path[0] = '\0';
		if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %4199[^\n]", &l->lo, &l->hi, l->rights, &l->offset, &l->inode,
			   l->path) >= 5)
			return true;
	}
	return false;
}
