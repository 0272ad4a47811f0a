/*
 * debugfile: finds the separate debug information of an ELF file.
 *
 * Distributions and `objcopy --only-keep-debug` move it to a file of its own:
 * DIR/.build-id/xx/yyyy.debug for a build-id, or, for .gnu_debuglink, the
 * file's directory, its .debug/, and DIR followed by the whole path.  Those of
 * distributions can also be downloaded (debuginfod.h).
 */
#ifndef ANDWEORC_BINARY_DEBUGFILE_H
#define ANDWEORC_BINARY_DEBUGFILE_H

#include <stdbool.h>

#include "binary/elffile.h"
#include "binary/image.h"

/*
 * Opens the separate debug file of `main`, which was opened from `path`.
 * `where->dirs` are searched in order, then /usr/lib/debug, then what was once
 * downloaded.  A candidate with another build-id, or with the wrong CRC where there is
 * no build-id, is passed over.  False when there is none.
 */
bool debugfile_find(struct elffile *debug, const struct elffile *main, const char *path, const struct debug_places *where);

/* The same by build-id alone, when the file itself does not exist any more. */
bool debugfile_by_id(struct elffile *debug, const char *build_id, const struct debug_places *where);

#endif
