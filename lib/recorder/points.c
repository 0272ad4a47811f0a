/*
 * Counters: a window is opened by the first look that finds the count changed.  Its
 * time is that of the look, so it is later than the visit by up to the time between two
 * looks.  Its clock is now - G, that of a thread without debt.  A thread that has not
 * paid since its last sample is ahead of that by at most the credit of one period.
 * Both ends of a window are equally late on average, so what remains is noise, of a few
 * parts in ten thousand of a window.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/msg.h"
#include "format.h"
#include "format/record.h"
#include "recorder/points.h"
#include "target/shared.h"
#include "target/uprobe.h"

enum {
	HOT_PCT = 5,           /* limit on the share of one processor that hits of one place may take */
	COOL_FIRST_MS = 250,   /* time until the rate is first judged */
	COOL_MS = 1000,        /* time between later judgements */
	UNCALLED_MS = 1000,    /* a function of a library that other modules do not call for so long may be called inside the library */
};

void points_init(struct points *p, struct arena *arena, struct journal *journal, struct regions *regions, char *const *names,
		 size_t n)
{
	*p = (struct points){ .arena = arena, .journal = journal, .regions = regions, .nwanted = n };
	spans_init(&p->spans, arena);
	p->wanted = xcalloc(n + 1, sizeof(*p->wanted));
	for (size_t i = 0; i < n; i++) {
		p->wanted[i].name = p->wanted[i].symbol = names[i];
		p->wanted[i].library = regions_library(names[i]);
		if (p->wanted[i].library)
			p->wanted[i].symbol += p->wanted[i].library + 1;
	}
}

void points_release(struct points *p)
{
	free(p->wanted);
	spans_release(&p->spans);
	p->wanted = NULL;
	p->nwanted = 0;
}

void points_new_run(struct points *p, struct arena *arena, unsigned run)
{
	p->arena = arena;
	p->run = run;
	spans_init(&p->spans, arena);
	automatic_new_run(&p->automatic, arena);
	for (size_t i = 0; i < p->nwanted; i++) {
		p->wanted[i].placed = false;
		p->wanted[i].point = 0;
		p->wanted[i].visits = 0;
		p->wanted[i].looked_ns = 0;
		p->wanted[i].call = NULL;
		p->wanted[i].backed = false;
	}
}

/* ---- places in code ------------------------------------------------------------------- */

static void warn_about_point(struct points *p, struct wanted_point *w, const char *what, char *text)
{
	if (!w->refused)
		msg_warn("%s", text);
	w->refused = true;
	journal_warning(p->journal, p->run, what, text);
	free(text);
}

/*
 * Can the name be that of a function of a library?  Not a glob, a line or a class; and
 * names of C++ must be linkage names.
 */
