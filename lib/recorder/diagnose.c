#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/msg.h"
#include "base/path.h"
#include "format.h"
#include "recorder/absent.h"
#include "recorder/caveats.h"
#include "recorder/conductor_parts.h"
#include "recorder/diagnose.h"
#include "target/launch.h"
#include "target/launcher.h"
#include "target/shared.h"

enum {
	UNSEEN_SAMPLES = 300, /* with so many samples, code with one per cent of the time is hit with a probability of 95 % */
	MANY_MADE_PCT = 20,   /* least share of samples that is reported */
	MOST_MADE_PCT = 50,   /* least share that is called most of them */
	UNSEEN_NS = 100 * MS, /* more processor time than a start takes */
};

/* From this share of the processors on, other programs affect the results. */
static const double BUSY = 0.1;

/* Writes the warning into the log, for the report. */
static void note_warning(struct conductor *c, const char *what, char *text)
{
	journal_warning(c->journal, c->run, what, text);
	free(text);
}

static void say(struct conductor *c, const char *what, char *text)
{
	if (c->run == 1 || strcmp(what, "too-short") == 0)
		msg_warn("%s", text);
	note_warning(c, what, text);
}

static long paranoid(void)
{
	long level = -2;
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");

	if (f) {
		if (fscanf(f, "%ld", &level) != 1)
			level = -2;
		fclose(f);
	}
	return level;
}

static void never_met(struct conductor *c, const char *command)
{
	const char *why = launch_obstacle(command);

	if (c->ended && WIFSIGNALED(c->wait_status) && (WTERMSIG(c->wait_status) == SIGINT || WTERMSIG(c->wait_status) == SIGQUIT))
		say(c, "not-preloaded", xasprintf("'%s' was not profiled: signal %d ended it first", command, WTERMSIG(c->wait_status)));
	else if (why)
		say(c, "not-preloaded", xasprintf("'%s' was not profiled: %s", command, why));
	else
		say(c, "not-preloaded",
		    xasprintf("'%s' was not profiled: the runtime did not report in; is it a 64-bit program of this machine's libc, "
			      "does it keep LD_PRELOAD for what it starts, and is it not being debugged?",
			      command));
}

static void diagnose_samplers(struct conductor *c)
{
	uint32_t sampler = atomic_load(&c->arena->sampler);
	int err = atomic_load(&c->arena->sampler_errno);

	if (!sampler)
		say(c, "no-sampler", xasprintf("no sampler could be started: perf_event_open: %s", strerror(err)));
	else if (sampler == SAMPLER_TIMER && c->arena->want_sampler != SAMPLER_TIMER)
		say(c, "perf-refused",
		    xasprintf("perf is refused (%s; kernel.perf_event_paranoid is %ld), so threads are sampled only every 4 ms "
			      "or so: intervals will be wider; to allow it: %s",
			      err == ENOSYS ? "this kernel is too old" : strerror(err), paranoid(),
			      err == ENOSYS ? "Linux 5.18 or later" :
					      "sudo sysctl -w kernel.perf_event_paranoid=2; in a container, do that on its host, and give the container "
					      "--cap-add PERFMON or another seccomp profile"));
}

/* Caveats that the numbers do not contain. */
static void diagnose_losses(struct conductor *c)
{
	unsigned long long lost = shared_lost(c->arena);
	unsigned threads = atomic_load(&c->arena->threads_refused), processes = atomic_load(&c->arena->processes_refused);
	uint32_t withdrawn = atomic_load(&c->arena->withdrawn);

	/* Less than one in a hundred does not matter. */
	if (lost * 100 > c->regions->samples)
		say(c, "lost-samples",
		    xasprintf("%llu samples were lost: threads took them faster than the recorder could read them", lost));
	if (atomic_load(&c->arena->sealed))
		say(c, "seccomp",
		    xstrdup("the program has installed a seccomp filter that forbids what sampling takes: threads that began after "
			    "that are not sampled, and pauses use the processor"));
	if (withdrawn & WITHDRAWN_HANDLER)
		say(c, "handler-taken",
		    xstrdup("a process has taken the handler of SIGTRAP, or of the signal of timers, by a system call of its own: it was not "
			    "sampled from then on"));
	if (withdrawn & WITHDRAWN_TRACED)
		say(c, "traced",
		    xstrdup("a process was traced, by a debugger, by strace, or by its parent, whom each sample would have stopped it for: it "
			    "was not sampled from then on"));
	if (threads > 0)
		say(c, "threads-refused",
		    xasprintf("%u threads were not sampled: no room for them, too small an alternate signal stack, or neither a descriptor nor a "
			      "timer could be had",
			      threads));
	if (processes > 0)
		say(c, "processes-refused",
		    xasprintf("%u processes were not profiled: there is room for %d at a time", processes, ARENA_PROCESSES));
}

