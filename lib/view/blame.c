#include "view/blame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/idmap.h"
#include "format/region_class.h"

/* A region, and where it is entered. */
struct entry {
	size_t region, node;
	enum stack_class class; /* STACK_CLASSES: all time of the node; else only time of that class */
	double ns;
};

struct blame {
	const struct stacks *s;
	const struct profile *p;
	double *cost;    /* by region of the profile: the reduction of a visit; 0: none known */
	double *time;    /* by region: time of all its entries */
	struct idmap at; /* entries by region, node and class */
	struct entry *entry;
	size_t n, cap;
};

/* Only certain impacts are drawn: an uncertain one would have an uncertain size. */
static bool matters(const struct impact *im)
{
	return im->estimated && im->bounded && (im->verdict == VERDICT_HIGH || im->verdict == VERDICT_MODERATE || im->verdict == VERDICT_LOW) &&
	       im->effect.fit.cost.value > 0;
}

static void add_entry(struct blame *b, size_t region, size_t node, enum stack_class class, double ns)
{
	uint64_t key = ((uint64_t)region * (STACK_CLASSES + 1) + (uint64_t)class) << 32 | (uint32_t)(node ^ region);
	size_t at = idmap_at(&b->at, key, b->n);

	if (at == b->n) {
		b->entry = xgrow(b->entry, b->n, &b->cap, sizeof *b->entry);
		b->entry[b->n++] = (struct entry){ region, node, class, 0 };
	}
	b->entry[at].ns += ns;
	b->time[region] += ns;
}

/* A line has the time for which it is the innermost place in the program's own source. */
static void add_lines(struct blame *b, size_t node, double ns)
{
	const struct stack_address *a;

	while (node != STACKS_NONE && !b->s->address[b->s->node[node].address].own)
		node = b->s->node[node].parent;
	if (node == STACKS_NONE)
		return;
	a = &b->s->address[b->s->node[node].address];
	for (size_t i = 0; i < a->nregions; i++)
		if (b->cost[a->region[i]] > 0 && region_is_line(b->p->region[a->region[i]].scope))
			add_entry(b, a->region[i], node, STACK_CLASSES, ns);
}

struct outermost {
	size_t region, node;
};

/* A function includes the time of its callees; in a recursion it is entered once. */
static void add_functions(struct blame *b, size_t node, double ns)
{
	struct outermost *o = NULL;
	size_t n = 0, cap = 0;

	for (; node != STACKS_NONE; node = b->s->node[node].parent) {
		const struct stack_address *a = &b->s->address[b->s->node[node].address];

		for (size_t i = 0; i < a->nregions; i++) {
			size_t k = 0;

			if (!(b->cost[a->region[i]] > 0) || region_is_line(b->p->region[a->region[i]].scope))
				continue;
			while (k < n && o[k].region != a->region[i])
				k++;
			if (k == n) {
				o = xgrow(o, n, &cap, sizeof *o);
				o[n++].region = a->region[i];
			}
			o[k].node = node;
		}
	}
	for (size_t k = 0; k < n; k++)
		add_entry(b, o[k].region, o[k].node, STACK_CLASSES, ns);
	free(o);
}

/* ":io" is all time of that class. */
static void add_classes(struct blame *b, size_t region, enum stack_class class)
{
	for (size_t i = 0; i < b->s->nnodes; i++)
		if (b->s->node[i].ns[class])
			add_entry(b, region, i, class, (double)b->s->node[i].ns[class]);
}

static void find_entries(struct blame *b)
{
	for (size_t i = 0; i < b->s->nnodes; i++) {
		const uint64_t *ns = b->s->node[i].ns;
		/* Waits for other threads, or for a processor, are not charged to code. */
		double charged = (double)(ns[STACK_CPU] + ns[STACK_IO] + ns[STACK_SLEEP] + ns[STACK_OTHER]);

		if (charged <= 0)
			continue;
		add_lines(b, i, charged);
		add_functions(b, i, charged);
	}
	for (size_t i = 0; i < b->p->nregions; i++)
		for (int class = STACK_LOCK; class < STACK_OTHER && b->cost[i] > 0 && region_is_class(b->p->region[i].scope); class++)
			if (b->p->region[i].symbol && !strcmp(b->p->region[i].symbol + 1, stack_class_name((enum stack_class)class)))
				add_classes(b, i, (enum stack_class)class);
}

/*
 * The value of a node without its callees: the sum of the lines in it, or the greatest of
 * the functions, less the values of the callees.
 */
static void settle_values(struct blame *b, double *out, size_t *region)
{
	size_t n = b->s->nnodes;
	double *line = xcalloc(n + 1, sizeof *line), *most = xcalloc(n + 1, sizeof *most), *below = xcalloc(n + 1, sizeof *below);

	for (size_t i = 0; i < n; i++)
		region[i] = STACKS_NONE;
	for (size_t i = 0; i < b->n; i++) {
		const struct entry *e = &b->entry[i];
		double cost = b->cost[e->region] * e->ns / b->time[e->region];

		if (e->class != STACK_CLASSES) {
			out[e->node * STACK_CLASSES + e->class] += cost;
			below[e->node] += cost;
			continue;
		}
		if (region_is_line(b->p->region[e->region].scope))
			line[e->node] += cost;
		else if (cost > most[e->node])
			most[e->node] = cost;
		if (cost >= most[e->node])
			region[e->node] = e->region;
	}
	for (size_t i = n; i-- > 0;) {
		double own = line[i] > most[i] ? line[i] : most[i], all = own > below[i] ? own : below[i];

		out[i * STACK_CLASSES + STACK_CPU] += all - below[i];
		if (b->s->node[i].parent != STACKS_NONE)
			below[b->s->node[i].parent] += all;
	}
	free(line);
	free(most);
	free(below);
}

double *stacks_blame(const struct stacks *s, const struct analysis *a, const struct impact_point *point, size_t **region)
{
	struct blame b = { .s = s, .p = a->profile, .at = IDMAP_INIT };
	double *out = xcalloc(s->nnodes * STACK_CLASSES + 1, sizeof *out);

	b.cost = xcalloc(b.p->nregions + 1, sizeof *b.cost);
	b.time = xcalloc(b.p->nregions + 1, sizeof *b.time);
	*region = xcalloc(s->nnodes + 1, sizeof **region);
	for (size_t i = 0; i < point->nimpacts; i++)
		if (matters(&point->impact[i]))
			b.cost[point->impact[i].region - b.p->region] = point->impact[i].effect.fit.cost.value;
	find_entries(&b);
	settle_values(&b, out, *region);
	idmap_release(&b.at);
	free(b.entry);
	free(b.cost);
	free(b.time);
	return out;
}
