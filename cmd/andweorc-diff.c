/* andweorc-diff: compares two analyses. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cli.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/terminal.h"
#include "base/text.h"
#include "diff/comparisons.h"
#include "diff/environment.h"
#include "diff/gate.h"
#include "diff/selfcheck.h"
#include "publish/write.h"

static const char USAGE[] =
	"usage: andweorc-diff [-f FORMAT] [-p POINT] [--map PATCH] [--fail-on GATE,...] BASE HEAD\n"
	"       andweorc-diff --render TSV [-f FORMAT] [--fail-on GATE,...]\n"
	"       andweorc-diff --aa [-f FORMAT] [-p POINT] ANALYSIS [ANALYSIS]\n"
	"\n"
	"Compares two analyses of andweorc-analyze: how the program's rate changed, which\n"
	"regions cost more or less, and how sure that is.  One of them may be '-'.\n"
	"\n"
	"  -f, --format FORMAT   text (default), markdown (a comment), summary (of a step),\n"
	"                        github (annotations), tsv, json\n"
	"  -p, --point POINT     only this progress point\n"
	"      --map PATCH       output of 'git diff -U0 -M BASE HEAD': finds moved lines\n"
	"      --margin PCT      changes below this part of a visit's time are of no interest\n"
	"                        (default 2)\n"
	"      --region-margin PCT\n"
	"                        the same for regions (default: as --margin)\n"
	"      --fail-on GATE    exit with status 1 on: regression, change, inconclusive;\n"
	"                        several with commas between; with status 3 where nothing\n"
	"                        could be judged\n"
	"      --force           gate although base and head were measured on unlike machines\n"
	"      --within-run      let fewer than 3 runs a side decide, by the noise inside them\n"
	"      --confirm DIFF    gate on what DIFF, an earlier tsv or json, saw too\n"
	"      --render TSV      write an earlier result in another format, comparing nothing\n"
	"      --aa              self-check: deal out runs of what is one program to two sides, and\n"
	"                        count what is found to have changed\n"
	"      --id NAME         tells comments apart: part of the marker of markdown\n"
	"      --max-bytes N     most bytes of markdown (65000) or summary (1000000)\n"
	"  -h, --help            print this help and exit\n"
	"  -V, --version         print the version and exit\n";

enum format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_TSV, FORMAT_JSON, FORMAT_GITHUB, FORMAT_SUMMARY, FORMATS };

static const char *const formats[] = { "text", "markdown", "tsv", "json", "github", "summary" };

enum {
	OPT_MAP = 256, OPT_MARGIN, OPT_REGION_MARGIN, OPT_FAIL_ON, OPT_FORCE, OPT_WITHIN_RUN, OPT_CONFIRM, OPT_RENDER, OPT_AA, OPT_ID, OPT_MAX_BYTES,
};

/* Annotations of each severity that a runner shows, less the one of the failed step. */
enum { ANNOTATIONS = 9 };

/* GitHub's limits: 65536 characters for a comment, 1 MiB for a step's summary. */
enum { COMMENT_BYTES = 65000, SUMMARY_BYTES = 1000000 };

struct options {
	enum format format;
	struct comparisons_options build;
	unsigned gates;
	bool force, aa;
	const char *map, *confirm, *render, *id;
	uint64_t max_bytes;
};

static enum format format_named(const char *text)
{
	for (int i = 0; i < FORMATS; i++)
		if (!strcmp(text, formats[i]))
			return (enum format)i;
	cli_usage_error(EXIT_TROUBLE, "unknown format '%s': text, markdown, summary, tsv, json or github", text);
}

static double margin_of(const char *option, const char *text)
{
	double pct;

	if (comparisons_read_margin(text, &pct))
		return pct;
	cli_usage_error(EXIT_TROUBLE, "bad number '%s' for --%s: per cent, above 0 and below 100", text, option);
}

static unsigned gates_of(const char *text)
{
	unsigned gates = 0;
	const char *bad;

	if (gate_parse(text, &gates, &bad))
		return gates;
	cli_usage_error(EXIT_TROUBLE, "unknown gate '%s' for --fail-on: regression, change or inconclusive", bad);
}

static uint64_t bytes_of(const char *text)
{
	uint64_t n;

	if (num_u64(text, &n) && n >= 1000)
		return n;
	cli_usage_error(EXIT_TROUBLE, "bad number '%s' for --max-bytes: 1000 or more", text);
}

static void parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "point", required_argument, NULL, 'p' },
		{ "map", required_argument, NULL, OPT_MAP },
		{ "margin", required_argument, NULL, OPT_MARGIN },
		{ "region-margin", required_argument, NULL, OPT_REGION_MARGIN },
		{ "fail-on", required_argument, NULL, OPT_FAIL_ON },
		{ "force", no_argument, NULL, OPT_FORCE },
		{ "within-run", no_argument, NULL, OPT_WITHIN_RUN },
		{ "confirm", required_argument, NULL, OPT_CONFIRM },
		{ "render", required_argument, NULL, OPT_RENDER },
		{ "aa", no_argument, NULL, OPT_AA },
		{ "id", required_argument, NULL, OPT_ID },
		{ "max-bytes", required_argument, NULL, OPT_MAX_BYTES },
		CLI_LONGS,
	};
	int c;

	while ((c = cli_option(argc, argv, ":f:p:hV", longs, USAGE, EXIT_TROUBLE)) != -1) {
		switch (c) {
		case 'f':
			o->format = format_named(optarg);
			break;
		case 'p':
			o->build.point = optarg;
			break;
		case OPT_MAP:
			o->map = optarg;
			break;
		case OPT_MARGIN:
			o->build.margin_pct = margin_of("margin", optarg);
			break;
		case OPT_REGION_MARGIN:
			o->build.region_margin_pct = margin_of("region-margin", optarg);
			break;
		case OPT_FAIL_ON:
			o->gates |= gates_of(optarg);
			break;
		case OPT_FORCE:
			o->force = true;
			break;
		case OPT_WITHIN_RUN:
			o->build.within_run = true;
			break;
		case OPT_CONFIRM:
			o->confirm = optarg;
			break;
		case OPT_RENDER:
			o->render = optarg;
			break;
		case OPT_AA:
			o->aa = true;
			break;
		case OPT_ID:
			o->id = optarg;
			break;
		case OPT_MAX_BYTES:
			o->max_bytes = bytes_of(optarg);
			break;
		}
	}
}

