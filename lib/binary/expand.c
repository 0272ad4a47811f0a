/*
 * elffile_expand: an ELF file with zstd sections, rebuilt in memory.
 *
 * Sections may claim any size, and many of them may share the same bytes of the file.
 * So the total size is computed from their headers before any is read, including those
 * that elfutils would decompress itself.
 *
 * elfutils learned ELFCOMPRESS_ZSTD in 0.189; Debian 12 and Ubuntu 22.04 have
 * older ones, while their binutils and clang can write such sections.  libdw needs a
 * file with the same section headers and plain debug sections, so that is what is
 * built: sections that libdw does not read keep their header and lose their bytes.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "binary/elffile.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/*
 * Limit on the total size of all sections of a file.  Debug information is compressed
 * to a fourth or a tenth, in small files possibly to less.  A file that claims more is
 * damaged or malicious.
 */
#define ALWAYS_ALLOWED ((uint64_t)64 << 20)
#define TIMES_THE_FILE 32
#define MOST ((uint64_t)8 << 30) /* in addition to that, for files of any size */

static bool is_zstd(Elf_Scn *scn, GElf_Shdr *sh, GElf_Chdr *ch)
{
	return gelf_getshdr(scn, sh) && (sh->sh_flags & SHF_COMPRESSED) && sh->sh_type != SHT_NOBITS &&
	       gelf_getchdr(scn, ch) && ch->ch_type == ELFCOMPRESS_ZSTD;
}

/* elfutils of today decompresses it itself. */
static bool elfutils_knows_zstd(Elf_Scn *scn)
{
	return elf_compress(scn, 0, 0) >= 0;
}

/* The plain bytes of a zstd section (the caller frees), or NULL. */
static char *inflate(Elf_Scn *scn, int class, const GElf_Chdr *ch)
{
	Elf_Data *raw = elf_rawdata(scn, NULL);
	size_t header = class == ELFCLASS64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	char *plain;

	if (!raw || !raw->d_buf || raw->d_size < header)
		return NULL;
	plain = malloc(ch->ch_size + 1);
	if (!plain)
		return NULL;
	if (ZSTD_decompress(plain, ch->ch_size, (char *)raw->d_buf + header, raw->d_size - header) != ch->ch_size) {
		free(plain);
		return NULL;
	}
	return plain;
}

struct part {
	char *plain;      /* owned: decompressed bytes, or NULL */
	const char *data; /* bytes for the new file; NULL: header only */
	size_t size;
	GElf_Shdr sh;
};

/* Code and data are the bulk of a file, and libdw does not look at them. */
static bool is_needed(const GElf_Shdr *sh)
{
	return !(sh->sh_flags & SHF_ALLOC) || sh->sh_type == SHT_NOTE || sh->sh_type == SHT_DYNSYM ||
	       sh->sh_type == SHT_STRTAB;
}

static bool load_part(struct part *p, Elf_Scn *scn, int class)
{
	GElf_Chdr ch;
	Elf_Data *raw;

	if (is_zstd(scn, &p->sh, &ch)) {
		p->data = p->plain = inflate(scn, class, &ch);
		if (!p->plain)
			return false;
		p->size = ch.ch_size;
		p->sh.sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
		p->sh.sh_addralign = ch.ch_addralign;
		return true;
	}
	if (!gelf_getshdr(scn, &p->sh))
		return false;
	raw = p->sh.sh_type != SHT_NOBITS && is_needed(&p->sh) ? elf_rawdata(scn, NULL) : NULL;
	if (raw && raw->d_buf) {
		p->data = raw->d_buf;
		p->size = raw->d_size;
	} else if (p->sh.sh_type != SHT_NULL) {
		p->sh.sh_type = SHT_NOBITS;
	}
	return true;
}

/* Lays out header, sections, section headers; returns the length of the new file. */
static size_t layout(struct part *part, size_t n, size_t ehsize)
{
	size_t at = ehsize;

	for (size_t i = 1; i < n; i++) {
		at = (at + 15) & ~(size_t)15;
		part[i].sh.sh_offset = at;
		if (part[i].data) {
			part[i].sh.sh_size = part[i].size;
			at += part[i].size;
		}
	}
	return (at + 15) & ~(size_t)15;
}

/* Same class and byte order as the original: headers are written as the original file had them. */
static bool put_section_header(char *at, const GElf_Shdr *sh, int class, unsigned encode)
{
	Elf64_Shdr h64 = *sh;
	Elf32_Shdr h32 = {
		sh->sh_name,
		sh->sh_type,
		(Elf32_Word)sh->sh_flags,
		(Elf32_Addr)sh->sh_addr,
		(Elf32_Off)sh->sh_offset,
		(Elf32_Word)sh->sh_size,
		sh->sh_link,
		sh->sh_info,
		(Elf32_Word)sh->sh_addralign,
		(Elf32_Word)sh->sh_entsize,
	};
	Elf_Data in = { .d_type = ELF_T_SHDR, .d_version = EV_CURRENT };
	Elf_Data out = { .d_type = ELF_T_SHDR, .d_version = EV_CURRENT, .d_buf = at };

	in.d_buf = class == ELFCLASS64 ? (void *)&h64 : (void *)&h32;
	in.d_size = out.d_size = class == ELFCLASS64 ? sizeof h64 : sizeof h32;
	return (class == ELFCLASS64 ? elf64_xlatetof(&out, &in, encode) : elf32_xlatetof(&out, &in, encode)) != NULL;
}

