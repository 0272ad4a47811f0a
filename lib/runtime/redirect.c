/*
 * redirect: makes callers of functions that are progress points call trampolines.
 *
 * A module that calls a function of another one, or takes its address, does so by
 * a slot: a word that the dynamic linker fills in by a relocation with the
 * function's name.  This file makes all slots for the names in arena->call[] point to a
 * trampoline (callpoint.c): once in the constructor, and later in modules that are new
 * when dlopen, dlsym or dlvsym is called.  For that, slots of these three functions are
 * redirected too.  The functions themselves are unchanged, and still see their real
 * caller.
 *
 * In a process that was started without the runtime (attach.c), slots that lead to a
 * function of libc with a wrapper are made to lead to the wrapper, in the same way.  When
 * the runtime is preloaded, the dynamic linker does that.
 *
 * Slots are left alone if they lead into the program itself, because the program's own
 * calls do not use them, or if they belong to the dynamic linker or the runtime.  A
 * slot that is not bound yet is bound here, by the rules of the dynamic linker; in
 * cases of doubt it is left alone, too.
 *
 * A slot may be in memory that is read-only after relocation.  That is made
 * writable for a moment, but never before the dynamic linker has protected it:
 * another thread may be inside dlopen, with that module half relocated.
 *
 * Context: init, or in the place of dlopen and dlsym; no handler of ours.
 */
#include "callpoint.h"
#include "process.h"
#include "real.h"
#include "redirect.h"
#include "sys.h"

#if defined(__x86_64__) && !defined(ANDWEORC_STATIC)

#include <link.h>
#include <linux/futex.h>
#include <sys/mman.h>

enum {
	SEEN = 1024,                /* modules that are remembered and not examined again */
	VERSION_HIDDEN = 0x8000,    /* bit of an entry of DT_VERSYM: not bound by a reference without a version */
	PROBE = FUTEX_OP_ADD << 28, /* FUTEX_WAKE_OP: adds 0 */
};

static const char *const hooks[] = { "dlopen", "dlsym", "dlvsym" };

struct module {
	unsigned index; /* index in the order of the dynamic linker: 0 is the program */
	uintptr_t base, lo, hi; /* lo..hi: the range of all its segments */
	const ElfW(Phdr) *phdr;
	unsigned nphdr;
	uintptr_t relro_lo, relro_hi; /* read-only after relocation */
	const ElfW(Sym) *symbol;
	const char *string;
	const char *file;            /* path by which it was loaded; "": the program */
	const char *soname;          /* NULL: none */
	const uint32_t *gnu_hash;    /* either may be NULL */
	const uint32_t *hash;
	const ElfW(Half) *version;   /* version of each symbol; NULL: there are none */
	const ElfW(Verneed) *needed; /* NULL: none */
	const ElfW(Verdef) *defined; /* NULL: none */
	const ElfW(Rela) *rela[2];   /* relocations; those of functions that are called */
	size_t nrela[2];
};

static struct arena *arena_of_calls;      /* functions whose names are redirected */
static uint64_t first_letters[4];         /* set of hashes of the names: a bit for each */
static unsigned at_start;                 /* modules loaded before main: all modules see their symbols */
static uintptr_t seen[SEEN];              /* by their `base` */
static unsigned nseen;
static unsigned long long adds, subs;     /* counts of loaded and unloaded modules at the last look */
static bool put_off;                      /* a slot could not be redirected yet */
static bool wrapping;                     /* functions of libc are redirected to our wrappers */
static struct module ours;                /* the runtime itself, while that is so */
static _Atomic int32_t looking;           /* a lock: pid of the process in which a thread is using these variables */
static void *(*_Atomic real_dlsym)(void *, const char *);

/* In a forked child, the owner of the lock may not exist. */
static bool lock(void)
{
	int32_t owner = atomic_load_explicit(&looking, memory_order_relaxed);

	return owner != process_pid &&
	       atomic_compare_exchange_strong_explicit(&looking, &owner, process_pid, memory_order_acquire, memory_order_relaxed);
}

