/*
 * truth: the line of head for each line of base, if that is known (see replay.c).
 */
#ifndef ANDWEORC_BENCH_HISTORY_TRUTH_H
#define ANDWEORC_BENCH_HISTORY_TRUTH_H

#include "source/linemap.h"
#include "tree.h"

enum { MAPS = 4 };

/*
 * Sets truth and edited of the lines of base.  For a generated history, reads them;
 * false when there is no such file.  For a real one, finds them without the method
 * under test; returns the number of lines on which patches and text disagree.
 */
bool truth_read(const char *path, struct tree *base, struct tree *head);
size_t truth_find(struct tree *base, struct tree *head, const struct linemap maps[MAPS]);

/* Sets changed of the lines of base: a line of a function that is as it was is easy. */
void truth_find_changed(struct tree *base, const struct tree *head);

#endif
