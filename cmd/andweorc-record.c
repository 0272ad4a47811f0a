/*
 * andweorc-record: runs a command with the runtime preloaded, speeds up parts of it
 * virtually, and logs the effect on its progress.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cli.h"
#include "base/config.h"
#include "base/msg.h"
#include "base/num.h"
#include "recorder/attach.h"
#include "recorder/attachable.h"
#include "recorder/conductor.h"
#include "recorder/diagnose.h"
#include "recorder/launch.h"
#include "recorder/launcher.h"
#include "recorder/lend.h"
#include "recorder/offers.h"
#include "recorder/preload.h"
#include "recorder/scope.h"
#include "recorder/sink.h"
#include "recorder/usage.h"

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

enum { MAX_LEVELS = 100 };

/* An option as it was given. */
struct setting {
	int option;
	char *value;      /* owned; NULL: it takes none */
	const char *path; /* of the file; NULL: the command line */
	unsigned long line;
};

struct settings {
	struct setting *v; /* owned; v[0..n) */
	size_t n, cap;
};

struct options {
	const char *output;
	char *log;               /* owned: the same, without %r and the like; NULL: standard output */
	const char *launcher;    /* NULL: not given */
	double seconds;          /* 0: not given */
	double wait;             /* before anything is measured, in seconds */
	uint64_t runs;           /* 0: not given */
	enum region_scope mode;
	char **names;
	size_t nnames, names_cap;
	char **points;
	size_t npoints, points_cap;
	unsigned levels[MAX_LEVELS];
	size_t nlevels;
	size_t zeros;            /* how often 0 is among the speedups */
	uint64_t max_regions;
	uint64_t seed;
	uint64_t period_us;
	uint64_t window_ms;
	unsigned sampler;
	uint64_t pid;            /* -p; 0: not given */
	bool attach_only;
	bool start_paused;
	bool whole_runs;         /* -P :run */
	bool automatic[MOVED_KINDS]; /* -P :output and the like */
	bool work;               /* -P :work */
	bool only_offers;        /* -P ?: what could be named there is to be printed */
	bool show_output;
	bool quiet;
	struct journal_origin origin;
	struct buf scope_text; /* the patterns that origin.scope is made of */
	struct settings settings; /* owners of the texts above */
	char *given; /* owned */
	struct scope scope;
};

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
	if (o->nlevels == MAX_LEVELS || o->zeros == MAX_LEVELS)
		wrong("too many speedups: there is room for %d", MAX_LEVELS);
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

static int by_value(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
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

/* Sets the defaults. */
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
					   : NULL;

	if (with)
		cli_usage_error(EXIT_RECORD, "-p is for a process that runs already: it cannot be used with %s", with);
}

