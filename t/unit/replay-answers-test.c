/*
 * Predictions from recorded bursts, against the truth: small programs in a virtual
 * world, recorded for a second, and run again with the work of a region really smaller.
 * The programs are in world_*.h.  Of all intervals together, 95 in 100 hold the truth, so
 * it is one test.
 *
 *     REPLAY_TABLE=1 replay-answers-test                   prints truth and each model's answer, whatever they are
 *     REPLAY_TABLE=1 REPLAY_SEED=12 replay-answers-test    of another recording of each
 */
#include "unit.h"

#include <math.h>

#include "replayed.h"
#include "world_locks.h"
#include "world_loops.h"
#include "world_processors.h"
#include "world_queues.h"
#include "world_waits.h"

#define CHECK 0.03 /* simulated over measured period: the best of two models is so near to 1 */

static void print_facts(const struct program *p, const struct replay_facts *f)
{
	if (!getenv("REPLAY_TABLE"))
		return;
	printf("# %s: checks %.3f %.3f %.3f; %zu locks, %zu shared, %zu conditions (%zu counted, %zu gathered), %zu barriers, %zu tokens, %zu latches; "
	       "%zu unexplained, %zu cut, %zu forced; %zu events, %zu samples\n",
	       p->name, f->check[REPLAY_SIMULATED], f->check[REPLAY_MONITOR], f->check[REPLAY_STAYING], f->locks, f->shared, f->conditions, f->counted,
	       f->gathered, f->barriers, f->tokens, f->latches, f->unexplained, f->cut, f->forced, f->events, f->samples);
}

/* The number of intervals that contain the truth, and of all. */
struct score {
	size_t held, all;
};

/* With the real processors, the same work must take the same time, except for queueing after waits. */
static void check_scheduler(const struct program *p, const struct replay_effect *e)
{
	double own = e->model[REPLAY_SIMULATED].base_ns / e->measured_ns;

	if (p->queues == NOTED_LATE && !(fabs(own - 1) < 0.05))
		fail_msg("%s: simulated in %.3f of the time", p->name, own);
}

/* Where nothing is asked, nothing is gained, and no assumption about what is not recorded matters. */
static void check_nothing(const struct program *p, const struct replay *r)
{
	struct replay_effect e = asked(r, p, 1, 0);

	if (!(fabs(e.gain) <= 1e-9) || !(e.open <= 1e-3))
		fail_msg("%s: where nothing is asked, %g is gained, and %g is open", p->name, e.gain, e.open);
}

static void predicts(const struct program *p, struct score *score)
{
	bool table = getenv("REPLAY_TABLE");
	struct replay *r = recorded(p, 1 * S, getenv("REPLAY_SEED") ? strtoull(getenv("REPLAY_SEED"), NULL, 10) : 11);
	struct replay_facts f;
	double base[SEEDS];

	replay_facts(r, &f);
	print_facts(p, &f);
	if (!table && !(fmin(fabs(f.check[REPLAY_SIMULATED] - 1), fabs(f.check[REPLAY_MONITOR] - 1)) <= CHECK))
		fail_msg("%s: checks %g and %g", p->name, f.check[REPLAY_SIMULATED], f.check[REPLAY_MONITOR]);
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		base[seed] = measured(p, NULL, seed);
	check_nothing(p, r);
	for (uint32_t region = 1; region <= p->regions; region++) {
		for (double s = 0.25; s < 0.6; s += 0.25) {
			double really = truth(p, region, s, base);
			struct replay_effect e = asked(r, p, region, s);

			print_row(p, region, s, really, &e);
			check_scheduler(p, &e);
			score->held += fabs(e.gain - really) <= 1.96 * e.se;
			score->all++;
			if (!table && !(fabs(e.gain - really) <= p->within))
				fail_msg("%s: region %u at %.0f %%: %.1f %% instead of %.1f %%", p->name, region, s * 100, e.gain * 100, really * 100);
		}
	}
	replay_free(r);
}

