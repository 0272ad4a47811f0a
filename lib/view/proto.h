/*
 * proto: the parts of the wire format of protocol buffers that a profile.proto needs.  All
 * append to a buffer.  A field of the value 0, which is the default, is not written.
 */
#ifndef ANDWEORC_VIEW_PROTO_H
#define ANDWEORC_VIEW_PROTO_H

#include <stdint.h>

#include "base/buf.h"

void proto_varint(struct buf *b, uint64_t x);
void proto_number(struct buf *b, unsigned field, uint64_t x);

/* A string, a message, or packed numbers; it is written even when it is empty. */
void proto_bytes(struct buf *b, unsigned field, const struct buf *bytes);

#endif
