/*
 * escape: escapes untrusted text for each output language.  The text must be one line
 * of valid UTF-8 (words_name).
 */
#ifndef ANDWEORC_PUBLISH_ESCAPE_H
#define ANDWEORC_PUBLISH_ESCAPE_H

#include "base/buf.h"

/*
 * GitHub's Markdown: as code, in which nothing is a mention, a link, markup or the end
 * of a table's cell.
 */
void escape_markdown_code(struct buf *b, const char *text);

/* As plain text: every special character becomes an entity. */
void escape_markdown_text(struct buf *b, const char *text);

/* A value inside an HTML comment: characters other than letters, digits, '.', '_' and a single '-' become '_'. */
void escape_marker(struct buf *b, const char *text);

/* GitHub's workflow commands: the message, and the value of a property. */
void escape_command_message(struct buf *b, const char *text);
void escape_command_property(struct buf *b, const char *text);

#endif