static const struct program programs[] = {
	{ "serial", serial, 2, 2, false, NOTED, CLOSE, false, false },
	{ "fork-join", fork_join, 2, 3, false, NOTED, CLOSE, false, false },
	{ "queue", bounded_queue, 2, 3, false, NOTED, CLOSE, false, false },
	{ "queue-sparing", sparing_queue, 2, 3, false, NOTED, CLOSE, false, false },
	{ "queue-late", late_queue, 2, 3, false, NOTED, CLOSE, false, false },
	{ "mutex", mutexes, 2, 2, false, NOTED, CLOSE, false, false },
	{ "unlike", unlike, 2, 4, false, NOTED, CLOSE, false, false },
	{ "barrier", barriers, 2, 3, false, NOTED, CLOSE, false, false },
	{ "replies-deep", replies, 2, 2, false, NOTED, CLOSE, false, true },
	{ "semaphores", semaphores, 2, 2, false, NOTED, CLOSE, false, false },
	{ "read-mostly", read_mostly, 3, 3, false, NOTED, CLOSE, false, false },
	{ "writers-first", writers_first, 3, 3, false, NOTED, CLOSE, false, false },
	{ "yielding", yield_by_turns, 2, 2, false, NOTED, 0.03, false, false }, /* one works at a time: half as many samples */
	{ "messages", messages, 2, 2, false, NOTED, CLOSE, false, false },
	{ "ticks", ticks, 2, 2, false, NOTED, CLOSE, false, false },
	{ "loop-timers", loop_with_timers, 2, 3, false, NOTED, CLOSE, false, false },
	{ "loop-ring", loop_with_ring, 2, 3, false, NOTED, CLOSE, false, false },
	{ "loop-clients", loop_with_clients, 7, 4, false, NOTED, CLOSE, false, false },
	{ "loop-crowd", loop_with_clients, 2, 4, false, NOTED, 0.04, false, false }, /* simulated in 0.9 of the time, so the interval is wide */
	{ "pool", pool, 2, 3, false, NOTED, CLOSE, false, false },
	{ "producers", unlike_producers, 3, 3, false, NOTED, 0.045, false, false }, /* nearly in balance, so that little decides */
	{ "order", order, 4, 3, false, NOTED, 0.035, false, false },
	{ "order-apart", order_apart, 4, 3, false, NOTED, 0.035, false, false },
	{ "order-crowd", order, 2, 3, false, NOTED, CLOSE, false, false },
	{ "pieces-crowd", pieces_in_order, 2, 4, false, NOTED, CLOSE, false, false },
	{ "pieces-stay", pieces_in_order, 2, 4, false, NOTED, 0.04, true, false }, /* between the models, of which the nearest one has the worst check */
	{ "stalls", stalling_producer, 2, 2, false, NOTED, 0.06, false, false }, /* the recorded order has its part */
	{ "stalls-two", stalling_producers, 3, 2, false, NOTED, 0.09, false, false },
	{ "misses", cache_misses, 2, 2, false, NOTED, CLOSE, false, false },
	{ "tasks-of-tasks", tasks_of_tasks, 3, 3, false, NOTED, CLOSE, false, false },
	{ "tasks-crowd", tasks_of_tasks, 2, 3, false, NOTED, CLOSE, false, false },
	{ "tasks", sem_pool, 2, 3, false, NOTED, CLOSE, false, false },
	{ "refilled", refilled, 2, 2, false, NOTED_LATE, CLOSE, false, false },
	{ "stream", stream_pool, 2, 3, false, NOTED, CLOSE, false, false },
	{ "crowd", crowd, 2, 3, false, NOTED, CLOSE, false, false },
	{ "crowd-read", crowd, 2, 3, false, NOTED_LATE, CLOSE, false, false },
	{ "sharing", sharing, 2, 2, false, NOTED_LATE, CLOSE, false, false },
	{ "silent", crowd, 2, 3, false, NOTED_NEVER, CLOSE, false, false },
	{ "gather", gatherings, 2, 2, false, NOTED, CLOSE, false, false },
	{ "files", files, 2, 3, false, NOTED, CLOSE, false, false },
	{ "naps", naps, 2, 2, false, NOTED, CLOSE, false, false },
	{ "frames", frames_of_sleep, 2, 3, false, NOTED, CLOSE, false, false },
	{ "moments", frames_of_clock, 2, 3, false, NOTED, CLOSE, false, false },
	{ "moments-asked", frames_of_clock_asked, 2, 3, false, NOTED, CLOSE, false, false },
	{ "window", window_reader, 2, 2, false, NOTED, CLOSE, false, false },
	{ "copying", copying, 2, 2, false, NOTED, CLOSE, false, false },
	{ "requests", requests, 2, 2, true, NOTED, 0.05, false, false }, /* half of the time idle: 190 samples, and spans that depend on the square of the load */
};

static void of_known_answers(void **state)
{
	struct score score = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		predicts(&programs[i], &score);
	if (!getenv("REPLAY_TABLE") && score.held * 20 < score.all * 19)
		fail_msg("%zu of %zu intervals hold the truth", score.held, score.all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_known_answers),
	};

	return UNIT_MAIN(tests);
}
