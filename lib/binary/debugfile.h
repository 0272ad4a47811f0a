/*
 * debugfile: finds the separate debug information of an ELF file.
 *
 * Distributions and `objcopy --only-keep-debug` move it to a file of its own:
 * DIR/.build-id/xx/yyyy.debug for a build-id, or, for .gnu_debuglink, the
 * file's directory, its .debug/, and DIR followed by the whole path.
 */
#ifndef ANDWEORC_BINARY_DEBUGFILE_H
#define ANDWEORC_BINARY_DEBUGFILE_H

#include <stdbool.h>

#include "binary/elffile.h"

/*
 * Opens the separate debug file of `main`, which was opened from `path`.
 * `dirs` are searched in order (NULL-terminated; NULL: only /usr/lib/debug,
 * which is always searched last).  A candidate with another build-id, or with
 * the wrong CRC where there is no build-id, is passed over.  False when there
 * is none.
 */
bool debugfile_find(struct elffile *debug, const struct elffile *main, const char *path, const char *const *dirs);

/* The same by build-id alone, when the file itself does not exist any more. */
bool debugfile_by_id(struct elffile *debug, const char *build_id, const char *const *dirs);

#endif
