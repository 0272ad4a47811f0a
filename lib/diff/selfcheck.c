#include "diff/selfcheck.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/msg.h"
#include "base/text.h"
#include "diff/words.h"
#include "text/prose.h"

enum { DEALS = 400, LEAST_RUNS = 2 * COMPARE_MIN_RUNS };

static const char HEAD[] = "         ";

/* A run to be dealt out.  It is identified by its time, which the results for each region have, too. */
struct card {
	double order;
	const char *block;
	bool head; /* the side that it is dealt to */
};

struct pack {
	struct card *card;
	size_t n;
	bool by_block; /* each block is divided between both sides */
};

struct tally {
	double changed, any;        /* deals with a false alarm */
	double covered, intervals;  /* intervals that contain the truth, 0: of regions, and of points */
	double mde[DEALS];
	size_t deals, nmde;
};

static bool is_in(const struct pack *pack, double order)
{
	for (size_t i = 0; i < pack->n; i++)
		if (pack->card[i].order == order)
			return true;
	return false;
}

static void collect_cards(struct pack *pack, const struct side *s, bool blocks)
{
	for (size_t i = 0; s && i < s->npoints; i++)
		for (size_t k = 0; k < s->point[i].runs.n; k++) {
			const struct replicate *r = &s->point[i].runs.at[k];

			if (is_in(pack, r->order))
				continue;
			pack->card = xrealloc(pack->card, pack->n + 1, sizeof *pack->card);
			pack->card[pack->n++] = (struct card){ .order = r->order, .block = blocks ? r->block : NULL };
		}
}

static int by_block(const void *va, const void *vb)
{
	const struct card *a = va, *b = vb;
	int by = text_order(a->block, b->block);

	return by ? by : (a->order > b->order) - (a->order < b->order);
}

/* Deals the runs from first to end, half to each side; an odd one goes to a random side. */
static void deal_some(gsl_rng *rng, struct pack *pack, size_t first, size_t end)
{
	size_t n = end - first, left = n / 2 + (n % 2 && gsl_rng_uniform_int(rng, 2));

	for (size_t i = first; i < end; i++) {
		pack->card[i].head = gsl_rng_uniform_int(rng, (unsigned long)(end - i)) < left;
		left -= pack->card[i].head;
	}
}

static void deal(gsl_rng *rng, struct pack *pack)
{
	for (size_t i = 0, j; i < pack->n; i = j) {
		for (j = i + 1; j < pack->n && (!pack->by_block || !strcmp(pack->card[i].block, pack->card[j].block)); j++)
			;
		deal_some(rng, pack, i, j);
	}
}

static void deal_replicates(struct replicates *to, const struct replicates *from, const struct pack *pack, bool head)
{
	for (size_t i = 0; i < from->n; i++)
		for (size_t k = 0; k < pack->n; k++)
			if (pack->card[k].order == from->at[i].order && pack->card[k].head == head) {
				to->at = xgrow(to->at, to->n, &to->cap, sizeof *to->at);
				to->at[to->n] = from->at[i];
				to->at[to->n++].block = pack->by_block ? pack->card[k].block : NULL;
			}
	to->whole = from->whole;
}

static void no_means(struct replicates *r)
{
	for (int q = 0; q < QUANTITIES; q++)
		r->mean[q] = r->mean_se[q] = NAN;
}

/* A side with the runs dealt to it, with the regions of both analyses, under base's names. */
static void fill_side(struct side *s, const struct comparisons *of, const struct pack *pack, bool one, bool head)
{
	*s = (struct side){ .point = xcalloc(of->n + 1, sizeof *s->point), .npoints = of->n };
	for (size_t i = 0; i < of->n; i++) {
		const struct point_pair *p = &of->point[i];
		struct side_point *to = &s->point[i];

		to->found = p->base->found;
		no_means(&to->runs);
		deal_replicates(&to->runs, &p->base->runs, pack, head);
		if (!one)
			deal_replicates(&to->runs, &p->head->runs, pack, head);
		to->region = xcalloc(p->npairs + 1, sizeof *to->region);
		to->nregions = p->npairs;
		for (size_t k = 0; k < p->npairs; k++) {
			to->region[k].found = p->pair[k].base->found;
			no_means(&to->region[k].all);
			deal_replicates(&to->region[k].all, p->pair[k].base_runs, pack, head);
			if (!one)
				deal_replicates(&to->region[k].all, p->pair[k].head_runs, pack, head);
		}
	}
}

static void count_interval(struct tally *t, const struct comparison *c)
{
	if (c->design == DESIGN_NONE || !c->over_runs || !isfinite(c->difference.se))
		return;
	t->intervals++;
	t->covered += c->difference.lo <= 0 && c->difference.hi >= 0;
}

