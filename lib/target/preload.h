/*
 * preload: the path of the runtime, in a form that LD_PRELOAD can hold.
 */
#ifndef ANDWEORC_TARGET_PRELOAD_H
#define ANDWEORC_TARGET_PRELOAD_H

/*
 * The path of the runtime: beside this executable (build tree), or where it was
 * installed to, relative to the executable, or in ../lib/andweorc.  LD_PRELOAD cannot
 * hold blanks or colons, and '$' has a special meaning there.  If the path contains
 * one, the result is a link in a temporary directory, which is removed at exit(3).
 * NULL, after a message, when there is no runtime, or no place for a link.
 */
const char *preload_find(void);

#endif
