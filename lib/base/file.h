/*
 * file: what tools read, and bytes written whole.
 */
#ifndef ANDWEORC_BASE_FILE_H
#define ANDWEORC_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Opens what a tool is to read; "-" is standard input.  NULL, after a message, when that cannot be. */
FILE *file_open(const char *path);
void file_close(FILE *in); /* leaves standard input open */

/* How messages call it. */
const char *file_label(const char *path);

/* All of it, whatever write(2) does with a part; false, errno set, when that failed. */
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
