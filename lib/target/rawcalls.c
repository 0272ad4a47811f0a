#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/rawcalls.h"

enum {
	LOADED_BEFORE = 64,       /* bytes before a call in which its number is loaded */
	MUCH_CODE = 8 << 20,      /* bytes: more is not searched */
};

#if defined(__x86_64__)

/* mov $13,%eax: 13 is rt_sigaction.  Other ways to load the number are not recognised. */
static const unsigned char loads_number[] = { 0xb8, 0x0d, 0x00, 0x00, 0x00 };
static const unsigned char call[] = { 0x0f, 0x05 };

static bool sets_handlers(const unsigned char *code, const unsigned char *at)
{
	size_t before = (size_t)(at - code) < LOADED_BEFORE ? (size_t)(at - code) : LOADED_BEFORE;

	return memmem(at - before, before, loads_number, sizeof(loads_number)) != NULL;
}

struct found {
	uint32_t sure, unsure;
	uint64_t at[2][ARENA_RAWCALLS]; /* unsure, sure */
};

static void search(struct found *f, const unsigned char *code, size_t len, uint64_t vaddr)
{
	const unsigned char *at = code;

	while ((at = memmem(at, len - (size_t)(at - code), call, sizeof(call))) != NULL) {
		bool sure = sets_handlers(code, at);
		uint32_t n = sure ? f->sure++ : f->unsure++;

		if (n < ARENA_RAWCALLS)
			f->at[sure][n] = vaddr + (uint64_t)(at - code);
		at += sizeof(call);
	}
}

static void search_file(struct found *f, const unsigned char *file, size_t len)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)(const void *)file;
	Elf64_Phdr ph;

	if (len < sizeof(*eh) || memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0 || eh->e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh->e_machine != EM_X86_64)
		return;
	for (uint64_t i = 0; i < eh->e_phnum; i++) {
		if (eh->e_phoff > len || eh->e_phoff + (i + 1) * sizeof(ph) > len)
			return;
		memcpy(&ph, file + eh->e_phoff + i * sizeof(ph), sizeof(ph));
		if (ph.p_type == PT_LOAD && (ph.p_flags & PF_X) && ph.p_offset <= len && ph.p_filesz <= len - ph.p_offset &&
		    ph.p_filesz <= MUCH_CODE)
			search(f, file + ph.p_offset, ph.p_filesz, ph.p_vaddr);
	}
}

void rawcalls_find(const char *path, struct arena_rawcalls *at)
{
	struct found f = { 0 };
	struct stat st;
	void *file;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	at->n = 0;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file != MAP_FAILED) {
			search_file(&f, file, (size_t)st.st_size);
			munmap(file, (size_t)st.st_size);
		}
		at->dev = st.st_dev;
		at->ino = st.st_ino;
	}
	if (fd >= 0)
		close(fd);
	if (f.sure > ARENA_RAWCALLS || (!f.sure && f.unsure > ARENA_RAWCALLS))
		return;
	at->n = f.sure ? f.sure : f.unsure;
	memcpy(at->off, f.at[f.sure > 0], sizeof(at->off));
}

#else

void rawcalls_find(const char *path, struct arena_rawcalls *at)
{
	(void)path;
	at->n = 0;
}

#endif
