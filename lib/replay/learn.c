/*
 * learn: runs all steps of learning, once for each recording, in order.
 */
#include "replay/replay_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define TICKS_NS 20e6 /* the time of other programs is known to a tick of 10 ms at both ends */
#define ALIKE    0.002 /* misfits that differ by less do not tell which policy the kernel has */
#define RARER    0.7   /* from one try to the next, idle processors take threads of others more rarely by this factor */
#define RAREST   0.01  /* the least chance that is tried */
#define CROWDED  0.02 /* from this share of time without a processor on, the order of threads matters */

/* ---- the recording as a run --------------------------------------------------- */

static void note_recorded(const struct script *s, const struct moment *m, struct run *run)
{
	const struct step *step = &s->step[m->step];
	double at = s->at_ns[m->step];

	switch ((enum op)step->op[RECORDED]) {
	case OP_VISIT:
		run->visit[run->first[step->object] + run->visits[step->object]++] = (struct visit){ .at_ns = at, .weight = (double)step->other };
		break;
	case OP_BEGIN:
		run->span[step->other].begin_ns = at;
		break;
	case OP_END:
		run->span[step->other].end_ns = at;
		break;
	default:
		break;
	}
}

static void as_recorded(const struct replay *r, struct script *s, const struct moment *m, size_t n)
{
	run_prepare(r, s, &s->recorded);
	s->recorded.stop_ns = s->length_ns;
	for (size_t i = 0; i < n; i++)
		note_recorded(s, &m[i], &s->recorded);
}

/* ---- base runs and their check --------------------------------------------------------------------- */

/* Runs the model without a question: the runs for the check, or those that answers are compared with. */
static void run_model(struct replay *r, enum replay_model model, bool kept, bool check)
{
	bool has_open_ends = r->facts.unexplained + r->facts.timeouts > 0 || r->facts.clock_ns > 0 || r->any_ns > 0;
	const struct setting how = { .model = model, .kept = kept, .notes_ends = !check && has_open_ends };

	for (size_t b = 0; b < r->nscripts; b++) {
		struct run *run = check ? &r->script[b].kept[model] : &r->script[b].base[model];

		run_release(run);
		simulate(r, &r->script[b], &how, run);
	}
}

/* Simulated over measured time, of the point with most visits; without visits, of spans; else of the whole. */
static double check_of(const struct replay *r, enum replay_model model)
{
	size_t most = 0;
	double check = NAN;

	for (size_t b = 0; b < r->nscripts; b++)
		if (r->script[b].kept[model].failed)
			return NAN;
	for (size_t p = 0; p < r->npoints; p++) {
		struct compared c = compare_visits(r, NULL, model, p, false);

		if (c.count <= most)
			continue;
		most = c.count;
		check = c.ns / c.base_ns;
	}
	if (isnan(check)) {
		struct compared c = compare_whole(r, NULL, model);

		check = c.ns / c.base_ns;
	}
	return check;
}

static double misfit(double check)
{
	return check > 0 ? fmin(1, fabs(log(check))) : 1;
}

static bool has_more_threads_than_processors(const struct replay *r)
{
	for (size_t b = 0; b < r->nscripts; b++)
		if (r->script[b].nactors > r->script[b].cpus)
			return true;
	return false;
}

/* A scheduler of the simulation, and what comes out with it. */
struct scheduler {
	bool preempts; /* as in struct replay, */
	double takes;  /* this too */
	double check, off; /* simulated over measured time, and the misfit of that */
	double idled;  /* for how long processors were idle, as in struct replay, but exact */
};

static struct scheduler with_scheduler(struct replay *r, enum replay_model model, bool preempts, double takes)
{
	struct scheduler s = { .preempts = preempts, .takes = takes };
	double idled = 0, length = 0;

	r->preempts[model] = preempts;
	r->takes[model] = takes;
	run_model(r, model, false, true);
	for (size_t b = 0; b < r->nscripts; b++) {
		length += r->script[b].kept[model].stop_ns;
		idled += r->script[b].kept[model].idled_ns;
	}
	s.check = check_of(r, model);
	s.off = misfit(s.check);
	s.idled = length > 0 ? idled / (length * r->busy) : 0;
	return s;
}

/*
 * Linux leaves processors idle while threads wait for others, and how often cannot be known from the
 * program.  So processors take threads from others as rarely as explains the measured time best, but
 * are never idle for longer than in the recording.
 */
