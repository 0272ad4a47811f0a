#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/texthash.h"

const char *const trial_mode[MODES] = { "map and hashes", "map alone", "hashes alone", "positions alone" };
const char *const trial_sampling[SAMPLINGS] = { "all", "few" };
const char *const trial_function_mode[FUNCTION_MODES] = { "names alone", "names and hashes", "names and map", "hashes, no names" };

/* ---- lines ---------------------------------------------------------------- */

/* The same answer for the same line, whatever the run; 0..99. */
static unsigned draw(const struct tree *t, const struct line *l, unsigned salt)
{
	uint64_t h = texthash_line(t->file[l->file].path, strlen(t->file[l->file].path));

	h = (h ^ l->number * UINT64_C(0x9e3779b97f4a7c15) ^ salt) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 29) * UINT64_C(0x94d049bb133111eb);
	return (unsigned)((h >> 33) % 100);
}

/* The lines that are places: index[k] is the line of the kth. */
static size_t choose(const struct tree *base, const struct tree *head, bool of_head, enum sampling sampling, size_t *index)
{
	const struct tree *t = of_head ? head : base;
	bool *in = xcalloc(t->nlines + 1, sizeof *in);
	size_t n = 0;

	for (size_t i = 0; i < t->nlines; i++)
		in[i] = sampling == DENSE || draw(t, &t->line[i], 1 + of_head) < (of_head ? 3 : 12);
	/* Head has most of the regions of base. */
	if (of_head && sampling == SPARSE)
		for (size_t i = 0; i < base->nlines; i++)
			if (base->line[i].truth >= TRUE && draw(base, &base->line[i], 1) < 12)
				in[base->line[i].truth - TRUE] = draw(base, &base->line[i], 7) < 75;
	for (size_t i = 0; i < t->nlines; i++)
		if (in[i] && t->line[i].hash != TEXTHASH_NONE && t->line[i].function)
			index[n++] = i;
	free(in);
	return n;
}

static void show(const char *step, enum mode mode, enum sampling sampling, const struct tree *base, const struct line *b,
		 const struct tree *head, const struct line *h, const struct match *m)
{
	printf("wrong %s %s/%s %s %.2f\n  %s:%u %.*s\n  %s:%u %.*s\n", step, trial_mode[mode], trial_sampling[sampling],
	       match_kind_name(m->kind), m->confidence, base->file[b->file].path, b->number, (int)b->len, b->text,
	       head->file[h->file].path, h->number, (int)h->len, h->text);
	if (b->truth >= TRUE) {
		const struct line *t = &head->line[b->truth - TRUE];

		printf("  truth %s:%u %.*s\n", head->file[t->file].path, t->number, (int)t->len, t->text);
	} else {
		printf("  truth: gone\n");
	}
}

static void count(struct trials *all, const char *step, enum mode mode, enum sampling sampling, const struct tree *base, size_t at,
		  const struct tree *head, const bool *there, const size_t *hindex, const struct match *m)
{
	const struct line *b = &base->line[at];
	struct tally *t = &all->lines[mode][sampling][b->changed];
	bool has = b->truth >= TRUE && there[b->truth - TRUE], right;
	int bin;

	if (b->truth == UNKNOWN)
		return;
	t->known += has;
	if (!m) {
		t->missed += has;
		return;
	}
	right = has && hindex[m->head] == b->truth - TRUE;
	t->right += right;
	t->wrong += !right;
	t->right_sure += right && m->confidence >= MATCH_SURE;
	t->wrong_sure += !right && m->confidence >= MATCH_SURE;
	if (all->verbose && !right && m->confidence >= MATCH_SURE)
		show(step, mode, sampling, base, b, head, &head->line[hindex[m->head]], m);
	if (!b->changed)
		return; /* easy ones would hide the others */
	bin = (int)(m->confidence * BINS + 1e-9);
	all->calibration[mode][m->kind][bin].n++;
	all->calibration[mode][m->kind][bin].right += right;
	all->calibration[mode][m->kind][bin].sum += m->confidence;
}

/* The fields that a mode shows to the matcher. */
static struct match_place *seen(const struct tree *t, const size_t *index, size_t n, enum mode mode)
{
	struct match_place *p = xcalloc(n + 1, sizeof *p);

	for (size_t i = 0; i < n; i++) {
		p[i] = t->place[index[i]];
		if (mode == MAP_ALONE || mode == POSITIONS)
			p[i].line_hash = p[i].context_hash = p[i].function_hash = NULL;
	}
	return p;
}

