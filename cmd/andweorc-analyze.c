/* andweorc-analyze: computes impacts from experiments. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/impact.h"
#include "base/alloc.h"
#include "base/cli.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/terminal.h"
#include "profile/whatif.h"
#include "report/page.h"
#include "report/report.h"
#include "text/prose.h"
#include "view/folded.h"
#include "view/pprof.h"

static const char USAGE[] =
	"usage: andweorc-analyze [--format FORMAT] [--by WHAT] [-p POINT]... [--top N] [RESOLVED...]\n"
	"       andweorc-analyze --what-if REGION=PCT[,REGION=PCT]...[,cpus=N] [RESOLVED...]\n"
	"       andweorc-analyze --explain\n"
	"\n"
	"Turns the experiments of resolved logs into impacts: how much faster the\n"
	"program gets when a region gets faster, with a 95 % interval.  Reads standard\n"
	"input without arguments, and for '-'.\n"
	"\n"
	"  -f, --format FORMAT  text (for people; default on a terminal), andweorc (for\n"
	"                       andweorc-diff and andweorc-plot; default otherwise), json,\n"
	"                       csv, html (the report as a page of its own), coz (a profile\n"
	"                       for what reads those of Coz); by call stack: folded (lines\n"
	"                       for flame graphs), pprof (for pprof and what reads its\n"
	"                       profiles)\n"
	"      --by WHAT        of folded: cpu (default), blocked, time (both), or impact\n"
	"  -p, --point POINT    only this progress point; may be repeated\n"
	"      --top N          at most N regions for each point\n"
	"      --what-if LIST   answer one question from the recorded events, without\n"
	"                       experiments: REGION=PCT (a function or FILE:LINE takes so\n"
	"                       many per cent less time) and cpus=N, joined by commas\n"
	"      --explain        explain the terms of the report and exit\n"
	"  -h, --help           print this help and exit\n"
	"  -V, --version        print the version and exit\n";

enum format { FORMAT_TEXT, FORMAT_ANDWEORC, FORMAT_JSON, FORMAT_CSV, FORMAT_COZ, FORMAT_HTML, FORMAT_FOLDED, FORMAT_PPROF };
enum { OPTION_TOP = 256, OPTION_BY, OPTION_WHAT_IF, OPTION_EXPLAIN };

struct options {
	enum format format;
	enum folded_by by;
	const char **point;
	size_t npoints, cap_points;
	size_t top;
	struct what_if what_if; /* text NULL: no question */
};

static enum format parse_format(const char *text)
{
	static const char *const names[] = { [FORMAT_TEXT] = "text", [FORMAT_ANDWEORC] = "andweorc", [FORMAT_JSON] = "json",
					     [FORMAT_CSV] = "csv", [FORMAT_COZ] = "coz", [FORMAT_HTML] = "html",
					     [FORMAT_FOLDED] = "folded", [FORMAT_PPROF] = "pprof" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(text, names[i]))
			return (enum format)i;
	cli_usage_error(EXIT_TROUBLE, "unknown format '%s': text, andweorc, json, csv, html, coz, folded or pprof", text);
}

static enum folded_by parse_by(const char *text)
{
	static const char *const names[] = { [FOLDED_CPU] = "cpu", [FOLDED_BLOCKED] = "blocked", [FOLDED_TIME] = "time",
					     [FOLDED_IMPACT] = "impact" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(text, names[i]))
			return (enum folded_by)i;
	cli_usage_error(EXIT_TROUBLE, "unknown '%s' for --by: cpu, blocked, time or impact", text);
}

static size_t parse_top(const char *text)
{
	uint64_t top;

	if (num_u64(text, &top) && top > 0)
		return (size_t)top;
	cli_usage_error(EXIT_TROUBLE, "bad number '%s' for --top", text);
}

static void parse_what_if(struct options *o, const char *text)
{
	const char *why;

	what_if_release(&o->what_if);
	if (!what_if_parse(&o->what_if, text, &why))
		cli_usage_error(EXIT_TROUBLE, "bad question '%s' for --what-if: %s", text, why);
}

static bool by_stack(const struct options *o)
{
	return (o->format == FORMAT_FOLDED || o->format == FORMAT_PPROF) && !o->what_if.text;
}

static void set_page(void)
{
	prose_set_page((struct prose_page){ .columns = terminal_columns(), .utf8 = terminal_has_utf8() });
}