/* Reads both analyses even if the first is invalid, so that errors in both are reported. */
static bool read_sides(struct side *base, const char *base_path, struct side *head, const char *head_path)
{
	bool ok;

	if (head_path && !strcmp(base_path, "-") && !strcmp(head_path, "-"))
		cli_usage_error(EXIT_TROUBLE, "standard input cannot be both BASE and HEAD");
	ok = side_read(base, base_path);
	return (!head_path || side_read(head, head_path)) && ok;
}

/* head_path is NULL when one analysis checks itself. */
static bool compare_files(struct report *r, const char *base_path, const char *head_path, const struct options *o)
{
	struct comparisons_options build = o->build;
	struct linemap map;
	struct side base, head;
	bool ok;

	linemap_init(&map);
	side_init(&base);
	side_init(&head);
	ok = read_sides(&base, base_path, &head, head_path);
	/* the empty map means that no line has moved */
	if (o->map || sides_are_one_commit(&base, &head))
		build.map = &map;
	if (o->map)
		linemap_read(&map, o->map);
	if (ok && o->aa)
		ok = selfcheck(r, &base, head_path ? &head : NULL, &build);
	else if (ok)
		ok = comparisons_report(r, &base, &head, &build);
	side_release(&head);
	side_release(&base);
	linemap_release(&map);
	return ok;
}

static void confirm(struct report *r, const char *path)
{
	struct report previous = REPORT_INIT;

	if (report_read(&previous, path))
		gate_confirm(r, &previous);
	report_release(&previous);
}

static void print_report(const struct report *r, const struct options *o)
{
	switch (o->format) {
	case FORMAT_MARKDOWN:
		write_markdown(r, o->id, o->max_bytes ? (size_t)o->max_bytes : COMMENT_BYTES, stdout);
		break;
	case FORMAT_SUMMARY:
		write_markdown(r, NULL, o->max_bytes ? (size_t)o->max_bytes : SUMMARY_BYTES, stdout);
		break;
	case FORMAT_TSV:
		report_write_tsv(r, stdout);
		break;
	case FORMAT_JSON:
		report_write_json(r, stdout);
		break;
	case FORMAT_GITHUB:
		write_github(r, o->gates, ANNOTATIONS, stdout);
		break;
	default:
		write_text(r, terminal_has_colour(), stdout);
		break;
	}
}

static void print_check(const struct report *r, const struct options *o)
{
	switch (o->format) {
	case FORMAT_TEXT:
		selfcheck_write_text(r, stdout);
		break;
	case FORMAT_TSV:
		report_write_tsv(r, stdout);
		break;
	case FORMAT_JSON:
		report_write_json(r, stdout);
		break;
	default:
		msg_error("format '%s' is not for --aa: text, tsv or json", formats[o->format]);
		break;
	}
}

static int exit_by_gates(const struct report *r, const struct options *o)
{
	if (!o->gates)
		return EXIT_OK;
	if (environment_is_unlike(r) && !o->force) {
		msg_warn("the gate cannot be judged: base and head were measured under unlike conditions (--force gates all the same)");
		return EXIT_UNJUDGED;
	}
	if (gate_count(r, o->gates))
		return EXIT_GATE;
	if (gate_can_close(r))
		return EXIT_OK;
	msg_warn("the gate cannot be judged: there is too little data for any verdict (3 runs a side at least, 5 are better)");
	return EXIT_UNJUDGED;
}

static void check_operands(const struct options *o, int nfiles)
{
	if (o->aa && o->render)
		cli_usage_error(EXIT_TROUBLE, "--aa and --render exclude each other");
	if (o->aa && (nfiles < 1 || nfiles > 2))
		cli_usage_error(EXIT_TROUBLE, "--aa takes one or two analyses");
	if (o->render && nfiles)
		cli_usage_error(EXIT_TROUBLE, "--render compares nothing: no file may follow '%s'", o->render);
	if (!o->aa && !o->render && nfiles != 2)
		cli_usage_error(EXIT_TROUBLE, "two analyses are compared, BASE and HEAD, not %d", nfiles);
}

int main(int argc, char **argv)
{
	struct options o = { .build = { .margin_pct = COMPARISONS_MARGIN_PCT }, .id = "default" };
	struct report r = REPORT_INIT;
	int status = EXIT_TROUBLE, nfiles;
	bool ok;

	cli_init(argv[0]);
	parse_options(&o, argc, argv);
	nfiles = argc - optind;
	check_operands(&o, nfiles);
	ok = o.render ? report_read_tsv(&r, o.render) : compare_files(&r, argv[optind], nfiles > 1 ? argv[optind + 1] : NULL, &o);
	if (ok && o.aa) {
		print_check(&r, &o);
		status = EXIT_OK;
	} else if (ok) {
		if (o.confirm)
			confirm(&r, o.confirm);
		print_report(&r, &o);
		status = exit_by_gates(&r, &o);
	}
	report_release(&r);
	return cli_finish(status);
}
