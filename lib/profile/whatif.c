#include "profile/whatif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/num.h"
#include "format/region_class.h"
#include "profile/profile.h"
#include "profile/replayed.h"
#include "text/prose.h"

/* ---- the question ---------------------------------------------------------------- */

enum { MOST_CPUS = 1 << 16 };

/* NAME=PCT, or cpus=N.  A name may hold '=' itself (operator==). */
static const char *parse_term(struct what_if *w, char *word)
{
	char *equals = strrchr(word, '=');
	struct what_if_term term = { 0 };
	uint64_t cpus;
	double pct;

	if (!equals || equals == word)
		return "each part is REGION=PCT or cpus=N";
	*equals = '\0';
	if (!strcmp(word, "cpus")) {
		if (!num_u64(equals + 1, &cpus) || cpus == 0 || cpus > MOST_CPUS)
			return "cpus is a number of processors";
		w->cpus = (unsigned)cpus;
		return NULL;
	}
	if (!num_real(equals + 1, &pct) || pct < 0 || pct > 100)
		return "a speedup is 0 to 100, in per cent";
	term.name = xstrdup(word);
	term.s = pct / 100;
	w->term = xgrow(w->term, w->n, &w->cap, sizeof *w->term);
	w->term[w->n++] = term;
	return NULL;
}

bool what_if_parse(struct what_if *w, const char *text, const char **why)
{
	char *copy = xstrdup(text), *rest = copy, *word;

	*w = (struct what_if){ .text = text };
	*why = NULL;
	while (!*why && (word = strsep(&rest, ",")))
		*why = parse_term(w, word);
	free(copy);
	return !*why;
}

void what_if_release(struct what_if *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->term[i].name);
	free(w->term);
	*w = (struct what_if){ 0 };
}

/* ---- regions ----------------------------------------------------------------------- */

/* Is the name the path, or a part of it from a directory on? */
static bool names_file(const char *path, const char *name, size_t len)
{
	size_t all = strlen(path);

	return all >= len && !strncmp(path + all - len, name, len) && (all == len || path[all - len - 1] == '/');
}

/* If regions are lines, a function stands for all of its lines. */
static bool names(const char *name, const struct profile_region *r)
{
	const char *colon = strrchr(name, ':');
	uint64_t line;

	if (region_is_line(r->scope) && r->file && colon && num_u64(colon + 1, &line))
		return line == r->line && names_file(r->file, name, (size_t)(colon - name));
	return (r->function && !strcmp(r->function, name)) || (r->symbol && !strcmp(r->symbol, name));
}

double what_if_shorter(struct what_if *w, const struct profile_region *region)
{
	double left = 1;

	for (size_t i = 0; i < w->n; i++)
		if (names(w->term[i].name, region)) {
			w->term[i].found = true;
			left *= 1 - w->term[i].s;
		}
	return 1 - left;
}

/* ---- the answer -------------------------------------------------------------------- */

static bool all_found(const struct what_if *w)
{
	bool all = true;

	for (size_t i = 0; i < w->n; i++)
		if (!w->term[i].found) {
			msg_error("no region '%s' was sampled in the bursts of the input", w->term[i].name);
			all = false;
		}
	return all;
}

static const char *noun(enum replay_what what)
{
	static const char *const nouns[REPLAY_WHATS] = { "a visit", "the whole", "a span", "half of the spans", "95 % of the spans",
							 "99 % of the spans" };

	return nouns[what];
}

static void add_answer(struct buf *b, const struct profile *p, const struct profile_replayed *r)
{
	char now[32], then[32];
	char *name = prose_clean(p->point[r->point].name);

	buf_addf(b, "%s: %s takes %s now, and would take %s: ", name, noun(r->what), prose_time(r->measured_ns, now),
		 prose_time(r->measured_ns * (1 - r->gain), then));
	prose_add_number(b, fabs(r->gain) * 100, 1);
	buf_addf(b, " %% %s (", r->gain < 0 ? "more" : "less");
	prose_add_number(b, (fabs(r->gain) - STATS_NORMAL_95 * r->se) * 100, 1);
	buf_adds(b, " to ");
	prose_add_number(b, (fabs(r->gain) + STATS_NORMAL_95 * r->se) * 100, 1);
	buf_adds(b, ")\n");
	free(name);
}

static bool is_same(const struct profile_replayed *a, const struct profile_replayed *b)
{
	return a->region == PROFILE_NONE && b->region == PROFILE_NONE && a->point == b->point && a->what == b->what;
}

static struct profile_replayed mean_answer(const struct profile *p, const struct profile_replayed *kind)
{
	struct profile_replayed mean = *kind;
	struct replayed_sum sum = { 0 };

	for (size_t i = 0; i < p->nreplayed; i++)
		if (is_same(&p->replayed[i], kind))
			replayed_add(&sum, &p->replayed[i]);
	mean.gain = replayed_gain(&sum);
	mean.se = replayed_se(&sum);
	mean.measured_ns = replayed_measured_ns(&sum);
	return mean;
}

static bool is_first(const struct profile *p, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_same(&p->replayed[k], &p->replayed[i]))
			return false;
	return p->replayed[i].region == PROFILE_NONE;
}

bool what_if_write(const struct what_if *w, const struct profile *p, FILE *out)
{
	struct buf b = BUF_INIT;
	bool any = false;

	if (!all_found(w))
		return false;
	for (size_t i = 0; i < p->nreplayed; i++)
		if (is_first(p, i)) {
			const struct profile_replayed mean = mean_answer(p, &p->replayed[i]);

			add_answer(&b, p, &mean);
			any = true;
		}
	if (any)
		prose_print(&b, out);
	else
		msg_error("the input has no bursts of events to answer '%s' from", w->text);
	buf_release(&b);
	return any;
}
