/* imports: functions that a file imports from shared objects, and exports to them. */
#include <gelf.h>
#include <string.h>

#include "base/text.h"
#include "binary/image_parts.h"

/* The table of dynamic symbols; NULL: there is none. */
static Elf_Data *dynamic_symbols(struct image *img, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	if (!img->main.elf)
		return NULL;
	while ((scn = elf_nextscn(img->main.elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == SHT_DYNSYM && sh->sh_entsize != 0)
			return elf_getdata(scn, NULL);
	return NULL;
}

bool image_imports(struct image *img, const char *const *functions)
{
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf_Data *data = dynamic_symbols(img, &sh);

	if (!data)
		return true;
	for (size_t i = 1; i < data->d_size / sh.sh_entsize; i++)
		if (gelf_getsym(data, (int)i, &sym) && sym.st_shndx == SHN_UNDEF &&
		    text_is_one_of(elf_strptr(img->main.elf, sh.sh_link, sym.st_name), functions))
			return true;
	return false;
}

/* The importer need not know what kind of symbol it is. */
static bool may_be_function(const GElf_Sym *sym, bool imported)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (GELF_ST_BIND(sym->st_info) == STB_LOCAL || (sym->st_shndx == SHN_UNDEF) != imported)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || (imported && type == STT_NOTYPE);
}

void image_each_dynamic(struct image *img, bool imported, image_named *fn, void *arg)
{
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf_Data *data = dynamic_symbols(img, &sh);

	for (size_t i = 1; data && i < data->d_size / sh.sh_entsize; i++) {
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym) || !may_be_function(&sym, imported))
			continue;
		name = elf_strptr(img->main.elf, sh.sh_link, sym.st_name);
		if (name && *name)
			fn(arg, name);
	}
}
