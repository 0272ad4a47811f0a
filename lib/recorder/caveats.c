#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/parallel.h"
#include "binary/spinloop.h"
#include "recorder/caveats.h"
#include "target/shared.h"

/* From this share of the time on, a tenth of a prediction may be wrong. */
static const double MATTERS = 0.1;

/*
 * The limit for samples in spin loops is lower, because their waits are not seen.  With
 * 6 %, in a lock that spins before it sleeps (t/workload/spinpark), predictions are off
 * by 9 points.
 */
static const double SPINS_MATTER = 0.01;

/*
 * The limit for time in the kernel.  Sampling itself spends some there: a tenth of the time
 * in programs that switch between threads all the time.
 */
static const double KERNEL_MATTERS = 0.15;

/* The limit for time in which runnable threads have no processor: a few percent are normal. */
static const double CROWDED = 0.2;

/* If other programs use less of the processors than this, threads of the program wait for each other. */
static const double ALONE = 0.05;

/* If the kernel counts so many times as much, samples have missed some of the time. */
static const double UNSAMPLED = 1.5;

enum {
	NEAR_BYTES = 24, /* samples of a spin loop are at most this far from its pause instruction */
	FEW_SAMPLES = 100,
};

typedef void say_function(struct conductor *c, const char *what, char *text);

struct sums {
	double absolute_ns, stranger_ns, run_ns;
};

static struct sums sum_up(const struct conductor *c)
{
	uint32_t n = shared_threads(c->arena);
	struct sums s = { .run_ns = (double)c->ran_ns };

	for (uint32_t i = 0; i < n; i++) {
		const struct arena_thread *t = shared_thread(c->arena, i);

		s.absolute_ns += (double)atomic_load(&t->absolute_ns);
		s.stranger_ns += (double)atomic_load(&t->stranger_ns);
	}
	return s;
}

/* ---- undeclared spins ---------------------------------------------------------------- */

/* x86's pause instruction (f3 90) is used only in spin loops. */
static bool has_pause(const unsigned char *code, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (code[i] == 0xf3 && code[i + 1] == 0x90)
			return true;
	return false;
}

/*
 * Other spin loops are recognised because they have no effects, see spinloop.h.  A loop
 * that is neither looks like work, and is not found.
 */
static bool is_spinning(const struct mapping *mod, uint64_t off)
{
	unsigned char code[2 * SPINLOOP_BYTES];
	int fd = file_open_regular(mod->path);
	size_t at, from, to;
	uint64_t in_file;
	ssize_t n = 0;

	if (fd < 0)
		return false;
	if (!mapping_file_offset(fd, off, &in_file)) {
		close(fd);
		return false;
	}
	at = in_file > SPINLOOP_BYTES ? SPINLOOP_BYTES : (size_t)in_file;
	n = pread(fd, code, sizeof(code), (off_t)(in_file - at));
	close(fd);
	if (n <= (ssize_t)at)
		return false;
	from = at > NEAR_BYTES ? at - NEAR_BYTES : 0;
	to = at + NEAR_BYTES < (size_t)n ? at + NEAR_BYTES : (size_t)n;
	return has_pause(code + from, to - from) || spinloop_at(code, (size_t)n, at);
}

struct spins {
	struct conductor *c;
	uint64_t samples;
	uint64_t most;
	unsigned module;
	uint64_t off;
};

static void look_for_spins(void *arg, unsigned module, uint64_t off, enum arena_class class, uint64_t count)
{
	struct spins *s = arg;
	const struct mapping *mod = mapping_of(s->c->modules, module);

	/* Only frequent addresses are looked up in the file. */
	if (class != CLASS_CPU || !mod || mod->path[0] != '/' || (double)count < 0.005 * (double)s->c->regions->samples ||
	    mapping_is_runtime(mod) || !is_spinning(mod, off))
		return;
	s->samples += count;
	if (count > s->most) {
		s->most = count;
		s->module = module;
		s->off = off;
	}
}

static char *spin_place(struct conductor *c, const struct spins *s)
{
	struct mapping *mod = mapping_of(c->modules, s->module);
	struct frame at;

	if (mapping_image(mod) && image_charge_line(mod->image, s->off, mapping_file_in_scope, mod, &at))
		return xasprintf("%s:%u", at.file, at.line);
	return mapping_offset_name(mod, s->off);
}

/* ---- more threads than processors ------------------------------------------------------ */

struct demand {
	double run, queue; /* samples on a processor, and of waiting for one */
};

static void count_demand(void *arg, unsigned module, uint64_t off, enum arena_class class, uint64_t count)
{
	struct demand *d = arg;

	(void)module;
	(void)off;
	if (class == CLASS_CPU)
		d->run += (double)count;
	else if (class == CLASS_RUNQUEUE)
		d->queue += (double)count;
}

static struct demand demand_of(struct conductor *c)
{
	struct demand d = { 0, 0 };

	regions_leaves(c->regions, count_demand, &d);
	return d;
}

