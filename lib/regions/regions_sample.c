/*
 * regions_sample: charges samples to regions.  Facts about an address are looked up
 * once and kept (struct place), because a run takes many samples at few addresses.  A
 * line's ranges are those in the compile units in which it was sampled; copies
 * elsewhere have no samples, so they take no time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "regions/regions_parts.h"

enum { INLINE_DEPTH = 32, PLACE_REGIONS = INLINE_DEPTH };

struct place {
	uint64_t off;
	unsigned module;          /* id; 0: free slot */
	uint64_t leaf[CLASSES];   /* samples with this innermost address, in this run; while waiting, in periods */
	unsigned n;               /* regions that samples at this address are charged to */
	struct region *region[PLACE_REGIONS];
	unsigned asked;           /* regions->asked when the following was computed */
	unsigned nwide;           /* requested functions and classes that contain this address */
	struct region *wide[PLACE_REGIONS];
	struct region *fallback;  /* the function for samples without a line; NULL: none */
	bool fell_back;           /* `fallback` has been looked up */
};

/*
 * Code at `off`, and around it, is charged to no line, but to its caller: a function from
 * outside the scope (an instance of a template), a part of one, or code without debug
 * information.  The runtime has to look further out there, too.
 */
static void pass(struct regions *r, struct mapping *mod, uint64_t off)
{
	struct range extent = { off, off + 1 }, *ranges = NULL, *uncharged;
	const char *symbol;
	size_t n = 0;

	if (mapping_passes(mod, off))
		return;
	r->passed_more = true;
	if (image_debug(mod->image) != IMAGE_DWARF) {
		mapping_pass(mod, &(struct range){ 0, arena_offset_of(UINT64_MAX) }, 1);
		return;
	}
	symbol = image_symbol(mod->image, off);
	if (symbol)
		n = image_function_ranges(mod->image, symbol, &ranges);
	else
		image_extent(mod->image, off, &extent);
	n = image_uncharged_ranges(mod->image, off, symbol ? ranges : &extent, symbol ? n : 1, mapping_file_in_scope, mod, &uncharged);
	mapping_pass(mod, uncharged, n);
	free(uncharged);
	free(ranges);
}

static void charge_line(struct regions *r, struct mapping *mod, struct place *p)
{
	struct frame at;

	if (image_charge_line(mod->image, p->off, mapping_file_in_scope, mod, &at))
		p->region[p->n++] = regions_line(r, mod, p->off, &at);
	else
		pass(r, mod, p->off);
}

static void charge_functions(struct regions *r, struct mapping *mod, struct place *p)
{
	struct frame frames[INLINE_DEPTH];
	size_t n = image_frames(mod->image, p->off, frames, INLINE_DEPTH);
	struct frame symbol = { 0 };

	if (n == 0 && (symbol.function = image_symbol(mod->image, p->off)) != NULL) {
		frames[0] = symbol;
		n = 1;
	}
	for (size_t i = 0; i < n && i < INLINE_DEPTH && p->n < PLACE_REGIONS; i++) {
		struct region *g;

		if (!frames[i].function || regions_is_root(frames[i].function) || !mapping_file_in_scope(frames[i].file, mod) ||
		    !mapping_function_in_scope(frames[i].function, mod))
			continue;
		g = regions_function(r, mod, &frames[i]);
		if (g->nranges > 0 && (p->n == 0 || p->region[p->n - 1] != g))
			p->region[p->n++] = g;
	}
}

/* Then functions of libraries may be regions, too, except those excluded by name. */
static bool may_fall_back(struct mapping *mod, uint64_t off)
{
	struct frame frames[INLINE_DEPTH];
	size_t n;

	/* No pattern can exclude it, so debug information is not read. */
	if (mod->wanted && mod->scope->exclude.n == 0)
		return true;
	n = image_frames(mod->image, off, frames, INLINE_DEPTH);
	return mapping_is_wanted(mod, n > 0 && n <= INLINE_DEPTH ? frames[n - 1].file : NULL);
}

/* The region, if its function is in scope. */
static struct region *in_scope(struct region *g, struct mapping *mod)
{
	return g && mapping_function_in_scope(g->function, mod) ? g : NULL;
}

static struct place *slot_of(struct place *places, size_t cap, unsigned module, uint64_t off)
{
	size_t i = (off * 0x9e3779b97f4a7c15u >> 20 ^ module) & (cap - 1);

	while (places[i].module && (places[i].module != module || places[i].off != off))
		i = (i + 1) & (cap - 1);
	return &places[i];
}

static struct place *place_of(struct regions *r, struct mapping *mod, uint64_t off)
{
	struct place *p;

