/*
 * image_parts: the inside of an image, for image.c and image_find.c.
 */
#ifndef ANDWEORC_BINARY_IMAGE_PARTS_H
#define ANDWEORC_BINARY_IMAGE_PARTS_H

#include <elfutils/libdw.h>

#include "base/map.h"
#include "binary/elffile.h"
#include "binary/image.h"
#include "binary/sweep.h"
#include "binary/symbols.h"
#include "binary/unit.h"

/* One compile unit; its table is built when it is first asked for. */
struct unit_ref {
	Dwarf_Die die;
	struct unit *unit; /* NULL not built */
};

struct image {
	struct elffile main;  /* not open when only the debug file was found */
	struct elffile debug; /* not open when the debug information is in main, or nowhere */
	struct elffile *dwarf_in; /* the one of them with debug information that has not been read; NULL none */
	Dwarf *dw;            /* NULL none, or not read yet: see image_dwarf */
	struct symbols symbols;
	struct range *code;   /* executable sections */
	size_t ncode;
	struct range *extent; /* extents of functions, by the unwind table; sorted by lo; see image_extent */
	size_t nextents;
	bool has_extents;     /* the extents have been read */
	struct map files;     /* interned paths */
	bool (*limit_function)(const char *function, void *arg); /* see image_limit */
	bool (*limit_line)(const char *file, unsigned line, void *arg);
	void *limit_arg;

	bool indexed;         /* are the members below valid? */
	struct unit_ref *unit;
	size_t nunits;
	struct cut *cut;      /* address -> index of unit */
	size_t ncuts;
};

/*
 * The debug information; NULL none.  It is read when it is first asked for: of libc's, libdw
 * decompresses 20 MB then, and a recorder needs none of it.
 */
Dwarf *image_dwarf(struct image *img);

/* Lists the units and their code ranges, once. */
void image_index(struct image *img);

/* The i-th unit, built. */
struct unit *image_unit(struct image *img, size_t i);

/* The unit that holds off, built; NULL when there is none. */
struct unit *image_unit_at(struct image *img, uint64_t off);

/* The linkage name of a node, from the symbol table if it is not in the debug information; NULL unknown. */
const char *image_node_name(struct image *img, struct unit *u, uint32_t node);

/* The frame of `node` at file:line. */
struct frame image_frame(struct image *img, struct unit *u, uint32_t node, const char *file, unsigned line, uint64_t off);

/* The charged frame of a span, as image_charge_line; the function is returned as *node, and not filled in. */
bool image_charge(struct image *img, struct unit *u, const struct span *s, image_scope *scope, void *arg, const char **file, unsigned *line,
		  uint32_t *node);

#endif