static bool put_header(char *at, Elf *elf, int class, unsigned encode, size_t shoff)
{
	Elf_Data in = { .d_type = ELF_T_EHDR, .d_version = EV_CURRENT };
	Elf_Data out = { .d_type = ELF_T_EHDR, .d_version = EV_CURRENT, .d_buf = at };
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;

	if (class == ELFCLASS64) {
		h64 = *elf64_getehdr(elf);
		h64.e_shoff = shoff;
		h64.e_phoff = h64.e_phnum = 0;
		in.d_buf = &h64;
		in.d_size = out.d_size = sizeof h64;
		return elf64_xlatetof(&out, &in, encode) != NULL;
	}
	h32 = *elf32_getehdr(elf);
	h32.e_shoff = (Elf32_Off)shoff;
	h32.e_phoff = h32.e_phnum = 0;
	in.d_buf = &h32;
	in.d_size = out.d_size = sizeof h32;
	return elf32_xlatetof(&out, &in, encode) != NULL;
}

static char *assemble(Elf *elf, struct part *part, size_t n, size_t *len)
{
	int class = gelf_getclass(elf);
	unsigned encode = (unsigned char)elf_getident(elf, NULL)[EI_DATA];
	size_t ehsize = gelf_fsize(elf, ELF_T_EHDR, 1, EV_CURRENT), shsize = gelf_fsize(elf, ELF_T_SHDR, 1, EV_CURRENT);
	size_t shoff = layout(part, n, ehsize);
	char *file = calloc(1, shoff + n * shsize);

	if (!file)
		return NULL;
	*len = shoff + n * shsize;
	if (!put_header(file, elf, class, encode, shoff))
		goto fail;
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && part[i].data)
			memcpy(file + part[i].sh.sh_offset, part[i].data, part[i].size);
		if (!put_section_header(file + shoff + i * shsize, &part[i].sh, class, encode))
			goto fail;
	}
	return file;
fail:
	free(file);
	return NULL;
}

/* The size that a section of the old format claims: its data follows "ZLIB" and eight bytes. */
static uint64_t old_size(Elf_Scn *scn)
{
	Elf_Data *raw = elf_rawdata(scn, NULL);
	const unsigned char *s = raw ? raw->d_buf : NULL;
	uint64_t size = 0;

	if (!s || raw->d_size < 12 || memcmp(s, "ZLIB", 4) != 0)
		return 0;
	for (int i = 4; i < 12; i++)
		size = size << 8 | s[i];
	return size;
}

/* The decompressed size of a section. */
static uint64_t plain_size(Elf *elf, Elf_Scn *scn)
{
	const char *name = NULL;
	size_t strings;
	GElf_Shdr sh;
	GElf_Chdr ch;

	if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
		return 0;
	if (sh.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &ch) ? ch.ch_size : 0;
	if (elf_getshdrstrndx(elf, &strings) == 0)
		name = elf_strptr(elf, strings, sh.sh_name);
	if (name && !strncmp(name, ".zdebug", strlen(".zdebug")))
		return old_size(scn);
	return is_needed(&sh) ? sh.sh_size : 0;
}

static uint64_t budget(Elf *elf)
{
	size_t file = 0;

	if (!elf_rawfile(elf, &file) || file < MOST / TIMES_THE_FILE)
		return ALWAYS_ALLOWED + TIMES_THE_FILE * (uint64_t)file;
	return MOST + file;
}

static bool is_within_budget(Elf *elf)
{
	uint64_t left = budget(elf);
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		uint64_t size = plain_size(elf, scn);

		if (size > left)
			return false;
		left -= size;
	}
	return true;
}

static char *rebuild(Elf *elf, size_t *len)
{
	struct part *part;
	char *file = NULL;
	size_t n, i;

	if (elf_getshdrnum(elf, &n) != 0 || n == 0)
		return NULL;
	part = xcalloc(n, sizeof *part);
	for (i = 0; i < n; i++)
		if (!load_part(&part[i], elf_getscn(elf, i), gelf_getclass(elf)))
			break;
	if (i == n)
		file = assemble(elf, part, n, len);
	for (i = 0; i < n; i++)
		free(part[i].plain);
	free(part);
	return file;
}

bool elffile_expand(struct elffile *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Chdr ch;
	size_t len;
	Elf *elf;

	if (!is_within_budget(f->elf))
		return false;
	do {
		scn = elf_nextscn(f->elf, scn);
		if (!scn)
			return true;
	} while (!is_zstd(scn, &sh, &ch) || elfutils_knows_zstd(scn));
	f->memory = rebuild(f->elf, &len);
	if (!f->memory)
		return false;
	elf = elf_memory(f->memory, len);
	if (!elf) {
		free(f->memory);
		f->memory = NULL;
		return false;
	}
	elf_end(f->elf);
	f->elf = elf;
	return true;
}
