/*
 * andweorc-plot: draws the speedup curves of an analysis.
 *
 *     andweorc-analyze resolved.aw | andweorc-plot -o curves.svg
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cli.h"
#include "base/file.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/terminal.h"
#include "base/text.h"
#include "diff/comparisons.h"
#include "plot/chart.h"
#include "plot/gnuplot.h"
#include "plot/svg.h"

static const char USAGE[] =
	"usage: andweorc-plot [-o FILE.svg|.png|.txt] [-p POINT] [-t N] [--base BASE [--map PATCH]]\n"
	"                     [--theme THEME] [--title TEXT] [--script FILE] [ANALYSIS]\n"
	"\n"
	"Draws what andweorc-analyze found: for each leading region, how much faster the\n"
	"program would be (y) if the region ran faster (x).  Without ANALYSIS, or with -,\n"
	"reads standard input.  Without -o, draws with characters to standard output.\n"
	"\n"
	"  -o, --output FILE   write FILE; .svg, .png or .txt says the format\n"
	"  -p, --point POINT   draw this progress point only\n"
	"  -t, --top N         draw at most N regions of each point (default 6)\n"
	"      --base BASE     draw the analysis BASE behind, in a second colour, and say what andweorc-diff\n"
	"                      says of the two; what changed most comes first\n"
	"      --map PATCH     output of 'git diff -U0 -M BASE HEAD': finds moved lines of BASE\n"
	"      --margin PCT    as of andweorc-diff, for --base (default 2)\n"
	"      --region-margin PCT  likewise (default: as --margin)\n"
	"      --theme THEME   light (default), dark, or auto: an SVG that is light, and dark for\n"
	"                      viewers that ask for dark\n"
	"      --title TEXT    heading (default: the program and the progress point)\n"
	"      --script FILE   save the gnuplot script; without -o, do only that\n"
	"  -h, --help          say this\n"
	"  -V, --version       say the version\n";

struct options {
	const char *output; /* NULL: standard output */
	const char *script; /* NULL: not saved */
	const char *base;
	const char *map;
	const char *analysis;
	double margin_pct, region_margin_pct; /* as of struct comparisons_options */
	struct chart_request request;
};

enum { OPT_BASE = 256, OPT_MAP, OPT_MARGIN, OPT_REGION_MARGIN, OPT_THEME, OPT_TITLE, OPT_SCRIPT };

static enum chart_format format_of(const char *file)
{
	static const char *const suffix[] = { ".txt", ".svg", ".png" };
	size_t len = strlen(file);

	for (int i = 0; i < 3; i++)
		if (len > 4 && !strcmp(file + len - 4, suffix[i]))
			return (enum chart_format)i;
	cli_usage_error(EXIT_TROUBLE, "cannot tell the format of '%s': the name ends in .svg, .png or .txt", file);
}

static size_t count_of(const char *s)
{
	uint64_t n;

	if (!num_u64(s, &n) || !n || n > 1000000)
		cli_usage_error(EXIT_TROUBLE, "bad number '%s' for --top: it is 1 or more", s);
	return (size_t)n;
}

static enum theme theme_of(const char *name)
{
	enum theme t;

	if (!theme_named(name, &t))
		msg_die(EXIT_TROUBLE, "unknown theme '%s': light, dark or auto", name);
	return t;
}

static double margin_of(const char *option, const char *text)
{
	double pct;

	if (!comparisons_read_margin(text, &pct))
		cli_usage_error(EXIT_TROUBLE, "bad number '%s' for --%s: per cent, above 0 and below 100", text, option);
	return pct;
}