enum { JUST_NS = 100 * MS }; /* time of two looks */

/*
 * The number of processes that went on without the runtime.  Those that were seen in
 * time are counted.  Otherwise, a process that ended by itself without a farewell had
 * become another program, unless it was seen shortly before its end.  (Programs in Go
 * end without a farewell, past libc.)
 */
static unsigned gone_over(const struct conductor *c)
{
	bool farewell = atomic_load_explicit(&c->arena->farewell, memory_order_relaxed);

	if (c->processes.lost == 0 && !farewell && c->ended && WIFEXITED(c->wait_status) &&
	    c->ended_ns - c->processes.same_ns > JUST_NS)
		return 1;
	return c->processes.lost;
}

/* Was an automatic point requested that counts finished work, as a mark would? */
static bool of_libraries(const struct conductor *c)
{
	const struct automatic *a = &c->points.automatic;

	for (int kind = MOVED_UNASKED; kind < MOVED_KINDS; kind++)
		if (a->asked && a->number[kind] > 0 && points_visits(&c->points, a->number[kind] - 1) > 0)
			return true;
	return false;
}

/* Reports which automatic points are used, where no point is marked. */
static void diagnose_unmarked(struct conductor *c)
{
	char *names = automatic_names(&c->points.automatic);

	say(c, "unmarked",
	    xasprintf("no progress point is marked: progress is %s; mark one with ANDWEORC_PROGRESS of <andweorc.h>, or name a function "
		      "with -P that is called for each unit of work",
		      names));
	free(names);
}

static char *longer_duration(const struct plan *p)
{
	return xasprintf("a longer -d than %g", (double)p->duration_ns / 1e9);
}

char *diagnose_longer(const struct plan *p)
{
	if (p->runs)
		return xasprintf("a greater -n than %llu", (unsigned long long)p->runs);
	return p->duration_ns ? longer_duration(p) : xstrdup("-d SECONDS");
}

static void diagnose_points(struct conductor *c)
{
	bool ran_out = c->cut && c->plan->duration_ns;
	char *longer;

	if (of_libraries(c))
		return;
	if (c->points.automatic.on && points_most_visits(&c->points) == 0) {
		diagnose_unmarked(c);
		return;
	}
	if (points_most_visits(&c->points) > 0 || c->whole.on || gone_over(c) > 0)
		return;
	longer = ran_out ? longer_duration(c->plan) : diagnose_longer(c->plan);
	say(c, "no-progress-point",
	    xasprintf("no progress point was visited: put ANDWEORC_PROGRESS(\"name\") of <andweorc.h> where a unit of work is done, "
		      "name a function with -P that is called for each, or give %s to have whole runs compared%s",
		      longer, ran_out ? ": none came to its end" : ""));
	free(longer);
}

static void say_text(struct conductor *c, const char *what, const char *text)
{
	say(c, what, xstrdup(text));
}

/*
 * Without samples, a requested region would be reported as worth nothing, and a given
 * region as faster, though it is not.
 */
static void diagnose_unseen(struct conductor *c)
{
	for (size_t i = 0; i < c->regions->n && c->regions->all_samples >= UNSEEN_SAMPLES; i++) {
		const struct region *g = c->regions->v[i];

		if ((g->named || g->given) && (g->scope == REGION_FUNCTION || g->scope == REGION_PATH) && g->all_samples + g->all_blocked == 0)
			say(c, "unseen-region",
			    xasprintf("no sample was in '%s': it takes no time, or leaves what it does to another function by a jump, as "
				      "optimised code does: name that one",
				      g->function));
	}
}

/* Are all requested regions given, so that none is left to try? */
static bool all_given(const struct conductor *c)
{
	size_t asked = 0, tried = 0;

	for (size_t i = 0; i < c->regions->n; i++) {
		asked += c->regions->v[i]->named;
		tried += c->regions->v[i]->named && !c->regions->v[i]->given;
	}
	return asked > 0 && tried == 0;
}

/*
 * Have processes run that did not join?  A process that is created past libc, in a sandbox
 * without the runtime, does not.
 */
static bool somebody_worked(const struct conductor *c)
{
	return usage_since(c->before).user_ns >= UNSEEN_NS;
}

