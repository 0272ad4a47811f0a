/*
 * replay: how well regions are matched, by real or made histories.
 *
 *     replay [-cv] STEP...
 *
 * Each STEP is a directory that holds both sides of a commit: base/ and head/
 * with the files that it changed; the patches map, map.patience, map.histogram
 * and map.blanks between them, by three algorithms and without regard to blanks;
 * and, where the history was made up and the truth is known, truth: lines
 * "BASEFILE LINE HEADFILE LINE", the latter two "-" when the line is gone.
 *
 * For a real commit, the truth is known in some cases without the method under test: a
 * line whose text is there once in both versions of its file is that line, and a line
 * that all four patches keep, in a function of the same name, is that line.  If the two
 * disagree, nothing is known.  A line is gone when all four delete it, putting nothing
 * in its place, and its text is nowhere in the new files.  A line was edited into
 * another when all four replace just it by just that one.
 *
 * Places are made of every line (all), or of few of each side, most of them the
 * same ones, as a profile has them (few).  Four times: with and without the patch
 * (map), with and without the hashes of texts.  Functions that are the same on
 * both sides are easy, and counted by themselves.
 *
 * known: lines of the base whose partner is known and is a place; of these are
 * right, wrong (pairs of lines without a partner included), missed; sure: right,
 * and at a confidence of MATCH_SURE or more; and wrong: the number of pairs that
 * are wrong at such a confidence, which -v prints.  Functions are places, too, whose
 * truth is the function that has most of their lines; also with hidden names, as if all
 * functions had been renamed.  -c prints how often pairs are right, in changed
 * functions, by the confidence that they state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "history/trial.h"
#include "history/truth.h"

/* Returns how many lines are disputed. */
static size_t replay(struct trials *all, const char *step)
{
	static const char *const NAME[MAPS] = { "map", "map.patience", "map.histogram", "map.blanks" };
	struct tree base = tree_of(step, "base"), head = tree_of(step, "head");
	struct linemap maps[MAPS];
	char *path = xasprintf("%s/truth", step);
	size_t disputed = 0;

	for (size_t i = 0; i < MAPS; i++) {
		char *patch = xasprintf("%s/%s", step, NAME[i]);

		linemap_init(&maps[i]);
		linemap_read(&maps[i], patch);
		free(patch);
	}
	if (!truth_read(path, &base, &head))
		disputed = truth_find(&base, &head, maps);
	truth_find_changed(&base, &head);
	trial_of_lines(all, step, &base, &head, &maps[0]);
	trial_of_functions(all, &base, &head, &maps[0]);
	for (size_t i = 0; i < MAPS; i++)
		linemap_release(&maps[i]);
	free(path);
	tree_release(&base);
	tree_release(&head);
	return disputed;
}

static double percent(size_t part, size_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void report(const struct trials *all, size_t disputed)
{
	printf("%-16s %-5s %-9s %9s %8s %8s %8s  %9s %9s\n", "", "lines", "functions", "known", "right", "wrong", "missed",
	       "sure", "and wrong");
	for (enum mode m = 0; m < MODES; m++) {
		for (enum sampling s = 0; s < SAMPLINGS; s++) {
			for (int c = 0; c < 2; c++) {
				const struct tally *t = &all->lines[m][s][c];

				printf("%-16s %-5s %-9s %9zu %7.2f%% %7.2f%% %7.2f%%  %8.2f%% %9zu\n", trial_mode[m], trial_sampling[s],
				       c ? "changed" : "same", t->known, percent(t->right, t->known), percent(t->wrong, t->known),
				       percent(t->missed, t->known), percent(t->right_sure, t->known), t->wrong_sure);
			}
		}
	}
	printf("%-16s %-15s %9s %8s %8s %8s  %9s %9s\n", "functions", "", "known", "right", "wrong", "missed", "sure", "and wrong");
	for (enum function_mode m = 0; m < FUNCTION_MODES; m++) {
		const struct tally *t = &all->functions[m];

		printf("%-32s %9zu %7.2f%% %7.2f%% %7.2f%%  %8.2f%% %9zu\n", trial_function_mode[m], t->known, percent(t->right, t->known),
		       percent(t->wrong, t->known), percent(t->missed, t->known), percent(t->right_sure, t->known), t->wrong_sure);
	}
	if (disputed)
		printf("(Not counted: %zu lines on which the patches and the text do not agree.)\n", disputed);
}

static void print_bin(const char *mode, const char *kind, const struct bin *b)
{
	if (b->n)
		printf("%-16s %-10s %9.3f %9.4f %9zu\n", mode, kind, b->sum / (double)b->n, (double)b->right / (double)b->n, b->n);
}

static void add_bin(struct bin *to, const struct bin *b)
{
	to->n += b->n;
	to->right += b->right;
	to->sum += b->sum;
}

/* Confidences, and the share of pairs that were right. */
static void report_confidences(const struct trials *all)
{
	printf("\n%-16s %-10s %9s %9s %9s\n", "", "confidence", "stated", "right", "pairs");
	for (enum mode m = 0; m < MODES; m++) {
		for (int i = 0; i <= BINS; i++) {
			struct bin sum = { 0 };
			char range[16];

			for (enum match_kind k = 0; k < MATCH_KINDS; k++)
				add_bin(&sum, &all->calibration[m][k][i]);
			snprintf(range, sizeof range, "%.2f", (double)i / BINS);
			print_bin(trial_mode[m], range, &sum);
		}
		for (enum match_kind k = 0; k < MATCH_KINDS; k++) {
			struct bin sum = { 0 };

			for (int i = 0; i <= BINS; i++)
				add_bin(&sum, &all->calibration[m][k][i]);
			print_bin(trial_mode[m], match_kind_name(k), &sum);
		}
	}
}

int main(int argc, char **argv)
{
	static struct trials all;
	bool confidences = false;
	size_t disputed = 0;
	int c;

	msg_init(argv[0]);
	while ((c = getopt(argc, argv, "cv")) != -1) {
		confidences |= c == 'c';
		all.verbose |= c == 'v';
	}
	for (int i = optind; i < argc; i++)
		disputed += replay(&all, argv[i]);
	report(&all, disputed);
	if (confidences)
		report_confidences(&all);
	return msg_failed() ? 2 : 0;
}
