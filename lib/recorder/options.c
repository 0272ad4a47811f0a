#include "recorder/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cli.h"
#include "base/config.h"
#include "base/msg.h"
#include "base/num.h"
#include "recorder/automatic.h"

static const char usage[] =
	"usage: andweorc-record [OPTION]... [--] COMMAND [ARG]...\n"
	"       andweorc-record [OPTION]... -p PID\n"
	"Runs COMMAND, speeds parts of it up virtually, and logs what that does to its progress.\n"
	"\n"
	"  -o, --output LOG          write the log here (default: standard output, unless a terminal); in its name, %r is\n"
	"                            the rank, %p the recorder's process number, %h the host, %% a %\n"
	"  -d, --duration SECONDS    time for experiments; COMMAND is run again, or ended, accordingly\n"
	"  -w, --wait SECONDS        measure nothing before COMMAND has run so long; -d counts from there\n"
	"  -n, --runs RUNS           run COMMAND this many times; -d is divided among them\n"
	"  -m, --mode line|function  what regions are (default: line)\n"
	"  -r, --region REGION       FUNCTION, FILE:LINE, a pattern of functions, or :io, :sleep, :lock, :runqueue,\n"
	"                            :alloc, or 'A;B;C', C called by B called by A; may repeat (default: found by sampling)\n"
	"      --only PATTERN        find regions only in such source files, modules or lines (FILE:LINE); may repeat\n"
	"  -x, --exclude PATTERN     find none in these, such as 'third_party/*' or 'libfoo.so*': charge their callers;\n"
	"                            may repeat\n"
	"      --only-function PATTERN  find regions only in functions that are called so; may repeat\n"
	"      --exclude-function PATTERN  find none in these: charge their callers; may repeat\n"
	"  -P, --point LOCATION      FUNCTION, LIBRARY!FUNCTION, FILE:LINE or PROVIDER:PROBE (USDT) whose execution is\n"
	"                            progress, or :output, :input, :replies, :parallel, :mpi, :kokkos, :work,\n"
	"                            :run; may repeat.  '?' prints what can be named in COMMAND, and runs nothing\n"
	"  -s, --speedups LIST       percent, such as 25,50 or 10-50:20 (default: 15,30,50,75); what is there twice is\n"
	"                            tried twice as often\n"
	"      --given REGION=PCT    measure all others with this region that much faster all the time\n"
	"      --design fixed|adaptive  all regions alike, or more for those that matter (default: fixed;\n"
	"                            with --until adaptive)\n"
	"      --until POINTS        end when the slopes of the regions that matter most are known to +-POINTS: gains of the\n"
	"                            program for 100 % of the region, in percent\n"
	"      --max-regions N       at most this many regions found by sampling (default: 6)\n"
	"      --seed N              of the order of experiments (default: from the clock)\n"
	"      --sampler perf|timer  (default: perf, or timer where perf is refused, and for observing)\n"
	"      --period MICROSECONDS of samples (default: 1000)\n"
	"      --window MILLISECONDS least length of an experiment (default: 200)\n"
	"  -l, --launcher REGEX      COMMAND starts the program on other hosts: put the recorder in front of its first word\n"
	"                            that matches\n"
	"  -p, --pid PID             observe this process, which runs already, without a pause and without a restart: sample, and\n"
	"                            note events, for -d seconds or until it ends\n"
	"      --attach-only         perform no experiment and pause nobody: sample, and note events\n"
	"      --start-paused        no experiment, and no event, until the program comes to ANDWEORC_START, or until SIGUSR1\n"
	"                            for this process; SIGUSR2 stops them\n"
	"      --show-output         show what COMMAND writes in each run, not only in the first\n"
	"      --block ID            recordings made side by side have the same ID: the log says it\n"
	"      --side base|head      of a comparison: the log says it\n"
	"      --commit ID           what was built (default: $GITHUB_SHA): the log says it\n"
	"      --config FILE         read options from here, a line each, such as 'duration = 30'; the command line wins\n"
	"      --print-config        write the options that are in force as such a file, and run nothing\n"
	"  -q, --quiet               no progress on a terminal\n"
	"  -h, --help                this text\n"
	"  -V, --version             the version\n"
	"\n"
	"Names may be those of functions of a library, too.  Progress points are those of <andweorc.h> and of\n"
	"<coz.h>, and -P.  Without any, progress is what the program writes, reads or answers, and its processor time;\n"
	"of a command that is short, completed runs are compared, which takes -d or -n.\n";