/* Returns the index of the command in argv. */
static int parse_options(struct options *o, int argc, char **argv)
{
	static const unsigned levels[] = { 15, 30, 50, 75 };
	struct settings given = { 0 };
	bool print = false;
	int option;

	memset(o, 0, sizeof(*o));
	memcpy(o->levels, levels, sizeof(levels));
	o->nlevels = sizeof(levels) / sizeof(levels[0]);
	o->max_regions = 6;
	o->period_us = 1000;
	o->window_ms = 200;
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

/* -P ?: the command is run, if at all, only to find the points that it marks itself. */
static void observe_marks(struct options *o)
{
	o->output = NULL;
	o->log = xstrdup("/dev/null");
	o->quiet = o->attach_only = true;
	o->runs = 1;
}

/*
 * With -l, execs the launcher, unless the launcher has started this process.  Returns an
 * exit status on failure; else 0.
 */
static int launch_ranks(const struct options *o, int argc, char **argv, int command)
{
	const char *why;
	char **launcher;

	if (!o->launcher)
		return 0;
	launcher = launcher_command(argc, argv, command, o->launcher, &why);
	if (why) {
		msg_error("bad -l '%s': %s", o->launcher, why);
		return EXIT_RECORD;
	}
	if (!launcher)
		return 0;
	if (!o->output || !strpbrk(o->output, "%")) {
		msg_error("-l needs -o with %%r, %%p or %%h in the name: each rank writes a log of its own");
		return EXIT_RECORD;
	}
	execvp(launcher[0], launcher);
	msg_error("cannot run '%s': %s", launcher[0], strerror(errno));
	return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* ---- runs --------------------------------------------------------------------------- */

static volatile sig_atomic_t asked_to_stop; /* the signal, or 0 */

static void ask_to_stop(int sig)
{
	asked_to_stop = sig;
}

static void start_or_stop(int sig)
{
	conductor_control(sig == SIGUSR2);
}

static const struct conductor *conducting;

/* While a command runs, signals of the terminal are for the command: see launch_leave_signals. */
static void interrupted(int sig)
{
	if (conducting && conducting->alone)
		asked_to_stop = sig;
}

/* The exit status that a shell would give for the command; 0 if the recorder ended it. */
static int status_of(const struct conductor *c)
{
	if (c->refused)
		return EXIT_RECORD;
	if (c->plan->attached)
		return 0;
	if (c->stopped)
		return asked_to_stop ? 128 + asked_to_stop : 0;
	return WIFSIGNALED(c->wait_status) ? 128 + WTERMSIG(c->wait_status) : WEXITSTATUS(c->wait_status);
}

struct recording {
	const struct options *o;
	char *const *argv;
	const char *runtime; /* path */
	int arena_fd;
	struct arena *arena;
	struct journal journal;
	struct mappings modules;
	struct regions regions;
	struct schedule schedule;
	struct status status;
	struct plan plan;
	unsigned ascending[MAX_LEVELS];
	struct conductor conductor;
	struct sink sink;
	int first_status; /* status of the first run, from wait(2) */
	bool told_of_output, told_of_status;
};

static bool prepare(struct recording *r)
{
	const struct options *o = r->o;

	if (!r->runtime)
		r->runtime = preload_find();
	if (r->runtime && o->automatic[MOVED_KOKKOS])
		launch_as_tool_of_kokkos(r->runtime);
	r->arena = r->runtime ? launch_arena(1, &r->arena_fd) : NULL;
	if (!r->arena || !journal_open(&r->journal, o->log))
		return false;
	mapping_init(&r->modules, &o->scope);
	regions_init(&r->regions, o->mode, &r->modules);
	r->regions.only_named = o->nnames > 0;
	schedule_init(&r->schedule, o->seed);
	status_init(&r->status, now_ns());
	r->plan = (struct plan){
		.levels = o->levels,
		.nlevels = o->nlevels,
		.baselines = o->zeros ? o->zeros : 1,
		.names = o->names,
		.nnames = o->nnames,
		.max_regions = o->nnames ? 1000 : (size_t)o->max_regions,
		.min_share = 0.01,
		.window_ns = (int64_t)o->window_ms * 1000000,
		.settle_ns = 20 * 1000000,
		.attach_only = o->attach_only,
		.attached = o->pid != 0,
		.start_paused = o->start_paused,
		.adaptive = strcmp(o->origin.design, "adaptive") == 0,
		.given = o->origin.given,
		.given_pct = o->origin.given_pct,
		.until = o->origin.until_points / 100,
		.runs = o->runs,
		.wait_ns = (int64_t)(o->wait * 1e9),
		.whole_runs = o->whole_runs || (o->runs > 1 && o->seconds <= 0 && o->wait <= 0),
		.duration_ns = (int64_t)(o->seconds * 1e9),
		.stop = &asked_to_stop,
	};
	r->conductor = (struct conductor){
		.arena = r->arena,
		.journal = &r->journal,
		.modules = &r->modules,
		.regions = &r->regions,
		.schedule = &r->schedule,
		.status = o->quiet ? NULL : &r->status,
		.plan = &r->plan,
		.name_found = xcalloc(o->nnames + 1, sizeof(enum naming)),
	};
	memcpy(r->ascending, o->levels, sizeof(r->ascending));
	qsort(r->ascending, o->nlevels, sizeof(r->ascending[0]), by_value);
	r->conductor.adapt = (struct adapt){
		.levels = r->ascending,
		.nlevels = o->nlevels,
		.baselines = r->plan.baselines,
		.width = r->plan.until > 0 ? r->plan.until : 0.02,
		.over_runs = o->runs >= CAUSAL_MIN_RUNS,
	};
	points_init(&r->conductor.points, r->arena, &r->journal, &r->regions, o->points, o->npoints);
	memcpy(r->conductor.points.automatic.steady, o->automatic, sizeof(o->automatic));
	r->conductor.points.automatic.on = r->conductor.points.automatic.asked = o->work;
	for (int kind = 0; kind < MOVED_KINDS; kind++)
		if (o->automatic[kind]) {
			r->conductor.points.automatic.on = r->conductor.points.automatic.asked = true;
			r->conductor.points.automatic.alone = kind >= MOVED_UNASKED && !o->work;
		}
	return true;
}

/* Makes the arena of the next run: an empty one, but with the unwind rows, which belong to files and not to a run. */
static bool renew_arena(struct recording *r, unsigned run)
{
	struct arena *new;
	int fd;

	new = launch_arena(run, &fd);
	if (!new)
		return false;
	memcpy(new->parts.row, r->arena->parts.row, r->modules.rows_used * sizeof(new->parts.row[0]));
	launch_release(r->arena, r->arena_fd);
	r->conductor.arena = r->arena = new;
	r->arena_fd = fd;
	return true;
}

/* The descriptors for the output of the command. */
static const int *output_of(struct recording *r, unsigned run)
{
	static int shown[2] = { STDOUT_FILENO, STDERR_FILENO };

	/* If the log is on standard output, the command's output goes elsewhere. */
	if (!r->o->output)
		shown[0] = STDERR_FILENO;
	if (run == 1 || r->o->show_output)
		return shown;
	if (!r->sink.is_open)
		sink_open(&r->sink, shown[0], shown[1]);
	sink_clear(&r->sink);
	return r->sink.command;
}

static char *how_it_ended(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		return xasprintf("signal %d", WTERMSIG(wait_status));
	return xasprintf("status %d", WEXITSTATUS(wait_status));
}

static void tell_of_status(const struct recording *r, unsigned run)
{
	char *now = how_it_ended(r->conductor.wait_status), *first = how_it_ended(r->first_status);

	msg_warn("run %u ended with %s, the first one with %s%s", run, now, first,
		 r->o->show_output ? "" : "; what it wrote is not shown (--show-output shows it)");
	free(now);
	free(first);
}

/* Notes about runs whose output is discarded. */
static void tell_of_run(struct recording *r, unsigned run)
{
	if (run == 1)
		r->first_status = r->conductor.wait_status;
	if (!r->told_of_output && !r->o->quiet && sink_has_taken(&r->sink)) {
		r->told_of_output = true;
		msg_note("the command is run again; what it writes is shown once (--show-output shows all)");
	}
	if (!r->told_of_status && !r->conductor.stopped && r->conductor.wait_status != r->first_status) {
		r->told_of_status = true;
		tell_of_status(r, run);
	}
}

/*
 * Observing takes the timer.  In a virtual machine perf slowed five programs by 5 to 11 %, and the
 * timer the same ones by 3 % at most.  Predictions from 8 s of 15 programs were about as good: a
 * mean error of 1.4 points by perf and 1.6 by the timer, half widths of 3.3 and 3.1.  Breakpoints
 * need perf, and experiments need its shorter periods.
 */
static unsigned wanted_sampler(const struct options *o)
{
	if (o->sampler || !o->attach_only || o->npoints)
		return o->sampler;
	return SAMPLER_TIMER;
}

static void prepare_arena(struct recording *r)
{
	r->arena->want_sampler = wanted_sampler(r->o);
	r->arena->clock.period_ns = r->o->period_us * 1000;
	r->arena->seed = r->o->seed;
	conductor_prepare(&r->conductor);
}

/* Performs one run.  False when the command could not be started; *status is then the exit status. */
static bool run_once(struct recording *r, unsigned run, int *status)
{
	pid_t pid;

	*status = EXIT_RECORD;
	if (run > 1 && !renew_arena(r, run))
		return false;
	prepare_arena(r);
	launch_examine(r->argv[0], r->arena);
	pid = launch(r->argv, r->runtime, r->arena, r->arena_fd, output_of(r, run), status);
	if (pid < 0)
		return false;
	conductor_meet(&r->conductor, run, pid);
	journal_run(&r->journal, run, r->arena, r->argv, r->o->seed, r->o->mode, &r->o->origin);
	conduct(&r->conductor);
	diagnose(&r->conductor, r->argv[0]);
	*status = status_of(&r->conductor);
	tell_of_run(r, run);
	return true;
}

enum { EXIT_CANNOT_ATTACH = 2 };

/* The process that runs already takes the place of a run.  Returns the exit status. */
static int observe(struct recording *r)
{
	pid_t pid = (pid_t)r->o->pid, lender = lend_begin(pid, r->arena_fd);
	char *command = attachable_command(pid), *argv[] = { command, NULL };
	char name[LAUNCH_NAME];
	struct attachment a;
	int status = EXIT_CANNOT_ATTACH;
	bool attached;

	prepare_arena(r);
	snprintf(r->arena->command[0], sizeof(r->arena->command[0]), "%s", command);
	launch_arena_name(r->arena, r->arena_fd, lender, name);
	attached = attach_begin(&a, pid, r->runtime, name);
	lend_end(lender);
	if (attached) {
		if (!r->o->quiet)
			msg_note("attached to process %ld; none of its threads was stopped for more than %.1f ms", (long)pid,
				 (double)a.longest_ns / 1e6);
		r->plan.until_ns = r->o->seconds > 0 ? now_ns() + (int64_t)(r->o->seconds * 1e9) + r->plan.wait_ns : 0;
		journal_header(&r->journal);
		conductor_meet(&r->conductor, 1, pid);
		journal_run(&r->journal, 1, r->arena, argv, r->o->seed, r->o->mode, &r->o->origin);
		conduct(&r->conductor);
		attach_end(&a);
		diagnose(&r->conductor, command);
		diagnose_end(&r->conductor);
		status = status_of(&r->conductor);
	}
	free(command);
	return status;
}

/* Such a command will do so again.  What counts is its processor time: with two tests on two processors, `exit 9` can take 50 ms. */
static bool has_failed_at_once(int status, int64_t began_ns, struct usage before)
{
	struct usage used = usage_since(before);

	return status && now_ns() - began_ns < 1000 * MS && used.user_ns + used.system_ns < 50 * MS;
}

enum { MISSED = 10 }; /* consecutive runs in which experiments were started only too briefly to be noticed */

/*
 * With -d alone a short command is run again until the time is used up, and a
 * long one ended then.  With -n it is run so many times, the time divided among
 * the runs.  With neither it runs once, to its own end.  The time before measurements
 * begin (-w) does not count.
 */
static int record(struct recording *r)
{
	const struct options *o = r->o;
	int64_t total = (int64_t)(o->seconds * 1e9), wait = r->plan.wait_ns, end = total ? now_ns() + total : 0;
	int status = 0, first_failure = 0;
	unsigned missed = 0;

	journal_header(&r->journal);
	for (unsigned run = 1;; run++) {
		int64_t began = now_ns();
		struct usage before = usage_of_children();

		end += end ? wait : 0;
		r->plan.until_ns = !end ? 0 : o->runs ? began + wait + total / (int64_t)o->runs : end;
		if (!run_once(r, run, &status))
			return status;
		if (status && !first_failure)
			first_failure = status;
		if (asked_to_stop || r->conductor.enough || r->conductor.refused)
			break;
		/* A run without experiments takes none of the time, and nor would the next. */
		missed = r->conductor.ready && r->conductor.ran_ns == 0 ? missed + 1 : 0;
		if (end && missed && (missed == MISSED || !conductor_was_started(&r->conductor)))
			break;
		end += end ? r->conductor.stopped_ns : 0;
		if (o->runs ? run >= o->runs : !end || now_ns() >= end)
			break;
		/* A whole run that would be cut short gives no result. */
		if (!o->runs && r->conductor.whole.on && now_ns() + r->conductor.last_run_ns > end)
			break;
		/* A command that ends within the time to wait (-w) will never be measured. */
		if (!o->runs && r->conductor.waiting)
			break;
		if (!o->runs && has_failed_at_once(status, began, before))
			break;
	}
	diagnose_end(&r->conductor);
	return first_failure;
}

/* Before a log is made: false, after a message. */
static bool can_attach(struct recording *r)
{
	char *why;

	r->runtime = preload_find();
	if (!r->runtime)
		return false;
	why = attachable_obstacle((pid_t)r->o->pid, r->runtime);
	if (why)
		msg_error("cannot attach to process %llu: %s", (unsigned long long)r->o->pid, why);
	free(why);
	return why == NULL;
}

int main(int argc, char **argv)
{
	struct options o;
	struct recording r = { .o = &o };
	int status, command;

	cli_init(argv[0]);
	command = parse_options(&o, argc, argv);
	status = launch_ranks(&o, argc, argv, command);
	if (status)
		return status;
	if (o.only_offers && !offers_print(argv[command]))
		return EXIT_RECORD;
	if (o.only_offers && o.seconds <= 0)
		return fflush(stdout) == 0 && !ferror(stdout) ? 0 : EXIT_RECORD;
	if (o.only_offers)
		observe_marks(&o);
	else if (o.output && !(o.log = launcher_log_name(o.output))) {
		msg_error("cannot write '%s': no variable of the environment tells which rank this is", o.output);
		return EXIT_RECORD;
	}
	r.argv = argv + command;
	launch_leave_signals(interrupted, start_or_stop);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (o.pid) {
		signal(SIGINT, ask_to_stop);
		signal(SIGQUIT, ask_to_stop);
	}
	signal(SIGTERM, ask_to_stop);
	signal(SIGHUP, ask_to_stop);
	if (o.pid && !can_attach(&r))
		return EXIT_CANNOT_ATTACH;
	if (!prepare(&r))
		return EXIT_RECORD;
	conducting = &r.conductor;
	if (o.start_paused && !o.quiet)
		msg_note("experiments begin when the program comes to ANDWEORC_START, or with: kill -USR1 %ld", (long)getpid());
	status = o.pid ? observe(&r) : record(&r);
	if (o.only_offers)
		offers_print_marks(r.arena);
	if (!journal_close(&r.journal) && status == 0)
		status = EXIT_RECORD;
	conductor_release(&r.conductor);
	regions_release(&r.regions);
	mapping_release(&r.modules);
	for (size_t i = 0; i < o.nnames; i++)
		free(o.names[i]);
	free(o.names);
	free(o.given);
	free(o.log);
	scope_release(&o.scope);
	buf_release(&o.scope_text);
	settings_release(&o.settings);
	for (size_t i = 0; i < o.npoints; i++)
		free(o.points[i]);
	free(o.points);
	return status;
}