	if (r->nplaces * 2 >= r->places_cap) {
		size_t cap = r->places_cap ? r->places_cap * 2 : 1024;
		struct place *bigger = xcalloc(cap, sizeof(*bigger));

		for (size_t i = 0; i < r->places_cap; i++)
			if (r->places[i].module)
				*slot_of(bigger, cap, r->places[i].module, r->places[i].off) = r->places[i];
		free(r->places);
		r->places = bigger;
		r->places_cap = cap;
	}
	p = slot_of(r->places, r->places_cap, mod->id, off);
	if (p->module)
		return p;
	p->module = mod->id;
	p->off = off;
	r->nplaces++;
	if (!mod->own || !mapping_image(mod))
		return p;
	if (r->mode == REGION_LINE)
		charge_line(r, mod, p);
	else
		charge_functions(r, mod, p);
	return p;
}

static bool region_holds(const struct region *g, const struct place *p, uint64_t place)
{
	if (g->scope == REGION_CLASS)
		return regions_covers(g, place);
	return (g->module == p->module && regions_covers(g, p->off)) || regions_stands_in(g, place);
}

/*
 * Regions found by sampling are charged according to the mode; requested functions and
 * classes are charged wherever their code is.
 */
static void find_wide(struct regions *r, struct place *p)
{
	uint64_t place = arena_place(p->module, p->off);

	if (p->asked == r->asked)
		return;
	p->asked = r->asked;
	p->nwide = 0;
	for (size_t i = 0; i < r->n && p->nwide < PLACE_REGIONS; i++) {
		struct region *g = r->v[i];

		if (!(g->named || g->given || (g->has_calls && !g->only_part)) || g->scope == REGION_LINE || g->scope == REGION_PATH)
			continue;
		if (region_holds(g, p, place))
			p->wide[p->nwide++] = g;
	}
}

static void charge(struct regions *r, struct region *g, const struct arena_sample *s)
{
	if (g->stamp == r->taken)
		return;
	g->stamp = r->taken;
	if (r->ncharged < REGIONS_CHARGED)
		r->charged[r->ncharged++] = g;
	if (s->class == CLASS_CPU) {
		g->samples += s->weight;
		g->all_samples += s->weight;
	} else {
		g->blocked += s->weight;
		g->all_blocked += s->weight;
	}
}

/* A majority vote (Boyer, Moore 1981) on the callee in which a function spends its samples; NULL: in none. */
static void vote(struct region *g, struct region *callee, uint64_t weight)
{
	if (g->callee == callee) {
		g->through += weight;
	} else if (g->through >= weight) {
		g->through -= weight;
	} else {
		g->callee = callee;
		g->through = weight - g->through;
	}
}

/* Charges a frame of the stack.  *callee is the function that was charged before; it is set to this one. */
static void charge_frame(struct regions *r, struct region *g, const struct arena_sample *s, struct region **callee)
{
	charge(r, g, s);
	if (g->scope != REGION_FUNCTION || g->voted == r->taken)
		return;
	g->voted = r->taken;
	vote(g, *callee, s->weight);
	*callee = g;
}

static struct mapping *module_of(struct regions *r, uint64_t place)
{
	return mapping_of(r->modules, arena_module_of(place));
}

/*
 * The number of frames without those in which every thread begins: those of libc, and _start.  *starts: the last of them is
 * main, because libc called it from _start.
 */
static uint32_t without_base(struct regions *r, const struct arena_sample *s, bool *starts)
{
	uint32_t n = s->nframes < ARENA_FRAMES ? s->nframes : ARENA_FRAMES, all;
	struct mapping *mod = n > 0 && s->nframes < ARENA_FRAMES ? module_of(r, s->place[n - 1]) : NULL;
	bool first = mod && !mapping_is_libc(mod) && mapping_image(mod) && image_is_entry(mod->image, arena_offset_of(s->place[n - 1]));

	n -= first;
	all = n;
	while (n > 1) {
		mod = module_of(r, s->place[n - 1]);
		if (!mod || !mapping_is_libc(mod))
			break;
		n--;
	}
	*starts = first && n < all;
	return n;
}

/*
 * Charges functions.  A sample without a line (`alone`) creates regions for the
 * program's own functions, and for functions of libraries that they call.  Other
 * samples count for such regions, too, because the runtime looks for them on every
 * stack.  A wrapper of the runtime counts as the function of libc that it wraps.
 */
static void charge_fallback(struct regions *r, const struct arena_sample *s, bool alone)
{
	struct region *callee = NULL;
	bool own = false, starts;
	uint32_t n = without_base(r, s, &starts);

	for (uint32_t i = 0; i < n; i++) {
		struct mapping *mod = module_of(r, s->place[i]);
		struct place *p;

		if (!mod || (own && !mod->own))
			continue;
		own = own || mod->own;
		p = place_of(r, mod, arena_offset_of(s->place[i]));
		if (alone && !p->fell_back && mapping_image(mod)) {
			if (may_fall_back(mod, p->off))
				p->fallback = in_scope((mapping_is_runtime(mod) ? regions_stood_in : regions_fallback)(r, mod, p->off), mod);
			p->fell_back = true;
		}
		if (!p->fallback)
			continue;
		if (starts && i == n - 1 && p->fallback->nameless)
			p->fallback->is_main = true;
		charge_frame(r, p->fallback, s, &callee);
	}
	r->fell_back = r->fell_back || (alone && callee);
}

