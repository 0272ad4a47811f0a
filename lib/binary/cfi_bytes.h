/*
 * cfi_bytes: reads numbers from the bytes of a section.  Private to cfi.
 */
#ifndef ANDWEORC_BINARY_CFI_BYTES_H
#define ANDWEORC_BINARY_CFI_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reading beyond the end gives 0 and sets `bad`. */
struct bytes {
	const uint8_t *p, *end;
	bool bad;
};

static inline uint64_t bytes_fixed(struct bytes *r, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->p) < size) {
		r->bad = true;
		r->p = r->end;
		return 0;
	}
	memcpy(&value, r->p, size);
	r->p += size;
	return value;
}

static inline uint64_t bytes_leb(struct bytes *r, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)bytes_fixed(r, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return value;
}

static inline uint64_t bytes_uleb(struct bytes *r)
{
	return bytes_leb(r, false);
}

static inline int64_t bytes_sleb(struct bytes *r)
{
	return (int64_t)bytes_leb(r, true);
}

/* The next `size` bytes as a reader of their own; r goes on behind them. */
static inline struct bytes bytes_block(struct bytes *r, uint64_t size)
{
	struct bytes b = { .p = r->p, .end = r->p };

	if (size > (uint64_t)(r->end - r->p)) {
		r->bad = true;
		size = (uint64_t)(r->end - r->p);
	}
	r->p += size;
	b.end = r->p;
	return b;
}

#endif