static void count_changes(struct tally *t, const struct comparisons *c)
{
	bool changed = false, any = false;

	for (size_t i = 0; i < c->n; i++) {
		const struct point_pair *p = &c->point[i];

		changed = changed || p->change == CHANGE_CHANGED;
		any = any || p->change <= CHANGE_MINOR;
		count_interval(t, &p->period);
		if (i == 0 && isfinite(p->period.mde))
			t->mde[t->nmde++] = p->period.mde;
		for (size_t k = 0; k < p->npairs; k++) {
			changed = changed || p->pair[k].change == CHANGE_CHANGED;
			any = any || p->pair[k].change <= CHANGE_MINOR;
			count_interval(t, &p->pair[k].cost);
		}
	}
	t->changed += changed;
	t->any += any;
	t->deals++;
}

static void add_number(struct report *r, const char *name, double x)
{
	char *text = xasprintf("%.4g", x);

	if (isfinite(x))
		report_meta(r, name, text);
	free(text);
}

static void add_tally(struct report *r, struct tally *t, const struct pack *pack)
{
	double deals = (double)t->deals;

	report_meta(r, REPORT_NAME, REPORT_VERSION);
	add_number(r, "aa_runs", (double)pack->n);
	report_meta(r, "aa_design", pack->by_block ? "paired" : "welch");
	add_number(r, "aa_deals", deals);
	add_number(r, "aa_changed_pct", 100 * t->changed / deals);
	add_number(r, "aa_any_pct", 100 * t->any / deals);
	add_number(r, "aa_covered_pct", t->intervals > 0 ? 100 * t->covered / t->intervals : NAN);
	if (t->nmde) {
		gsl_sort(t->mde, 1, t->nmde);
		add_number(r, "aa_mde_pct", 100 * expm1(gsl_stats_median_from_sorted_data(t->mde, 1, t->nmde)));
	}
}

/* Are there enough blocks for pairs, with two runs or more in each? */
static bool has_blocks(const struct pack *pack)
{
	size_t blocks = 0;

	for (size_t i = 0, j; i < pack->n; i = j) {
		for (j = i + 1; j < pack->n && text_same(pack->card[i].block, pack->card[j].block); j++)
			;
		if (j - i < 2)
			return false;
		blocks++;
	}
	return blocks >= COMPARE_MIN_RUNS;
}

static void deal_all(struct tally *t, struct pack *pack, const struct comparisons *of, bool one, const struct comparisons_options *o)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(rng, 1);
	for (int i = 0; i < DEALS; i++) {
		struct side base, head;
		struct comparisons c;

		deal(rng, pack);
		fill_side(&base, of, pack, one, false);
		fill_side(&head, of, pack, one, true);
		comparisons_init(&c, &base, &head, o);
		count_changes(t, &c);
		comparisons_release(&c);
		side_release(&base);
		side_release(&head);
	}
	gsl_rng_free(rng);
}

bool selfcheck(struct report *r, const struct side *one, const struct side *other, const struct comparisons_options *o)
{
	const struct linemap nothing_moved = LINEMAP_INIT;
	struct comparisons_options options = *o;
	struct pack pack = { .n = 0 };
	struct tally t = { .deals = 0 };
	struct comparisons of;

	options.map = o->map || other ? o->map : &nothing_moved;
	comparisons_init(&of, one, other ? other : one, &options);
	collect_cards(&pack, one, other);
	collect_cards(&pack, other, other);
	if (pack.n < LEAST_RUNS || !of.n) {
		msg_error("%zu runs are too few to be dealt out to two sides: %d at least", of.n ? pack.n : 0, LEAST_RUNS);
		free(pack.card);
		comparisons_release(&of);
		return false;
	}
	qsort(pack.card, pack.n, sizeof *pack.card, by_block);
	pack.by_block = has_blocks(&pack);
	options.map = &nothing_moved;
	deal_all(&t, &pack, &of, !other, &options);
	add_tally(r, &t, &pack);
	free(pack.card);
	comparisons_release(&of);
	return true;
}

void selfcheck_write_text(const struct report *r, FILE *out)
{
	struct buf b = BUF_INIT;
	bool paired = text_same(report_find(r, "aa_design"), design_name(DESIGN_PAIRED));

	prose_wrap(&b, "data     ", HEAD, "%g runs, dealt out to two sides %g times, %s", report_number(r, "aa_runs"),
		   report_number(r, "aa_deals"), paired ? "within their blocks" : "at random");
	prose_wrap(&b, "alarms   ", HEAD, "a change that is none was found in %g %% of the deals (to be: 5 %% at most); "
		   "something likely or minor, or more, in %g %%", report_number(r, "aa_changed_pct"), report_number(r, "aa_any_pct"));
	prose_wrap(&b, "truth    ", HEAD, "that there is no difference is in %g %% of the 95 %% intervals",
		   report_number(r, "aa_covered_pct"));
	if (!isnan(report_number(r, "aa_mde_pct")))
		prose_wrap(&b, "power    ", HEAD, "a change of %.2g %% would be seen", report_number(r, "aa_mde_pct"));
	fwrite(b.s, 1, b.len, out);
	buf_release(&b);
}