/* Was the region found by regions_fallback.c, and tried? */
static bool is_fallback(const struct conductor *c, const struct region *g, bool nameless)
{
	return g->scope == REGION_FUNCTION && g->logged && !g->named && !g->given && g->nameless == nameless &&
	       (c->regions->mode == REGION_LINE || nameless);
}

/* Adds the modules of such regions, each once, to the text. */
static void list_modules(const struct conductor *c, bool nameless, const char *what, struct buf *out)
{
	const char *between = out->len > 0 ? "; " : "";

	for (size_t m = 0; m < c->modules->n; m++) {
		const struct mapping *mod = &c->modules->v[m];
		bool has = false;

		for (size_t i = 0; i < c->regions->n && !has; i++)
			has = c->regions->v[i]->module == mod->id && is_fallback(c, c->regions->v[i], nameless);
		if (!has || (!nameless && mapping_has_lines(mod)))
			continue;
		buf_addf(out, "%s%s'%s'", between, between[0] == ',' ? "" : what, path_name(mod->path));
		between = ", ";
	}
}

static bool has_lines(const struct regions *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i]->scope == REGION_LINE && r->v[i]->logged)
			return true;
	return false;
}

/* Reports that regions are coarser than requested, and the remedy. */
static void diagnose_fallback(struct conductor *c)
{
	struct buf list = BUF_INIT;
	bool partly = has_lines(c->regions);

	list_modules(c, false, "by the symbols of ", &list);
	list_modules(c, true, "by the unwind table, without names, in ", &list);
	if (list.len > 0)
		say(c, "no-lines",
		    xasprintf("%s no debug information, so %s functions, found %s; to have lines, compile with -g, or get debug files: see andweorc-resolve(1)",
			      partly ? "a part of the program has" : "the program has", partly ? "some regions are" : "regions are", list.s));
	if (c->regions->coarse)
		say(c, "flat", xstrdup("no line has enough samples to be worth an experiment, so regions are functions, with all that they call"));
	buf_release(&list);
}

/* Reports samples in code that was generated at run time, if they are many.  Returns their share in per cent. */
static unsigned diagnose_made(struct conductor *c)
{
	unsigned pct = (unsigned)(100 * c->regions->made / (c->regions->samples ? c->regions->samples : 1));
	const char *names = 2 * c->regions->made_named >= c->regions->made ?
				    "; the log has its functions as the perf map file names them" :
				    "; its functions have names where there is a perf map file (node --perf-basic-prof, java "
				    "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit), and callers where it keeps frame pointers (java -XX:+PreserveFramePointer)";

	if (pct >= MANY_MADE_PCT)
		say(c, "jit", xasprintf("%u %% of the samples are in code that the program makes as it runs (JIT): it is no region, but counts for what "
				    "calls it%s",
				    pct, names));
	return pct;
}

static void no_region(struct conductor *c)
{
	char *longer = diagnose_longer(c->plan);

	say(c, "no-region", xasprintf("no region has enough samples: name one with -r, or record for longer with %s", longer));
	free(longer);
}

static void diagnose_regions(struct conductor *c)
{
	size_t logged = 0;
	unsigned made_pct = diagnose_made(c);

	for (size_t i = 0; i < c->regions->n; i++)
		logged += c->regions->v[i]->logged && !c->regions->v[i]->given;
	if (c->regions->samples == 0 && (gone_over(c) > 0 || atomic_load(&c->arena->withdrawn)))
		return; /* its work was done elsewhere, or unseen, which has been reported */
	if (c->regions->samples == 0 && conductor_tally(c).samples > 0)
		return; /* they hit the runtime, which a short program has called all the time */
	if (c->regions->samples == 0 && somebody_worked(c))
		say(c, "no-samples",
		    xstrdup("no sample was taken: the program that used the processor is not profiled, such as one in a sandbox from "
			    "which the runtime cannot be seen"));
	else if (c->regions->samples == 0)
		say(c, "no-samples", xstrdup("no sample was taken: the program used no processor time outside the kernel"));
	else if (c->regions->n == 0 && made_pct >= MOST_MADE_PCT)
		return; /* as has been said */
	else if (c->regions->n == 0 && c->plan->nnames == 0)
		say(c, "no-sample-in-scope",
		    xasprintf("of %llu samples none is in code of a file that has symbols or an unwind table", (unsigned long long)c->regions->samples));
	else if (logged == 0 && c->windows > 0 && !c->whole.on && c->plan->nnames == 0)
		no_region(c);
	else if (all_given(c))
		say(c, "no-region", xasprintf("'%s' is given and never tried: name another region with -r", c->plan->given));
}