static bool is_plain(const char *name)
{
	return *name && !(*name >= '0' && *name <= '9') && strlen(name) < ARENA_POINT_NAME &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

void points_prepare(struct points *p, struct arena *arena)
{
	size_t n = 0;

	arena->uprobe_type = p->nwanted > 0 ? uprobe_type() : 0;
	for (size_t i = 0; i < p->nwanted && n < ARENA_CALLS; i++) {
		const struct wanted_point *w = &p->wanted[i];

		if (!is_plain(w->symbol) || w->library >= ARENA_LIBRARY)
			continue;
		memcpy(arena->call[n].library, w->name, w->library);
		strcpy(arena->call[n++].name, w->symbol);
	}
}

/*
 * Is the function at that offset the only one in at[0..n)?  The program's own modules
 * may have several functions of the name, of which some are not called through slots.
 * Further ones in libraries of the system are other versions, and do no harm.  Of more
 * than at[] has room for, it is not known.
 */
static bool is_meant(const struct points *p, uint64_t off, const struct spot *at, size_t n)
{
	for (size_t k = 0; k < n && n <= ARENA_BREAKS; k++) {
		const struct mapping *mod = mapping_of(p->regions->modules, arena_module_of(at[k].place));

		if (arena_offset_of(at[k].place) == off)
			return n == 1 || (mod && !mod->own);
	}
	return false;
}

/* The function that w means, if the runtime can count its calls; else NULL. */
static struct arena_call *call_of(const struct points *p, const struct wanted_point *w)
{
	for (size_t i = 0; i < ARENA_CALLS; i++) {
		struct arena_call *c = &p->arena->call[i];

		if (strncmp(c->name, w->symbol, sizeof(c->name)) != 0 || strnlen(c->library, sizeof(c->library)) != w->library ||
		    memcmp(c->library, w->name, w->library) != 0)
			continue;
		/* Pairs with the release in redirect.c: `off` is written before. */
		if (atomic_load_explicit(&c->slots, memory_order_acquire) > 0 && is_meant(p, atomic_load(&c->off), w->at, w->nat))
			return c;
	}
	return NULL;
}

static bool is_seen(const struct arena_call *call)
{
	return atomic_load_explicit(&call->seen, memory_order_relaxed) != 0;
}

/* Counts the calls of w, if the runtime can. */
static bool place_call(struct points *p, struct wanted_point *w)
{
	struct arena_call *call = call_of(p, w);

	if (!call)
		return false;
	if (w->point <= 0)
		w->point = arena_add_point(p->arena, w->name, POINT_CALL);
	if (w->point <= 0)
		return false;
	w->call = call;
	p->arena->point[w->point - 1].kind = POINT_CALL;
	for (uint32_t i = 0; i < shared_breaks(p->arena); i++)
		if (p->arena->brk[i].point == (uint32_t)w->point)
			atomic_store(&p->arena->brk[i].call, (uint32_t)(call - p->arena->call) + 1);
	atomic_store(&call->point, (uint32_t)w->point);
	return true;
}

/* Number of the processor's breakpoints that are not used yet. */
static size_t registers_left(const struct points *p)
{
	size_t used = 0;

	if (atomic_load(&p->arena->break_errno))
		return 0;
	/* More than there are, if the file of a probe was not known. */
	for (uint32_t i = 0; i < shared_breaks(p->arena); i++)
		used += !p->arena->brk[i].file[0];
	return used < BREAK_REGISTERS ? BREAK_REGISTERS - used : 0;
}

/* Number of places that can be watched in addition. */
static size_t left(const struct points *p)
{
	return p->arena->uprobe_type ? ARENA_BREAKS - shared_breaks(p->arena) : registers_left(p);
}

/* Makes it a probe of the kernel, if the file is known. */
static void probe_at(const struct points *p, struct arena_break *b)
{
	const struct mapping *mod = mapping_of(p->regions->modules, arena_module_of(b->place));

	if (mod && mod->image && strlen(mod->path) < sizeof(b->file) && image_file_offset(mod->image, arena_offset_of(b->place), &b->file_off))
		strcpy(b->file, mod->path);
}

/* Why the places of w cannot have breakpoints, as text (the caller frees it); NULL: they can. */
static char *why_no_breaks(const struct points *p, const struct wanted_point *w)
{
	struct arena *a = p->arena;

	if (atomic_load(&a->sampler) != SAMPLER_PERF)
		return xasprintf("no progress point at '%s': breakpoints need perf, which is %s", w->name,
				 a->want_sampler == SAMPLER_TIMER ? "not used" : "refused");
	if (w->nat <= left(p))
		return NULL;
	if (a->uprobe_type)
		return xasprintf("no progress point at '%s': it is %zu places, and there are %zu breakpoints and probes left", w->name, w->nat,
				 left(p));
	if (atomic_load(&a->break_errno) == BREAK_NEVER_HIT)
		return xasprintf("no progress point at '%s': this machine takes breakpoints, but never hits them, as some virtual "
				 "machines do", w->name);
	if (atomic_load(&a->break_errno))
		return xasprintf("no progress point at '%s': breakpoints are refused: %s", w->name,
				 strerror(atomic_load(&a->break_errno)));
	if (w->nat > BREAK_REGISTERS)
		return xasprintf("no progress point at '%s': it is %zu places, and the processor has four breakpoints in all", w->name,
				 w->nat);
	return xasprintf("no progress point at '%s': the processor has four breakpoints in all", w->name);
}

/* Breakpoints at the places of w, which has a point. */
static void arm(struct points *p, const struct wanted_point *w)
{
	struct arena *a = p->arena;
	uint32_t used = shared_breaks(a);
	size_t registers = registers_left(p);

	for (size_t k = 0; k < w->nat && used + k < ARENA_BREAKS; k++) {
		struct arena_break *b = &a->brk[used + k];

		*b = (struct arena_break){ .place = w->at[k].place,
					   .semaphore = w->at[k].semaphore,
					   .point = (uint32_t)w->point,
					   .call = w->call ? (uint32_t)(w->call - a->call) + 1 : 0 };
		if (registers > 0)
			registers--;
		else
			probe_at(p, b);
	}
	atomic_store_explicit(&a->breaks_used, used + (uint32_t)w->nat, memory_order_relaxed);
	/* Pairs with the acquire in breakpoint_look. */
	atomic_fetch_add_explicit(&a->breaks_version, 1, memory_order_release);
}

static void place_wanted(struct points *p, struct wanted_point *w)
{
	char *refusal;

	w->nat = regions_locate(p->regions, w->name, w->at, ARENA_BREAKS);
	if (w->nat == 0)
		return; /* the place may be in a module that is loaded later; if not, diagnose.c reports it */
	w->found = w->placed = true;
	if (place_call(p, w))
		return;
	refusal = why_no_breaks(p, w);
	if (refusal) {
		warn_about_point(p, w, "no-such-point", refusal);
		return;
	}
	w->point = arena_add_point(p->arena, w->name, POINT_BREAK);
	if (w->point > 0)
		arm(p, w);
}

void points_place(struct points *p)
{
	for (size_t i = 0; i < p->nwanted; i++)
		if (!p->wanted[i].placed && !p->wanted[i].hot)
			place_wanted(p, &p->wanted[i]);
}

static bool is_given_up(const struct points *p, uint32_t point)
{
	uint32_t used = shared_breaks(p->arena);

	for (uint32_t i = 0; i < used; i++)
		if (p->arena->brk[i].point == point + 1 && atomic_load(&p->arena->brk[i].off))
			return true;
	return false;
}

static void give_up(struct points *p, uint32_t point)
{
	uint32_t used = shared_breaks(p->arena);

	for (uint32_t i = 0; i < used; i++)
		if (p->arena->brk[i].point == point + 1)
			atomic_store(&p->arena->brk[i].off, BREAK_TOO_HOT);
	atomic_fetch_add_explicit(&p->arena->breaks_version, 1, memory_order_release);
}

static double cost_us(const struct points *p)
{
	uint64_t ns = atomic_load(&p->arena->break_cost_ns);

	return (double)(ns ? ns : BREAK_UNMEASURED_NS) / 1000;
}

static void judge_wanted(struct points *p, struct wanted_point *w, int64_t now)
{
	uint32_t point = (uint32_t)w->point - 1;
	uint64_t visits = points_visits(p, point);
	bool given_up = is_given_up(p, point);
	double rate;

	if (!w->looked_ns || visits == 0) {
		/* The time before the first thread watches it does not count. */
		w->looked_ns = now;
		if (!given_up)
			return;
	}
	if (!given_up && now - w->looked_ns < (w->visits ? COOL_MS : COOL_FIRST_MS) * MS)
		return;
	rate = (double)(visits - w->visits) / ((double)(now - w->looked_ns) / 1e9);
	w->visits = visits;
	w->looked_ns = now;
	if (!given_up && rate * cost_us(p) / 1e6 < HOT_PCT / 100.)
		return;
	give_up(p, point);
	w->hot = true;
	if (given_up)
		warn_about_point(p, w, "point-too-hot",
		     xasprintf("the progress point '%s' is given up: it is come to so often that little else was done, at %.0f us "
			       "a time; take a function that is called less often, such as one that calls it",
			       w->name, cost_us(p)));
	else
		warn_about_point(p, w, "point-too-hot",
		     xasprintf("the progress point '%s' is given up: %.0f visits a second at %.0f us each take more than %d %% of a "
			       "processor; take a function that is called less often, such as one that calls it",
			       w->name, rate, cost_us(p), HOT_PCT));
}

/* A function of a library whose calls are not seen: does the library call it itself? */
static void back_up(struct points *p, struct wanted_point *w, int64_t now)
{
	char *refusal;

	if (!w->looked_ns)
		w->looked_ns = now;
	if (now - w->looked_ns < UNCALLED_MS * MS)
		return;
	w->backed = true;
	refusal = why_no_breaks(p, w);
	if (!refusal)
		arm(p, w);
	free(refusal);
}

void points_cool(struct points *p, int64_t now_ns)
{
	for (size_t i = 0; i < p->nwanted; i++) {
		struct wanted_point *w = &p->wanted[i];

		/* A program that was started later may call a function that the first program did not. */
		if (w->placed && !w->call && place_call(p, w))
			w->backed = true;
		if (w->point <= 0 || w->hot || (w->call && is_seen(w->call)))
			continue;
		if (w->call && !w->backed)
			back_up(p, w, now_ns);
		else
			judge_wanted(p, w, now_ns);
	}
}

/* ---- visits ----------------------------------------------------------------------------- */

static uint64_t counter(const struct points *p, uint32_t point)
{
	return atomic_load_explicit(&p->arena->point[point].ends.count, memory_order_relaxed);
}

static uint32_t used_points(const struct points *p)
{
	return arena_points(p->arena);
}

uint64_t points_visits(const struct points *p, uint32_t point)
{
	return counter(p, point) + shared_visits(p->arena, point);
}

uint64_t points_most_visits(const struct points *p)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < used_points(p); i++) {
		bool counts = shared_kind(p->arena, i) != POINT_AUTOMATIC && points_is_live(p, i);
		uint64_t visits = counts ? points_visits(p, i) : 0;

		most = visits > most ? visits : most;
	}
	return most;
}