static void try_lines(struct trials *all, const char *step, const struct tree *base, const struct tree *head,
		      const struct linemap *map, enum mode mode, enum sampling sampling)
{
	size_t *bi = xcalloc(base->nlines + 1, sizeof *bi), *hi = xcalloc(head->nlines + 1, sizeof *hi);
	size_t nb = choose(base, head, false, sampling, bi), nh = choose(base, head, true, sampling, hi), n, k = 0;
	struct match_place *b = seen(base, bi, nb, mode), *h = seen(head, hi, nh, mode);
	bool *there = xcalloc(head->nlines + 1, sizeof *there);
	struct match *m;

	for (size_t i = 0; i < nh; i++)
		there[hi[i]] = true;
	n = match_places(b, nb, h, nh, mode == MAP_AND_HASHES || mode == MAP_ALONE ? map : NULL, &m);
	for (size_t i = 0; i < nb; i++) {
		while (k < n && m[k].base < i)
			k++;
		count(all, step, mode, sampling, base, bi[i], head, there, hi, k < n && m[k].base == i ? &m[k] : NULL);
	}
	free(m);
	free(b);
	free(h);
	free(bi);
	free(hi);
	free(there);
}

void trial_of_lines(struct trials *all, const char *step, const struct tree *base, const struct tree *head, const struct linemap *map)
{
	for (enum mode mode = 0; mode < MODES; mode++)
		for (enum sampling sampling = 0; sampling < SAMPLINGS; sampling++)
			try_lines(all, step, base, head, map, mode, sampling);
}

/* ---- functions ------------------------------------------------------------ */

/* The function that has most of its lines, 1 + index; 0: unknown, or gone. */
static size_t true_function(const struct tree *base, size_t at, const struct tree *head)
{
	const struct function *fn = &base->function[at];
	const struct file *f = &base->file[fn->file];
	size_t *votes = xcalloc(head->nfunctions + 1, sizeof *votes), best = 0, all = 0;

	for (size_t i = f->first + fn->first - 1; i < f->first + fn->last; i++) {
		if (base->line[i].hash == TEXTHASH_NONE || base->line[i].truth == UNKNOWN)
			continue;
		all++;
		if (base->line[i].truth >= TRUE)
			votes[head->line[base->line[i].truth - TRUE].function]++;
	}
	for (size_t i = 1; i <= head->nfunctions; i++)
		if (2 * votes[i] > all)
			best = i;
	free(votes);
	return best;
}

/* With hidden names, functions are named by their order and their side. */
static struct match_place *functions_of(const struct tree *t, enum function_mode mode, const char *side)
{
	struct match_place *p = xcalloc(t->nfunctions + 1, sizeof *p);

	for (size_t i = 0; i < t->nfunctions; i++) {
		const struct function *fn = &t->function[i];

		p[i] = (struct match_place){ .scope = "function", .file = t->file[fn->file].path, .module = "prog",
					     .line = fn->first, .function_line = fn->first };
		p[i].function = p[i].symbol = mode == NAMELESS ? xasprintf("%s_%zu", side, i) : xstrdup(fn->name);
		if (mode == NAMES_AND_HASHES || mode == NAMELESS)
			p[i].function_hash = fn->hash;
	}
	return p;
}

static void free_functions(struct match_place *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)p[i].function);
	free(p);
}

static void try_functions(struct trials *all, const struct tree *base, const struct tree *head, const struct linemap *map,
			  enum function_mode mode)
{
	struct match_place *b = functions_of(base, mode, "base"), *h = functions_of(head, mode, "head");
	struct tally *t = &all->functions[mode];
	struct match *m;
	size_t n = match_places(b, base->nfunctions, h, head->nfunctions, mode == NAMES_AND_MAP ? map : NULL, &m), k = 0;

	for (size_t i = 0; i < base->nfunctions; i++) {
		size_t truth = true_function(base, i, head);
		bool right;

		while (k < n && m[k].base < i)
			k++;
		if (!truth)
			continue;
		t->known++;
		if (k == n || m[k].base != i) {
			t->missed++;
			continue;
		}
		right = m[k].head == truth - 1;
		t->right += right;
		t->wrong += !right;
		t->right_sure += right && m[k].confidence >= MATCH_SURE;
		t->wrong_sure += !right && m[k].confidence >= MATCH_SURE;
		if (all->verbose && !right && m[k].confidence >= MATCH_SURE)
			printf("wrong function %s %s %.2f: %s in %s is %s in %s, not %s\n", trial_function_mode[mode],
			       match_kind_name(m[k].kind), m[k].confidence, base->function[i].name, b[i].file,
			       head->function[truth - 1].name, h[truth - 1].file, head->function[m[k].head].name);
	}
	free(m);
	free_functions(b, base->nfunctions);
	free_functions(h, head->nfunctions);
}

void trial_of_functions(struct trials *all, const struct tree *base, const struct tree *head, const struct linemap *map)
{
	for (enum function_mode mode = 0; mode < FUNCTION_MODES; mode++)
		try_functions(all, base, head, map, mode);
}
