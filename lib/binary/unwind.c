/*
 * unwind: see unwind.h.
 *
 * Measured, with the file in the page cache: 1.5 ms for libc (28,000 rows), 40 to
 * 200 ms for the largest libraries at hand (a million rows each).  So no cache.
 */
#include "unwind.h"

#include <errno.h>
#include <gelf.h>
#include <elfutils/libdwelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "binary/cfi.h"

/* A range of code, and the source of its rows. */
struct cover {
	struct cfi_fde fde;    /* section NULL: by `plt` */
	struct unwind_row plt; /* the one row */
	unsigned rank;         /* if two start at one address, the lower rank is used */
};

struct table {
	struct cover *cover;
	size_t ncover, cover_cap;
	struct unwind_row *row;
	size_t nrow, row_cap;
	uint64_t limit; /* rows of the present cover end here */
};

static bool is_code(Elf *elf, uint64_t lo, uint64_t hi)
{
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_LOAD && phdr.p_flags & PF_X && lo >= phdr.p_vaddr &&
		    hi <= phdr.p_vaddr + phdr.p_memsz)
			return hi <= UINT32_MAX;
	}
	return false;
}

static void add_cover(struct table *t, Elf *elf, const struct cover *cover)
{
	/* Linkers leave descriptions of discarded code behind, at address 0. */
	if (!is_code(elf, cover->fde.lo, cover->fde.hi))
		return;
	t->cover = xgrow(t->cover, t->ncover, &t->cover_cap, sizeof *t->cover);
	t->cover[t->ncover++] = *cover;
}

static void add_section(struct table *t, Elf *elf, const struct cfi_section *section, unsigned rank)
{
	struct cover cover = { .rank = rank };
	size_t at = 0;

	while (cfi_next(section, &at, &cover.fde))
		add_cover(t, elf, &cover);
}

static void add_plt_row(struct table *t, Elf *elf, uint64_t lo, uint64_t hi, struct unwind_row row)
{
	struct cover cover = { .fde = { .lo = lo, .hi = hi }, .plt = row, .rank = 2 };

	cover.plt.start = (uint32_t)lo;
	if (lo < hi)
		add_cover(t, elf, &cover);
}

/*
 * lld does not describe .plt.  Its entries, where they are the usual ones:
 *
 *     first:        push GOT[1]; jmp *GOT[2]
 *     others:       jmp *GOT[n]; push n; jmp first       (.plt)
 *                   endbr64; push n; jmp first           (.plt, when there is a .plt.sec)
 *     .plt.sec etc: one jump
 */
static void add_plt(struct table *t, Elf *elf, const char *name, const GElf_Shdr *shdr, const Elf_Data *data)
{
	static const struct unwind_row jump = { .cfa = UNWIND_REG, .base = REG_RSP, .off = 8 };
	static const struct unwind_row pushed = { .cfa = UNWIND_REG, .base = REG_RSP, .off = 16 };
	static const struct unwind_row pushed_twice = { .cfa = UNWIND_REG, .base = REG_RSP, .off = 24 };
	struct unwind_row entry = { .cfa = UNWIND_PLT };
	uint64_t lo = shdr->sh_addr, hi = lo + shdr->sh_size;
	const uint8_t *code = data->d_buf;

	if (strcmp(name, ".plt")) {
		add_plt_row(t, elf, lo, hi, jump);
		return;
	}
	if (!code || data->d_size < 32 || lo % 16 || memcmp(code, "\xff\x35", 2) || memcmp(code + 6, "\xff\x25", 2))
		return;
	if (!memcmp(code + 16, "\xff\x25", 2) && code[22] == 0x68)
		entry.base = 11;
	else if (!memcmp(code + 16, "\xf3\x0f\x1e\xfa\x68", 5))
		entry.base = 9;
	else
		return;
	add_plt_row(t, elf, lo, lo + 6, pushed);
	add_plt_row(t, elf, lo + 6, lo + 16, pushed_twice);
	add_plt_row(t, elf, lo + 16, hi, entry);
}

/* Finds all descriptions of code in the file. */
static void collect_code(struct table *t, Elf *elf, struct cfi_section sections[2])
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name;
		Elf_Data *data;
		bool debug_frame;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS || !(name = elf_strptr(elf, names, shdr.sh_name)))
			continue;
		debug_frame = !strcmp(name, ".debug_frame");
		if (debug_frame && shdr.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
			continue;
		if (debug_frame || !strcmp(name, ".eh_frame")) {
			struct cfi_section *s = &sections[debug_frame];

			if (!s->data && (data = elf_rawdata(scn, NULL)) && data->d_buf) {
				*s = (struct cfi_section){ data->d_buf, data->d_size, shdr.sh_addr, debug_frame };
				add_section(t, elf, s, debug_frame);
			}
		} else if (!strcmp(name, ".plt") || !strcmp(name, ".plt.sec") || !strcmp(name, ".plt.got") ||
			   !strcmp(name, ".iplt")) {
			if ((data = elf_rawdata(scn, NULL)))
				add_plt(t, elf, name, &shdr, data);
		}
	}
}

