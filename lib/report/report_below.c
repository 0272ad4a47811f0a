/*
 * report_below: notes on single rows, below the table, by their ranks.  A note that
 * holds for several rows is written once.
 */
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "format/region_class.h"
#include "text/prose.h"

/* A longer name loses its middle. */
enum { NAME_COLUMNS = 40 };

/* Reasons ("why") are given for regions with at least so many per cent of the CPU samples. */
enum { WHY_CPU_PCT = 5 };

/* "3 pzip.c:262" */
static char *title_of(const struct report *r, size_t row)
{
	const struct profile_region *region = r->row[row].im->region;
	char *label = report_short(region->label, !region_is_line(region->scope), NAME_COLUMNS);
	struct buf b = BUF_INIT;

	buf_addf(&b, "%zu %s", row + 1, label);
	free(label);
	return buf_detach(&b);
}

/* The data that the row lacks for a verdict; NULL if it has one. */
static const char *need_of(const struct report_row *row)
{
	if (row->class == REPORT_JUDGED)
		return NULL;
	return row->im->need ? row->im->need : "an interval that is narrower than +-1 (a longer -d)";
}

static bool was_said(const struct report *r, size_t row, const char *need)
{
	for (size_t i = 0; i < row; i++) {
		const char *other = need_of(&r->row[i]);

		if (other && !strcmp(other, need))
			return true;
	}
	return false;
}

static void add_needs(struct report *r)
{
	for (size_t i = 0; i < r->nshown; i++) {
		const char *need = need_of(&r->row[i]);
		struct buf ranks = BUF_INIT;

		if (!need || was_said(r, i, need))
			continue;
		for (size_t j = i; j < r->nshown; j++)
			if (need_of(&r->row[j]) && !strcmp(need_of(&r->row[j]), need))
				buf_addf(&ranks, "%s%zu", ranks.len ? ", " : "", j + 1);
		prose_wrap(&r->out, "needs    ", REPORT_INDENT, "not enough data for %s: %s", ranks.s, need);
		buf_release(&ranks);
	}
}

static void add_knees(struct report *r)
{
	for (size_t i = 0; i < r->nshown; i++) {
		const struct causal_effect *e = &r->row[i].im->effect;
		char *title;

		if (isnan(e->knee))
			continue;
		title = title_of(r, i);
		prose_wrap(&r->out, "knee     ", REPORT_INDENT, "%s: useful up to about %.0f %% (%.0f to %.0f); faster than that %s", title,
			   100 * e->knee, 100 * e->knee_lo, 100 * e->knee_hi,
			   e->notes & CAUSAL_CONTENTION ? "slows the program down again (contention)" : "gains nothing more");
		free(title);
	}
}

/* The straightness of curves that rise or fall, and have no knee. */
static void add_r2(struct report *r)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < r->nshown; i++) {
		const struct report_row *row = &r->row[i];

		if (row->class == REPORT_JUDGED && row->im->verdict != VERDICT_NONE && !isnan(row->im->effect.r2))
			buf_addf(&b, "%s%zu: %.2f", b.len ? ", " : "", i + 1, row->im->effect.r2);
	}
	if (b.len)
		prose_wrap(&r->out, "R2       ", REPORT_INDENT, "%s", b.s);
	buf_release(&b);
}

/* Impacts on percentiles of spans. */
static void add_percentiles(struct report *r)
{
	for (size_t i = 0; i < r->nshown; i++) {
		const struct percentile_effect *e = &r->row[i].im->percentile;
		struct buf b = BUF_INIT;
		char *title;

		for (size_t j = 0; r->row[i].im->has_percentiles && j < PERCENTILES; j++) {
			if (!isfinite(e->slope[j].value) || (e->slope[j].hi - e->slope[j].lo) / 2 > 1)
				continue;
			buf_addf(&b, "%sp%d ", b.len ? ", " : "", percentile_pct[j]);
			prose_add_interval(&b, e->slope[j].value, e->slope[j].lo, e->slope[j].hi, 2);
		}
		if (b.len) {
			title = title_of(r, i);
			prose_wrap(&r->out, "spans    ", REPORT_INDENT, "%s: impact on %s", title, b.s);
			free(title);
		}
		buf_release(&b);
	}
}

