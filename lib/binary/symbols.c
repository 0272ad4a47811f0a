#include "binary/symbols.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sorted.h"

/* The begin of the suffix "." + word + (nothing or .digits) of a name, or NULL when it does not end so. */
static const char *last_suffix(const char *name, const char *end)
{
	static const char *const words[] = { "cold", "part", "isra", "constprop", "lto_priv", "llvm", "localalias",
					      "actor", "resume", "destroy", "cleanup", NULL };
	const char *p = end;
	size_t len;

	while (p > name && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (p < end && p > name && p[-1] == '.')
		end = p - 1;
	for (p = end; p > name && p[-1] != '.'; p--)
		;
	len = (size_t)(end - p);
	for (int i = 0; p > name + 1 && words[i]; i++)
		if (strlen(words[i]) == len && !memcmp(words[i], p, len))
			return p - 1;
	return NULL;
}

size_t symbol_base(const char *name)
{
	const char *end = name + strlen(name), *cut;

	while ((cut = last_suffix(name, end)))
		end = cut;
	return (size_t)(end - name);
}

static Elf_Scn *find_table(Elf *elf, GElf_Word type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == type && sh->sh_entsize != 0)
			return scn;
	return NULL;
}

static int rank_of(const GElf_Sym *sym)
{
	int bind = GELF_ST_BIND(sym->st_info);
	int rank = bind == STB_GLOBAL || bind == STB_GNU_UNIQUE ? 0 : bind == STB_WEAK ? 1 : 2;

	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? rank + 3 : rank;
}

/* Is it a name for code?  Assembly often has labels without a type. */
static bool is_function(const GElf_Sym *sym, const char *name, const GElf_Shdr *in)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (!(in->sh_flags & SHF_EXECINSTR) || sym->st_value < in->sh_addr || sym->st_value - in->sh_addr >= in->sh_size)
		return false;
	if (type == STT_NOTYPE)
		return name[0] != '.' && name[0] != '$';
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* Linkers write name@@VERSION into .symtab of shared objects. */
static const char *plain_name(struct symbols *s, size_t *cap, const char *name)
{
	const char *at = strchr(name, '@');

	if (!at || at == name)
		return name;
	s->owned = xgrow(s->owned, s->nowned, cap, sizeof *s->owned);
	return s->owned[s->nowned++] = xstrndup(name, (size_t)(at - name));
}

static int by_address(const void *pa, const void *pb)
{
	const struct symbol *a = pa, *b = pb;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	if (a->sized != b->sized)
		return a->sized ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Gives symbols without a size one; in `hi` they carry the end of their section until now. */
static void size_symbols(struct symbols *s)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = s->n; i-- > 0;) {
		if (i + 1 < s->n && s->v[i + 1].lo != s->v[i].lo)
			next = s->v[i + 1].lo;
		if (!s->v[i].sized && next < s->v[i].hi)
			s->v[i].hi = next;
	}
}

static void index_reach(struct symbols *s)
{
	uint64_t reach = 0;

	s->reach = xcalloc(s->n + 1, sizeof *s->reach);
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].hi > reach)
			reach = s->v[i].hi;
		s->reach[i] = reach;
	}
}

bool symbols_read(struct symbols *s, Elf *elf)
{
	size_t cap = 0, owned_cap = 0, count;
	GElf_Shdr table, in;
	GElf_Sym sym;
	Elf_Data *data;
	Elf_Scn *scn;

	memset(s, 0, sizeof *s);
	scn = find_table(elf, SHT_SYMTAB, &table);
	if (!scn)
		scn = find_table(elf, SHT_DYNSYM, &table);
	data = scn ? elf_getdata(scn, NULL) : NULL;
	if (!data)
		return false;
	count = data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	for (size_t i = 1; i < count; i++) {
		const char *name;
		Elf_Scn *sec;
		bool sized;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE)
			continue;
		name = elf_strptr(elf, table.sh_link, sym.st_name);
		sec = elf_getscn(elf, sym.st_shndx);
		if (!name || !*name || !sec || !gelf_getshdr(sec, &in) || !is_function(&sym, name, &in))
			continue;
		sized = sym.st_size > 0 && sym.st_value + sym.st_size > sym.st_value;
		s->v = xgrow(s->v, s->n, &cap, sizeof *s->v);
		s->v[s->n++] = (struct symbol){
			.lo = sym.st_value,
			.hi = sized ? sym.st_value + sym.st_size : in.sh_addr + in.sh_size,
			.name = plain_name(s, &owned_cap, name),
			.sized = sized,
			.rank = rank_of(&sym),
		};
	}
	if (s->n > 0)
		qsort(s->v, s->n, sizeof *s->v, by_address);
	size_symbols(s);
	index_reach(s);
	return s->n > 0;
}

void symbols_release(struct symbols *s)
{
	for (size_t i = 0; i < s->nowned; i++)
		free(s->owned[i]);
	free(s->owned);
	free(s->reach);
	free(s->by_name);
	free(s->v);
	memset(s, 0, sizeof *s);
}

/* The best-ranked symbol at the address of v[i] that is sized like v[i] and covers off. */
static const struct symbol *best_at(const struct symbols *s, size_t i, uint64_t off)
{
	const struct symbol *best = &s->v[i];

	for (; i > 0 && s->v[i - 1].lo == best->lo && s->v[i - 1].sized == best->sized; i--)
		if (s->v[i - 1].hi > off)
			best = &s->v[i - 1];
	return best;
}

const struct symbol *symbols_find(const struct symbols *s, uint64_t off)
{
	const struct symbol *label = NULL;
	/* Backwards over symbols that ended before off, until no earlier one reaches it. */
	for (size_t i = sorted_up_to(s->v, s->n, sizeof *s->v, off); i-- > 0 && s->reach[i] > off;) {
		if (s->v[i].hi <= off)
			continue;
		if (s->v[i].sized)
			return best_at(s, i, off);
		if (!label)
			label = best_at(s, i, off);
	}
	return label;
}

/* ---- by name ---------------------------------------------------------------- */

/* The same for what symbols_alike holds to agree. */
static uint64_t name_hash(const char *name)
{
	bool mangled = !strncmp(name, "_Z", 2);
	size_t n = symbol_base(name);
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++) {
		char c = name[i];

		if (mangled && (name[i - (i > 0)] == 'C' || name[i - (i > 0)] == 'D') && c >= '0' && c <= '5')
			c = '0';
		h = (h ^ (unsigned char)c) * UINT64_C(0x100000001b3);
	}
	return h;
}

static int by_hash(const void *pa, const void *pb)
{
	const struct symbol_key *a = pa, *b = pb;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

static void index_names(struct symbols *s)
{
	s->by_name = xcalloc(s->n + 1, sizeof *s->by_name);
	for (size_t i = 0; i < s->n; i++)
		s->by_name[i] = (struct symbol_key){ name_hash(s->v[i].name), i };
	qsort(s->by_name, s->n, sizeof *s->by_name, by_hash);
}

const struct symbol_key *symbols_alike(struct symbols *s, const char *function, size_t *n)
{
	uint64_t hash = name_hash(function);
	size_t first, end;

	if (!s->by_name)
		index_names(s);
	end = sorted_up_to(s->by_name, s->n, sizeof *s->by_name, hash);
	first = hash > 0 ? sorted_up_to(s->by_name, end, sizeof *s->by_name, hash - 1) : 0;
	*n = end - first;
	return s->by_name + first;
}