bool points_is_live(const struct points *p, uint32_t point)
{
	if (shared_kind(p->arena, point) == POINT_AUTOMATIC)
		return automatic_is_live(&p->automatic, point);
	if (!is_given_up(p, point))
		return true;
	for (size_t i = 0; i < p->nwanted; i++)
		if (p->wanted[i].point == (int)point + 1 && p->wanted[i].call)
			return is_seen(p->wanted[i].call);
	return false;
}

/* ---- counters ---------------------------------------------------------------------------- */

void points_expect(struct points *p)
{
	for (uint32_t i = 0; i < used_points(p); i++)
		p->before[i] = counter(p, i);
}

/* As point_open_or_close of the runtime does, for all threads at once. */
static void mark_window(struct points *p, uint32_t point, uint32_t window, bool closing)
{
	struct arena_point *at = &p->arena->point[point];
	_Atomic uint32_t *taken = closing ? &at->close_taken : &at->open_taken;
	uint32_t seen = atomic_load(taken);
	int64_t virtual_ns;
	uint64_t count;

	/* The runtime may also count visits of the same point. */
	if (seen == window || !atomic_compare_exchange_strong(taken, &seen, window))
		return;
	virtual_ns = now_ns() - vclock_owed(&p->arena->clock);
	count = points_visits(p, point);
	if (closing) {
		at->close_begins = atomic_load(&at->begins.count);
		at->close_count = count;
		at->close_ns = virtual_ns;
		atomic_store_explicit(&at->closed, window, memory_order_release);
	} else {
		at->open_begins = atomic_load(&at->begins.count);
		at->open_count = count;
		at->open_ns = virtual_ns;
		atomic_store_explicit(&at->opened, window, memory_order_release);
	}
}

