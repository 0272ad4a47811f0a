/*
 * image: names, lines and inline chains of the code of one ELF file.
 *
 * An image is an executable or shared object with whatever debug information
 * can be found for it: inside it (DWARF 4 and 5, sections compressed with zlib
 * or zstd), in a separate file found by build-id or .gnu_debuglink, or split
 * (-gsplit-dwarf: .dwo files; not .dwp).  Without any, functions come from
 * .symtab or .dynsym; without those, nothing is known.
 *
 * All addresses are module-relative offsets: the ELF file's own virtual
 * addresses (what readelf prints), that is run-time address minus load bias.
 *
 * Work is lazy, one compile unit at a time: opening costs a few reads, the
 * first look-up in a unit builds that unit's table, further ones are a binary
 * search.  Strings live as long as the image.  Nothing here prints or exits;
 * what is missing is told by image_debug().
 */
#ifndef ANDWEORC_BINARY_IMAGE_H
#define ANDWEORC_BINARY_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "binary/called.h"

struct image;

enum image_debug {
	IMAGE_DWARF,   /* lines, inline chains and functions */
	IMAGE_SYMBOLS, /* functions only */
	IMAGE_BARE,    /* neither */
};

/*
 * Opens path.  `build_id` (lower-case hexadecimal, or NULL) is that of the recorded
 * file: a file with another build-id is not used.  NULL on failure, with a reason for
 * people in *why (static storage, no LF).
 */
struct image *image_open(const char *path, const char *build_id, const char **why);

/* Where separate debug files are looked for, besides /usr/lib/debug and the cache of debuginfod. */
struct debug_places {
	const char *const *dirs; /* before these; NULL-terminated; NULL: none */
	bool servers;            /* and at last at the servers of debuginfod, which may take minutes */
};

/* The same, with such places. */
struct image *image_open_in(const char *path, const char *build_id, const struct debug_places *where, const char **why);
void image_close(struct image *img); /* NULL is allowed */

enum image_debug image_debug(struct image *img);
const char *image_build_id(const struct image *img); /* hexadecimal; "" when the file has none */

/* One frame of the inline chain at an address. */
struct frame {
	const char *function; /* linkage name (mangled), or source name when there is none; NULL unknown */
	const char *file;     /* as the compiler named it, made absolute with the compilation directory where relative; NULL unknown */
	unsigned line;        /* 0 unknown */
};

/*
 * The inline chain at `off`, innermost first: frames[0] is the code itself with
 * its own line, frames[k+1] the function that it was inlined into, with the
 * line of the call.  The last one is the function that the linker sees.
 * Returns how many there are (at most max are stored); 0 when nothing is known.
 */
size_t image_frames(struct image *img, uint64_t off, struct frame *frames, size_t max);

/* The end of the code from `off` on with the same line and inline chain; UINT64_MAX: nothing is known there. */
uint64_t image_same_until(struct image *img, uint64_t off);

/*
 * The line on which the function of frames[depth] at `off` is declared, in that
 * frame's own file; 0 when that is unknown, or in another file.
 */
unsigned image_function_line(struct image *img, uint64_t off, size_t depth);

/* Names of all symbols that start where the function that holds `off` starts (identical code folding). Returns how many. */
size_t image_aliases(struct image *img, uint64_t off, const char **names, size_t max);

/* Decides whether a source file is the user's own, so that its lines may be regions. */
typedef bool image_scope(const char *file, void *arg);

/* [lo, hi), module-relative. */
struct range {
	uint64_t lo, hi;
};

/*
 * Limits the lines that are charged, as long as the image is open: to functions by their
 * linkage names, and to lines of files in scope.  NULL: no limit.  Call it before any line
 * is looked up.
 */
void image_limit(struct image *img, bool (*function)(const char *function, void *arg),
		 bool (*line)(const char *file, unsigned line, void *arg), void *arg);

/*
 * The line that is charged for code at `off`: that of the innermost frame whose file is in scope and which no
 * limit excludes.  Fills *at with that frame and returns true; false when no frame is in scope.
 */
bool image_charge_line(struct image *img, uint64_t off, image_scope *scope, void *arg, struct frame *at);