static void unlock(void)
{
	atomic_store_explicit(&looking, 0, memory_order_release);
}

/* ---- modules -------------------------------------------------------------------------- */

/* The dynamic linker has relocated these to addresses, except in a read-only dynamic section (the vDSO). */
static const void *address_in(const struct module *m, uintptr_t value)
{
	return (const void *)(value >= m->lo && value < m->hi ? value : m->base + value);
}

static void read_dynamic(struct module *m, const ElfW(Dyn) *d)
{
	uintptr_t soname = 0;

	for (; d->d_tag != DT_NULL; d++) {
		const void *at = address_in(m, d->d_un.d_ptr);

		switch (d->d_tag) {
		case DT_SYMTAB: m->symbol = at; break;
		case DT_STRTAB: m->string = at; break;
		case DT_SONAME: soname = d->d_un.d_val; break;
		case DT_GNU_HASH: m->gnu_hash = at; break;
		case DT_HASH: m->hash = at; break;
		case DT_VERSYM: m->version = at; break;
		case DT_VERNEED: m->needed = at; break;
		case DT_VERDEF: m->defined = at; break;
		case DT_RELA: m->rela[0] = at; break;
		case DT_RELASZ: m->nrela[0] = d->d_un.d_val / sizeof(ElfW(Rela)); break;
		case DT_JMPREL: m->rela[1] = at; break;
		case DT_PLTRELSZ: m->nrela[1] = d->d_un.d_val / sizeof(ElfW(Rela)); break;
		}
	}
	if (soname && m->string)
		m->soname = m->string + soname;
}

/* False: it has no symbols. */
static bool read_module(struct module *m, unsigned index, const struct dl_phdr_info *info)
{
	const ElfW(Dyn) *dynamic = NULL;

	*m = (struct module){ .index = index, .base = info->dlpi_addr, .file = info->dlpi_name ? info->dlpi_name : "", .phdr = info->dlpi_phdr, .nphdr = info->dlpi_phnum, .lo = UINTPTR_MAX };
	for (unsigned i = 0; i < m->nphdr; i++) {
		const ElfW(Phdr) *p = &m->phdr[i];
		uintptr_t lo = m->base + p->p_vaddr, hi = lo + p->p_memsz;

		if (p->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)lo;
		if (p->p_type == PT_GNU_RELRO) {
			m->relro_lo = lo & -(uintptr_t)ARENA_PAGE;
			m->relro_hi = hi & -(uintptr_t)ARENA_PAGE;
		}
		if (p->p_type == PT_LOAD) {
			m->lo = lo < m->lo ? lo : m->lo;
			m->hi = hi > m->hi ? hi : m->hi;
		}
	}
	if (dynamic)
		read_dynamic(m, dynamic);
	return m->symbol && m->string;
}

static bool is_in(const struct module *m, uintptr_t address, unsigned flags)
{
	for (unsigned i = 0; i < m->nphdr; i++)
		if (m->phdr[i].p_type == PT_LOAD && (m->phdr[i].p_flags & flags) == flags &&
		    address - (m->base + m->phdr[i].p_vaddr) < m->phdr[i].p_memsz)
			return true;
	return false;
}

static bool is_ours(const struct module *m)
{
	return is_in(m, (uintptr_t)is_ours, PF_X);
}

static bool is_linker(const struct module *m)
{
	return m->soname && strncmp(m->soname, "ld-linux", 8) == 0;
}

/* ---- symbols -------------------------------------------------------------------------- */