/* Processes that may have the missing names and the missing work. */
static void became_others(struct conductor *c)
{
	unsigned gone = gone_over(c);

	if (gone > 0)
		say(c, "runtime-lost",
		    xasprintf("%u of the processes went on as a program that is not profiled: statically linked, set-user-id, in a "
			      "sandbox, run by a debugger, or started with an environment without LD_PRELOAD and " AW_ENV_ARENA,
			      gone));
}

/* If others use the processors all the time, all windows are alike, and none is set aside. */
static void busy_machine(struct conductor *c)
{
	double taken = machine_usually_taken(&c->machine);

	if (taken >= BUSY)
		note_warning(c, "busy-machine",
		    xasprintf("other programs, or the hypervisor, used %.0f %% of the processors all the time: intervals are wider for it, "
			      "and what waits for a processor is predicted less well; record on a quieter machine",
			      100 * taken));
}

/* The command itself was not profiled, though one of its children was. */
static void only_children(struct conductor *c, const char *command)
{
	const char *why = atomic_load(&c->arena->pid) == c->pid ? NULL : launch_obstacle(command);

	if (why)
		say(c, "not-preloaded", xasprintf("'%s' was not profiled: %s", command, why));
}

/* Points that need the events of a library, which has reported none. */
static void asked_in_vain(struct conductor *c)
{
	static const struct {
		enum arena_moved kind;
		const char *why;
	} told[] = {
		{ MOVED_PARALLEL, "no progress point at ':parallel': no parallel region of OpenMP has ended, or none is seen: it is that of "
				  "libgomp or LLVM's runtime, as a shared library" },
		{ MOVED_MPI, "no progress point at ':mpi': no collective call of MPI has returned, or none is seen: calls from Fortran are not" },
		{ MOVED_KOKKOS, "no progress point at ':kokkos': no kernel of Kokkos has ended, or none is seen: Kokkos was built without "
				"support for tools, or --kokkos-tools-libs names another tool" },
	};

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const struct automatic *a = &c->points.automatic;
		uint32_t number = a->number[told[i].kind];

		if (a->asked && number > 0 && points_visits(&c->points, number - 1) == 0)
			say(c, "no-such-point", xstrdup(told[i].why));
	}
}

/* Processes of other recordings go on while those of this one pause. */
static void ranks_apart(struct conductor *c)
{
	unsigned ranks = launcher_ranks();

	if (ranks > 1)
		say(c, "ranks-apart",
		    xasprintf("one of %u ranks was recorded by itself, and the others were not slowed down with it: where ranks wait for "
			      "each other, predictions are wrong; on one host, record the launcher: andweorc-record -- mpirun ...",
			      ranks));
}

void diagnose(struct conductor *c, const char *command)
{
	if (!c->ready) {
		never_met(c, command);
		return;
	}
	if (c->refused)
		return;
	only_children(c, command);
	became_others(c);
	diagnose_samplers(c);
	diagnose_losses(c);
	absent_tell(c, say_text);
	if (c->waiting) {
		say(c, "ended-waiting", xasprintf("the program ended before the %g s of -w were over: nothing was measured", (double)c->plan->wait_ns / 1e9));
		return;
	}
	if (!conductor_was_started(c)) {
		say(c, "never-started",
		    xstrdup("experiments were never started: they begin when the program comes to ANDWEORC_START, or the recorder gets SIGUSR1"));
		return;
	}
	if (c->plan->attach_only) {
		caveats(c, say);
		return;
	}
	asked_in_vain(c);
	ranks_apart(c);
	diagnose_points(c);
	diagnose_regions(c);
	diagnose_fallback(c);
	diagnose_unseen(c);
	caveats(c, say);
	busy_machine(c);
	if (!c->whole.on && c->windows > 0 && c->disturbed * 2 > c->windows)
		say(c, "disturbed",
		    xasprintf("%llu of %llu experiments were set aside: the processors were taken away, by other programs or "
			      "the hypervisor",
			      (unsigned long long)c->disturbed, (unsigned long long)c->windows));
}

void diagnose_end(struct conductor *c)
{
	char *longer;

	if (!c->ready || c->refused || c->plan->attach_only || c->held || c->regions->all_samples == 0 || c->regions->n == 0 ||
	    c->experiments > 0 || points_most_visits(&c->points) == 0)
		return;
	longer = diagnose_longer(c->plan);
	say(c, "too-short",
	    xasprintf("the program ended before an experiment could: give %s to have it run again, or more input", longer));
	free(longer);
}
