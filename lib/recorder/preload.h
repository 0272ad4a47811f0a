/*
 * preload: where the runtime is, by a path that LD_PRELOAD can hold.
 */
#ifndef ANDWEORC_RECORDER_PRELOAD_H
#define ANDWEORC_RECORDER_PRELOAD_H

/*
 * The path of the runtime: beside this executable (build tree), or where it was
 * installed to, relative to the executable, or in ../lib/andweorc.  LD_PRELOAD has
 * no way to write a blank or colon, and '$' means something there; where the path has
 * one, this is that of a link in a directory of its own, which is removed at exit(3).
 * NULL, after a message, when there is no runtime, or no place for a link.
 */
const char *preload_find(void);

#endif
