/* imports: functions that a file imports from shared objects. */
#include <gelf.h>
#include <string.h>

#include "binary/image_parts.h"

static bool is_one_of(const char *name, const char *const *functions)
{
	for (; name && *functions; functions++)
		if (!strcmp(name, *functions))
			return true;
	return false;
}

bool image_imports(struct image *img, const char *const *functions)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf_Data *data;

	if (!img->main.elf)
		return true;
	while ((scn = elf_nextscn(img->main.elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNSYM)
			break;
	data = scn ? elf_getdata(scn, NULL) : NULL;
	if (!data || sh.sh_entsize == 0)
		return true;
	for (size_t i = 1; i < data->d_size / sh.sh_entsize; i++)
		if (gelf_getsym(data, (int)i, &sym) && sym.st_shndx == SHN_UNDEF &&
		    is_one_of(elf_strptr(img->main.elf, sh.sh_link, sym.st_name), functions))
			return true;
	return false;
}
