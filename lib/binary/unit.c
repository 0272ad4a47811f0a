#include "binary/unit.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/sorted.h"
#include "binary/sweep.h"

/* Deeper nesting than any compiler's, and stack enough for it. */
#define DEPTH_MAX 1000

/* Damaged input can name one long list of ranges from each of many DIEs. */
#define PARTS_MAX (16u << 20)

struct builder {
	struct unit *u;
	struct map *files;
	const struct range *code;
	size_t ncode;
	int hiding;            /* enum hiding */
	const char *comp_dir;  /* NULL unknown */
	Dwarf_Files *file;     /* what call_file counts in */
	const char **interned; /* interned[i]: file i, NULL not yet */
	size_t nfiles;
	size_t nodes_cap, parts_cap, part_nodes_cap, pieces_cap;
	struct piece *piece;
	size_t npieces;
	const char *last;      /* the DIE that was visited last: addresses only grow */
};

bool range_holds(const struct range *range, size_t n, uint64_t off)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (range[mid].hi <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && range[lo].lo <= off;
}

/* ---- files ---------------------------------------------------------------- */

/* "/./" and "//" say nothing; "/../" may (symbolic links), so it stays. */
static const char *intern(struct map *files, const char *dir, const char *path)
{
	struct buf b = BUF_INIT;
	void **place;

	if (path[0] != '/' && dir) {
		buf_adds(&b, dir);
		buf_addc(&b, '/');
	}
	buf_adds(&b, path);
	if (b.len > 0 && b.s[0] == '/') {
		size_t to = 0;

		for (size_t i = 0; i <= b.len; i++) {
			while (b.s[i] == '/' && (b.s[i + 1] == '/' || (b.s[i + 1] == '.' && b.s[i + 2] == '/')))
				i += b.s[i + 1] == '/' ? 1 : 2;
			b.s[to++] = b.s[i];
		}
	}
	place = map_at(files, b.s);
	if (!*place)
		*place = files->entry[files->n - 1].key;
	buf_release(&b);
	return *place;
}

static const char *file_name(struct builder *b, size_t i)
{
	const char *path;

	if (i >= b->nfiles)
		return NULL;
	if (!b->interned[i]) {
		path = dwarf_filesrc(b->file, i, NULL, NULL);
		if (path && strcmp(path, "???") != 0)
			b->interned[i] = intern(b->files, b->comp_dir, path);
	}
	return b->interned[i];
}

static void use_files(struct builder *b, Dwarf_Files *file, size_t n)
{
	free(b->interned);
	b->file = file;
	b->nfiles = n;
	b->interned = xcalloc(n + 1, sizeof *b->interned);
}

/* ---- functions and inlined copies ----------------------------------------- */

static void add_part(struct builder *b, uint32_t node, unsigned depth, uint64_t lo, uint64_t hi)
{
	struct unit *u = b->u;

	if (lo >= hi || u->nparts >= PARTS_MAX || !range_holds(b->code, b->ncode, lo))
		return;
	u->part = xgrow(u->part, u->nparts, &b->parts_cap, sizeof *u->part);
	u->part_node = xgrow(u->part_node, u->nparts, &b->part_nodes_cap, sizeof *u->part_node);
	u->part[u->nparts] = (struct range){ lo, hi };
	u->part_node[u->nparts++] = node;
	b->piece = xgrow(b->piece, b->npieces, &b->pieces_cap, sizeof *b->piece);
	b->piece[b->npieces++] = (struct piece){ lo, hi, node, depth };
}

/* The attributes of a function's DIE, gathered in one pass. */
struct facts {
	Dwarf_Attribute low, high;
	bool has_low, has_high, has_ranges, declaration;
	Dwarf_Word call_file, call_line;
};

static int note_attribute(Dwarf_Attribute *attr, void *arg)
{
	struct facts *f = arg;

	switch (dwarf_whatattr(attr)) {
	case DW_AT_low_pc:
		f->low = *attr;
		f->has_low = true;
		break;
	case DW_AT_high_pc:
		f->high = *attr;
		f->has_high = true;
		break;
	case DW_AT_ranges:
		f->has_ranges = true;
		break;
	case DW_AT_declaration:
		f->declaration = true;
		break;
	case DW_AT_call_file:
		dwarf_formudata(attr, &f->call_file);
		break;
	case DW_AT_call_line:
		dwarf_formudata(attr, &f->call_line);
		break;
	}
	return DWARF_CB_OK;
}

