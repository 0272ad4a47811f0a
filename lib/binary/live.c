#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/path.h"
#include "base/text.h"
#include "binary/live.h"

struct live {
	Dwfl *dwfl;
};

/* The mapped files have all that is needed. */
static int find_no_debuginfo(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base, const char *file, const char *link,
			     GElf_Word crc, char **found)
{
	(void)mod, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = find_no_debuginfo,
};

/* Reads symbols and unwind tables now, so that it need not be done while a thread is stopped. */
static int prepare_module(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr start, void *arg)
{
	Dwarf_Addr bias;

	(void)data, (void)name, (void)start, (void)arg;
	dwfl_module_eh_cfi(mod, &bias);
	dwfl_module_getsymtab(mod);
	return DWARF_CB_OK;
}

struct live *live_open(pid_t pid)
{
	struct live *l = xcalloc(1, sizeof(*l));

	l->dwfl = dwfl_begin(&callbacks);
	/* true: the caller stops threads, libdwfl does not. */
	if (!l->dwfl || dwfl_linux_proc_report(l->dwfl, pid) != 0 || dwfl_report_end(l->dwfl, NULL, NULL) != 0 ||
	    dwfl_linux_proc_attach(l->dwfl, pid, true) != 0) {
		live_close(l);
		return NULL;
	}
	dwfl_getmodules(l->dwfl, prepare_module, NULL, 0);
	return l;
}

void live_close(struct live *l)
{
	if (l && l->dwfl)
		dwfl_end(l->dwfl);
	free(l);
}

/* ---- stacks ------------------------------------------------------------------------------ */

struct walk {
	struct live *l;
	bool (*fn)(void *arg, const struct live_frame *f);
	void *arg;
	unsigned n;
};

static int walk_frame(Dwfl_Frame *state, void *arg)
{
	struct walk *w = arg;
	struct live_frame f = { 0 };
	Dwfl_Module *mod;
	Dwarf_Addr pc;
	bool interrupted;

	if (!dwfl_frame_pc(state, &pc, &interrupted))
		return DWARF_CB_ABORT;
	f.pc = pc;
	f.interrupted = interrupted;
	w->n++;
	/* A return address is behind the call, where another function may begin. */
	mod = dwfl_addrmodule(w->l->dwfl, interrupted ? pc : pc - 1);
	if (mod) {
		f.file = dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
		f.function = dwfl_module_addrname(mod, interrupted ? pc : pc - 1);
	}
	return w->fn(w->arg, &f) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

bool live_stack(struct live *l, pid_t tid, bool (*fn)(void *arg, const struct live_frame *f), void *arg)
{
	struct walk w = { .l = l, .fn = fn, .arg = arg };

	return dwfl_getthread_frames(l->dwfl, tid, walk_frame, &w) == 0 && w.n > 0;
}

/* ---- symbols ----------------------------------------------------------------------------- */

struct search {
	const char *file;
	Dwfl_Module *found;
};

static int match_module(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr start, void *arg)
{
	struct search *s = arg;

	(void)data, (void)start;
	if (strcmp(path_name(name), s->file) != 0)
		return DWARF_CB_OK;
	s->found = mod;
	return DWARF_CB_ABORT;
}

static Dwfl_Module *module_called(struct live *l, const char *file)
{
	struct search s = { .file = file };

	dwfl_getmodules(l->dwfl, match_module, &s, 0);
	return s.found;
}

static int number_of_symbols(Dwfl_Module *mod)
{
	return dwfl_module_getsymtab(mod);
}

/* False: it is none that is defined. */
static bool symbol_at(Dwfl_Module *mod, int i, const char **name, GElf_Sym *sym, uint64_t *address)
{
	GElf_Addr at;

	*name = dwfl_module_getsym_info(mod, i, sym, &at, NULL, NULL, NULL);
	*address = at;
	return *name && sym->st_shndx != SHN_UNDEF;
}

static bool is_function(const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info) == STT_FUNC || GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
}

uint64_t live_function(struct live *l, const char *file, const char *function)
{
	Dwfl_Module *mod = module_called(l, file);
	uint64_t address;
	const char *name;
	GElf_Sym sym;

	for (int i = 0, n = mod ? number_of_symbols(mod) : 0; i < n; i++)
		if (symbol_at(mod, i, &name, &sym, &address) && is_function(&sym) && strcmp(name, function) == 0)
			return address;
	return 0;
}

bool live_around(struct live *l, const char *file, const char *const *functions, uint64_t *lo, uint64_t *hi)
{
	Dwfl_Module *mod = module_called(l, file);
	uint64_t first = UINT64_MAX, last = 0, address, before = 0, after = UINT64_MAX;
	int n = mod ? number_of_symbols(mod) : 0;
	const char *name;
	GElf_Sym sym;

	for (int i = 0; i < n; i++)
		if (symbol_at(mod, i, &name, &sym, &address) && is_function(&sym) && text_is_one_of(name, functions)) {
			first = address < first ? address : first;
			last = address + sym.st_size > last ? address + sym.st_size : last;
		}
	if (last == 0)
		return false;
	for (int i = 0; i < n; i++)
		if (symbol_at(mod, i, &name, &sym, &address) && is_function(&sym)) {
			if (address + sym.st_size <= first && address + sym.st_size > before)
				before = address + sym.st_size;
			if (address >= last && address < after)
				after = address;
		}
	*lo = before;
	*hi = after;
	return true;
}

struct words {
	const char *const *texts;
	uint64_t *v;
	size_t n, cap;
};

static bool holds_one_of(const char *name, const char *const *texts)
{
	for (; *texts; texts++)
		if (strstr(name, *texts))
			return true;
	return false;
}

static int gather_words(Dwfl_Module *mod, void **data, const char *module, Dwarf_Addr start, void *arg)
{
	struct words *w = arg;
	uint64_t address;
	const char *name;
	GElf_Sym sym;

	(void)data, (void)module, (void)start;
	for (int i = 0, n = number_of_symbols(mod); i < n; i++)
		if (symbol_at(mod, i, &name, &sym, &address) && GELF_ST_TYPE(sym.st_info) == STT_OBJECT && sym.st_size == 4 &&
		    holds_one_of(name, w->texts)) {
			w->v = xgrow(w->v, w->n, &w->cap, sizeof(*w->v));
			w->v[w->n++] = address;
		}
	return DWARF_CB_OK;
}

size_t live_words(struct live *l, const char *const *texts, uint64_t **out)
{
	struct words w = { .texts = texts };

	dwfl_getmodules(l->dwfl, gather_words, &w, 0);
	*out = w.v;
	return w.n;
}
