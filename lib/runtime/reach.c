/*
 * reach: the parts of the arena, mapped as they are needed.
 *
 * The common head of the arena is mapped when a process joins.  A thread's slot takes
 * 0.3 MB, and there are 4,096 of them.  So each process maps only those pieces of the
 * parts that it uses, a few slots at a time, once and for good.  Forked children inherit
 * the mappings.
 *
 * Context: any.  No lock: two threads may map the same piece, and one of them then
 * unmaps its own.
 */
#include <sys/mman.h>

#include "reach.h"
#include "sys.h"

enum {
	STEP_BYTES = 16 << 20, /* bytes of address space that are reserved for a moment */
	ROWS_KNOWN = 1024,     /* entries for modules whose rows are mapped; a power of two, twice ARENA_MODULES */
	PROBES = 16,
};

#define PART(member, first, end)                                                                                             \
	{ offsetof(struct arena, parts.member), sizeof(((struct arena *)NULL)->parts.member[0]), first, end }

static const struct part {
	uint64_t offset; /* in the arena */
	size_t bytes;    /* size of a piece */
	uint32_t first, end; /* index in reach_at */
} parts[] = {
	[PART_MODULES] = PART(modules, PIECES_OF_MODULES, PIECES_OF_SPANS),
	[PART_SPANS] = PART(spans, PIECES_OF_SPANS, PIECES_OF_LOGS),
	[PART_LOGS] = PART(log, PIECES_OF_LOGS, PIECES_OF_THREADS),
	[PART_THREADS] = PART(threads, PIECES_OF_THREADS, PIECES),
};

_Atomic(void *) reach_at[PIECES];

static struct {
	_Atomic uint32_t key; /* index of the first row, + 1; 0: free */
	_Atomic uint32_t n;   /* how many; before `rows` */
	_Atomic(const struct unwind_row *) rows;
} known[ROWS_KNOWN];

static const struct unwind_row none[1]; /* rows that cannot be mapped, in `known` */

static char *base;        /* where [0, ARENA_SHARED_BYTES) is mapped */
static bool base_is_blank, base_was_blank; /* now; as reach_begin was called */
static _Atomic(void *) blank_at[PIECES]; /* where nothing is, in the place of a piece that was mapped before */
static int arena_fd = -1; /* while the runtime begins */

void *reach_place(void)
{
	return base_is_blank ? base : NULL;
}

void reach_begin(struct arena *a, int fd)
{
	base = (char *)a;
	base_was_blank = base_is_blank;
	base_is_blank = false;
	arena_fd = fd;
}

void reach_settle(void)
{
	if (arena_fd >= 0)
		SYS(SYS_close, arena_fd);
	arena_fd = -1;
}

/* ---- without a descriptor --------------------------------------------------------------- */

/* A page of the arena that is mapped. */
struct foothold {
	char *at;
	uint64_t offset; /* in the arena */
};

static bool is_error(long result)
{
	return result < 0 && result > -4096;
}

/* Finds the last mapped piece in front of `offset`. */
static __attribute__((noinline)) struct foothold nearest(uint64_t offset)
{
	struct foothold best = { base + ARENA_SHARED_BYTES - ARENA_PAGE, ARENA_SHARED_BYTES - ARENA_PAGE };

	for (const struct part *p = parts; p < parts + sizeof(parts) / sizeof(parts[0]) && p->offset <= offset; p++) {
		uint64_t i = (offset - p->offset) / p->bytes + 1;

		for (i = i < p->end - p->first ? i : p->end - p->first; i-- > 0;) {
			char *at = atomic_load_explicit(&reach_at[p->first + i], memory_order_acquire);

			if (!at)
				continue;
			best = (struct foothold){ at, p->offset + i * p->bytes };
			break;
		}
	}
	return best;
}

/*
 * mremap(2) of no bytes of a shared mapping maps the same pages once more, and as
 * many as are asked for, also those that follow.  So a process that has mapped one
 * piece of the arena can map all later ones without a descriptor.  A program that has
 * changed its root directory or its user could not open one.
 */
static void *walk_foothold(struct foothold from, uint64_t offset, size_t bytes)
{
	char *left_behind = NULL;

	for (;;) {
		uint64_t ahead = offset - from.offset;
		bool arrives = ahead <= STEP_BYTES;
		size_t step = arrives ? (size_t)ahead : STEP_BYTES;
		long at = SYS(SYS_mremap, from.at, 0, step + (arrives ? bytes : ARENA_PAGE), MREMAP_MAYMOVE, 0);

		if (left_behind)
			SYS(SYS_munmap, left_behind, ARENA_PAGE);
		if (is_error(at))
			return NULL;
		if (step)
			SYS(SYS_munmap, at, step);
		from = (struct foothold){ (char *)at + step, from.offset + step };
		if (arrives)
			return from.at;
		left_behind = from.at;
	}
}

/* ---- pieces ---------------------------------------------------------------------------- */

/* Maps a part of the arena (offset and size are multiples of ARENA_PAGE); NULL: refused. */
static void *map(uint64_t offset, size_t bytes)
{
	long at;

	if (arena_fd < 0)
		return walk_foothold(nearest(offset), offset, bytes);
	at = SYS(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, arena_fd, offset);
	return is_error(at) ? NULL : (void *)at;
}

