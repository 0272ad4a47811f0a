/* Virtual clocks of whole programs, whose answers are known; SHOW=1 prints them.  See simulated.h. */
#include <math.h>

#include "simulated.h"

/* The largest allowed error of a prediction, in points. */
static void holds(const struct program *p, double s, struct gain g, void *within)
{
	if (getenv("SHOW"))
		fprintf(stderr, "%-40s %2.0f %%: really %6.2f, predicted %6.2f\n", p->name, 100 * s, g.really, g.predicted);
	if (fabs(g.predicted - g.really) > *(const double *)within)
		fail_msg("%s at %.0f %%: really %.2f, predicted %.2f", p->name, 100 * s, g.really, g.predicted);
}

static const struct program alone = { "one thread", { { IN(700 * US), OUT(1300 * US), { VISIT, 0, false } } }, { 0 }, 0 };

static const struct program apart = {
	"two that never meet", { { IN(400 * US), OUT(600 * US), { VISIT, 0, false } }, { OUT(MS), { VISIT, 0, false } } }, { 0 }, 0,
};

static const struct program longer = {
	"barrier, the longer part",
	{ { IN(2 * MS), { BARRIER, 0, false }, { VISIT, 0, false } }, { OUT(MS), { BARRIER, 0, false } } }, { 0 }, 2,
};

static const struct program shorter = {
	"barrier, the shorter part",
	{ { OUT(2 * MS), { BARRIER, 0, false }, { VISIT, 0, false } }, { IN(MS), { BARRIER, 0, false } } }, { 0 }, 2,
};

static const struct program alike = {
	"barrier, half of two like parts",
	{ { IN(500 * US), OUT(500 * US), { BARRIER, 0, false }, { VISIT, 0, false } },
	  { IN(500 * US), OUT(500 * US), { BARRIER, 0, false } } }, { 0 }, 2,
};

static const struct program alike_quarter = {
	"barrier, a quarter of two like parts",
	{ { OUT(300 * US), IN(250 * US), OUT(450 * US), { BARRIER, 0, false }, { VISIT, 0, false } },
	  { OUT(300 * US), IN(250 * US), OUT(450 * US), { BARRIER, 0, false } } }, { 0 }, 2,
};

static const struct program alike_short = {
	"barrier, parts of half a period",
	{ { IN(300 * US), OUT(200 * US), { BARRIER, 0, false }, { VISIT, 0, false } },
	  { IN(300 * US), OUT(200 * US), { BARRIER, 0, false } } }, { 0 }, 2,
};

static const struct program one_of_three = {
	"barrier, one of three",
	{ { IN(900 * US), { BARRIER, 0, false }, { VISIT, 0, false } },
	  { OUT(800 * US), { BARRIER, 0, false } },
	  { OUT(500 * US), { BARRIER, 0, false } } }, { 0 }, 3,
};

#define HOLDER(inside, outside) { { LOCK, 0, false }, inside, { UNLOCK, 0, false }, outside, { VISIT, 0, false } }

static const struct program inside = {
	"lock, inside", { HOLDER(IN(500 * US), OUT(MS)), HOLDER(IN(500 * US), OUT(MS)) }, { 0 }, 0,
};

static const struct program outside = {
	"lock, outside: a knee", { HOLDER(OUT(500 * US), IN(MS)), HOLDER(OUT(500 * US), IN(MS)) }, { 0 }, 0,
};

static const struct program contended = {
	"lock of three, inside",
	{ HOLDER(IN(500 * US), OUT(500 * US)), HOLDER(IN(500 * US), OUT(500 * US)), HOLDER(IN(500 * US), OUT(500 * US)) }, { 0 }, 0,
};

/* The second thread must know what the first one earns before it takes the lock; see earner.c. */
static const struct program unlike_apart = {
	"unlike threads at a lock, outside", { HOLDER(OUT(300 * US), IN(MS)), HOLDER(OUT(600 * US), OUT(200 * US)) }, { 0 }, 0,
};

static const struct program unlike_hold = {
	"unlike threads at a lock, inside", { HOLDER(OUT(300 * US), OUT(MS)), HOLDER(IN(600 * US), OUT(200 * US)) }, { 0 }, 0,
};

