#include "binary/image.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "binary/debugfile.h"
#include "binary/image_parts.h"

/* ---- opening -------------------------------------------------------------- */

/* Opens the file that was run, or, if it is gone or was replaced, its separate debug file. */
static bool open_files(struct image *img, const char *path, const char *build_id, const struct debug_places *where, const char **why)
{
	bool wanted = build_id && *build_id;

	if (elffile_open(&img->main, path, why)) {
		if (!wanted || !strcmp(img->main.build_id, build_id)) {
			if (!elffile_has_dwarf(&img->main))
				debugfile_find(&img->debug, &img->main, path, where);
			return true;
		}
		*why = img->main.build_id[0] ? "another build-id than was run" : "no build-id, but what was run had one";
		elffile_close(&img->main);
	}
	return wanted && debugfile_by_id(&img->debug, build_id, where);
}

/* What zstd has compressed is rebuilt at once, for names of symbols lie in what is rebuilt. */
static void find_dwarf(struct image *img)
{
	struct elffile *f = img->debug.elf ? &img->debug : &img->main;

	img->dwarf_in = elffile_has_dwarf(f) && elffile_expand(f) ? f : NULL;
}

Dwarf *image_dwarf(struct image *img)
{
	if (img->dwarf_in)
		img->dw = dwarf_begin_elf(img->dwarf_in->elf, DWARF_C_READ, NULL);
	img->dwarf_in = NULL;
	return img->dw;
}

struct image *image_open_in(const char *path, const char *build_id, const struct debug_places *where, const char **why)
{
	struct image *img = xcalloc(1, sizeof *img);
	const struct elffile *first;

	if (!open_files(img, path, build_id, where, why)) {
		free(img);
		return NULL;
	}
	find_dwarf(img);
	first = img->main.elf ? &img->main : &img->debug;
	img->ncode = elffile_code(first, &img->code);
	/* A stripped file has .dynsym at most; its debug file has all. */
	if (!img->debug.elf || !symbols_read(&img->symbols, img->debug.elf)) {
		symbols_release(&img->symbols);
		symbols_read(&img->symbols, first->elf);
	}
	return img;
}

struct image *image_open(const char *path, const char *build_id, const char **why)
{
	const struct debug_places local = { 0 };

	return image_open_in(path, build_id, &local, why);
}

void image_close(struct image *img)
{
	if (!img)
		return;
	for (size_t i = 0; i < img->nunits; i++)
		unit_free(img->unit[i].unit);
	free(img->unit);
	free(img->cut);
	free(img->code);
	free(img->extent);
	map_release(&img->files);
	symbols_release(&img->symbols);
	dwarf_end(img->dw);
	elffile_close(&img->debug);
	elffile_close(&img->main);
	free(img);
}

enum image_debug image_debug(struct image *img)
{
	return image_dwarf(img) ? IMAGE_DWARF : img->symbols.n > 0 ? IMAGE_SYMBOLS : IMAGE_BARE;
}

const char *image_build_id(const struct image *img)
{
	return img->main.elf ? img->main.build_id : img->debug.build_id;
}

/* ---- units ---------------------------------------------------------------- */

struct pieces {
	struct piece *v;
	size_t n, cap;
};

static void add_piece(struct image *img, struct pieces *p, uint64_t lo, uint64_t hi, uint32_t unit)
{
	if (lo >= hi || !range_holds(img->code, img->ncode, lo))
		return;
	p->v = xgrow(p->v, p->n, &p->cap, sizeof *p->v);
	p->v[p->n++] = (struct piece){ .lo = lo, .hi = hi, .id = unit };
}

/* A unit without ranges, such as those of some assemblers: takes them from its own table. */
static void add_from_table(struct image *img, struct pieces *p, uint32_t i)
{
	struct unit *u = image_unit(img, i);

	for (size_t k = 0; k + 1 < u->n; k++)
		if (u->span[k].file || u->span[k].node != NODE_NONE)
			add_piece(img, p, u->span[k].lo, u->span[k + 1].lo, i);
}