/* The name of the version that has this number in a module; NULL: none. */
static const char *version_called(const struct module *m, unsigned number)
{
	number &= ~(unsigned)VERSION_HIDDEN;
	if (number <= VER_NDX_GLOBAL)
		return NULL;
	for (const ElfW(Verneed) *n = m->needed; n;
	     n = n->vn_next ? (const ElfW(Verneed) *)((const char *)n + n->vn_next) : NULL) {
		const ElfW(Vernaux) *aux = (const ElfW(Vernaux) *)((const char *)n + n->vn_aux);

		for (unsigned i = 0; i < n->vn_cnt; i++, aux = (const ElfW(Vernaux) *)((const char *)aux + aux->vna_next))
			if (aux->vna_other == number)
				return m->string + aux->vna_name;
	}
	for (const ElfW(Verdef) *d = m->defined; d;
	     d = d->vd_next ? (const ElfW(Verdef) *)((const char *)d + d->vd_next) : NULL)
		if (d->vd_ndx == number)
			return m->string + ((const ElfW(Verdaux) *)((const char *)d + d->vd_aux))->vda_name;
	return NULL;
}

static bool is_definition(const struct module *m, uint32_t i, const char *name, const char *version)
{
	const ElfW(Sym) *s = &m->symbol[i];
	unsigned type = ELF64_ST_TYPE(s->st_info);
	const char *own;

	if (s->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC) || ELF64_ST_BIND(s->st_info) == STB_LOCAL ||
	    strcmp(m->string + s->st_name, name) != 0)
		return false;
	if (!m->version)
		return true;
	if (!version)
		return !(m->version[i] & VERSION_HIDDEN);
	own = version_called(m, m->version[i]);
	return !own || strcmp(own, version) == 0;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

/* The function of that name in m; NULL: none.  version: NULL for the one that is bound without a version. */
static const ElfW(Sym) *find_in(const struct module *m, const char *name, const char *version)
{
	if (m->gnu_hash) {
		uint32_t hash = gnu_hash_of(name), nbuckets = m->gnu_hash[0], first = m->gnu_hash[1], words = m->gnu_hash[2];
		const uint32_t *bucket = m->gnu_hash + 4 + words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
		const uint32_t *chain = bucket + nbuckets;
		uint32_t i = nbuckets ? bucket[hash % nbuckets] : 0;

		for (; i >= first && i != 0; i++) {
			if ((chain[i - first] | 1) == (hash | 1) && is_definition(m, i, name, version))
				return &m->symbol[i];
			if (chain[i - first] & 1)
				break;
		}
		return NULL;
	}
	for (uint32_t i = 1; m->hash && i < m->hash[1]; i++)
		if (is_definition(m, i, name, version))
			return &m->symbol[i];
	return NULL;
}

struct search {
	unsigned index;       /* index of the next module */
	const char *name, *version;
	uintptr_t address;    /* argument of in_which */
	bool others;          /* modules other than the runtime only */
	unsigned found;       /* number of modules that have it */
	struct module module; /* the first module that has it */
	const ElfW(Sym) *symbol;
};

static int seek_definition(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	struct module m;
	const ElfW(Sym) *symbol;
	unsigned index = s->index++;

	(void)size;
	if (!read_module(&m, index, info) || (s->others && is_ours(&m)) || (symbol = find_in(&m, s->name, s->version)) == NULL)
		return 0;
	if (s->found++ == 0) {
		s->module = m;
		s->symbol = symbol;
	}
	/* Modules loaded later do not see all symbols of each other. */
	return s->module.index < at_start;
}

static bool find_definition(struct search *s)
{
	dl_iterate_phdr(seek_definition, s);
	return s->found == 1;
}

static int seek_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;

	(void)size;
	read_module(&s->module, s->index++, info);
	s->found = is_in(&s->module, s->address, PF_X);
	return (int)s->found;
}

/* Finds the module whose code is at that address.  False: none. */
static bool find_code(struct module *m, uintptr_t address)
{
	struct search s = { .address = address };

	dl_iterate_phdr(seek_code, &s);
	*m = s.module;
	return s.found > 0;
}

/* The address that the dynamic linker would find for a symbol of m; 0: none, or not certain. */
static uintptr_t resolve(const struct module *m, uint32_t i, const char *name)
{
	struct search s = { .name = name, .version = m->version ? version_called(m, m->version[i]) : NULL };
	uintptr_t address;

	if (!find_definition(&s))
		return 0;
	address = s.module.base + s.symbol->st_value;
	return ELF64_ST_TYPE(s.symbol->st_info) == STT_GNU_IFUNC ? ((uintptr_t(*)(void))address)() : address;
}