/* Semaphore 0: things; 1: room. */
#define QUEUE(make, use) { \
	{ { TAKE, 1, false }, make, { POST, 0, false } }, \
	{ { TAKE, 0, false }, use, { POST, 1, false }, { VISIT, 0, false } }, \
}

static const struct program consumer = { "queue, the consumer", QUEUE(OUT(MS), IN(2 * MS)), { 0, 4 }, 0 };
static const struct program producer = { "queue, the producer", QUEUE(IN(MS), OUT(2 * MS)), { 0, 4 }, 0 };
static const struct program handoff = { "hand over and back, one side", QUEUE(IN(MS), OUT(1500 * US)), { 0, 1 }, 0 };

static const struct program stages = {
	"three stages, the middle one",
	{ { { TAKE, 2, false }, OUT(900 * US), { POST, 0, false } },
	  { { TAKE, 0, false }, IN(1200 * US), { POST, 1, false } },
	  { { TAKE, 1, false }, OUT(800 * US), { POST, 2, false }, { VISIT, 0, false } } }, { 0, 0, 4 }, 0,
};

/* Parts of varying length: the reason why some are longer decides. */
#define PART(...) { __VA_ARGS__, { BARRIER, 0, false } }
#define RAGGED(...) \
	{ __VA_ARGS__, { BARRIER, 0, false }, { VISIT, 0, false } }, PART(__VA_ARGS__), PART(__VA_ARGS__), PART(__VA_ARGS__)

static const struct program ragged_larger = {
	"barrier, the larger of parts that vary", { RAGGED(IN(1450 * US), OUT(420 * US)) }, { 0 }, 4,
};

static const struct program ragged_smaller = {
	"barrier, the smaller of parts that vary", { RAGGED(OUT(2080 * US), IN(930 * US)) }, { 0 }, 4,
};

/* Counts 0: things, 1: room.  Both ends also take the lock 5. */
#define PUT(make) { make, { LOCK, 5, false }, OUT(90 * US), { UNLOCK, 5, false }, \
	{ LOCK, QUEUE_LOCK, false }, { AWAIT, 1, false }, { ADD, 0, false }, { UNLOCK, QUEUE_LOCK, false }, { SIGNAL, 0, false } }
#define GET(use, hold) { \
	{ LOCK, QUEUE_LOCK, false }, { AWAIT, 0, false }, { ADD, 1, false }, { UNLOCK, QUEUE_LOCK, false }, { SIGNAL, 1, false }, \
	use, { LOCK, 5, false }, hold, { UNLOCK, 5, false }, { VISIT, 0, false } }

static const struct program full_lock = {
	"a lock that is nearly full, outside",
	{ PUT(OUT(470 * US)), PUT(OUT(470 * US)), GET(IN(1440 * US), OUT(790 * US)), GET(IN(1440 * US), OUT(790 * US)) },
	{ 0, 25 }, 0,
};

static const struct program by_signals = {
	"queue with condition variables, the users",
	{ PUT(OUT(470 * US)), PUT(OUT(470 * US)), GET(IN(1440 * US), OUT(90 * US)), GET(IN(1440 * US), OUT(90 * US)) },
	{ 0, 5 }, 0,
};

static const struct {
	const struct program *program;
	double within; /* points */
	bool varies;
} cases[] = {
	{ &alone, .5, false }, { &apart, .5, false }, { &longer, .5, false }, { &shorter, .5, false },
	{ &alike, .8, false }, { &alike_quarter, .5, false }, { &alike_short, .5, false }, { &one_of_three, .5, false },
	{ &inside, .5, false }, { &outside, .6, false }, { &contended, 1, false }, { &unlike_apart, 2, false }, { &unlike_hold, 2, false },
	{ &ragged_larger, 3, true }, { &ragged_smaller, 2, true }, { &full_lock, 3, true }, { &by_signals, 1, true },
	{ &consumer, .5, false }, { &producer, .5, false }, { &handoff, .5, false }, { &stages, .5, false },
};

static void programs_are_predicted(void **state)
{
	(void)state;
	simulation_begin();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double within = getenv("SHOW") ? 1000 : cases[i].within;

		simulate(cases[i].program, (struct conditions){ .varies = cases[i].varies }, holds, &within);
	}
	simulation_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_are_predicted),
	};

	return UNIT_MAIN(tests);
}
