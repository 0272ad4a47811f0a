/*
 * file: opening input, and writing files completely.  */
#ifndef ANDWEORC_BASE_FILE_H
#define ANDWEORC_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Opens an input; "-" is standard input.  NULL, after a message, when it cannot be opened. */
FILE *file_open(const char *path);
void file_close(FILE *in); /* leaves standard input open */

/*
 * Opens a regular file, to be read.  A path in a log, or of another process, may be that of a FIFO by now, which would
 * block, or of a terminal, which would become ours.  -1: errno; EINVAL: it is no regular file.
 */
int file_open_regular(const char *path);

/* Its name in messages. */
const char *file_label(const char *path);

/* Writes all bytes, even after partial writes; false, errno set, on failure. */
bool file_write(int fd, const void *bytes, size_t len);

/*
 * Makes `path` a file with exactly these bytes.  A reader sees the old file or
 * the new one, never a part, and after a failure the old one is still there:
 * the bytes go to a temporary file beside it, which then takes its name.  A
 * device, a pipe or a socket cannot be replaced and is written to.
 *
 * False, after a message, when it could not be done.
 */
bool file_replace(const char *path, const void *bytes, size_t len);

#endif
