#include "profile/why.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"
#include "profile/inlined.h"

static const double RUNS_IT = 0.1;       /* a thread "runs" a region that has this share of its samples */
static const double WORTH_SAYING = 0.05; /* least share of a wait in the threads' time */

/* ---- places in words ---------------------------------------------------------- */

struct frame {
	const char *function; /* NULL: not known */
	const char *place;    /* "FILE:LINE", in the program's own source; NULL: it is elsewhere */
};

/*
 * Describes the first frame in the program's own source, and the function that it is
 * inlined in.  Without such a frame, describes the called function.
 */
static char *words_of(struct frame first, char *inlined_by)
{
	struct frame own = first, caller = { 0 };
	struct inlined inlined;

	while (!caller.function && inlined_next(&inlined_by, &inlined)) {
		struct frame f = { inlined.function, inlined.place && path_is_own_source(inlined.place) ? inlined.place : NULL };

		if (!own.place)
			own = f;
		else if (f.place)
			caller = f;
	}
	if (!own.place)
		return xstrdup(own.function ? own.function : "?");
	if (!own.function)
		return xstrdup(path_name(own.place));
	return xasprintf("%s (%s%s%s)", path_name(own.place), own.function, caller.function ? " in " : "", caller.function ? caller.function : "");
}

char *why_place(struct record *rec)
{
	const char *file = record_get(rec, "file"), *line = record_get(rec, "line"), *inlined_by = record_get(rec, "inlined_by");
	char *chain = inlined_by ? xstrdup(inlined_by) : NULL, *words;
	char *place = file && line && path_is_own_source(file) ? xasprintf("%s:%s", file, line) : NULL;

	words = words_of((struct frame){ record_get(rec, "function"), place }, chain);
	free(place);
	free(chain);
	return words;
}

/* ---- threads ------------------------------------------------------------------ */

struct thread {
	double life_ns;    /* time in bursts */
	double sampled_ns; /* processor time, by samples */
	double region_ns;  /* processor time in the region */
};

struct why {
	struct observed *o;
	const struct replay *r;
	struct idmap thread_at; /* by id */
	struct thread *thread;  /* owned */
	size_t nthreads, cap;
};

static struct thread *thread_of(struct why *w, uint32_t id)
{
	size_t at = idmap_at(&w->thread_at, id, w->nthreads);

	if (at == w->nthreads) {
		w->thread = xgrow(w->thread, w->nthreads, &w->cap, sizeof *w->thread);
		w->thread[w->nthreads++] = (struct thread){ 0 };
	}
	return &w->thread[at];
}

struct why *why_begin(struct observed *o, const struct replay *r)
{
	struct why *w = xcalloc(1, sizeof *w);

	w->o = o;
	w->r = r;
	for (size_t b = 0; b < o->nbursts; b++)
		for (size_t t = 0; t < o->burst[b].n; t++) {
			const struct burst_thread *of = &o->burst[b].thread[t];
			struct thread *thread = thread_of(w, of->id);
			int64_t first;

			if (of->n == 0)
				continue;
			first = of->event[0].at_ns - of->event[0].waited_ns;
			thread->life_ns += (double)(of->event[of->n - 1].at_ns - (first > 0 ? first : 0));
			for (size_t i = 0; i < of->n; i++)
				if (of->event[i].kind == BURST_SAMPLE)
					thread->sampled_ns += (double)of->event[i].waited_ns;
		}
	return w;
}

void why_end(struct why *w)
{
	idmap_release(&w->thread_at);
	free(w->thread);
	free(w);
}

static void find_who_runs(struct why *w, size_t region)
{
	for (size_t i = 0; i < w->nthreads; i++)
		w->thread[i].region_ns = 0;
	for (size_t b = 0; b < w->o->nbursts; b++)
		for (size_t t = 0; t < w->o->burst[b].n; t++) {
			const struct burst_thread *of = &w->o->burst[b].thread[t];
			struct thread *thread = thread_of(w, of->id);

			for (size_t i = 0; i < of->n; i++) {
				const struct burst_event *e = &of->event[i];

				if (e->kind == BURST_SAMPLE && e->object > 0 && e->object <= w->o->nstacks &&
				    observed_is_charged(&w->o->stack[e->object - 1], region))
					thread->region_ns += (double)e->waited_ns;
			}
		}
}

static bool runs_it(const struct thread *t)
{
	return t->region_ns > 0 && t->region_ns >= RUNS_IT * t->sampled_ns;
}

/* ---- waits -------------------------------------------------------------------- */

/* The number of the text for a place, from 1; 0: unknown. */
static size_t words_at(struct why *w, uint32_t site)
{
	size_t n = w->o->nplaces, place = site ? idmap_at(&w->o->place_at, site, n) : n;

	return place < n ? w->o->place[place] : 0;
}

static const char *words_numbered(const struct why *w, size_t number)
{
	return w->o->place_words.entry[number - 1].key;
}

static bool counts(struct why *w, const struct replay_wait *wait, bool own)
{
	if (!words_at(w, wait->site) || runs_it(thread_of(w, wait->thread)) != own)
		return false;
	return own || (wait->freer && runs_it(thread_of(w, wait->freer)));
}

struct sum {
	double ns;
	size_t at, until; /* numbers of texts */
};

/* The longest waits, by the texts for their places: of the threads that run the region, or of the others. */
static struct sum longest(struct why *w, bool own)
{
	struct idmap sum_at = IDMAP_INIT;
	struct sum *sum = NULL, most = { 0 };
	size_t n = 0, cap = 0, nwaits;
	const struct replay_wait *wait = replay_waits(w->r, &nwaits);

	for (size_t i = 0; i < nwaits; i++) {
		size_t at, until, k;

		if (!counts(w, &wait[i], own))
			continue;
		at = words_at(w, wait[i].site);
		until = words_at(w, wait[i].freed_by);
		k = idmap_at(&sum_at, (uint64_t)at << 32 | until, n);
		if (k == n) {
			sum = xgrow(sum, n, &cap, sizeof *sum);
			sum[n++] = (struct sum){ .at = at, .until = until };
		}
		sum[k].ns += wait[i].ns;
		if (sum[k].ns > most.ns)
			most = sum[k];
	}
	idmap_release(&sum_at);
	free(sum);
	return most;
}

static double time_of(struct why *w, bool own)
{
	double ns = 0;

	for (size_t i = 0; i < w->nthreads; i++)
		if (runs_it(&w->thread[i]) == own)
			ns += w->thread[i].life_ns;
	return ns;
}

static void add_waits(struct why *w, struct context *c, size_t region, bool own)
{
	struct profile *p = c->p;
	struct sum most = longest(w, own);
	double threads_ns = time_of(w, own);

	if (!most.at || most.ns < WORTH_SAYING * threads_ns)
		return;
	p->why = xgrow(p->why, p->nwhys, &p->cap_whys, sizeof *p->why);
	p->why[p->nwhys++] = (struct profile_why){
		.region = c->region[region].place, .own = own, .ns = most.ns, .threads_ns = threads_ns,
		.at = xstrdup(words_numbered(w, most.at)), .until = most.until ? xstrdup(words_numbered(w, most.until)) : NULL,
	};
}

void why_add(struct why *w, struct context *c, size_t region)
{
	find_who_runs(w, region);
	add_waits(w, c, region, true);
	add_waits(w, c, region, false);
}
