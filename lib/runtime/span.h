/* span: from a begin to an end. */
#ifndef ANDWEORC_RUNTIME_SPAN_H
#define ANDWEORC_RUNTIME_SPAN_H

/* any: the number of the latency point called `name`, made when it is new; -1 when there is no room. */
int span_number(const char *name);

/*
 * any: a span begins, or ends.  Without a number, both must be in one thread.  With a
 * number, which no other open span may have, any thread of the process may end it.
 */
void span_begin(int point);
void span_end(int point);
void span_begin_numbered(int point, unsigned long number);
void span_end_numbered(int point, unsigned long number);

#endif