/* The place of the current option; path NULL: the command line. */
static struct {
	const char *path;
	unsigned long line;
} place;

static _Noreturn void AW_PRINTF(1, 2) wrong(const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!place.path)
		cli_usage_error(EXIT_RECORD, "%s", text);
	msg_error_at(place.path, place.line, "%s", text);
	exit(EXIT_RECORD);
}

static _Noreturn void bad_option(const char *what, const char *value)
{
	wrong("bad %s '%s'", what, value);
}

static uint64_t number(const char *what, const char *value, uint64_t lo, uint64_t hi)
{
	uint64_t n;

	if (!num_u64(value, &n) || n < lo || n > hi)
		bad_option(what, value);
	return n;
}

static const char *option_text(const char *what, const char *value)
{
	if (!*value)
		bad_option(what, value);
	return value;
}

/* A speedup that is named again gets more windows. */
static void add_level(struct options *o, unsigned pct)
{
	if (o->nlevels == OPTIONS_LEVELS || o->zeros == OPTIONS_LEVELS)
		wrong("too many speedups: there is room for %d", OPTIONS_LEVELS);
	if (pct == 0)
		o->zeros++;
	else
		o->levels[o->nlevels++] = pct;
}

/* "40", or "10-50:20", which is 10, 30 and 50. */
static void parse_level(struct options *o, char *item)
{
	char *to = strchr(item, '-'), *step = to ? strchr(to, ':') : NULL;
	uint64_t first, last, by;

	if (!to) {
		add_level(o, (unsigned)number("speedup", item, 0, 100));
		return;
	}
	if (!step)
		bad_option("range of speedups", item);
	*to = *step = '\0';
	first = number("speedup", item, 0, 100);
	last = number("end of a range of speedups", to + 1, first, 100);
	by = number("step between speedups", step + 1, 1, 100);
	for (uint64_t pct = first; pct <= last; pct += by)
		add_level(o, (unsigned)pct);
}

static void parse_levels(struct options *o, const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *item;

	o->nlevels = o->zeros = 0;
	while ((item = strsep(&rest, ",")) != NULL)
		parse_level(o, item);
	free(copy);
}

enum { OPT_SEED = 256, OPT_SAMPLER, OPT_PERIOD, OPT_WINDOW, OPT_ATTACH, OPT_MAX_REGIONS, OPT_BLOCK, OPT_SIDE, OPT_COMMIT, OPT_DESIGN, OPT_UNTIL, OPT_GIVEN, OPT_SHOW, OPT_ONLY,
	OPT_ONLY_FUNCTION, OPT_EXCLUDE_FUNCTION, OPT_CONFIG, OPT_PRINT_CONFIG, OPT_PAUSED };

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "duration", required_argument, NULL, 'd' },
	{ "wait", required_argument, NULL, 'w' },
	{ "launcher", required_argument, NULL, 'l' },
	{ "runs", required_argument, NULL, 'n' },
	{ "mode", required_argument, NULL, 'm' },
	{ "region", required_argument, NULL, 'r' },
	{ "only", required_argument, NULL, OPT_ONLY },
	{ "exclude", required_argument, NULL, 'x' },
	{ "only-function", required_argument, NULL, OPT_ONLY_FUNCTION },
	{ "exclude-function", required_argument, NULL, OPT_EXCLUDE_FUNCTION },
	{ "point", required_argument, NULL, 'P' },
	{ "speedups", required_argument, NULL, 's' },
	{ "max-regions", required_argument, NULL, OPT_MAX_REGIONS },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "sampler", required_argument, NULL, OPT_SAMPLER },
	{ "period", required_argument, NULL, OPT_PERIOD },
	{ "window", required_argument, NULL, OPT_WINDOW },
	{ "pid", required_argument, NULL, 'p' },
	{ "attach-only", no_argument, NULL, OPT_ATTACH },
	{ "start-paused", no_argument, NULL, OPT_PAUSED },
	{ "show-output", no_argument, NULL, OPT_SHOW },
	{ "given", required_argument, NULL, OPT_GIVEN },
	{ "design", required_argument, NULL, OPT_DESIGN },
	{ "until", required_argument, NULL, OPT_UNTIL },
	{ "block", required_argument, NULL, OPT_BLOCK },
	{ "side", required_argument, NULL, OPT_SIDE },
	{ "commit", required_argument, NULL, OPT_COMMIT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "config", required_argument, NULL, OPT_CONFIG },
	{ "print-config", no_argument, NULL, OPT_PRINT_CONFIG },
	CLI_LONGS,
};