static void add_ranges(struct builder *b, Dwarf_Die *die, struct facts *f, uint32_t node, unsigned depth)
{
	Dwarf_Addr base, lo, hi;
	Dwarf_Word length;
	ptrdiff_t at = 0;

	if (f->has_ranges) {
		while (b->u->nparts < PARTS_MAX && (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0)
			add_part(b, node, depth, lo, hi);
		return;
	}
	if (dwarf_formaddr(&f->low, &lo) != 0)
		return;
	if (dwarf_formaddr(&f->high, &hi) != 0) {
		if (dwarf_formudata(&f->high, &length) != 0)
			return;
		hi = lo + length;
	}
	add_part(b, node, depth, lo, hi);
}

/* Adds the function or inlined copy; NODE_NONE when it has no code, as declarations and abstract ones. */
static uint32_t add_node(struct builder *b, Dwarf_Die *die, uint32_t parent, unsigned depth, bool *declaration)
{
	struct facts f = { 0 };
	struct unit *u = b->u;
	uint32_t node = (uint32_t)u->nnodes;

	if (dwarf_getattrs(die, note_attribute, &f, 0) == -1)
		return NODE_NONE;
	*declaration = f.declaration;
	if (!(f.has_ranges || (f.has_low && f.has_high)))
		return NODE_NONE;
	u->node = xgrow(u->node, u->nnodes, &b->nodes_cap, sizeof *u->node);
	u->node[u->nnodes++] = (struct node){
		.die = *die,
		.parent = parent,
		.call_file = parent == NODE_NONE ? NULL : file_name(b, f.call_file),
		.call_line = (unsigned)f.call_line,
	};
	add_ranges(b, die, &f, node, depth);
	return node;
}

/*
 * The types in which functions can be nested: in C none; in C++ local classes,
 * including lambdas; in other languages, such as Rust, any.  Most of a unit is types,
 * so searching all of them would be slow.
 */
enum hiding { HIDING_NOWHERE, HIDING_LOCALLY, HIDING_ANYWHERE };

struct scope {
	uint32_t node;  /* NODE_NONE: not in a function, or in one without code of its own */
	bool in_function;
	unsigned depth;
};

static void walk_dies(struct builder *b, Dwarf_Die *parent, struct scope at);

static void walk_function(struct builder *b, Dwarf_Die *die, struct scope at, bool inlined)
{
	struct scope inner = { NODE_NONE, true, at.depth + 1 };
	bool declaration = false;

	/* A nested function is not part of the chain of the one around it. */
	if (!inlined || at.node != NODE_NONE)
		inner.node = add_node(b, die, inlined ? at.node : NODE_NONE, at.depth, &declaration);
	/* Local classes of a function that is always inlined are in its abstract instance. */
	if (inner.node != NODE_NONE || (!inlined && !declaration && b->hiding != HIDING_NOWHERE))
		walk_dies(b, die, inner);
}

static void walk_one(struct builder *b, Dwarf_Die *die, struct scope at)
{
	struct scope inner = { at.node, at.in_function, at.depth + 1 };

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		walk_function(b, die, at, false);
		break;
	case DW_TAG_inlined_subroutine:
		walk_function(b, die, at, true);
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
		walk_dies(b, die, inner);
		break;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
		inner.node = NODE_NONE;
		if (b->hiding == HIDING_ANYWHERE || (b->hiding == HIDING_LOCALLY && at.in_function))
			walk_dies(b, die, inner);
		break;
	default:
		break;
	}
}