static void parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },      { "point", required_argument, NULL, 'p' },
		{ "top", required_argument, NULL, 't' },         { "base", required_argument, NULL, OPT_BASE },
		{ "map", required_argument, NULL, OPT_MAP },     { "margin", required_argument, NULL, OPT_MARGIN },
		{ "region-margin", required_argument, NULL, OPT_REGION_MARGIN }, { "theme", required_argument, NULL, OPT_THEME },
		{ "title", required_argument, NULL, OPT_TITLE }, { "script", required_argument, NULL, OPT_SCRIPT },
		CLI_LONGS,
	};
	int c;

	while ((c = cli_option(argc, argv, ":o:p:t:hV", longs, USAGE, EXIT_TROUBLE)) != -1) {
		switch (c) {
		case 'o':
			o->output = optarg;
			break;
		case 'p':
			o->request.point = optarg;
			break;
		case 't':
			o->request.top = count_of(optarg);
			break;
		case OPT_BASE:
			o->base = optarg;
			break;
		case OPT_MAP:
			o->map = optarg;
			break;
		case OPT_MARGIN:
			o->margin_pct = margin_of("margin", optarg);
			break;
		case OPT_REGION_MARGIN:
			o->region_margin_pct = margin_of("region-margin", optarg);
			break;
		case OPT_THEME:
			o->request.theme = theme_of(optarg);
			break;
		case OPT_TITLE:
			o->request.title = optarg;
			break;
		case OPT_SCRIPT:
			o->script = optarg;
			break;
		}
	}
	if (argc - optind > 1)
		cli_usage_error(EXIT_TROUBLE, "one analysis is drawn, not %d (the other is for --base)", argc - optind);
	o->analysis = argc > optind ? argv[optind] : "-";
	if (o->base && !strcmp(o->base, "-") && !strcmp(o->analysis, "-"))
		cli_usage_error(EXIT_TROUBLE, "standard input cannot be both BASE and ANALYSIS");
	if (o->map && !o->base)
		cli_usage_error(EXIT_TROUBLE, "--map is for --base");
}

static bool write_output(const char *file, const struct buf *b)
{
	if (file && strcmp(file, "-"))
		return file_replace(file, b->s, b->len);
	/*
	 * Not through stdio, which would lose the reason of a failed write.  EPIPE is not
	 * an error: the reader has stopped reading.
	 */
	if (file_write(STDOUT_FILENO, b->s, b->len) || errno == EPIPE)
		return true;
	msg_error("cannot write standard output: %s", strerror(errno));
	return false;
}

static void draw(const struct options *o)
{
	struct buf script = BUF_INIT, picture = BUF_INIT;
	struct chart chart;

	if (!chart_plan(&chart, &o->request))
		return;
	gnuplot_script(&script, &chart);
	if (!o->script || write_output(o->script, &script)) {
		if ((o->output || !o->script) && gnuplot_run(&script, chart.format, &picture)) {
			if (chart.format == CHART_SVG)
				svg_finish(&picture, &chart);
			write_output(o->output, &picture);
		}
	}
	buf_release(&picture);
	buf_release(&script);
	chart_release(&chart);
}

/* Have both a point that is drawn? */
static bool can_compare(const struct side *base, const struct side *head, const char *point)
{
	for (size_t i = 0; i < base->npoints; i++) {
		const char *name = base->point[i].found->name;

		if ((!point || !strcmp(point, name)) && side_point(head, name))
			return true;
	}
	return false;
}

/* As andweorc-diff does it, by the same code. */
static void find_changes(struct report *changes, struct side *base, struct side *head, struct options *o,
			 const struct linemap *map)
{
	struct comparisons_options build = { .point = o->request.point, .margin_pct = o->margin_pct, .region_margin_pct = o->region_margin_pct };

	side_fill(base);
	side_fill(head);
	/* the empty map means that no line has moved */
	if (o->map || sides_are_one_commit(base, head))
		o->request.map = build.map = map;
	if (can_compare(base, head, build.point))
		comparisons_report(changes, base, head, &build);
}

int main(int argc, char **argv)
{
	struct options o = { .margin_pct = COMPARISONS_MARGIN_PCT, .request = { .top = 6 } };
	struct report changes = REPORT_INIT;
	struct side head, base;
	struct linemap map;

	cli_init(argv[0]);
	parse_options(&o, argc, argv);
	o.request.format = o.output ? format_of(o.output) : o.script ? CHART_SVG : CHART_TEXT;
	o.request.columns = o.output ? TERMINAL_NONE_COLUMNS : (int)terminal_columns();
	if (o.request.theme == THEME_AUTO && o.request.format == CHART_PNG)
		msg_die(EXIT_TROUBLE, "the theme auto is for .svg; a PNG is light or dark");
	side_init(&head);
	side_init(&base);
	linemap_init(&map);
	o.request.head = &head.found;
	o.request.base = o.base ? &base.found : NULL;
	o.request.changes = &changes;
	/* The valid parts of a broken patch can still be used. */
	if (o.map)
		linemap_read(&map, o.map);
	if (findings_read(&head.found, o.analysis) && (!o.base || findings_read(&base.found, o.base))) {
		if (o.base)
			find_changes(&changes, &base, &head, &o, &map);
		draw(&o);
	}
	report_release(&changes);
	linemap_release(&map);
	side_release(&base);
	side_release(&head);
	return cli_finish(EXIT_OK);
}