/* A point that needs no place in the program. */
static bool automatic_point(struct options *o, const char *name)
{
	enum arena_moved kind;

	if (strcmp(name, ":run") == 0)
		return o->whole_runs = true;
	if (strcmp(name, ":work") == 0)
		return o->work = true;
	return automatic_kind(name, &kind) && (o->automatic[kind] = true);
}

/* REGION=PCT. Classes of waits for other threads are refused: such waits cannot be made faster. */
static void parse_given(struct options *o, const char *value)
{
	const char *equals = strrchr(value, '=');
	uint64_t pct;

	if (!equals || equals == value || !num_u64(equals + 1, &pct) || pct < 1 || pct > 99)
		bad_option("REGION=PCT", value);
	free(o->given);
	o->given = xstrdup(value);
	o->given[equals - value] = '\0';
	if (regions_bad_path(o->given))
		bad_option(regions_bad_path(o->given), o->given);
	if (strcmp(o->given, ":lock") == 0 || strcmp(o->given, ":runqueue") == 0)
		bad_option("REGION=PCT", value);
	o->origin.given = o->given;
	o->origin.given_pct = (unsigned)pct;
}

static void set_option(struct options *o, int option, const char *value)
{
	switch (option) {
	case 'o':
		o->output = value;
		break;
	case 'l':
		o->launcher = value;
		break;
	case 'd':
		if (!num_real(value, &o->seconds) || o->seconds <= 0 || o->seconds > 1e6)
			bad_option("duration", value);
		break;
	case 'w':
		if (!num_real(value, &o->wait) || o->wait < 0 || o->wait > 1e6)
			bad_option("wait", value);
		break;
	case 'n':
		o->runs = number("number of runs", value, 1, 1000000);
		break;
	case 'm':
		if (strcmp(value, "line") != 0 && strcmp(value, "function") != 0)
			bad_option("mode", value);
		o->mode = *value == 'l' ? REGION_LINE : REGION_FUNCTION;
		break;
	case 'r':
		if (!*value || regions_bad_path(value))
			bad_option(*value ? regions_bad_path(value) : "region", value);
		o->names = xgrow(o->names, o->nnames, &o->names_cap, sizeof(char *));
		o->names[o->nnames++] = xstrdup(value);
		break;
	case 'P':
		if (strcmp(value, "?") == 0) {
			o->only_offers = true;
			break;
		}
		if (!*value || (*value == ':' && !automatic_point(o, value)))
			bad_option("point", value);
		if (*value == ':')
			break;
		o->points = xgrow(o->points, o->npoints, &o->points_cap, sizeof(char *));
		o->points[o->npoints++] = xstrdup(value);
		break;
	case 's':
		parse_levels(o, value);
		break;
	case 'x':
		patterns_add(&o->scope.exclude, option_text("pattern", value));
		break;
	case OPT_ONLY:
		patterns_add(&o->scope.only, option_text("pattern", value));
		break;
	case OPT_ONLY_FUNCTION:
		function_patterns_add(&o->scope.only_functions, option_text("pattern", value));
		break;
	case OPT_EXCLUDE_FUNCTION:
		function_patterns_add(&o->scope.exclude_functions, option_text("pattern", value));
		break;
	case OPT_MAX_REGIONS:
		o->max_regions = number("number of regions", value, 1, 1000);
		break;
	case OPT_SEED:
		o->seed = number("seed", value, 0, UINT64_MAX);
		break;
	case OPT_SAMPLER:
		if (strcmp(value, "perf") != 0 && strcmp(value, "timer") != 0)
			bad_option("sampler", value);
		o->sampler = *value == 'p' ? SAMPLER_PERF : SAMPLER_TIMER;
		break;
	case OPT_PERIOD:
		o->period_us = number("period", value, 50, 1000000);
		break;
	case OPT_WINDOW:
		o->window_ms = number("window", value, 1, 60000);
		break;
	case 'p':
		o->pid = number("process number", value, 1, INT32_MAX);
		o->attach_only = true;
		break;
	case OPT_ATTACH:
		o->attach_only = true;
		break;
	case OPT_PAUSED:
		o->start_paused = true;
		break;
	case OPT_SHOW:
		o->show_output = true;
		break;
	case OPT_GIVEN:
		parse_given(o, value);
		break;
	case OPT_DESIGN:
		if (strcmp(value, "fixed") != 0 && strcmp(value, "adaptive") != 0)
			bad_option("design", value);
		o->origin.design = value;
		break;
	case OPT_UNTIL:
		if (!num_real(value, &o->origin.until_points) || o->origin.until_points <= 0 || o->origin.until_points > 100)
			bad_option("half width of an interval", value);
		break;
	case OPT_BLOCK:
		o->origin.block = option_text("block", value);
		break;
	case OPT_SIDE:
		if (strcmp(value, "base") != 0 && strcmp(value, "head") != 0)
			bad_option("side", value);
		o->origin.side = value;
		break;
	case OPT_COMMIT:
		o->origin.commit = option_text("commit", value);
		break;
	case 'q':
		o->quiet = true;
		break;
	}
}