static bool is_same_function(const struct profile_region *a, const struct profile_region *b)
{
	return region_is_line(a->scope) && region_is_line(b->scope) && a->function && b->function &&
	       !strcmp(a->function, b->function) && a->file && b->file && !strcmp(a->file, b->file);
}

static bool is_first_of_function(const struct report *r, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (is_same_function(r->row[i].im->region, r->row[row].im->region))
			return false;
	return true;
}

/* The lines of the function of this row, which is the first of them. */
static void add_function(struct report *r, size_t row)
{
	double share = 0;
	struct buf b = BUF_INIT;
	char *name;
	size_t n = 0;

	for (size_t i = row; i < r->nshown; i++) {
		if (!is_same_function(r->row[i].im->region, r->row[row].im->region))
			continue;
		share += r->row[i].cpu_pct;
		buf_addf(&b, "%s%zu", n++ ? ", " : "", i + 1);
	}
	if (n > 1) {
		name = report_short(r->row[row].im->region->function, true, NAME_COLUMNS);
		if (!isnan(share))
			buf_addf(&b, ", %.1f %% of CPU samples", share);
		prose_wrap(&r->out, "function ", REPORT_INDENT, "%s: %zu lines: %s", name, n, b.s);
		free(name);
	}
	buf_release(&b);
}

/* Joins lines of one function, because its author can change all of them together. */
static void add_functions(struct report *r)
{
	for (size_t i = 0; i < r->nshown; i++)
		if (is_first_of_function(r, i))
			add_function(r, i);
}

static void add_classes(struct report *r)
{
	for (size_t i = 0; i < r->nshown; i++) {
		const struct profile_region *region = r->row[i].im->region;
		const char *words = region_is_class(region->scope) ? region_class_words(region->symbol) : NULL;

		if (words)
			prose_wrap(&r->out, "class    ", REPORT_INDENT, "%zu %s: %s", i + 1, region->symbol, words);
	}
}

static const char *note_words(const char *name, bool whole)
{
	static const struct {
		const char *name, *words;
	} all[] = {
		{ "nonlinear", "the curve is bent, but not at one place: read the curve, not the slope" },
		{ "autocorrelated", "neighbouring windows resemble each other (phases, drift): the interval may be too narrow; longer windows help" },
		{ "out-of-range", "a slope that one region cannot have: something disturbs the program; do not trust it" },
		{ "few-visits", "half of the windows hold fewer than 5 visits: choose a point that is passed more often" },
		{ "one-level", "one speedup only: that the curve is straight is an assumption" },
		{ "contention", "the faster the region, the slower the program: threads get in each other's way (locks, caches, memory); "
				"let fewer of them get there at once, rather than faster" },
		{ "phases", "it runs in some windows and not in others: the impact is that on the whole program, and is biased if the point is "
			    "passed more often in some phases than in others; longer windows help" },
		{ "low-knee", "it may help no further than to a speedup below the lowest that was tried; up to there, the impact may be higher "
			      "than this: try lower ones (-s 5,10,15)" },
	};

	if (whole && !strcmp(name, "autocorrelated"))
		return "neighbouring runs resemble each other (the machine drifts): the interval may be too narrow; more runs help";
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!strcmp(all[i].name, name))
			return all[i].words;
	return name;
}

/* For a region without a result, the only useful note is that its windows have too few visits. */
static bool has_note(const struct report_row *row, unsigned note)
{
	return (row->im->effect.notes & note) && (row->class != REPORT_UNKNOWN || note == CAUSAL_FEW_VISITS);
}

/* One note, and the rows that have it. */
static void add_note(struct report *r, unsigned note)
{
	const char *names[CAUSAL_NOTES];
	struct buf rows = BUF_INIT;

	if (impact_note_names(note, names) != 1)
		return;
	for (size_t i = 0; i < r->nshown; i++) {
		char *title;

		if (!has_note(&r->row[i], note))
			continue;
		title = title_of(r, i);
		buf_addf(&rows, "%s%s", rows.len ? ", " : "", title);
		free(title);
	}
	if (rows.len)
		prose_wrap(&r->out, "note     ", REPORT_INDENT, "%s: %s", rows.s, note_words(names[0], r->point->whole));
	buf_release(&rows);
}

/* The ranks of rows whose impact was found by this method: "1, 4"; empty if there are none. */
static struct buf rows_by(const struct report *r, enum combined how)
{
	struct buf rows = BUF_INIT;