/* To where a piece of the arena was that is no more, in one step: somebody may look there. */
static void *put_in_place(const struct part *p, uint32_t i, void *mine)
{
	void *blank = atomic_exchange_explicit(&blank_at[p->first + i], NULL, memory_order_relaxed);

	if (likely(!blank) || is_error(SYS(SYS_mremap, mine, p->bytes, p->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, blank)))
		return mine;
	return blank;
}

void *reach_map(enum arena_part part, uint32_t i)
{
	const struct part *p = &parts[part];
	void *mine = map(p->offset + i * (uint64_t)p->bytes, p->bytes), *theirs = NULL;

	if (!mine)
		return NULL;
	mine = put_in_place(p, i, mine);
	/* Pairs with the acquire in the search: it is mapped before it is found. */
	if (atomic_compare_exchange_strong_explicit(&reach_at[p->first + i], &theirs, mine, memory_order_release,
						    memory_order_acquire))
		return mine;
	SYS(SYS_munmap, mine, p->bytes);
	return theirs;
}

/* Unmaps it.  No thread may be using it. */
static void unmap_piece(enum arena_part part, uint32_t i)
{
	void *at = atomic_exchange_explicit(&reach_at[parts[part].first + i], NULL, memory_order_relaxed);

	if (at)
		SYS(SYS_munmap, at, parts[part].bytes);
}

void reach_end(void)
{
	if (base_was_blank) {
		reach_blank();
		return;
	}
	for (unsigned part = 0; part < sizeof(parts) / sizeof(parts[0]); part++)
		for (uint32_t i = 0; parts[part].first + i < parts[part].end; i++)
			unmap_piece((enum arena_part)part, i);
	reach_settle();
	SYS(SYS_munmap, base, ARENA_SHARED_BYTES);
}

/* ---- rows ------------------------------------------------------------------------------- */

static const struct unwind_row *map_rows(uint32_t first, uint32_t n)
{
	uint64_t begin = offsetof(struct arena, parts.row) + first * (uint64_t)sizeof(struct unwind_row);
	uint64_t page = begin / ARENA_PAGE * ARENA_PAGE;
	uint64_t end = begin + n * (uint64_t)sizeof(struct unwind_row);
	const char *at = map(page, (size_t)((end - page + ARENA_PAGE - 1) / ARENA_PAGE * ARENA_PAGE));

	return at ? (const struct unwind_row *)(const void *)(at + (begin - page)) : none;
}

const struct unwind_row *reach_rows(uint32_t first, uint32_t n)
{
	uint32_t at = first * 0x9e3779b9u >> 16;

	if (n == 0 || first >= ARENA_ROWS || n > ARENA_ROWS - first)
		return NULL;
	for (unsigned probe = 0; probe < PROBES; probe++) {
		unsigned i = (at + probe) % ROWS_KNOWN;
		uint32_t key = atomic_load_explicit(&known[i].key, memory_order_relaxed);
		const struct unwind_row *rows, *mine;

		if (key == 0 && atomic_compare_exchange_strong_explicit(&known[i].key, &key, first + 1, memory_order_relaxed,
									memory_order_relaxed))
			key = first + 1;
		if (key != first + 1)
			continue;
		rows = atomic_load_explicit(&known[i].rows, memory_order_acquire);
		if (unlikely(!rows)) {
			mine = map_rows(first, n);
			atomic_store_explicit(&known[i].n, n, memory_order_relaxed);
			/*
			 * If two threads come here at once, one mapping is wasted.  That is
			 * rare, and costs a few pages of address space.
			 */
			if (atomic_compare_exchange_strong_explicit(&known[i].rows, &rows, mine, memory_order_release,
								    memory_order_acquire))
				rows = mine;
		}
		return rows == none ? NULL : rows;
	}
	return NULL;
}

static void forget_rows(void)
{
	for (unsigned i = 0; i < ROWS_KNOWN; i++) {
		const struct unwind_row *rows = atomic_exchange_explicit(&known[i].rows, NULL, memory_order_relaxed);
		uint32_t n = atomic_exchange_explicit(&known[i].n, 0, memory_order_relaxed);
		uintptr_t lo = (uintptr_t)rows / ARENA_PAGE * ARENA_PAGE, hi = (uintptr_t)(rows + n);

		if (rows && rows != none)
			SYS(SYS_munmap, lo, (hi - lo + ARENA_PAGE - 1) / ARENA_PAGE * ARENA_PAGE);
		atomic_store_explicit(&known[i].key, 0, memory_order_relaxed);
	}
}

/* Another mapping in the place of one, at once: private, of zeroes, that takes no memory while nobody writes. */
static void blank(void *at, size_t bytes)
{
	SYS(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void reach_blank(void)
{
	reach_settle();
	forget_rows();
	for (const struct part *p = parts; p < parts + sizeof(parts) / sizeof(parts[0]); p++)
		for (uint32_t i = p->first; i < p->end; i++) {
			void *at = atomic_exchange_explicit(&reach_at[i], NULL, memory_order_relaxed);

			if (!at)
				continue;
			blank(at, p->bytes);
			atomic_store_explicit(&blank_at[i], at, memory_order_relaxed);
		}
	blank(base, ARENA_SHARED_BYTES);
	base_is_blank = true;
}
