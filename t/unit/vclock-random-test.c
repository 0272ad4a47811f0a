/*
 * Virtual clocks of random programs; see simulated.h.
 *
 * Rules are judged by these, and not tuned to one of them.  Programs wait at locks, at queues of two or three stages, at
 * barriers, at queues whose stages share a lock.  The number of threads varies, their work and
 * its variation between rounds, the room in queues, and the region.
 *
 *     SHOW=1 PROGRAMS=500 build/t/unit/vclock-random-test
 *
 * prints each that is more than two points off, with its script.  Some are known to be: if a lock
 * is always busy, and the next owner decides which thread starves, the order in real time differs
 * from that in virtual time.
 */
#include <math.h>

#include "simulated.h"

enum { USUAL_PROGRAMS = 30, KINDS = 5 };

static const char *const kinds[KINDS] = {
	"locks", "queue, semaphores", "queue, condition variables", "barrier", "stages, and a lock",
};

/* ---- chance ------------------------------------------------------------------------------- */

static uint64_t random_state;

static unsigned chance(unsigned n)
{
	return (unsigned)(next_random(&random_state) * n);
}

/* From 0.04 to 4 ms: each factor is as likely. */
static int64_t some_work(void)
{
	double ns = 40e3 * pow(100, next_random(&random_state));

	return (int64_t)ns / TICK * TICK;
}

/* ---- programs ------------------------------------------------------------------------------- */

static struct program made;

static void put(unsigned t, enum op op, int64_t arg, bool in)
{
	struct step *s = made.script[t];

	while (s->op != END)
		s++;
	assert_true(s - made.script[t] < STEPS - 1);
	*s = (struct step){ op, arg, in };
}

static void put_locked(unsigned t, int64_t lock, int64_t ns, bool in)
{
	put(t, LOCK, lock, false);
	put(t, WORK, ns, in);
	put(t, UNLOCK, lock, false);
}

/* Threads, alike or each with work of its own, that hold a lock or two. */
static void make_locks(void)
{
	unsigned threads = 2 + chance(3), region = chance(3);
	bool alike = chance(2), second = chance(2), brief = chance(2);
	int64_t ns[3] = { 0 };

	for (unsigned t = 0; t < threads; t++) {
		bool in = alike || t == 0;

		for (unsigned i = 0; i < 3; i++)
			ns[i] = alike && t ? ns[i] : i < 2 && brief ? some_work() / 50 / TICK * TICK + TICK : some_work();
		put_locked(t, 0, ns[0], in && region == 0);
		put_locked(t, second, ns[1], in && region == 1);
		put(t, WORK, ns[2], in && region == 2);
		put(t, VISIT, 0, false);
	}
}

static void make_barrier(void)
{
	unsigned threads = 2 + chance(3), region = chance(2);
	bool alike = chance(2);
	int64_t ns[2] = { 0 };

	for (unsigned t = 0; t < threads; t++) {
		for (unsigned i = 0; i < 2; i++) {
			ns[i] = alike && t ? ns[i] : some_work();
			put(t, WORK, ns[i], (alike || t == 0) && region == i);
		}
		put(t, BARRIER, 0, false);
		if (t == 0)
			put(t, VISIT, 0, false);
	}
	made.at_barrier = threads;
}

/* Takes a thing from the queue, or room, and gives room, or a thing. */
static void put_queue(unsigned t, bool signals, int64_t take, int64_t give)
{
	if (signals) {
		put(t, LOCK, QUEUE_LOCK, false);
		put(t, AWAIT, take, false);
		put(t, ADD, give, false);
		put(t, UNLOCK, QUEUE_LOCK, false);
		put(t, SIGNAL, give, false);
	} else {
		put(t, TAKE, take, false);
		put(t, POST, give, false);
	}
}

