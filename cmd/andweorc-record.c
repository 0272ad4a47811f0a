/*
 * andweorc-record: runs a command with the runtime preloaded, speeds up parts of it
 * virtually, and logs the effect on its progress.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/msg.h"
#include "recorder/conductor.h"
#include "recorder/diagnose.h"
#include "recorder/offers.h"
#include "recorder/options.h"
#include "target/attach.h"
#include "target/attachable.h"
#include "target/input.h"
#include "target/launch.h"
#include "target/launcher.h"
#include "target/lend.h"
#include "target/preload.h"
#include "target/sink.h"
#include "target/usage.h"
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

/* A signal that was ignored, by nohup(1) or a shell, stays ignored, for the command too. */
static void stop_at(int sig)
{
	if (signal(sig, ask_to_stop) == SIG_IGN)
		signal(sig, SIG_IGN);
}

static void start_or_stop(int sig)
{
	conductor_control(sig == SIGUSR2);
}

static const struct conductor *conducting;
static volatile sig_atomic_t was_interrupted;

/* While a command runs, signals of the terminal are for the command: see launch_leave_signals.  It is not run again. */
static void interrupted(int sig)
{
	was_interrupted = 1;
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
	unsigned ascending[OPTIONS_LEVELS];
	struct conductor conductor;
	struct sink sink;
	struct input input;
	int first_status; /* status of the first run, from wait(2) */
	bool told_of_output, told_of_status;
};

static int by_value(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

/* Regions that were named are all tried. */
enum { NAMED_MOST = 1000 };

/* Threads see a new window at their next sample or event.  So the first visits after a switch do not count. */
enum { SETTLE_MS = 20 };

/* A region with less of the samples cannot have an impact that is told from 0 in a usual recording. */
static const double MIN_SHARE = 0.01;

/* The adaptive design goes on to the next region at this half width of the slope, unless --until says another. */
static const double NARROW = 0.02;

static struct plan plan_of(const struct options *o)
{
	return (struct plan){
		.levels = o->levels,
		.nlevels = o->nlevels,
		.baselines = o->zeros ? o->zeros : 1,
		.names = o->names,
		.nnames = o->nnames,
		.max_regions = o->nnames ? NAMED_MOST : (size_t)o->max_regions,
		.min_share = MIN_SHARE,
		.window_ns = (int64_t)o->window_ms * 1000000,
		.settle_ns = SETTLE_MS * 1000000,
		.attach_only = o->attach_only,
		.attached = o->pid != 0,
		.start_paused = o->start_paused,
		.adaptive = strcmp(o->origin.design, "adaptive") == 0,
		.given = o->origin.given,
		.given_pct = o->origin.given_pct,
		.until = o->origin.until_points / 100,
		.runs = o->runs,
		.wait_ns = o->origin.wait_ns,
		.whole_runs = o->whole_runs || (o->runs > 1 && o->seconds <= 0 && o->wait <= 0),
		.duration_ns = (int64_t)(o->seconds * 1e9),
		.stop = &asked_to_stop,
	};
}

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
	r->plan = plan_of(o);
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
		.width = r->plan.until > 0 ? r->plan.until : NARROW,
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

/* Makes the arena of the next run: an empty one, but with what belongs to files and not to a run. */
static bool renew_arena(struct recording *r, unsigned run)
{
	struct arena *new;
	int fd;

	new = launch_arena(run, &fd);
	if (!new)
		return false;
	memcpy(new->parts.row, r->arena->parts.row, r->modules.rows_used * sizeof(new->parts.row[0]));
	mapping_publish(&r->modules, new);
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
	r->arena->period_ns = r->o->period_us * 1000;
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

/* Such a command will do so again.  Processor time counts: on a busy machine, a shell that only fails takes more than 50 ms. */
static bool has_failed_at_once(int status, int64_t began_ns, struct usage before)
{
	struct usage used = usage_since(before);

	return status && now_ns() - began_ns < 1000 * MS && used.user_ns + used.system_ns < 50 * MS;
}

/* Is each run given a part of the time?  Not where only whole runs are measured: a run that is cut short says nothing. */
static bool time_is_divided(const struct recording *r)
{
	return r->o->runs && !r->conductor.whole.on && !r->plan.whole_runs;
}

enum { MISSED = 10 }; /* consecutive runs in which experiments were started only too briefly to be noticed */

/*
 * With -d alone a short command is run again until the time is used up, and a
 * long one ended then.  With -n it is run so many times.  With both, the time is divided
 * among the runs; or, if only whole runs are measured, no run begins after it.  With
 * neither it runs once, to its own end.  The time before measurements begin (-w) does
 * not count.
 */
static int record(struct recording *r)
{
	const struct options *o = r->o;
	int64_t total = (int64_t)(o->seconds * 1e9), wait = r->plan.wait_ns, end = total ? now_ns() + total : 0;
	int status = 0, first_failure = 0;
	unsigned missed = 0;

	journal_header(&r->journal);
	input_note(&r->input);
	for (unsigned run = 1;; run++) {
		int64_t began = now_ns();
		struct usage before = usage_of_children();

		end += end ? wait : 0;
		r->plan.until_ns = !end ? 0 : time_is_divided(r) ? began + wait + total / (int64_t)o->runs : end;
		if (!run_once(r, run, &status))
			return status;
		if (status && !first_failure)
			first_failure = status;
		if (asked_to_stop || was_interrupted || r->conductor.enough || r->conductor.refused)
			break;
		/* A run without experiments takes none of the time, and nor would the next. */
		missed = r->conductor.ready && r->conductor.ran_ns == 0 ? missed + 1 : 0;
		if (end && missed && (missed == MISSED || !conductor_was_started(&r->conductor)))
			break;
		end += end ? r->conductor.stopped_ns : 0;
		if (o->runs ? run >= o->runs : !end)
			break;
		if (end && !time_is_divided(r) && now_ns() >= end)
			break;
		/* A whole run that would be cut short gives no result. */
		if (end && r->conductor.whole.on && now_ns() + r->conductor.last_run_ns > end)
			break;
		/* A command that ends within the time to wait (-w) will never be measured. */
		if (!o->runs && r->conductor.waiting)
			break;
		if (!o->runs && has_failed_at_once(status, began, before))
			break;
		if (!input_rewind(&r->input)) {
			msg_note("the command is not run again, because its standard input is at its end: give it a file");
			break;
		}
	}
	diagnose_end(&r->conductor);
	return first_failure;
}

/* Before a log is made.  Returns the exit status after a message; else 0. */
static int may_attach(struct recording *r)
{
	char *why;

	r->runtime = preload_find();
	if (!r->runtime)
		return EXIT_RECORD;
	why = attachable_obstacle((pid_t)r->o->pid, r->runtime);
	if (why)
		msg_error("cannot attach to process %llu: %s", (unsigned long long)r->o->pid, why);
	free(why);
	return why ? EXIT_CANNOT_ATTACH : 0;
}

int main(int argc, char **argv)
{
	struct options o;
	struct recording r = { .o = &o };
	int status, command;

	cli_init(argv[0]);
	command = options_parse(&o, argc, argv);
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
	/* Without a command, they are for the recorder, which is interrupted so from scripts, too. */
	if (o.pid) {
		signal(SIGINT, ask_to_stop);
		signal(SIGQUIT, ask_to_stop);
	}
	stop_at(SIGTERM);
	stop_at(SIGHUP);
	status = o.pid ? may_attach(&r) : 0;
	if (status)
		return status;
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
	options_release(&o);
	return status;
}