/* ---- slots ---------------------------------------------------------------------------- */

/* Is the memory read-only by now?  Makes the kernel add 0 to it, to find out. */
static bool is_protected(uintptr_t slot)
{
	uint32_t nobody = 0;

	return SYS(SYS_futex, &nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, slot, PROBE) == -EFAULT;
}

static bool set_slot(const struct module *m, uintptr_t slot, uintptr_t value)
{
	bool read_only = slot >= m->relro_lo && slot < m->relro_hi;
	uintptr_t page = slot & -(uintptr_t)ARENA_PAGE;

	if (read_only && !is_protected(slot)) {
		/* The page was mapped before main began, so if it is writable the program itself has made it so. */
		read_only = false;
		if (m->index >= at_start) {
			put_off = true;
			return false;
		}
	}
	if (read_only && SYS(SYS_mprotect, page, ARENA_PAGE, PROT_READ | PROT_WRITE) != 0)
		return false;
	atomic_store_explicit((_Atomic uintptr_t *)slot, value, memory_order_release);
	if (read_only)
		SYS(SYS_mprotect, page, ARENA_PAGE, PROT_READ);
	return true;
}

/* The index in arena->call[], or HOOK_*; ARENA_CALLS + HOOKS: neither. */
static uint32_t call_of(const char *name)
{
	unsigned char c = (unsigned char)name[0];

	if (!(first_letters[c >> 6] >> (c & 63) & 1))
		return ARENA_CALLS + HOOKS;
	for (uint32_t i = 0; i < ARENA_CALLS; i++)
		if (strcmp(arena_of_calls->call[i].name, name) == 0)
			return i;
	for (uint32_t i = 0; i < HOOKS; i++)
		if (strcmp(hooks[i], name) == 0)
			return ARENA_CALLS + i;
	return ARENA_CALLS + HOOKS;
}

static bool is_called(const struct module *m, const char *library)
{
	size_t len = strlen(library);

	return len == 0 || library_is_called(m->file, library, len) || (m->soname && library_is_called(m->soname, library, len));
}

/*
 * The index of the call point for a function of the module `in` that has the name of
 * `call`: this one, another one of that name, or none.
 */
static uint32_t call_into(uint32_t call, const char *name, const struct module *in)
{
	for (; call < ARENA_CALLS; call++)
		if (strcmp(arena_of_calls->call[call].name, name) == 0 && is_called(in, arena_of_calls->call[call].library))
			return call;
	return ARENA_CALLS + HOOKS;
}

/* Tells the conductor that calls of the function are counted, and in which module `in` it is. */
static void tell_conductor(uint32_t call, const char *name, const struct module *in)
{
	struct search s = { .name = name, .others = true };
	struct arena_call *c = &arena_of_calls->call[call];
	const ElfW(Sym) *symbol = is_ours(in) ? NULL : find_in(in, name, NULL);

	if (!symbol) {
		dl_iterate_phdr(seek_definition, &s);
		symbol = s.symbol;
	}
	if (!symbol)
		return;
	atomic_store_explicit(&c->off, symbol->st_value, memory_order_relaxed);
	/* Pairs with the conductor's acquire: the place of the function is written before. */
	atomic_fetch_add_explicit(&c->slots, 1, memory_order_release);
}