static struct scheduler fitted_scheduler(struct replay *r, enum replay_model model, bool preempts)
{
	struct scheduler s = with_scheduler(r, model, preempts, 1), best = s;

	if (model == REPLAY_STAYING || !(r->idled > IDLED_LEAST))
		return best;
	while (s.check < 1 && s.takes * RARER > RAREST) {
		s = with_scheduler(r, model, preempts, s.takes * RARER);
		if (s.idled > r->idled)
			break;
		if (s.off < best.off)
			best = s;
	}
	return best;
}

static void use_scheduler(struct replay *r, enum replay_model model, const struct scheduler *s)
{
	r->preempts[model] = s->preempts;
	r->takes[model] = s->takes;
	r->left_idle[model] = r->crowded && r->more_threads ? fmax(0, r->idled - s->idled) : 0;
}

/* Of two scheduling policies, the one that gives the measured period better is used. */
static void choose_scheduler(struct replay *r)
{
	struct scheduler s[REPLAY_MODELS][2];
	const struct scheduler *simulated = s[REPLAY_SIMULATED], *monitor = s[REPLAY_MONITOR], *staying = s[REPLAY_STAYING];
	bool preempts;

	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		r->takes[k] = 1;
	if (!r->more_threads && !r->crowded)
		return;
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++)
		for (int i = 0; i < 2; i++)
			s[k][i] = fitted_scheduler(r, k, i);
	preempts = simulated[1].off + monitor[1].off < simulated[0].off + monitor[0].off - ALIKE;
	use_scheduler(r, REPLAY_SIMULATED, &simulated[preempts]);
	use_scheduler(r, REPLAY_MONITOR, &monitor[preempts]);
	use_scheduler(r, REPLAY_STAYING, &staying[staying[1].off < staying[0].off - ALIKE]);
}

/* Processor time that other programs took, at the most; INFINITY: unknown. */
static double taken_by_others(const struct burst *burst, size_t n)
{
	double others = 0;

	for (size_t b = 0; b < n; b++)
		others += burst[b].others_known ? (double)burst[b].others_ns + TICKS_NS * burst[b].cpus : INFINITY;
	return others;
}

/*
 * Other programs make the processors slower, so computing takes longer.  Waits for the
 * outside take longer, too, but by an unknown part.  If only computing were corrected to a
 * quiet machine, the share of waits would be too large.  With neighbours that take half of
 * each processor, t/workload/device was 31.8 and 18.2 (really 27.9 and 21.4), and is 30.5
 * and 19.5; rustsync was 15.9 (really 19.6), and is 18.4.
 */
static void measure_scarcity(struct replay *r, const struct burst *burst, size_t n)
{
	double queued = 0, late = 0, computed = 0, capacity = 0;

	for (size_t b = 0; b < r->nscripts; b++) {
		capacity += r->script[b].cpus * r->script[b].length_ns;
		for (size_t i = 0; i < r->script[b].n; i++) {
			queued += (double)r->script[b].step[i].queued_ns;
			late += (double)r->script[b].step[i].late_ns;
			computed += (double)r->script[b].step[i].cpu_ns + (double)r->script[b].step[i].kernel_ns;
		}
	}
	r->busy = r->facts.length_ns > 0 ? fmax(1, computed / r->facts.length_ns) : 1;
	r->scarce = queued + late > 0 ? (queued + late) / (queued + late + computed) : 0;
	r->crowded = r->scarce > CROWDED && (r->more_threads || queued + late > taken_by_others(burst, n));
	if (computed > 0 && (r->more_threads || r->crowded))
		r->idled = fmax(0, fmin(queued + late, capacity - computed)) / computed;
	r->slowed = r->crowded || !(computed > 0) ? 1 : (queued + computed) / computed;
}

/* So that sums of times do not overflow, and the simulation has an end, whatever the log says. */
static struct burst_event sane(struct burst_event e, int64_t length_ns)
{
	const int64_t hour = 3600000000000, far = length_ns < hour ? length_ns : hour;
	int64_t most;

	e.at_ns = e.at_ns < 0 ? 0 : e.at_ns < far ? e.at_ns : far;
	most = burst_is_deed(e.kind) ? e.at_ns : far;
	e.waited_ns = e.waited_ns < 0 ? 0 : e.waited_ns < most ? e.waited_ns : most;
	return e;
}

/* The caller releases each copy, and frees them. */
static struct burst *copy_bursts(const struct burst *burst, size_t n)
{
	struct burst *copy = xcalloc(n + 1, sizeof(*copy));

