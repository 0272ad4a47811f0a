/* explain: the terms of the report.  Numbers here are the ones that the verdicts use. */
#include "report/report.h"


#include "text/prose.h"

/* Columns of a term. */
#define INDENT "               "

struct term {
	const char *name, *words;
};

static const struct term before[] = {
	{ "order", "First regions with a verdict, then those with not enough data for one, both by impact. Last those with '?', by their "
		   "shares." },
	{ "place", "File and line, and the function; or a function, and where it is; or a class of time such as :io. Long names lose "
		   "their middle; --format andweorc has them whole." },
	{ "CPU", "The region's share of all CPU samples, as in an ordinary profile. A large share with an impact near 0 is hot code "
		 "that no other thread waits for. Samples of all threads count, so the impact can be greater than the share." },
	{ "wait", "The region's share of the time in which threads were blocked, idle threads too. The column is left out where that "
		  "is less than 1 % of the threads' time." },
	{ "impact", "How much of a region's speedup arrives at the program. 0.45: 10 % off the time of the region takes 4.5 % off the "
		    "time for one visit of the progress point (of a latency point: off the mean length of a span; of a program "
		    "without progress points: off the run). 1 is one for one, 0 is nothing, below 0 the program gets slower." },
	{ "interval", "In brackets: it holds the truth in 95 of 100 cases. Over runs, it is about other runs, too; within a run, about "
		      "that run alone. The picture shows it on one axis for all rows: the line is the interval, the dot the "
		      "impact, the upright stroke is 0, an arrow leads out of the picture. An interval wider than +-1, or gains "
		      "wider than +-100 % of the program, say nothing: there stands '?'." },
	{ "gain", "The measured gain of the program with the region so much faster, in per cent of the time per visit." },
	{ "curve", "The gains at all speedups that were tried, from none on the left to the greatest on the right." },
};

static const struct term after[] = {
	{ "knee", "Up to so many per cent the gain holds. Beyond, something else is the bottleneck. The impact is that of the part before "
		  "the knee." },
	{ "why", "The longest waits related to the region, by recorded events: for hot code with little gain, the waits of its own "
		 "threads; for other code, the waits of other threads for these. The place after 'until' is the code that ended the "
		 "waits." },
	{ "needs", "The data that would be enough for a verdict: a longer recording (-d), more runs (-n), fewer regions (-r)." },
	{ "set aside", "Windows in which other programs used the machine. They do not count. Windows that were far slower than similar "
		       "ones, because of something outside the program, count less." },
	{ "replay", "Between experiments, the recorder notes how threads wait for each other. The gain of a faster region is computed "
		    "from that, too. If it agrees with the experiments, the impact is the average of both, weighted by their exactness. "
		    "If both contradict each other, the interval reaches from one to the other. If a warning says why experiments are "
		    "wrong in this program, replay alone counts." },
	{ "R2", "How straight a curve is: 1 is a straight line. A curve with a knee has none." },
	{ "in doubt", "A warning names a reason why predictions are wrong that no interval shows. Each verdict then has a '?'." },
	{ "regions", "The share of the CPU samples in the regions that were tried, and the greatest region in the rest. -r NAME tries it." },
};

static void add_terms(struct buf *out, const struct term *term, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char first[sizeof INDENT];

		snprintf(first, sizeof first, "%-*s", (int)sizeof INDENT - 1, term[i].name);
		prose_wrap(out, first, INDENT, "%s", term[i].words);
	}
}

static void add_verdicts(struct buf *out)
{
	prose_wrap(out, "verdict        ", INDENT,
		   "high: the impact is above %.1f. moderate: %.1f to %.1f. low: less, but surely not 0. none (not a bottleneck): the whole interval "
		   "lies below %.1f. harmful: below -%.1f, the program slows down when the region gets faster, as where threads contend. "
		   "unknown (not enough data): the interval allows more than one of these. limited (below its share): the same, but all of the "
		   "interval lies below the region's share of the CPU samples. An effect must be significant at a false "
		   "discovery rate of %.0f %%, over all regions and points.", VERDICT_HIGH_SLOPE, VERDICT_MODERATE_SLOPE,
		   VERDICT_HIGH_SLOPE, VERDICT_MODERATE_SLOPE, VERDICT_MODERATE_SLOPE, 100 * VERDICT_Q);
}

void impact_write_terms(FILE *out)
{
	struct buf b = BUF_INIT;

	prose_wrap(&b, "", "", "The terms of the report of andweorc-analyze, from left to right and from top to bottom.");
	buf_addc(&b, '\n');
	add_terms(&b, before, sizeof before / sizeof before[0]);
	add_verdicts(&b);
	add_terms(&b, after, sizeof after / sizeof after[0]);
	prose_print(&b, out);
	buf_release(&b);
}