static int by_start(const void *pa, const void *pb)
{
	const struct cover *a = pa, *b = pb;

	if (a->fde.lo != b->fde.lo)
		return a->fde.lo < b->fde.lo ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->fde.at > b->fde.at) - (a->fde.at < b->fde.at);
}

/* A cfi_row: puts a row at the end of the table, unless the one before says the same. */
static void add_row(void *arg, const struct unwind_row *row)
{
	struct table *t = arg;
	struct unwind_row *last = t->nrow ? &t->row[t->nrow - 1] : NULL;

	if (row->start >= t->limit)
		return;
	if (last && last->cfa == row->cfa && last->base == row->base && last->off == row->off && last->bp == row->bp &&
	    last->bx == row->bx)
		return;
	t->row = xgrow(t->row, t->nrow, &t->row_cap, sizeof *t->row);
	t->row[t->nrow++] = *row;
}

static void add_unknown(struct table *t, uint64_t from)
{
	const struct unwind_row unknown = { .start = (uint32_t)from, .cfa = UNWIND_UNKNOWN };

	t->limit = UINT64_MAX;
	add_row(t, &unknown);
}

/* Makes rows from covers.  If two overlap, the one that starts later wins from there on, up to its end. */
static void make_rows(struct table *t)
{
	uint64_t done = 0; /* rows are complete for code below */

	qsort(t->cover, t->ncover, sizeof *t->cover, by_start);
	for (size_t i = 0; i < t->ncover; i++) {
		const struct cfi_fde *fde = &t->cover[i].fde;

		if (i && fde->lo == t->cover[i - 1].fde.lo)
			continue;
		if (fde->lo > done)
			add_unknown(t, done);
		t->limit = fde->hi;
		for (size_t k = i + 1; k < t->ncover && t->cover[k].fde.lo < t->limit; k++) {
			if (t->cover[k].fde.lo > fde->lo)
				t->limit = t->cover[k].fde.lo;
		}
		done = t->limit;
		if (fde->section)
			cfi_rows(fde, add_row, t);
		else
			add_row(t, &t->cover[i].plt);
	}
	if (t->nrow)
		add_unknown(t, done);
}

static bool same_build_id(Elf *elf, const char *build_id)
{
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);
	const uint8_t *p = bytes;

	if (size <= 0 || strlen(build_id) != 2 * (size_t)size)
		return false;
	for (ssize_t i = 0; i < size; i++) {
		if (build_id[2 * i] != "0123456789abcdef"[p[i] >> 4] || build_id[2 * i + 1] != "0123456789abcdef"[p[i] & 15])
			return false;
	}
	return true;
}

static size_t rows_of(Elf *elf, const char *build_id, struct unwind_row **rows, const char **why)
{
	struct cfi_section sections[2] = { { 0 } };
	struct table t = { 0 };
	GElf_Ehdr ehdr;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr)) {
		*why = "not an ELF file";
		return 0;
	}
	if (ehdr.e_machine != EM_X86_64 || ehdr.e_ident[EI_CLASS] != ELFCLASS64) {
		*why = "not for x86-64";
		return 0;
	}
	if (build_id && !same_build_id(elf, build_id)) {
		*why = "the file's build-id is another one";
		return 0;
	}
	collect_code(&t, elf, sections);
	/* A module that describes none of its own code is left to frame pointers, stubs and all. */
	if (sections[0].data || sections[1].data)
		make_rows(&t);
	free(t.cover);
	if (t.nrow == 0)
		*why = "no call-frame information";
	*rows = t.row;
	return t.nrow;
}

/* The vDSO in memory; NULL when there is none. */
static Elf *open_vdso(void)
{
	char *image = (char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)(const void *)image;

	/* Its section headers are the last thing in it. */
	return image ? elf_memory(image, ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize) : NULL;
}

size_t unwind_rows(const char *path, const char *build_id, struct unwind_row **rows, const char **why)
{
	bool vdso = !strcmp(path, "[vdso]");
	int fd = -1;
	Elf *elf;
	size_t n = 0;

	*rows = NULL;
	elf_version(EV_CURRENT);
	if (!vdso && (fd = file_open_regular(path)) < 0) {
		*why = errno == EINVAL ? "not a regular file" : strerror(errno);
		return 0;
	}
	elf = vdso ? open_vdso() : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf)
		n = rows_of(elf, build_id, rows, why);
	else
		*why = vdso ? "there is none" : "not an ELF file";
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return n;
}