/* ---- options from files -------------------------------------------------------------- */

static void settings_add(struct settings *s, int option, const char *value)
{
	s->v = xgrow(s->v, s->n, &s->cap, sizeof(*s->v));
	s->v[s->n++] = (struct setting){ option, value ? xstrdup(value) : NULL, place.path, place.line };
}

static void settings_release(struct settings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].value);
	free(s->v);
}

/* "yes", or nothing; "no". */
static bool is_on(const char *name, const char *value)
{
	if (!value || strcmp(value, "yes") == 0)
		return true;
	if (strcmp(value, "no") != 0)
		wrong("bad value '%s': '%s' is 'yes' or 'no'", value, name);
	return false;
}

static bool is_a_setting(const struct option *o)
{
	return o->val != OPT_CONFIG && o->val != OPT_PRINT_CONFIG && o->val != 'h' && o->val != 'V';
}

static void take_setting(void *arg, const char *path, unsigned long line, const char *name, const char *value)
{
	const struct option *o = long_options;

	place.path = path;
	place.line = line;
	while (o->name && (strcmp(o->name, name) != 0 || !is_a_setting(o)))
		o++;
	if (!o->name)
		wrong("unknown option '%s'", name);
	if (o->has_arg && !value)
		wrong("option '%s' requires an argument", name);
	if (o->has_arg || is_on(name, value))
		settings_add(arg, o->val, o->has_arg ? value : NULL);
	place.path = NULL;
}

static bool repeats(int option)
{
	return option == 'r' || option == 'P' || option == 'x' || option == OPT_ONLY || option == OPT_ONLY_FUNCTION || option == OPT_EXCLUDE_FUNCTION;
}

/* Does the command line have the option? */
static bool is_outdone(const struct settings *s, int option)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].option == option && !s->v[i].path)
			return true;
	return false;
}

/* Drops settings of files for options that the command line has. */
static void settle_settings(struct settings *s)
{
	struct settings kept = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].path && is_outdone(s, s->v[i].option))
			continue;
		kept.v = xgrow(kept.v, kept.n, &kept.cap, sizeof(*kept.v));
		kept.v[kept.n++] = s->v[i];
		s->v[i].value = NULL;
	}
	settings_release(s);
	*s = kept;
}

/* Does a later setting of the same option replace this one? */
static bool is_replaced(const struct settings *s, size_t i)
{
	for (size_t k = i + 1; k < s->n; k++)
		if (s->v[k].option == s->v[i].option && !repeats(s->v[i].option))
			return true;
	return false;
}

/* The default of an option, as a text; NULL: none.  That of --design depends on other options. */
static const char *default_of(const struct options *o, int option)
{
	switch (option) {
	case 'm':
		return "line";
	case 's':
		return "15,30,50,75";
	case OPT_MAX_REGIONS:
		return "6";
	case OPT_PERIOD:
		return "1000";
	case OPT_WINDOW:
		return "200";
	case OPT_DESIGN:
		return o->origin.design;
	default:
		return NULL;
	}
}

