#include "view/proto.h"

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void proto_varint(struct buf *b, uint64_t x)
{
	for (; x >= 0x80; x >>= 7)
		buf_addc(b, (char)(x | 0x80));
	buf_addc(b, (char)x);
}

void proto_number(struct buf *b, unsigned field, uint64_t x)
{
	if (!x)
		return;
	proto_varint(b, field << 3 | WIRE_VARINT);
	proto_varint(b, x);
}

void proto_bytes(struct buf *b, unsigned field, const struct buf *bytes)
{
	proto_varint(b, field << 3 | WIRE_BYTES);
	proto_varint(b, bytes->len);
	buf_add(b, bytes->s ? bytes->s : "", bytes->len);
}