static void walk_dies(struct builder *b, Dwarf_Die *parent, struct scope at)
{
	Dwarf_Die die;

	if (at.depth >= DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		/* DW_AT_sibling of a damaged file may point backwards, or into the DIE's own children. */
		if ((const char *)die.addr <= b->last)
			return;
		b->last = die.addr;
		walk_one(b, &die, at);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* ---- lines ---------------------------------------------------------------- */

struct row {
	uint64_t lo;
	const char *file; /* NULL: a gap begins here */
	unsigned line;
};

static size_t read_rows(struct builder *b, Dwarf_Die *cu, struct row **out)
{
	Dwarf_Lines *lines;
	Dwarf_Files *files;
	size_t n, nfiles, rows = 0;
	struct row *v;

	*out = NULL;
	if (dwarf_getsrclines(cu, &lines, &n) != 0 || dwarf_getsrcfiles(cu, &files, &nfiles) != 0)
		return 0;
	use_files(b, files, nfiles);
	v = xcalloc(n + 1, sizeof *v);
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		struct row r = { 0 };
		bool end;
		int line;
		size_t file;

		if (dwarf_lineaddr(row, &r.lo) != 0 || dwarf_lineendsequence(row, &end) != 0 || dwarf_lineno(row, &line) != 0)
			continue;
		if (!end) {
			/*
			 * Line 0 is code without a line, which the compiler has added; it
			 * belongs to the code around it.
			 */
			if (line <= 0 || !range_holds(b->code, b->ncode, r.lo) || dwarf_line_file(row, &files, &file) != 0)
				continue;
			r.line = (unsigned)line;
			r.file = file_name(b, file);
		}
		/* An end at the address where another sequence begins comes first in libdw's order; the last row counts. */
		if (rows > 0 && v[rows - 1].lo == r.lo)
			rows--;
		v[rows++] = r;
	}
	*out = v;
	return rows;
}

/* ---- both ----------------------------------------------------------------- */

static void add_span(struct unit *u, size_t *cap, uint64_t lo, const struct row *row, uint32_t node)
{
	struct span s = { .lo = lo, .node = node };

	if (row && row->file) {
		s.file = row->file;
		s.line = row->line;
	}
	if (u->n > 0) {
		struct span *last = &u->span[u->n - 1];

		if (last->node == s.node && last->file == s.file && last->line == s.line)
			return;
	} else if (!s.file && node == NODE_NONE) {
		return;
	}
	u->span = xgrow(u->span, u->n, cap, sizeof *u->span);
	u->span[u->n++] = s;
}

/* Cuts the lines at the borders of the nodes and the other way round. */
static void merge_lines(struct unit *u, const struct row *row, size_t nrows, const struct cut *cut, size_t ncuts)
{
	size_t r = 0, c = 0, cap = 0;

	while (r < nrows || c < ncuts) {
		uint64_t lo = r < nrows ? row[r].lo : UINT64_MAX;

		if (c < ncuts && cut[c].lo < lo)
			lo = cut[c].lo;
		if (r < nrows && row[r].lo == lo)
			r++;
		if (c < ncuts && cut[c].lo == lo)
			c++;
		add_span(u, &cap, lo, r > 0 ? &row[r - 1] : NULL, c > 0 ? cut[c - 1].id : NODE_NONE);
	}
	/* A line table without its last row has no end, so code behind it is unknown. */
	if (u->n > 0 && (u->span[u->n - 1].file || u->span[u->n - 1].node != NODE_NONE))
		u->span[u->n - 1] = (struct span){ .lo = u->span[u->n - 1].lo, .node = NODE_NONE };
}

bool unit_is_c(Dwarf_Die *cu)
{
	int language = dwarf_srclang(cu);

	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 || language == DW_LANG_C11;
}

static enum hiding hiding_in(Dwarf_Die *cu)
{
	if (unit_is_c(cu))
		return HIDING_NOWHERE;
	switch (dwarf_srclang(cu)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return HIDING_LOCALLY;
	default:
		return HIDING_ANYWHERE;
	}
}

struct unit *unit_build(Dwarf_Die *cu, struct map *files, const struct range *code, size_t ncode)
{
	struct unit *u = xcalloc(1, sizeof *u);
	struct builder b = { .u = u, .files = files, .code = code, .ncode = ncode };
	Dwarf_Die split, *top = cu;
	Dwarf_Attribute attr;
	Dwarf_Files *split_files;
	struct row *row;
	struct cut *cut;
	size_t nrows, ncuts, n;
	uint8_t type;

	b.comp_dir = dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
	nrows = read_rows(&b, cu, &row);
	if (dwarf_cu_info(cu->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton && split.addr) {
		top = &split;
		if (dwarf_getsrcfiles(top, &split_files, &n) == 0)
			use_files(&b, split_files, n);
	}
	b.hiding = hiding_in(top);
	u->in_c = b.hiding == HIDING_NOWHERE;
	walk_dies(&b, top, (struct scope){ .node = NODE_NONE });
	ncuts = sweep(b.piece, b.npieces, &cut);
	merge_lines(u, row, nrows, cut, ncuts);
	free(b.piece);
	free(b.interned);
	free(cut);
	free(row);
	return u;
}

bool unit_mentions(Dwarf_Die *cu, const char *tail)
{
	const char *name = path_name(tail);
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(cu, &files, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *path = dwarf_filesrc(files, i, NULL, NULL);

		if (path && !strcmp(path_name(path), name))
			return true;
	}
	return false;
}

void unit_free(struct unit *u)
{
	if (!u)
		return;
	free(u->span);
	free(u->node);
	free(u->part);
	free(u->part_node);
	free(u->own);
	free(u);
}

const struct span *unit_find(const struct unit *u, uint64_t off)
{
	size_t reached = sorted_up_to(u->span, u->n, sizeof *u->span, off);
	const struct span *last = reached > 0 ? &u->span[reached - 1] : NULL;

	return last && (last->file || last->node != NODE_NONE) ? last : NULL;
}
