/*
 * The extents of functions, by the unwind table.  Compilers emit one entry (FDE)
 * for each function, and strip(1) keeps them: a program needs them to throw
 * exceptions.  They have no names.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sorted.h"
#include "binary/cfi.h"
#include "binary/image_parts.h"

static bool find_eh_frame(Elf *elf, struct cfi_section *section)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS || !(name = elf_strptr(elf, names, shdr.sh_name)) ||
		    strcmp(name, ".eh_frame") != 0 || !(data = elf_rawdata(scn, NULL)) || !data->d_buf)
			continue;
		*section = (struct cfi_section){ data->d_buf, data->d_size, shdr.sh_addr, false };
		return true;
	}
	return false;
}

static bool is_code(const struct image *img, const struct cfi_fde *fde)
{
	for (size_t i = 0; i < img->ncode; i++)
		if (fde->lo >= img->code[i].lo && fde->hi <= img->code[i].hi)
			return true;
	return false;
}

static int by_lo(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void read_extents(struct image *img)
{
	struct cfi_section section;
	struct cfi_fde fde;
	size_t at = 0, cap = 0;

	img->has_extents = true;
	/* A separate debug file has the headers of .eh_frame, but not its bytes. */
	if (!img->main.elf || !find_eh_frame(img->main.elf, &section))
		return;
	while (cfi_next(&section, &at, &fde)) {
		if (!is_code(img, &fde))
			continue;
		img->extent = xgrow(img->extent, img->nextents, &cap, sizeof(*img->extent));
		img->extent[img->nextents++] = (struct range){ fde.lo, fde.hi };
	}
	if (img->nextents)
		qsort(img->extent, img->nextents, sizeof(*img->extent), by_lo);
}

bool image_extent(struct image *img, uint64_t off, struct range *extent)
{
	size_t n;

	if (!img->has_extents)
		read_extents(img);
	n = sorted_up_to(img->extent, img->nextents, sizeof(*img->extent), off);
	if (n == 0 || off >= img->extent[n - 1].hi)
		return false;
	*extent = img->extent[n - 1];
	return true;
}

bool image_is_entry(struct image *img, uint64_t off)
{
	struct range extent;
	GElf_Ehdr eh;

	return img->main.elf && gelf_getehdr(img->main.elf, &eh) && eh.e_entry != 0 && image_extent(img, off, &extent) && eh.e_entry >= extent.lo &&
	       eh.e_entry < extent.hi;
}
