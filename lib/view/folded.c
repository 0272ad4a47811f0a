#include "view/folded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/msg.h"
#include "format/region_class.h"
#include "text/prose.h"
#include "view/blame.h"

/* By line, its number; values are doubles on the heap. */
struct folding {
	const struct stacks *s;
	struct map line;
	struct buf text;
};

/* Names come from the program: separators of frames and lines in them are replaced. */
static void add_name(struct buf *b, const char *name)
{
	char *clean = prose_clean(name);

	for (const char *c = clean; *c; c++)
		buf_addc(b, *c == ';' ? ':' : *c);
	free(clean);
}

static void add_frame(struct buf *b, const char *name)
{
	if (b->len)
		buf_addc(b, ';');
	add_name(b, name);
}

static void add_chain(struct folding *f, size_t node)
{
	size_t depth = f->s->node[node].depth + 1, *chain = xcalloc(depth, sizeof *chain);

	for (size_t i = depth, at = node; i-- > 0; at = f->s->node[at].parent)
		chain[i] = at;
	buf_clear(&f->text);
	if (f->s->node[chain[0]].more)
		buf_adds(&f->text, "[more]");
	for (size_t i = 0; i < depth; i++) {
		const struct stack_address *a = &f->s->address[f->s->node[chain[i]].address];

		for (size_t k = a->nframes; k-- > 0;)
			add_frame(&f->text, a->frame[k].function);
	}
	free(chain);
}

/* Adds to the number of the line that is in `text`. */
static void add_to_line(struct folding *f, double x)
{
	void **place = map_at(&f->line, f->text.s);

	if (!*place)
		*place = xcalloc(1, sizeof(double));
	*(double *)*place += x;
}

static void fold_times(struct folding *f, enum folded_by by)
{
	for (size_t i = 0; i < f->s->nnodes; i++)
		for (int class = 0; class < STACK_CLASSES; class++) {
			uint64_t ns = f->s->node[i].ns[class];

			if (!ns || (class == STACK_CPU ? by == FOLDED_BLOCKED : by == FOLDED_CPU))
				continue;
			add_chain(f, i);
			if (class != STACK_CPU)
				buf_addf(&f->text, ";[%s]", stack_class_name((enum stack_class)class));
			add_to_line(f, (double)ns / 1000);
		}
}

static void fold_impact(struct folding *f, const struct analysis *a)
{
	size_t *region;
	double *blame;

	if (!a->npoints)
		return;
	blame = stacks_blame(f->s, a, &a->point[0], &region);
	for (size_t i = 0; i < f->s->nnodes; i++)
		for (int class = 0; class < STACK_CLASSES; class++) {
			const struct profile_region *r = region[i] == STACKS_NONE ? NULL : &a->profile->region[region[i]];

			if (!(blame[i * STACK_CLASSES + (size_t)class] > 0))
				continue;
			add_chain(f, i);
			if (class != STACK_CPU)
				buf_addf(&f->text, ";[%s]", stack_class_name((enum stack_class)class));
			else if (r && region_is_line(r->scope))
				add_frame(&f->text, r->label);
			add_to_line(f, blame[i * STACK_CLASSES + (size_t)class]);
		}
	if (!f->line.n)
		msg_warn("no region has an impact on '%s' that is surely there, so no stack has", a->point[0].name);
	free(blame);
	free(region);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct map_entry *)a)->key, ((const struct map_entry *)b)->key);
}

void folded_write(const struct stacks *s, const struct analysis *a, enum folded_by by, FILE *out)
{
	struct folding f = { .s = s, .line = MAP_INIT };

	if (by == FOLDED_IMPACT)
		fold_impact(&f, a);
	else
		fold_times(&f, by);
	if (f.line.n)
		qsort(f.line.entry, f.line.n, sizeof *f.line.entry, by_key);
	for (size_t i = 0; i < f.line.n; i++) {
		double x = round(*(double *)f.line.entry[i].value);

		/* a stack with the number 0 is left out */
		if (x >= 1)
			fprintf(out, "%s %.0f\n", f.line.entry[i].key, x);
		free(f.line.entry[i].value);
	}
	map_release(&f.line);
	buf_release(&f.text);
}