bool caveats_is_crowded(struct conductor *c)
{
	return demand_of(c).queue * (double)c->arena->period_ns > CROWDED * (double)conductor_going_ns(c, now_ns());
}

/*
 * Sets *queued to the mean number of threads of the program that waited for
 * processors that other threads of the program used.
 */
static bool is_oversubscribed(struct conductor *c, double run_ns, double *queued)
{
	struct demand d = demand_of(c);
	double periods = run_ns / (double)c->arena->period_ns;
	double waited = machine_usually_taken(&c->machine) < ALONE ? machine_usually_waited(&c->machine) : 0;

	*queued = d.queue / periods;
	/*
	 * Threads that live briefly are not sampled while they queue.  The kernel counts that
	 * time: 0.32, where samples find 0.04 to 0.15 (t/workload/threads3).
	 */
	if (waited > CROWDED && waited > UNSAMPLED * *queued) {
		*queued = waited;
		return true;
	}
	/* If there are more threads than processors, some would wait even on an idle machine. */
	return *queued > CROWDED && d.run + d.queue > (parallel_processors() + MATTERS) * periods;
}

/* ---- time in the kernel ---------------------------------------------------------------- */

/*
 * The part of the run's processor time that was in the kernel.  It includes the time for
 * sampling; the total includes pauses.
 */
static double kernel_share(const struct conductor *c)
{
	struct usage used = usage_since(c->before);
	int64_t all = used.user_ns + used.system_ns;

	return all > 0 ? (double)used.system_ns / (double)all : 0;
}

static void look_at_kernel(struct conductor *c, say_function *say)
{
	double share = kernel_share(c);

	if (share < KERNEL_MATTERS || atomic_load(&c->arena->kernel_sampled))
		return;
	say(c, "kernel-time",
	    xasprintf("%.0f %% of the processor time was spent in the kernel, where it could not be sampled (that takes timers, and Linux 5.11): "
		      "predictions are too low for regions that caused it",
		      100 * share));
}

/* ---- all of them --------------------------------------------------------------------- */

static void look_at_clocks(struct conductor *c, const struct sums *s, say_function *say)
{
	/* Where nobody pauses, clocks and others that go on do no harm: replay knows waits for a clock. */
	if (c->plan->attach_only)
		return;
	if (s->absolute_ns > MATTERS * s->run_ns)
		say(c, "absolute-timer",
		    xasprintf("threads slept until moments of the wall clock for %.0f %% of the run, for what was left until one, or "
			      "until a tick of a timer: such a clock cannot be slowed, so what waits for it is predicted too fast; "
			      "sleep for a time of its own instead, if you can",
			      100 * s->absolute_ns / s->run_ns));
	if (s->stranger_ns > MATTERS * s->run_ns)
		say(c, "outside",
		    xasprintf("threads waited for processes that are not of the recording for %.0f %% of the run: those run on while "
			      "threads are paused; start them under andweorc-record too, if they depend on the program",
			      100 * s->stranger_ns / s->run_ns));
}

static void look_at_crowd(struct conductor *c, double run_ns, say_function *say)
{
	double queued;

	if (is_oversubscribed(c, run_ns, &queued))
		say(c, "oversubscribed",
		    xasprintf("on average, %.1f threads were ready to run but had no processor: the scheduler decides in "
			      "real time, not in virtual time, so predictions are less exact; use fewer threads",
			      queued));
}

static void look_at_quota(struct conductor *c, double run_ns, say_function *say)
{
	double taken = (double)quota_taken_ns(&c->quota) / run_ns;

	if (taken > MATTERS)
		say(c, "quota",
		    xasprintf("the program had used up the processor time that its control group may use (a limit of a container), and "
			      "was stopped for that for %.0f %% of the time: it goes on when the next period begins, which no pause "
			      "delays, so predictions are wrong; record without a limit, or with fewer threads",
			      100 * taken));
}

static void look_at_spins(struct conductor *c, say_function *say)
{
	struct spins spins = { .c = c };
	char *place;

	if (c->regions->samples < FEW_SAMPLES)
		return;
	regions_leaves(c->regions, look_for_spins, &spins);
	if ((double)spins.samples <= SPINS_MATTER * (double)c->regions->samples)
		return;
	place = spin_place(c, &spins);
	say(c, "spin",
	    xasprintf("%.0f %% of the samples are in loops that wait by spinning (at '%s'): the ends of these waits are not seen; "
		      "declare them with ANDWEORC_PRE_BLOCK and ANDWEORC_POST_BLOCK of <andweorc.h>",
		      100. * (double)spins.samples / (double)c->regions->samples, place));
	free(place);
}

void caveats(struct conductor *c, say_function *say)
{
	struct sums s = sum_up(c);

	if (s.run_ns <= 0)
		return;
	look_at_clocks(c, &s, say);
	look_at_kernel(c, say);
	look_at_crowd(c, s.run_ns, say);
	look_at_quota(c, s.run_ns, say);
	look_at_spins(c, say);
}
