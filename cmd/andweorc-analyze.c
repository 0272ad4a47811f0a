/* andweorc-analyze: experiments to impacts. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cli.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/terminal.h"
#include "profile/impact.h"
#include "profile/prose.h"

static const char USAGE[] =
	"usage: andweorc-analyze [--format text|andweorc|json] [-p POINT]... [--top N] [RESOLVED...]\n"
	"       andweorc-analyze --explain\n"
	"\n"
	"Turns the experiments of resolved logs into impacts: how much faster the\n"
	"program gets when a region gets faster, with a 95 % interval.  Reads standard\n"
	"input without arguments, and for '-'.\n"
	"\n"
	"  -f, --format FORMAT  text (for people; default on a terminal), andweorc (for\n"
	"                       andweorc-diff and andweorc-plot; default otherwise), json\n"
	"  -p, --point POINT    only this progress point; may be repeated\n"
	"      --top N          at most N regions for each point\n"
	"      --explain        explain the terms of the report and exit\n"
	"  -h, --help           print this help and exit\n"
	"  -V, --version        print the version and exit\n";

enum format { FORMAT_TEXT, FORMAT_ANDWEORC, FORMAT_JSON };
enum { OPTION_TOP = 256, OPTION_EXPLAIN };

struct options {
	enum format format;
	const char **point;
	size_t npoints, cap_points;
	size_t top;
};

static enum format parse_format(const char *text)
{
	static const char *const names[] = { [FORMAT_TEXT] = "text", [FORMAT_ANDWEORC] = "andweorc", [FORMAT_JSON] = "json" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(text, names[i]))
			return (enum format)i;
	cli_usage_error(EXIT_TROUBLE, "unknown format '%s': text, andweorc or json", text);
}

static size_t parse_top(const char *text)
{
	uint64_t top;

	if (num_u64(text, &top) && top > 0)
		return (size_t)top;
	cli_usage_error(EXIT_TROUBLE, "bad number '%s' for --top", text);
}

static void set_page(void)
{
	prose_set_page((struct prose_page){ .columns = terminal_columns(), .utf8 = terminal_has_utf8() });
}

/* Answers --explain as -h is answered. */
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
		case OPTION_EXPLAIN:
			explain();
		}
	}
}

/* A point that is asked for and not there is a mistyped name, mostly. */
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

static void print(const struct analysis *a, const struct options *o)
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
	}
}

int main(int argc, char **argv)
{
	struct options o = { .top = SIZE_MAX };
	struct profile p = PROFILE_INIT;
	struct analysis a;

	cli_init(argv[0]);
	o.format = isatty(STDOUT_FILENO) ? FORMAT_TEXT : FORMAT_ANDWEORC;
	parse_options(argc, argv, &o);
	if (optind == argc)
		profile_load(&p, "-");
	for (int i = optind; i < argc; i++)
		profile_load(&p, argv[i]);
	profile_finish(&p);
	check_points(&o, &p);
	analysis_init(&a, &p, o.point, o.npoints);
	for (size_t i = 0; i < a.ndoubts; i++)
		msg_warn("%s", a.doubt[i].text);
	print(&a, &o);
	analysis_release(&a);
	profile_release(&p);
	free(o.point);
	return cli_finish(EXIT_OK);
}
