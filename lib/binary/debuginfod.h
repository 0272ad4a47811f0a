/*
 * debuginfod: debug files of distributions, by build-id, from servers that the user
 * names in DEBUGINFOD_URLS.
 *
 * The client library of elfutils downloads them, and keeps them in a cache.  Debuggers
 * use the same one.  It is loaded when it is needed, because few users name servers, and
 * loading it and curl takes longer than most calls of andweorc-resolve.
 */
#ifndef ANDWEORC_BINARY_DEBUGINFOD_H
#define ANDWEORC_BINARY_DEBUGINFOD_H

/*
 * The path of the debug file; the caller frees it.  NULL: no server is named, or none
 * has it, or the library is not installed.  `build_id` is hexadecimal.  A server may take
 * minutes: see DEBUGINFOD_TIMEOUT of debuginfod_find_debuginfo(3).
 */
char *debuginfod_fetch(const char *build_id);

/* Where the client keeps the debug file once it has been downloaded; the caller frees it.  NULL: there is no cache. */
char *debuginfod_cached(const char *build_id);

#endif