/* Writes the text for --explain and exits, as for -h. */
_Noreturn static void explain(void)
{
	set_page();
	impact_write_terms(stdout);
	exit(cli_finish(EXIT_OK));
}

static void parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "point", required_argument, NULL, 'p' },
		{ "top", required_argument, NULL, OPTION_TOP },
		{ "by", required_argument, NULL, OPTION_BY },
		{ "what-if", required_argument, NULL, OPTION_WHAT_IF },
		{ "explain", no_argument, NULL, OPTION_EXPLAIN },
		CLI_LONGS,
	};
	int c;

	while ((c = cli_option(argc, argv, ":f:p:hV", longs, USAGE, EXIT_TROUBLE)) != -1) {
		switch (c) {
		case 'f':
			o->format = parse_format(optarg);
			break;
		case 'p':
			o->point = xgrow(o->point, o->npoints, &o->cap_points, sizeof *o->point);
			o->point[o->npoints++] = optarg;
			break;
		case OPTION_TOP:
			o->top = parse_top(optarg);
			break;
		case OPTION_BY:
			o->by = parse_by(optarg);
			break;
		case OPTION_WHAT_IF:
			parse_what_if(o, optarg);
			break;
		case OPTION_EXPLAIN:
			explain();
		}
	}
}

/* A requested point that does not exist is mostly misspelt. */
static void check_points(const struct options *o, const struct profile *p)
{
	for (size_t i = 0; i < o->npoints; i++) {
		bool known = false;

		for (size_t j = 0; j < p->npoints; j++)
			known = known || !strcmp(o->point[i], p->point[j].name);
		if (!known && p->npoints)
			msg_error("no progress point '%s' in the input (there is '%s'%s)", o->point[i], p->point[0].name,
				  p->npoints > 1 ? " and others" : "");
		else if (!known)
			msg_error("no progress point '%s' in the input", o->point[i]);
	}
}

static void print_analysis(const struct analysis *a, const struct options *o)
{
	switch (o->format) {
	case FORMAT_TEXT:
		set_page();
		impact_write_report(a, o->top, terminal_has_colour(), stdout);
		break;
	case FORMAT_ANDWEORC:
		impact_write_records(a, o->top, stdout);
		break;
	case FORMAT_JSON:
		impact_write_json(a, o->top, stdout);
		break;
	case FORMAT_CSV:
		impact_write_csv(a, o->top, stdout);
		break;
	case FORMAT_COZ:
		impact_write_coz(a, o->top, stdout);
		break;
	case FORMAT_HTML:
		page_write(a, o->top, stdout);
		break;
	case FORMAT_FOLDED:
		folded_write(a->profile->stacks, a, o->by, stdout);
		break;
	case FORMAT_PPROF:
		pprof_write(a->profile->stacks, a, stdout);
		break;
	}
}

static void report_profile(const struct options *o, struct profile *p)
{
	struct analysis a;

	analysis_init(&a, p, o->point, o->npoints);
	for (size_t i = 0; i < a.ndoubts; i++)
		msg_warn("%s", a.doubt[i].text);
	print_analysis(&a, o);
	analysis_release(&a);
}

static void answer(const struct options *o, struct profile *p)
{
	set_page();
	what_if_write(&o->what_if, p, stdout);
}

int main(int argc, char **argv)
{
	struct options o = { .top = REPORT_ALL };
	struct profile p = PROFILE_INIT;
	struct stacks stacks = { 0 };

	cli_init(argv[0]);
	alloc_keep_freed();
	o.format = isatty(STDOUT_FILENO) ? FORMAT_TEXT : FORMAT_ANDWEORC;
	parse_options(argc, argv, &o);
	p.what_if = o.what_if.text ? &o.what_if : NULL;
	if (by_stack(&o))
		p.stacks = &stacks;
	if (optind == argc)
		profile_load(&p, "-");
	for (int i = optind; i < argc; i++)
		profile_load(&p, argv[i]);
	profile_finish(&p);
	check_points(&o, &p);
	if (p.stacks)
		stacks_warn(&stacks);
	if (p.what_if)
		answer(&o, &p);
	else
		report_profile(&o, &p);
	profile_release(&p);
	stacks_release(&stacks);
	what_if_release(&o.what_if);
	free(o.point);
	return cli_finish(EXIT_OK);
}
