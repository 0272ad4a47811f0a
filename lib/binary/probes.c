/*
 * probes: the probes of <sys/sdt.h> in a file (USDT).
 *
 * A probe is an instruction that does nothing, and a note in .note.stapsdt:
 *
 *	address of the instruction, of the linker's .stapsdt.base, of the semaphore
 *	provider NUL name NUL arguments NUL
 *
 * A semaphore is a 16-bit count of observers.  A program skips a probe while its
 * semaphore is 0; most probes have none.  The base tells by how much the file was moved
 * since it was linked (prelink), because addresses in notes are not updated then.
 *
 * A note is believed when its instruction lies in code, and its semaphore in data
 * that the program may write to.
 */
#include <endian.h>
#include <fnmatch.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "binary/image_parts.h"

enum { STAPSDT_TYPE = 3, ADDRESSES = 3 };

bool image_is_probe_name(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon && colon > name && colon[1] && !strchr(colon + 1, ':') && !strchr(name, '/') &&
	       colon[1 + strspn(colon + 1, "0123456789")];
}

/* dtrace(1) writes "transaction-start" for "transaction__start" in the note. */
static char *as_in_notes(const char *probe)
{
	char *plain = xcalloc(2 * strlen(probe) + 1, 1), *to = plain;

	for (; *probe; probe++) {
		if (*probe == '-')
			*to++ = '_';
		*to++ = *probe == '-' ? '_' : *probe;
	}
	return plain;
}

struct search {
	struct image *img;
	char *provider, *probe; /* patterns of fnmatch(3) */
	uint64_t base;          /* address of .stapsdt.base in the file; 0: there is none */
	image_probe *fn;
	void *arg;
	size_t found;
};

/* May a program write two bytes there? */
static bool is_data(Elf *elf, uint64_t off)
{
	size_t n;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && (ph.p_flags & PF_W) && off >= ph.p_vaddr &&
		    ph.p_memsz >= 2 && off - ph.p_vaddr <= ph.p_memsz - 2)
			return true;
	return false;
}

/* The string at *at of text[0..len), which is moved behind it; NULL: it does not end there. */
static const char *next_string(const char *text, size_t len, size_t *at)
{
	const char *s = text + *at, *end = *at < len ? memchr(s, '\0', len - *at) : NULL;

	if (!end)
		return NULL;
	*at += (size_t)(end - s) + 1;
	return s;
}

static void read_note(struct search *s, const char *desc, size_t len)
{
	uint64_t address[ADDRESSES], moved;
	struct probe probe;
	size_t at = sizeof(address);

	if (len < sizeof(address))
		return;
	memcpy(address, desc, sizeof(address));
	moved = s->base && le64toh(address[1]) ? s->base - le64toh(address[1]) : 0;
	probe.off = le64toh(address[0]) + moved;
	probe.semaphore = address[2] ? le64toh(address[2]) + moved : 0;
	probe.provider = next_string(desc, len, &at);
	probe.name = probe.provider ? next_string(desc, len, &at) : NULL;
	if (!probe.name || !*probe.provider || !*probe.name || !range_holds(s->img->code, s->img->ncode, probe.off) ||
	    (address[2] && (probe.semaphore % 2 || !is_data(s->img->main.elf, probe.semaphore))) ||
	    fnmatch(s->provider, probe.provider, 0) != 0 || fnmatch(s->probe, probe.name, 0) != 0)
		return;
	s->found++;
	s->fn(s->arg, &probe);
}

static void read_notes(struct search *s, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	while (data && data->d_buf && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type == STAPSDT_TYPE && note.n_namesz == sizeof("stapsdt") && memcmp(bytes + name, "stapsdt", sizeof("stapsdt")) == 0)
			read_note(s, bytes + desc, note.n_descsz);
		at = next;
	}
}

bool image_file_offset(struct image *img, uint64_t off, uint64_t *file_off)
{
	size_t n;
	GElf_Phdr ph;

	if (!img->main.elf || elf_getphdrnum(img->main.elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(img->main.elf, (int)i, &ph) && ph.p_type == PT_LOAD && off >= ph.p_vaddr && off - ph.p_vaddr < ph.p_filesz) {
			*file_off = off - ph.p_vaddr + ph.p_offset;
			return true;
		}
	return false;
}

size_t image_find_probes(struct image *img, const char *name, image_probe *fn, void *arg)
{
	const char *colon = strchr(name, ':');
	Elf *elf = img->main.elf;
	const char *ident = elf ? elf_getident(elf, NULL) : NULL;
	struct search s = { .img = img, .fn = fn, .arg = arg };
	Elf_Scn *scn;
	GElf_Shdr sh;

	if (!colon || !ident || ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
		return 0;
	s.provider = xstrndup(name, (size_t)(colon - name));
	s.probe = as_in_notes(colon + 1);
	scn = elffile_section(&img->main, ".stapsdt.base");
	if (scn && gelf_getshdr(scn, &sh))
		s.base = sh.sh_addr;
	scn = elffile_section(&img->main, ".note.stapsdt");
	if (scn && gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE)
		read_notes(&s, scn);
	free(s.provider);
	free(s.probe);
	return s.found;
}