	buf_adds(&rows, "");
	for (size_t i = 0; i < r->nshown; i++)
		if (r->row[i].im->combined == how)
			buf_addf(&rows, "%s%zu", rows.len ? ", " : "", i + 1);
	return rows;
}

/* Rows with results from recorded events. */
static void add_replayed(struct report *r)
{
	static const struct {
		enum combined how;
		const char *words; /* behind "the impact of 1, 2" */
	} say[] = {
		{ COMBINED_AGREES, "is that of experiments and of a replay of recorded events together, which agree" },
		{ COMBINED_CONTRADICTS, "is that of experiments and of a replay of recorded events together, which contradict each other, "
					"so the interval is wide" },
		{ COMBINED_REPLACED, "is computed from recorded events alone: a warning below says why experiments are wrong" },
		{ COMBINED_ALONE, "is computed from recorded events alone, without an experiment" },
	};
	char *refused = r->nrows ? impact_replay_refused(r->point) : NULL;
	bool said = false;

	for (size_t i = 0; i < sizeof say / sizeof say[0]; i++) {
		struct buf rows = rows_by(r, say[i].how);

		if (rows.len)
			prose_wrap(&r->out, said ? REPORT_INDENT : "replay   ", REPORT_INDENT, "the impact of %s %s", rows.s, say[i].words);
		said = said || rows.len;
		buf_release(&rows);
	}
	if (r->point->replay.use == REPLAY_USED)
		prose_wrap(&r->out, REPORT_INDENT, REPORT_INDENT, "without a change, the replay takes %.2f times as long as was measured",
			   r->point->replay.ratio);
	else if (refused)
		prose_wrap(&r->out, "replay   ", REPORT_INDENT, "recorded events are not used: %s", refused);
	free(refused);
}

/* Less than half of what its share would be worth in a program of one thread. */
static bool gains_little(const struct report_row *row)
{
	return row->class == REPORT_UNKNOWN || row->im->effect.fit.slope.value < row->cpu_pct / 100 / 2;
}

/* The text for the row: the longest waits, of all runs.  NULL: none. */
static const struct profile_why *why_of(const struct report *r, const struct report_row *row)
{
	const struct profile *p = r->a->profile;
	const struct profile_why *most = NULL;
	bool own = gains_little(row);

	for (size_t i = 0; i < p->nwhys && row->cpu_pct >= WHY_CPU_PCT; i++)
		if (&p->region[p->why[i].region] == row->im->region && p->why[i].own == own && (!most || p->why[i].ns > most->ns))
			most = &p->why[i];
	return most;
}

static bool is_same_why(const struct profile_why *a, const struct profile_why *b)
{
	return a && b && a->own == b->own && a->ns == b->ns && !strcmp(a->at, b->at) && text_order(a->until, b->until) == 0;
}

/* Writes the text of row i, and the ranks of later rows with the same text, which are then done. */
static void add_why(struct report *r, const struct profile_why **why, size_t i)
{
	const struct profile_why *said = why[i];
	struct buf ranks = BUF_INIT;

	for (size_t j = i; j < r->nshown; j++)
		if (is_same_why(said, why[j])) {
			buf_addf(&ranks, "%s%zu", ranks.len ? ", " : "", j + 1);
			why[j] = NULL;
		}
	prose_wrap(&r->out, "why      ", REPORT_INDENT, "%s: %s for %.0f %% of their time at %s, until %s", ranks.s,
		   said->own ? "the threads that run it wait" : "other threads wait for those that run it", 100 * said->ns / said->threads_ns,
		   said->at, said->until ? said->until : "something happens that was not recorded");
	buf_release(&ranks);
}

/* For hot code with little gain, shows the waits of its threads; for other code, the waits for its threads. */
static void add_whys(struct report *r)
{
	const struct profile_why **why = xcalloc(r->nshown + 1, sizeof *why);

	for (size_t i = 0; i < r->nshown; i++)
		why[i] = why_of(r, &r->row[i]);
	for (size_t i = 0; i < r->nshown; i++)
		if (why[i])
			add_why(r, why, i);
	free(why);
}

void report_below(struct report *r)
{
	add_needs(r);
	add_knees(r);
	add_whys(r);
	add_percentiles(r);
	add_functions(r);
	add_classes(r);
	for (unsigned i = 0; i < CAUSAL_NOTES; i++)
		add_note(r, 1u << i);
	add_r2(r);
	add_replayed(r);
}
