/*
 * escape: text from outside made inert for the language that it goes into.  The
 * text is one line of valid UTF-8 already (words_name).
 */
#ifndef ANDWEORC_PUBLISH_ESCAPE_H
#define ANDWEORC_PUBLISH_ESCAPE_H

#include "base/buf.h"

/*
 * Markdown, GitHub's: as code, in which nothing is a mention, a link, markup or
 * the end of a table's cell.
 */
void escape_markdown_code(struct buf *b, const char *text);

/* As plain text: every character that could mean something is an entity. */
void escape_markdown_text(struct buf *b, const char *text);

/* A value inside an HTML comment: what is neither letter, digit, '.', '_' nor a single '-' becomes '_'. */
void escape_marker(struct buf *b, const char *text);

/* GitHub's workflow commands: the message, and the value of a property. */
void escape_command_message(struct buf *b, const char *text);
void escape_command_property(struct buf *b, const char *text);

#endif