/* Counts the sample at place[0], its innermost address outside of the runtime, by the calls that led there. */
static void count_chain(struct regions *r, const uint64_t *place, size_t n, bool more, enum arena_class class, uint64_t weight)
{
	uint64_t chain[ARENA_FRAMES];
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		const struct mapping *mod = module_of(r, place[i]);

		if (mod && !mapping_is_runtime(mod))
			chain[known++] = place[i];
	}
	callers_count(&r->callers, chain, known, more, class, weight);
}

/*
 * A wait for a peer or for a processor is charged only to its class: faster code at the
 * waiting thread would not shorten it.
 */
void regions_sample(struct regions *r, const struct arena_sample *s)
{
	enum arena_class class = s->class < CLASSES ? (enum arena_class)s->class : CLASS_CPU;
	uint32_t n = s->nframes < ARENA_FRAMES ? s->nframes : ARENA_FRAMES;
	struct region *callee = NULL;
	bool leaf = false;    /* a wrapper's time belongs to its caller */
	bool decided = false; /* the address whose line is charged */
	bool charged = false;

	r->taken++;
	r->ncharged = 0;
	if (class == CLASS_CPU) {
		r->samples += s->weight;
		r->all_samples += s->weight;
	} else {
		r->blocked += s->weight;
		/* Others are charged to no region, and a pool of threads that take turns has many times more of them than work. */
		if (class != CLASS_LOCK && class != CLASS_RUNQUEUE)
			r->all_blocked += s->weight;
	}
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i]->scope == REGION_CLASS && class != CLASS_CPU && r->v[i]->class == class)
			charge(r, r->v[i], s);
	for (uint32_t i = 0; i < n; i++) {
		struct mapping *mod = module_of(r, s->place[i]);
		struct place *p;

		if (!mod)
			continue;
		p = place_of(r, mod, arena_offset_of(s->place[i]));
		if (!leaf && !mapping_is_runtime(mod)) {
			p->leaf[class] += s->weight;
			leaf = true;
			count_chain(r, s->place + i, n - i, s->nframes >= ARENA_FRAMES, class, s->weight);
		}
		if (class == CLASS_LOCK || class == CLASS_RUNQUEUE) {
			if (leaf)
				return;
			continue;
		}
		find_wide(r, p);
		for (unsigned k = 0; k < p->nwide; k++)
			charge(r, p->wide[k], s);
		for (unsigned k = 0; k < p->n && !decided; k++)
			charge_frame(r, p->region[k], s, &callee);
		charged = charged || p->n > 0;
		decided = r->mode == REGION_LINE && charged;
		/* The callers matter only to regions that are functions. */
		if (decided && !r->asked && !regions_need_stacks(r))
			break;
	}
	for (size_t i = 0; i < r->n && r->npaths > 0; i++)
		if (r->v[i]->scope == REGION_PATH && (r->v[i]->named || r->v[i]->given) && regions_path_holds(r, r->v[i], s))
			charge(r, r->v[i], s);
	/*
	 * Otherwise a thread that waits again and again with a time limit (such as xz's
	 * first one) would have the largest share.
	 */
	if (!r->only_named && class != CLASS_SLEEP && (!charged || r->fell_back))
		charge_fallback(r, s, !charged);
}

bool regions_coarsen(struct regions *r)
{
	if (r->mode != REGION_LINE)
		return false;
	r->mode = REGION_FUNCTION;
	r->coarse = true;
	r->samples = r->all_samples = r->blocked = r->all_blocked = 0;
	for (size_t i = 0; i < r->n; i++)
		r->v[i]->samples = r->v[i]->all_samples = r->v[i]->blocked = r->v[i]->all_blocked = 0;
	free(r->places);
	r->places = NULL;
	r->nplaces = r->places_cap = 0;
	callers_new_run(&r->callers);
	return true;
}

/* The slot has no samples in this run. */
static void forget_leaves(struct regions *r)
{
	for (size_t i = 0; i < r->places_cap; i++)
		memset(r->places[i].leaf, 0, sizeof(r->places[i].leaf));
}

void regions_new_run(struct regions *r)
{
	r->samples = r->blocked = 0;
	for (size_t i = 0; i < r->n; i++)
		r->v[i]->samples = r->v[i]->blocked = 0;
	forget_leaves(r);
	callers_new_run(&r->callers);
}

void regions_leaves(struct regions *r,
		    void (*fn)(void *arg, unsigned module, uint64_t off, enum arena_class class, uint64_t count), void *arg)
{
	for (size_t i = 0; i < r->places_cap; i++)
		for (int class = 0; class < CLASSES && r->places[i].module; class++)
			if (r->places[i].leaf[class])
				fn(arg, r->places[i].module, r->places[i].off, (enum arena_class)class, r->places[i].leaf[class]);
}
