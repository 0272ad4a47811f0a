/*
 * The names of the functions of a unit.  They are read from the debug information one
 * by one, because most are never needed.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"
#include "binary/unit.h"

const char *node_name(struct unit *u, uint32_t node)
{
	struct node *n = &u->node[node];
	Dwarf_Attribute attr;

	if (!n->named) {
		n->name = dwarf_formstring(dwarf_attr_integrate(&n->die, DW_AT_linkage_name, &attr));
		if (!n->name)
			n->name = dwarf_formstring(dwarf_attr_integrate(&n->die, DW_AT_MIPS_linkage_name, &attr));
		if (!n->name)
			n->name = dwarf_formstring(dwarf_attr_integrate(&n->die, DW_AT_name, &attr));
		n->named = true;
	}
	return n->name;
}

/* The last component of the paths is enough: a function and its lines are rarely in two files of the same name. */
static bool same_end(const char *a, const char *b)
{
	return !strcmp(path_name(a), path_name(b));
}

unsigned node_line(struct unit *u, uint32_t node, const char *file)
{
	Dwarf_Die *die = &u->node[node].die;
	const char *declared = dwarf_decl_file(die);
	int line;

	if (!declared || !same_end(declared, file) || dwarf_decl_line(die, &line) != 0 || line < 0)
		return 0;
	return (unsigned)line;
}

static const void *origin_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (!dwarf_attr(die, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &origin))
		return NULL;
	return origin.addr;
}

static int by_origin(const void *pa, const void *pb)
{
	const struct own *a = pa, *b = pb;

	if (a->origin != b->origin)
		return (uintptr_t)a->origin < (uintptr_t)b->origin ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static void build_own(struct unit *u)
{
	size_t cap = 0;

	for (size_t i = 0; i < u->nnodes; i++) {
		const void *origin = u->node[i].parent == NODE_NONE ? origin_of(&u->node[i].die) : NULL;

		if (!origin)
			continue;
		u->own = xgrow(u->own, u->nown, &cap, sizeof *u->own);
		u->own[u->nown++] = (struct own){ origin, (uint32_t)i };
	}
	if (u->nown > 0)
		qsort(u->own, u->nown, sizeof *u->own, by_origin);
	u->own_built = true;
}

uint32_t node_own(struct unit *u, uint32_t node)
{
	struct own key = { NULL, 0 };
	size_t lo = 0, hi;

	if (u->node[node].parent == NODE_NONE)
		return node;
	key.origin = origin_of(&u->node[node].die);
	if (!u->own_built)
		build_own(u);
	for (hi = u->nown; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_origin(&u->own[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return key.origin && lo < u->nown && u->own[lo].origin == key.origin ? u->own[lo].node : NODE_NONE;
}

bool node_code(const struct unit *u, uint32_t node, struct range *range)
{
	size_t lo = 0, hi = u->nparts;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (u->part_node[mid] < node)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == u->nparts || u->part_node[lo] != node)
		return false;
	*range = u->part[lo];
	return true;
}
