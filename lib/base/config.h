/*
 * config: files of settings, one a line.
 *
 *     # regions of the parser alone
 *     duration = 30
 *     region parse_*
 *     exclude = vendor/old.c
 *     attach-only
 *
 * A name, then blanks or a '=' with blanks around it, then the value, if there is one.  A '#' at the
 * begin of a line or behind a blank begins a comment.  A value in double quotes may contain any
 * characters.
 */
#ifndef ANDWEORC_BASE_CONFIG_H
#define ANDWEORC_BASE_CONFIG_H

#include <stdbool.h>

#include "base/buf.h"

/* A setting; `value` is NULL when there is none.  The texts are lent for the call. */
typedef void config_setting(void *arg, const char *path, unsigned long line, const char *name, const char *value);

/* Calls fn for each setting of the file, in order; "-" is standard input.  False, after a message, when it cannot be read. */
bool config_read(const char *path, config_setting *fn, void *arg);

/* Appends a line that config_read reads as the same setting.  The value must not contain LF. */
void config_write(struct buf *out, const char *name, const char *value);

#endif