static void add_unit(struct image *img, struct pieces *p, Dwarf_Die *die, size_t *cap)
{
	uint32_t i = (uint32_t)img->nunits;
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	img->unit = xgrow(img->unit, img->nunits, cap, sizeof *img->unit);
	img->unit[img->nunits++] = (struct unit_ref){ .die = *die };
	if (!dwarf_hasattr(die, DW_AT_stmt_list) && !dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
		return;
	if (!dwarf_hasattr(die, DW_AT_ranges) && !dwarf_hasattr(die, DW_AT_high_pc)) {
		add_from_table(img, p, i);
		return;
	}
	while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0)
		add_piece(img, p, lo, hi, i);
}

void image_index(struct image *img)
{
	struct pieces p = { 0 };
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	size_t cap = 0;

	if (img->indexed)
		return;
	img->indexed = true;
	while (image_dwarf(img) && dwarf_get_units(img->dw, cu, &cu, NULL, &type, &die, NULL) == 0)
		if ((type == DW_UT_compile || type == DW_UT_skeleton) && die.addr && dwarf_tag(&die) != DW_TAG_partial_unit)
			add_unit(img, &p, &die, &cap);
	img->ncuts = sweep(p.v, p.n, &img->cut);
	free(p.v);
}

struct unit *image_unit(struct image *img, size_t i)
{
	if (!img->unit[i].unit)
		img->unit[i].unit = unit_build(&img->unit[i].die, &img->files, img->code, img->ncode);
	return img->unit[i].unit;
}

struct unit *image_unit_at(struct image *img, uint64_t off)
{
	uint32_t i;

	image_index(img);
	i = sweep_find(img->cut, img->ncuts, off);
	return i == SWEEP_NONE ? NULL : image_unit(img, i);
}

/* ---- look-ups ------------------------------------------------------------- */

const char *image_symbol(struct image *img, uint64_t off)
{
	const struct symbol *s = symbols_find(&img->symbols, off);

	return s ? s->name : NULL;
}