static void set_defaults(struct options *o)
{
	for (const struct option *option = long_options; option->name; option++)
		if (default_of(o, option->val))
			set_option(o, option->val, default_of(o, option->val));
}

static _Noreturn void print_settings(const struct options *o, const struct settings *s)
{
	struct buf out = BUF_INIT;

	for (const struct option *option = long_options; option->name; option++) {
		bool said = !is_a_setting(option);

		for (size_t i = 0; i < s->n; i++) {
			if (s->v[i].option != option->val || is_replaced(s, i))
				continue;
			if (s->v[i].value && strchr(s->v[i].value, '\n'))
				cli_usage_error(EXIT_RECORD, "a file of options cannot have the '--%s' of several lines", option->name);
			config_write(&out, option->name, s->v[i].value ? s->v[i].value : "yes");
			said = true;
		}
		if (!said && default_of(o, option->val))
			config_write(&out, option->name, default_of(o, option->val));
	}
	fputs(out.s, stdout);
	buf_release(&out);
	exit(cli_finish(EXIT_OK) == EXIT_OK ? EXIT_OK : EXIT_RECORD);
}

/* What is given to a process that runs already: nothing that pauses it, or begins it again. */
static void check_pid(const struct options *o, int words)
{
	const char *with = words > 0       ? "a command"
			   : o->runs       ? "-n"
			   : o->launcher   ? "-l"
			   : o->whole_runs ? "-P :run"
			   : o->given      ? "--given"
			   : o->only_offers ? "-P ?"
					   : NULL;

	if (with)
		cli_usage_error(EXIT_RECORD, "-p is for a process that runs already: it cannot be used with %s", with);
}

int options_parse(struct options *o, int argc, char **argv)
{
	struct settings given = { 0 };
	bool print = false;
	int option;

	memset(o, 0, sizeof(*o));
	set_defaults(o);
	o->seed = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
	/* '+': the command's own options are its own. */
	while ((option = cli_option(argc, argv, "+:o:d:l:w:n:m:r:x:P:p:s:qhV", long_options, usage, EXIT_RECORD)) != -1) {
		if (option == OPT_CONFIG && !config_read(optarg, take_setting, &given))
			exit(EXIT_RECORD);
		if (option == OPT_PRINT_CONFIG)
			print = true;
		else if (option != OPT_CONFIG)
			settings_add(&given, option, optarg);
	}
	settle_settings(&given);
	for (size_t i = 0; i < given.n; i++) {
		place.path = given.v[i].path;
		place.line = given.v[i].line;
		set_option(o, given.v[i].option, given.v[i].value);
	}
	place.path = NULL;
	if (o->pid)
		check_pid(o, argc - optind);
	else if (optind == argc && !print)
		cli_usage_error(EXIT_RECORD, "no command to run");
	scope_write(&o->scope, &o->scope_text);
	o->origin.scope = o->scope_text.s;
	o->origin.wait_ns = (int64_t)(o->wait * 1e9);
	if (o->whole_runs && o->wait > 0)
		cli_usage_error(EXIT_RECORD, "bad wait '%g' with '-P :run': whole runs are measured from their begin", o->wait);
	if (o->start_paused && o->whole_runs)
		cli_usage_error(EXIT_RECORD, "-P :run compares runs from begin to end: --start-paused leaves nothing of them");
	if (!o->origin.design)
		o->origin.design = o->origin.until_points > 0 ? "adaptive" : "fixed";
	o->origin.named = o->nnames > 0;
	if (print)
		print_settings(o, &given);
	if (!o->output && !o->only_offers && isatty(STDOUT_FILENO))
		cli_usage_error(EXIT_RECORD, "the log would go to the terminal: give a file with -o, or redirect standard output");
	o->settings = given;
	return optind;
}

void options_release(struct options *o)
{
	for (size_t i = 0; i < o->nnames; i++)
		free(o->names[i]);
	free(o->names);
	for (size_t i = 0; i < o->npoints; i++)
		free(o->points[i]);
	free(o->points);
	free(o->given);
	free(o->log);
	scope_release(&o->scope);
	buf_release(&o->scope_text);
	settings_release(&o->settings);
}
