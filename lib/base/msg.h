/*
 * msg: every diagnostic of every tool, formatted in one place.
 *
 * A message is one line, one write(2) to standard error:
 *
 *     andweorc-resolve: profile.aw:12: bad number 'x1' for 'count'
 *
 * Hidden characters in the formatted text (utf8.h), and invalid UTF-8, are shown as \xNN for each byte.  So text from a log or a
 * symbol table cannot move the cursor of a terminal, change the direction of text, or start a line of its own (a line that starts
 * with "::" is a command to a GitHub runner).  Lower case, no full stop, subject in single quotes.
 *
 * Not async-signal-safe.  Single-threaded tools only.
 */
#ifndef ANDWEORC_BASE_MSG_H
#define ANDWEORC_BASE_MSG_H

#include <stdbool.h>

#define AW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Sets the prefix to the last component of argv0 (borrowed for the life of the process). */
void msg_init(const char *argv0);

/* The prefix set by msg_init; "andweorc" before that. */
const char *msg_program(void);

/* "PROG: warning: ..."; does not change what msg_failed says. */
void msg_warn(const char *fmt, ...) AW_PRINTF(1, 2);

/* "PROG: ...", for information. */
void msg_note(const char *fmt, ...) AW_PRINTF(1, 2);

/* "PROG: ..."; msg_failed is true from now on. */
void msg_error(const char *fmt, ...) AW_PRINTF(1, 2);

/* "PROG: PATH:LINE: ..."; msg_failed is true from now on. */
void msg_error_at(const char *path, unsigned long line, const char *fmt, ...) AW_PRINTF(3, 4);

/* As msg_error, then exit(status). */
_Noreturn void msg_die(int status, const char *fmt, ...) AW_PRINTF(2, 3);

/* Has an error been reported?  Then the tool exits with status 2 after the rest of its work. */
bool msg_failed(void);

#endif