/*
 * All ranges of code charged to file:line (by the rule of image_charge_line) in
 * the compile unit that holds `off`: sorted, merged, disjoint.  The caller frees
 * *out.  Returns how many.
 */
size_t image_line_ranges(struct image *img, uint64_t off, const char *file, unsigned line, image_scope *scope, void *arg,
			 struct range **out);

/*
 * The parts of within[0..n) that are in the compile unit that holds `off`, and are
 * charged to no line: sorted, merged, disjoint.  Where no unit holds it, as in code
 * without debug information, that of within[] that does.  The caller frees *out.
 * Returns how many ranges.
 */
size_t image_uncharged_ranges(struct image *img, uint64_t off, const struct range *within, size_t n, image_scope *scope, void *arg,
			      struct range **out);

/*
 * All ranges of the function whose linkage name is `function`: its symbols
 * (and .cold, .part.N, .isra.N, .constprop.N parts) and, where DWARF is there,
 * its inlined copies in every compile unit.  Sorted, merged, disjoint; the
 * caller frees *out.  Returns how many.
 */
size_t image_function_ranges(struct image *img, const char *function, struct range **out);

/* The function symbol that covers `off` (linkage name), or NULL. */
const char *image_symbol(struct image *img, uint64_t off);

/*
 * The extent of the function that holds `off`, by the unwind table (.eh_frame):
 * this is also available in a stripped file.  Code that the compiler has split off
 * (cold parts) has an extent of its own.  False when the table does not cover `off`.
 */
bool image_extent(struct image *img, uint64_t off, struct range *extent);

/* Is `off` in the function that the kernel, or the dynamic linker, starts (_start)?  It needs no symbol for that. */
bool image_is_entry(struct image *img, uint64_t off);

/*
 * Finding by name, for -r and -P.  Each calls fn for every match and returns
 * how many there were.  Functions match in full or in part, see called.h;
 * `at` is the function's own frame at its first instruction.  A file matches
 * when `file` is its path or the end of it after a '/'.
 */
typedef void image_called(void *arg, uint64_t off, const struct frame *at, enum called how);
typedef void image_found(void *arg, uint64_t off, const struct frame *at);
size_t image_find_functions(struct image *img, const char *pattern, image_called *fn, void *arg);
size_t image_find_line(struct image *img, const char *file, unsigned line, image_scope *scope, void *scope_arg, image_found *fn,
		       void *arg);

/*
 * The line with code in `file` (as above) that is nearest to `line`: the next
 * one, or else the last one before.  0: there is no code of such a file.
 */
unsigned image_nearest_line(struct image *img, const char *file, unsigned line, image_scope *scope, void *arg);

/* A probe of <sys/sdt.h>. */
struct probe {
	uint64_t off;                /* offset of its instruction */
	uint64_t semaphore;          /* offset of its semaphore, two aligned bytes of data: the probe is skipped while they are 0; 0: it has none */
	const char *provider, *name; /* provider and name from the file; untrusted */
};

/* Sets *file_off to the offset in the file of the code at `off`, as the kernel's probes want it.  False: there is none. */
bool image_file_offset(struct image *img, uint64_t off, uint64_t *file_off);

/* Can this be the name of a probe, PROVIDER:NAME? It is not FILE:LINE, nor a name of C++ or Rust. */
bool image_is_probe_name(const char *name);

/*
 * Calls fn for each probe of that name, of which both parts may be patterns of the
 * shell; a '-' in the second one stands for "__".  Returns how many there are.
 */
typedef void image_probe(void *arg, const struct probe *probe);
size_t image_find_probes(struct image *img, const char *name, image_probe *fn, void *arg);

/*
 * Does the file import one of these functions (NULL-terminated) from shared
 * objects?  True, too, when it imports nothing because it is linked statically.
 */
bool image_imports(struct image *img, const char *const *functions);

/* Calls fn for each function that the file imports from shared objects, or exports to them; names are the file's. */
typedef void image_named(void *arg, const char *name);
void image_each_dynamic(struct image *img, bool imported, image_named *fn, void *arg);

/*
 * The demangled form of a C++ or Rust linkage name (owned by the caller), or a copy of the name itself.  What a coroutine does
 * has its name.
 */
char *image_demangle(const char *linkage_name);

#endif