static void redirect(const struct module *m, const ElfW(Rela) *r, uint32_t call, const char *name)
{
	uintptr_t slot = m->base + r->r_offset, function, to;
	struct module in;

	if (slot % sizeof(slot) || !is_in(m, slot, PF_W))
		return;
	function = atomic_load_explicit((_Atomic uintptr_t *)slot, memory_order_relaxed);
	if (callpoint_is(function))
		return;
	/* An unbound slot points back into its module, to code that calls the dynamic linker. */
	if (ELF64_R_TYPE(r->r_info) == R_X86_64_JUMP_SLOT && function >= m->lo && function < m->hi)
		function = resolve(m, ELF64_R_SYM(r->r_info), name);
	if (!function || !find_code(&in, function) || in.index == 0)
		return;
	if (call < ARENA_CALLS && (call = call_into(call, name, &in)) > ARENA_CALLS)
		return;
	to = callpoint_to(call, function);
	if (to && set_slot(m, slot, to) && call < ARENA_CALLS)
		tell_conductor(call, name, &in);
}

/* ---- wrappers ---------------------------------------------------------------------------- */

/* Our function of that name; 0: there is none. */
static uintptr_t wrapper_of(const char *name)
{
	const ElfW(Sym) *symbol = find_in(&ours, name, NULL);

	return symbol ? ours.base + symbol->st_value : 0;
}

/* A slot that holds what our function of its name would call leads to that. */
static void wrap(const struct module *m, const ElfW(Rela) *r, const char *name)
{
	uintptr_t slot = m->base + r->r_offset, wrapper = wrapper_of(name), function, called;

	if (!wrapper || slot % sizeof(slot) || !is_in(m, slot, PF_W) || !(called = real_called(name)))
		return;
	function = atomic_load_explicit((_Atomic uintptr_t *)slot, memory_order_relaxed);
	if (ELF64_R_TYPE(r->r_info) == R_X86_64_JUMP_SLOT && function >= m->lo && function < m->hi)
		function = resolve(m, ELF64_R_SYM(r->r_info), name);
	if (function == called)
		set_slot(m, slot, wrapper);
}

/* The other way.  What <andweorc.h> has learned of us by getauxval, it goes on asking. */
static void unwrap(const struct module *m, const ElfW(Rela) *r, const char *name)
{
	uintptr_t slot = m->base + r->r_offset, before, function;

	if (slot % sizeof(slot) || !is_in(m, slot, PF_W))
		return;
	before = function = atomic_load_explicit((_Atomic uintptr_t *)slot, memory_order_relaxed);
	if (callpoint_is(function))
		function = callpoint_function(function);
	if (function && function == wrapper_of(name) && strcmp(name, "getauxval") != 0 && real_called(name))
		function = real_called(name);
	if (function != before)
		set_slot(m, slot, function);
}

static bool is_slot(const ElfW(Rela) *r)
{
	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
		return true;
	case R_X86_64_64:
		return r->r_addend == 0;
	}
	return false;
}

static void redirect_all(const struct module *m)
{
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; m->rela[k] && i < m->nrela[k]; i++) {
			const ElfW(Rela) *r = &m->rela[k][i];
			const char *name = m->string + m->symbol[ELF64_R_SYM(r->r_info)].st_name;
			uint32_t call = is_slot(r) ? call_of(name) : ARENA_CALLS + HOOKS;

			if (wrapping && is_slot(r))
				wrap(m, r, name);
			if (call < ARENA_CALLS + HOOKS)
				redirect(m, r, call, name);
		}
}

/* ---- looking for new modules -------------------------------------------------------------- */

static bool is_seen(uintptr_t base)
{
	for (unsigned i = 0; i < nseen; i++)
		if (seen[i] == base)
			return true;
	return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	unsigned *index = arg, i = (*index)++;
	bool later = put_off;
	struct module m;

	(void)size;
	if (is_seen(info->dlpi_addr) || !read_module(&m, i, info))
		return 0;
	put_off = false;
	if (!is_ours(&m) && !is_linker(&m))
		redirect_all(&m);
	if (!put_off && nseen < SEEN)
		seen[nseen++] = info->dlpi_addr;
	put_off = put_off || later;
	return 0;
}

static int count_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	++*(unsigned *)arg;
	return 0;
}

static int is_anything_new(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (!put_off && info->dlpi_adds == adds && info->dlpi_subs == subs)
		return 2;
	/* A module may have been unloaded, and another one loaded at its address. */
	if (info->dlpi_subs != subs)
		nseen = 0;
	adds = info->dlpi_adds;
	subs = info->dlpi_subs;
	return 1;
}

