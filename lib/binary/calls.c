/*
 * The code is searched for the bytes of `call rel32` with the right target, at
 * any alignment.  Bytes that only look like an instruction do no harm: a match is used
 * only if a return address shows that there was a call.
 */
#include "binary/calls.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "binary/image_parts.h"

enum { CALL = 0xe8, CALL_BYTES = 5 };

/* A function's ranges begin at its entry, except those of inlined copies, which lie in other functions. */
static size_t entries(struct image *img, const char *function, const struct range *ranges, size_t n, uint64_t *entry)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const char *symbol = image_symbol(img, ranges[i].lo);
		size_t length = strlen(function);

		/* Is it the symbol, or a clone of it: NAME.isra.0, NAME.constprop.1? */
		if (symbol && strncmp(symbol, function, length) == 0 && (symbol[length] == '\0' || symbol[length] == '.'))
			entry[found++] = ranges[i].lo;
	}
	return found;
}

static bool is_entry(const uint64_t *entry, size_t n, uint64_t at)
{
	for (size_t i = 0; i < n; i++)
		if (entry[i] == at)
			return true;
	return false;
}

size_t calls_find(struct image *img, const char *function, const struct range *ranges, size_t n, struct range **out)
{
	struct range *v = NULL;
	uint64_t *entry;
	size_t found = 0, cap = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Ehdr eh;

	*out = NULL;
	if (!img->main.elf || !gelf_getehdr(img->main.elf, &eh) || eh.e_machine != EM_X86_64)
		return 0;
	entry = xcalloc(n + 1, sizeof(*entry));
	n = entries(img, function, ranges, n, entry);
	while (n > 0 && (scn = elf_nextscn(img->main.elf, scn)) != NULL) {
		const unsigned char *p, *end;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS || !(sh.sh_flags & SHF_EXECINSTR) ||
		    (data = elf_rawdata(scn, NULL)) == NULL || data->d_size < CALL_BYTES)
			continue;
		end = (const unsigned char *)data->d_buf + data->d_size - (CALL_BYTES - 1);
		for (p = data->d_buf; p < end && (p = memchr(p, CALL, (size_t)(end - p))) != NULL; p++) {
			uint64_t behind = sh.sh_addr + (uint64_t)(p - (const unsigned char *)data->d_buf) + CALL_BYTES;
			int32_t distance;

			memcpy(&distance, p + 1, sizeof(distance));
			if (!is_entry(entry, n, behind + (uint64_t)(int64_t)distance))
				continue;
			v = xgrow(v, found, &cap, sizeof(*v));
			v[found++] = (struct range){ behind - 1, behind };
		}
	}
	free(entry);
	*out = v;
	return found;
}
