#include "binary/elffile.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "binary/sweep.h"

static void read_build_id(struct elffile *f)
{
	const unsigned char *id;
	ssize_t len = dwelf_elf_gnu_build_id(f->elf, (const void **)&id);

	f->build_id[0] = '\0';
	if (len <= 0 || len > BUILD_ID_MAX)
		return;
	for (ssize_t i = 0; i < len; i++) {
		f->build_id[2 * i] = "0123456789abcdef"[id[i] >> 4];
		f->build_id[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
	}
	f->build_id[2 * len] = '\0';
}

bool elffile_open(struct elffile *f, const char *path, const char **why)
{
	memset(f, 0, sizeof *f);
	elf_version(EV_CURRENT);
	f->fd = file_open_regular(path);
	if (f->fd < 0) {
		*why = errno == EINVAL ? "not a regular file" : strerrordesc_np(errno);
		goto fail;
	}
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || gelf_getclass(f->elf) == ELFCLASSNONE) {
		*why = "not an ELF file";
		goto fail;
	}
	read_build_id(f);
	return true;
fail:
	elffile_close(f);
	return false;
}

void elffile_close(struct elffile *f)
{
	elf_end(f->elf);
	free(f->memory);
	if (f->elf || f->fd > 0)
		close(f->fd);
	memset(f, 0, sizeof *f);
}

static const char *section_name(Elf *elf, const GElf_Shdr *sh)
{
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings) != 0)
		return NULL;
	return elf_strptr(elf, strings, sh->sh_name);
}

Elf_Scn *elffile_section(const struct elffile *f, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(f->elf, scn))) {
		const char *s = gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS ? section_name(f->elf, &sh) : NULL;

		if (s && !strcmp(s, name))
			return scn;
	}
	return NULL;
}

bool elffile_has_dwarf(const struct elffile *f)
{
	return elffile_section(f, ".debug_info") || elffile_section(f, ".zdebug_info");
}

size_t elffile_code(const struct elffile *f, struct range **out)
{
	struct range *v = NULL;
	size_t n = 0, cap = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(f->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) || !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		if (sh.sh_addr + sh.sh_size < sh.sh_addr)
			continue;
		v = xgrow(v, n, &cap, sizeof *v);
		v[n++] = (struct range){ sh.sh_addr, sh.sh_addr + sh.sh_size };
	}
	*out = v;
	return ranges_merge(v, n);
}