/* A queue has the counts 2 k (things) and 2 k + 1 (room). */
static void make_stages(bool signals, bool share_lock)
{
	unsigned stages = signals ? 2 : 2 + chance(2), region = chance(2 * stages), t = 0;

	for (unsigned k = 0; k < stages; k++) {
		int64_t first = some_work(), second = some_work() / (share_lock ? 4 : 2) / TICK * TICK + TICK;

		for (unsigned n = 1 + (t < 3 && chance(2)); n > 0; n--, t++) {
			if (k > 0)
				put_queue(t, signals, 2 * k - 2, 2 * k - 1);
			put(t, WORK, first, region == 2 * k);
			if (share_lock)
				put_locked(t, 5, second, region == 2 * k + 1);
			else
				put(t, WORK, second, region == 2 * k + 1);
			if (k + 1 < stages)
				put_queue(t, signals, 2 * k + 1, 2 * k);
			else
				put(t, VISIT, 0, false);
		}
		made.initial[2 * k + 1] = 1 + (int)chance(12);
	}
}

static void make(unsigned seed)
{
	unsigned kind = seed % KINDS;

	memset(&made, 0, sizeof(made));
	random_state = 0x9e3779b97f4a7c15u * (seed + 1);
	made.name = kinds[kind];
	if (kind == 0)
		make_locks();
	else if (kind == 3)
		make_barrier();
	else
		make_stages(kind == 2 || (kind == 4 && chance(2)), kind == 4);
}

/* ---- the test --------------------------------------------------------------------------------- */

static void print_script(const struct program *p)
{
	static const char *const names[] = { "", "", "lock", "unlock", "post", "take", "await", "add", "signal", "barrier", "visit" };

	for (unsigned t = 0; t < THREADS && p->script[t][0].op != END; t++) {
		for (const struct step *s = p->script[t]; s->op != END; s++) {
			if (s->op == WORK)
				fprintf(stderr, " %s%.2f ms", s->in ? "region " : "", (double)s->arg / MS);
			else
				fprintf(stderr, " %s %d", names[s->op], (int)s->arg);
		}
		fprintf(stderr, "\n");
	}
}

struct errors {
	unsigned seed, n;
	double sum;
};

static void count(const struct program *p, double s, struct gain g, void *data)
{
	struct errors *e = data;
	double error = fabs(g.predicted - g.really);

	e->n++;
	e->sum += error;
	if (getenv("SHOW") && error > 2) {
		fprintf(stderr, "%u: %s at %.0f %%: really %.2f, predicted %.2f\n", e->seed, p->name, 100 * s, g.really, g.predicted);
		print_script(p);
	}
}

/* Returns the mean error of random programs. */
static double mean_error(unsigned programs, unsigned cpus)
{
	struct errors e[KINDS] = { 0 };
	double sum = 0;
	unsigned n = 0;

	for (unsigned seed = 0; seed < programs; seed++) {
		e[seed % KINDS].seed = seed;
		make(seed);
		simulate(&made, (struct conditions){ .varies = true, .processors = cpus }, count, &e[seed % KINDS]);
	}
	for (unsigned k = 0; k < KINDS && k < programs; k++) {
		if (getenv("SHOW"))
			fprintf(stderr, "%-28s mean error %.2f\n", kinds[k], e[k].sum / e[k].n);
		n += e[k].n;
		sum += e[k].sum;
	}
	return sum / n;
}

static void predicts_within(unsigned cpus, double points)
{
	double error = mean_error(getenv("PROGRAMS") ? (unsigned)atoi(getenv("PROGRAMS")) : USUAL_PROGRAMS, cpus);

	if (!getenv("PROGRAMS") && error > points)
		fail_msg("mean error %.2f points", error);
}

static void threads_with_processors_of_their_own(void **state)
{
	(void)state;
	/* It is 0.31; without lengths 0.41, without earners 0.41, with lumps only 0.43, if all may pass by at a lock 0.49. */
	predicts_within(0, .36);
}

static void threads_that_share_two_processors(void **state)
{
	(void)state;
	/* It is 0.66; without lengths 0.75, without rates 0.81, without processor_bound 1.05, without vclock_regain 1.73. */
	predicts_within(2, .72);
}

static int set_up(void **state)
{
	(void)state;
	simulation_begin();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	simulation_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(threads_with_processors_of_their_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(threads_that_share_two_processors, set_up, tear_down),
	};

	return UNIT_MAIN(tests);
}
