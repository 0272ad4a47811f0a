/*
 * Entries.  libdw can do all this too (dwarf_cfi_addrframe), at ten times the
 * cost: it keeps a search tree of FDEs and allocates every row, and here each row
 * is wanted once, in order.
 */
#include "binary/cfi_parts.h"

#include <dwarf.h>

uint64_t cfi_pointer(struct bytes *r, const struct cfi_section *s, uint8_t encoding)
{
	uint64_t base = 0, value;

	switch (encoding & 0x70) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		base = s->addr + (uint64_t)(r->p - s->data);
		break;
	default:
		r->bad = true;
	}
	if (encoding & DW_EH_PE_indirect)
		r->bad = true;
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = bytes_fixed(r, 8);
		break;
	case DW_EH_PE_udata4:
		value = bytes_fixed(r, 4);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)(int64_t)(int32_t)bytes_fixed(r, 4);
		break;
	case DW_EH_PE_udata2:
		value = bytes_fixed(r, 2);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)(int64_t)(int16_t)bytes_fixed(r, 2);
		break;
	case DW_EH_PE_uleb128:
		value = bytes_uleb(r);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)bytes_sleb(r);
		break;
	default:
		r->bad = true;
		return 0;
	}
	return base + value;
}

struct entry {
	struct bytes body; /* behind the CIE pointer */
	bool cie;
	bool wide;       /* 64-bit DWARF: offsets take 8 bytes */
	uint64_t cie_at; /* for an FDE: offset of its CIE */
};

/* Reads the head of the entry at *at and moves *at behind the entry.  False at the end of the valid entries. */
static bool read_entry(const struct cfi_section *s, size_t *at, struct entry *e)
{
	struct bytes r = { .end = s->data + s->size };
	uint64_t length = 0, id, id_at;

	/* A length of 0 ends the entries of one linker input, not always the section. */
	while (length == 0) {
		if (*at >= s->size)
			return false;
		r.p = s->data + *at;
		length = bytes_fixed(&r, 4);
		e->wide = length == 0xffffffff;
		if (e->wide)
			length = bytes_fixed(&r, 8);
		*at = (size_t)(r.p - s->data);
	}
	e->body = bytes_block(&r, length);
	*at += (size_t)(e->body.end - e->body.p);
	id_at = (uint64_t)(e->body.p - s->data);
	/* In .eh_frame the CIE pointer has 4 bytes even where the length has 8. */
	id = bytes_fixed(&e->body, s->debug_frame && e->wide ? 8 : 4);
	if (s->debug_frame) {
		e->cie = id == (e->wide ? UINT64_MAX : 0xffffffff);
		e->cie_at = id;
	} else {
		e->cie = id == 0;
		e->cie_at = id_at - id;
	}
	return !r.bad && !e->body.bad;
}

static bool read_cie(const struct cfi_section *s, uint64_t cie_at, struct cfi_cie *cie)
{
	size_t at = (size_t)cie_at;
	struct entry e;
	struct bytes r;
	const char *augmentation;
	uint8_t version;

	if (cie_at >= s->size || !read_entry(s, &at, &e) || !e.cie)
		return false;
	*cie = (struct cfi_cie){ .pointer = DW_EH_PE_absptr };
	r = e.body;
	version = (uint8_t)bytes_fixed(&r, 1);
	augmentation = (const char *)r.p;
	while (bytes_fixed(&r, 1))
		;
	if (r.bad)
		return false;
	if (version >= 4 && (bytes_fixed(&r, 1) != 8 || bytes_fixed(&r, 1) != 0))
		return false; /* size of an address, size of a segment selector */
	cie->code_factor = bytes_uleb(&r);
	cie->data_factor = bytes_sleb(&r);
	cie->ra = version == 1 ? bytes_fixed(&r, 1) : bytes_uleb(&r);
	if (*augmentation == 'z') {
		struct bytes data = bytes_block(&r, bytes_uleb(&r));

		cie->augmented = true;
		while (*++augmentation) {
			switch (*augmentation) {
			case 'R':
				cie->pointer = (uint8_t)bytes_fixed(&data, 1);
				break;
			case 'P': /* the personality routine */
				cfi_pointer(&data, s, (uint8_t)bytes_fixed(&data, 1) & 0x0f);
				break;
			case 'L':
				bytes_fixed(&data, 1);
				break;
			case 'S':
				cie->signal = true;
				break;
			default:
				return false;
			}
		}
		if (data.bad)
			return false;
	} else if (*augmentation) {
		return false;
	}
	cie->program = r;
	return !r.bad;
}

/* Reads the code range of the FDE e; then its body stands at the program. */
static bool read_fde(const struct cfi_section *s, struct entry *e, struct cfi_cie *cie, struct cfi_fde *fde)
{
	uint64_t size;

	if (e->cie || !read_cie(s, e->cie_at, cie))
		return false;
	fde->lo = cfi_pointer(&e->body, s, cie->pointer);
	size = cfi_pointer(&e->body, s, cie->pointer & 0x0f);
	if (cie->augmented)
		bytes_block(&e->body, bytes_uleb(&e->body));
	fde->hi = fde->lo + size;
	return !e->body.bad && fde->lo < fde->hi;
}

bool cfi_next(const struct cfi_section *s, size_t *at, struct cfi_fde *fde)
{
	struct entry e;
	struct cfi_cie cie;

	for (;;) {
		fde->section = s;
		fde->at = *at;
		if (!read_entry(s, at, &e))
			return false;
		if (read_fde(s, &e, &cie, fde))
			return true;
	}
}

bool cfi_read_again(const struct cfi_fde *fde, struct cfi_cie *cie, struct bytes *program)
{
	struct cfi_fde again;
	struct entry e;
	size_t at = fde->at;

	if (!read_entry(fde->section, &at, &e) || !read_fde(fde->section, &e, cie, &again))
		return false;
	*program = e.body;
	return true;
}