bool points_look(struct points *p, uint32_t window, bool closing)
{
	bool more = false;

	for (uint32_t i = 0; i < used_points(p); i++) {
		struct arena_point *at = &p->arena->point[i];

		if (!atomic_load_explicit(&at->counted, memory_order_acquire))
			continue;
		if (closing && atomic_load(&at->opened) != window)
			continue; /* nothing to close */
		if (atomic_load(closing ? &at->closed : &at->opened) == window)
			continue;
		if (counter(p, i) != p->before[i])
			mark_window(p, i, window, closing);
		else
			more = true;
	}
	return more;
}

/* ---- the log ------------------------------------------------------------------------------ */

static const char *name_of(enum point_kind kind)
{
	static const char *const name[] = {
		[POINT_THROUGHPUT] = "throughput",
		[POINT_LATENCY] = "latency",
		[POINT_BREAK] = "breakpoint",
		[POINT_CALL] = "call",
		[POINT_AUTOMATIC] = "automatic",
	};

	return name[kind];
}

void points_log(struct points *p)
{
	struct buf *b = &p->journal->line;

	for (uint32_t i = 0; i < used_points(p); i++) {
		enum point_kind kind = shared_kind(p->arena, i);

		record_begin(b, AW_POINT);
		record_u64(b, "run", p->run);
		record_u64(b, "id", i + 1);
		record_str(b, "name", shared_name(p->arena, i));
		record_str(b, "kind", name_of(kind));
		record_u64(b, "visits", points_visits(p, i));
		if (kind == POINT_LATENCY) {
			record_u64(b, "begins", spans_begins(&p->spans, i));
			record_u64(b, "measured", spans_measured(&p->spans, i));
		}
		if (kind == POINT_BREAK)
			record_u64(b, "cost_ns", atomic_load(&p->arena->break_cost_ns));
		/* An automatic point without progress in the last window. */
		if (kind != POINT_AUTOMATIC && !points_is_live(p, i))
			record_str(b, "given_up", "too-hot");
		record_end(b);
	}
	journal_flush(p->journal);
}