	for (size_t b = 0; b < n; b++) {
		copy[b] = burst[b];
		copy[b].thread = xcalloc(burst[b].n + 1, sizeof(*copy[b].thread));
		for (size_t t = 0; t < burst[b].n; t++) {
			const struct burst_thread *from = &burst[b].thread[t];

			copy[b].thread[t].id = from->id;
			for (size_t i = 0; i < from->n; i++) {
				struct burst_event e = sane(from->event[i], burst[b].length_ns);

				burst_add(&copy[b].thread[t], &e);
			}
		}
	}
	return copy;
}

struct replay *replay_learn(const struct burst *recorded, size_t n, size_t nstacks, size_t all)
{
	struct replay *r = xcalloc(1, sizeof(*r));
	struct burst *burst;
	size_t added = 0;
	struct moment **m = xcalloc(n + 1, sizeof(*m));
	size_t *nm = xcalloc(n + 1, sizeof(*nm));

	r->nstacks = nstacks;
	r->realizations = realizations_of(all);
	r->whole = n == 1 && recorded[0].whole;
	objects_learn(r, recorded, n);
	burst = copy_bursts(recorded, n);
	taken_place(r, burst, n);
	for (size_t b = 0; b < n; b++) {
		added += batches_spread(r, &burst[b]);
		added += frames_find(&burst[b]);
		added += stalls_find(r, &burst[b]);
	}
	script_learn(r, burst, n);
	r->facts.events -= added;
	for (size_t b = 0; b < n; b++)
		m[b] = script_moments(&burst[b], &r->script[b], &nm[b]);
	objects_refine(r, m, nm);
	writers_learn(r, m, nm);
	for (size_t b = 0; b < n; b++) {
		causes_learn(r, &r->script[b], m[b], nm[b]);
		as_recorded(r, &r->script[b], m[b], nm[b]);
		free(m[b]);
	}
	free(m);
	free(nm);
	r->more_threads = has_more_threads_than_processors(r);
	measure_scarcity(r, burst, n);
	unknown_learn(r);
	ticks_learn(r);
	latency_learn(r);
	if (r->more_threads)
		oversleep_learn(r);
	conditions_learn(r);
	unsignalled_learn(r);
	moving_learn(r);
	loops_learn(r);
	shares_learn(r);
	awake_learn(r);
	waits_learn(r);
	r->facts.hidden = hidden_part(r);
	/* In a crowd, waits are long because the thread that has the lock waits for a processor. */
	r->facts.brief = r->crowded ? 0 : brief_waits(r);
	choose_scheduler(r);
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		run_model(r, k, false, false);
		run_model(r, k, true, true);
		r->facts.check[k] = check_of(r, k);
	}
	for (enum open_question u = AS_RECORDED + 1; u < OPEN_QUESTIONS; u++)
		for (size_t b = 0; b < r->nscripts; b++)
			simulate(r, &r->script[b], &(struct setting){ .model = MAIN_MODEL, .open = u }, &r->script[b].assumed[u]);
	for (size_t b = 0; b < n; b++)
		r->facts.forced += r->script[b].base[REPLAY_MONITOR].forced;
	for (size_t b = 0; b < n; b++)
		burst_release(&burst[b]);
	free(burst);
	return r;
}

void replay_facts(const struct replay *r, struct replay_facts *out)
{
	*out = r->facts;
}

static void release_script(struct script *s)
{
	run_release(&s->recorded);
	for (enum open_question u = AS_RECORDED; u < OPEN_QUESTIONS; u++)
		run_release(&s->assumed[u]);
	for (enum replay_model k = 0; k < REPLAY_MODELS; k++) {
		run_release(&s->base[k]);
		run_release(&s->kept[k]);
	}
	free(s->step);
	free(s->at_ns);
	free(s->actor);
	free(s->actor_of);
	free(s->start);
	free(s->first_visit);
	free(s->span_point);
	free(s->work);
	free(s->gives_work);
	free(s->ticks);
	free(s->loop);
	free(s->round);
	free(s->makes_ready);
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	for (size_t b = 0; b < r->nscripts; b++)
		release_script(&r->script[b]);
	free(r->script);
	idmap_release(&r->processors);
	free(r->object);
	free(r->section_class);
	free(r->above);
	free(r->sample);
	free(r->point);
	free(r->latency_point);
	for (size_t i = 0; i < r->nlatencies; i++)
		free(r->latencies[i].v);
	free(r->latencies);
	free(r->stall);
	free(r->wait);
	free(r);
}