static void look_at_objects(void)
{
	unsigned index = 0;

	if (dl_iterate_phdr(is_anything_new, NULL) != 1)
		return;
	put_off = false;
	dl_iterate_phdr(look_at, &index);
}

/* Are there any names? */
static bool read_names(struct arena *a)
{
	bool any = false;

	arena_of_calls = a;
	memset(first_letters, 0, sizeof(first_letters));
	for (uint32_t i = 0; i < ARENA_CALLS; i++) {
		unsigned char c = (unsigned char)a->call[i].name[0];

		first_letters[c >> 6] |= c ? 1ull << (c & 63) : 0;
		any = any || c;
	}
	return any;
}

/* Hooks lead us to modules that come later. */
static void redirect_from_now_on(void)
{
	first_letters['d' >> 6] |= 1ull << ('d' & 63);
	callpoint_init();
	at_start = nseen = 0;
	adds = subs = 0;
	dl_iterate_phdr(count_object, &at_start);
	look_at_objects();
}

void redirect_init(struct arena *a)
{
	if (read_names(a))
		redirect_from_now_on();
}

void redirect_wrappers(void)
{
	if (!lock())
		return;
	find_code(&ours, (uintptr_t)redirect_wrappers);
	read_names(arena);
	wrapping = true;
	redirect_from_now_on();
	unlock();
}

static int restore_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	unsigned *index = arg;
	struct module m;

	(void)size;
	if (!read_module(&m, (*index)++, info) || is_ours(&m) || is_linker(&m))
		return 0;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; m.rela[k] && i < m.nrela[k]; i++)
			if (is_slot(&m.rela[k][i]))
				unwrap(&m, &m.rela[k][i], m.string + m.symbol[ELF64_R_SYM(m.rela[k][i].r_info)].st_name);
	return 0;
}

void redirect_restore(void)
{
	unsigned index = 0;

	if (!lock())
		return;
	wrapping = false;
	memset(first_letters, 0, sizeof(first_letters));
	dl_iterate_phdr(restore_object, &index);
	unlock();
}

/* ---- in the place of dlopen and dlsym ------------------------------------------------------- */

/* A function that is found by its name (dlsym) is called through the trampoline, too. */
static void *counted_dlsym(void *handle, const char *name)
{
	void *found = atomic_load_explicit(&real_dlsym, memory_order_relaxed)(handle, name);
	uint32_t call = call_of(name);
	uintptr_t to = 0;
	struct module in;

	if (!found || !lock())
		return found;
	if (call < ARENA_CALLS && !callpoint_is((uintptr_t)found) && find_code(&in, (uintptr_t)found) && in.index != 0 &&
	    !is_ours(&in) && (call = call_into(call, name, &in)) < ARENA_CALLS && (to = callpoint_to(call, (uintptr_t)found)) != 0)
		tell_conductor(call, name, &in);
	unlock();
	return to ? (void *)to : found;
}

uintptr_t redirect_hook(uint32_t hook, uintptr_t function, uintptr_t first, uintptr_t second)
{
	void *(*none)(void *, const char *) = NULL;
	const char *name = (const char *)second;

	if (!arena)
		return function;
	if (lock()) {
		look_at_objects();
		unlock();
	}
	/* For the pseudo-handles 0 and -1 the result depends on the caller. */
	if (hook != HOOK_DLSYM || first + 1 <= 1 || !name || call_of(name) >= ARENA_CALLS)
		return function;
	if (!atomic_compare_exchange_strong_explicit(&real_dlsym, &none, (void *(*)(void *, const char *))function,
						     memory_order_relaxed, memory_order_relaxed) &&
	    none != (void *(*)(void *, const char *))function)
		return function;
	return (uintptr_t)counted_dlsym;
}

#else

void redirect_init(struct arena *a)
{
	(void)a;
}

#endif