static bool is_mangled(const char *name)
{
	return name && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/*
 * gcc leaves the linkage name of functions with internal linkage to the symbol
 * table.  Their inlined copies take it from the function's own code, so that
 * all of it has one name.
 */
const char *image_node_name(struct image *img, struct unit *u, uint32_t node)
{
	const char *name = node_name(u, node), *symbol;
	struct node *n = &u->node[node];
	struct range code;
	uint32_t own;

	if (n->settled)
		return name;
	n->settled = true;
	if (u->in_c || is_mangled(name))
		return name;
	own = node_own(u, node);
	symbol = own != NODE_NONE && node_code(u, own, &code) ? image_symbol(img, code.lo) : NULL;
	if (is_mangled(symbol))
		n->name = symbol;
	return n->name;
}

struct frame image_frame(struct image *img, struct unit *u, uint32_t node, const char *file, unsigned line, uint64_t off)
{
	const char *name = node == NODE_NONE ? NULL : image_node_name(img, u, node);

	if (!name && (node == NODE_NONE || u->node[node].parent == NODE_NONE))
		name = image_symbol(img, off);
	return (struct frame){ name, file, line };
}

size_t image_frames(struct image *img, uint64_t off, struct frame *frames, size_t max)
{
	struct unit *u = image_unit_at(img, off);
	const struct span *s = u ? unit_find(u, off) : NULL;
	const char *file, *symbol;
	unsigned line;
	size_t n = 0;

	if (!s) {
		symbol = image_symbol(img, off);
		if (symbol && max > 0)
			frames[0] = (struct frame){ .function = symbol };
		return symbol != NULL;
	}
	file = s->file;
	line = s->line;
	for (uint32_t node = s->node;; node = u->node[node].parent) {
		if (n < max)
			frames[n] = image_frame(img, u, node, file, line, off);
		n++;
		if (node == NODE_NONE || u->node[node].parent == NODE_NONE)
			return n;
		file = u->node[node].call_file;
		line = u->node[node].call_line;
	}
}

uint64_t image_same_until(struct image *img, uint64_t off)
{
	struct unit *u = image_unit_at(img, off);
	const struct span *s = u ? unit_find(u, off) : NULL;

	/* The last span is a gap, in which nothing is found. */
	return s ? s[1].lo : UINT64_MAX;
}

unsigned image_function_line(struct image *img, uint64_t off, size_t depth)
{
	struct unit *u = image_unit_at(img, off);
	const struct span *s = u ? unit_find(u, off) : NULL;
	const char *file = s ? s->file : NULL;
	uint32_t node = s ? s->node : NODE_NONE;

	for (; depth > 0 && node != NODE_NONE; depth--) {
		file = u->node[node].call_file;
		node = u->node[node].parent;
	}
	return node != NODE_NONE && file ? node_line(u, node, file) : 0;
}

size_t image_aliases(struct image *img, uint64_t off, const char **names, size_t max)
{
	const struct symbol *s = symbols_find(&img->symbols, off), *end = img->symbols.v + img->symbols.n;
	size_t n = 0;

	if (!s)
		return 0;
	for (const struct symbol *a = s; a < end && a->lo == s->lo; a++) {
		bool known = false;

		if (!a->sized && s->sized)
			continue; /* a label, not a function */
		for (size_t i = 0; i < n && i < max && !known; i++)
			known = !strcmp(names[i], a->name);
		if (known)
			continue;
		if (n < max)
			names[n] = a->name;
		n++;
	}
	return n;
}

void image_limit(struct image *img, bool (*function)(const char *function, void *arg),
		 bool (*line)(const char *file, unsigned line, void *arg), void *arg)
{
	img->limit_function = function;
	img->limit_line = line;
	img->limit_arg = arg;
}

static bool is_allowed_function(struct image *img, struct unit *u, const struct span *s, uint32_t node)
{
	struct node *n = node == NODE_NONE ? NULL : &u->node[node];
	const char *name;

	if (n && n->limited)
		return n->allowed;
	name = n ? image_node_name(img, u, node) : NULL;
	if (!name && (!n || n->parent == NODE_NONE))
		name = image_symbol(img, s->lo);
	if (!n)
		return img->limit_function(name ? name : "", img->limit_arg);
	n->limited = true;
	n->allowed = img->limit_function(name ? name : "", img->limit_arg);
	return n->allowed;
}

static bool is_allowed(struct image *img, struct unit *u, const struct span *s, uint32_t node, const char *file, unsigned line)
{
	return (!img->limit_line || img->limit_line(file, line, img->limit_arg)) &&
	       (!img->limit_function || is_allowed_function(img, u, s, node));
}

bool image_charge(struct image *img, struct unit *u, const struct span *s, image_scope *scope, void *arg, const char **file, unsigned *line,
		  uint32_t *node)
{
	*node = s->node;
	*file = s->file;
	*line = s->line;
	while (!*file || !*line || !scope(*file, arg) || !is_allowed(img, u, s, *node, *file, *line)) {
		if (*node == NODE_NONE || u->node[*node].parent == NODE_NONE)
			return false;
		*file = u->node[*node].call_file;
		*line = u->node[*node].call_line;
		*node = u->node[*node].parent;
	}
	return true;
}

bool image_charge_line(struct image *img, uint64_t off, image_scope *scope, void *arg, struct frame *at)
{
	struct unit *u = image_unit_at(img, off);
	const struct span *s = u ? unit_find(u, off) : NULL;
	const char *file;
	unsigned line;
	uint32_t node;

	if (!s || !image_charge(img, u, s, scope, arg, &file, &line, &node))
		return false;
	*at = image_frame(img, u, node, file, line, off);
	return true;
}
