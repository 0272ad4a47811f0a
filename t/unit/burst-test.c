/*
 * Bursts as text: written text is read back, invalid text is refused, and replay
 * accepts anything that was read.
 */
#include "unit.h"

#include <math.h>

#include "replay/burst.h"
#include "replay/join.h"
#include "replay/replay.h"

enum { EVENTS = 400, TEXTS = 4000, LEARNED = 400 };

static uint64_t state_of_random = 1;

static uint64_t any(void)
{
	uint64_t x = (state_of_random += UINT64_C(0x9e3779b97f4a7c15));

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Mostly small, sometimes the largest possible. */
static uint64_t number(uint64_t most)
{
	uint64_t n = any() >> (any() % 64);

	return any() % 50 ? n % 5 : n < most ? n : most;
}

/* Only what its kind has. */
static struct burst_event event_at(int64_t before)
{
	static const bool waits[BURST_KINDS] = {
		[BURST_ACQUIRE] = true, [BURST_WAIT] = true, [BURST_OUTSIDE] = true, [BURST_QUEUED] = true, [BURST_SAMPLE] = true,
		[BURST_TIMEOUT] = true, [BURST_WAITING] = true, [BURST_CLOCK] = true, [BURST_KERNEL] = true,
		[BURST_POLL] = true, [BURST_SLEEP] = true, [BURST_BORN] = true, [BURST_ANSWERED] = true,
	};
	static const bool none[BURST_KINDS] = {
		[BURST_OUTSIDE] = true, [BURST_QUEUED] = true, [BURST_DEATH] = true, [BURST_TIMEOUT] = true, [BURST_CLOCK] = true,
		[BURST_KERNEL] = true, [BURST_POLL] = true, [BURST_SLEEP] = true,
	};
	static const bool two[BURST_KINDS] = { [BURST_WAIT] = true, [BURST_VISIT] = true, [BURST_BEGIN] = true, [BURST_END] = true };
	static const bool nowhere[BURST_KINDS] = {
		[BURST_QUEUED] = true, [BURST_VISIT] = true, [BURST_BEGIN] = true, [BURST_END] = true, [BURST_DEATH] = true, [BURST_SAMPLE] = true,
		[BURST_KERNEL] = true, [BURST_MOVED] = true, [BURST_BORN] = true,
	};
	struct burst_event e = { .kind = (enum burst_kind)(any() % BURST_KINDS) };

	e.at_ns = before + (int64_t)(any() % 100000);
	e.waited_ns = waits[e.kind] ? (int64_t)number(INT64_MAX) : 0;
	e.object = none[e.kind] ? 0 : (uint32_t)number(UINT32_MAX);
	e.other = two[e.kind] ? (uint32_t)number(UINT32_MAX) : 0;
	e.site = nowhere[e.kind] ? 0 : (uint32_t)number(UINT32_MAX);
	e.any = waits[e.kind] && !nowhere[e.kind] && any() % 3 == 0;
	return e;
}

static struct buf text_of(struct burst_thread *t, size_t n)
{
	struct buf b = BUF_INIT;
	int64_t before = 0;

	for (size_t i = 0; i < n; i++) {
		struct burst_event e = event_at(before);

		burst_add(t, &e);
		burst_write(&b, &e, before);
		before = e.at_ns;
	}
	return b;
}

static void comes_back(void **state)
{
	struct burst_thread t = { .id = 1 }, again = { .id = 1 };
	struct buf b = text_of(&t, EVENTS);

	(void)state;
	assert_true(burst_read(&again, b.s));
	assert_int_equal(again.n, EVENTS);
	for (size_t i = 0; i < EVENTS; i++) {
		assert_int_equal(again.event[i].at_ns, t.event[i].at_ns);
		assert_int_equal(again.event[i].waited_ns, t.event[i].waited_ns);
		assert_int_equal(again.event[i].kind, t.event[i].kind);
		assert_int_equal(again.event[i].object, t.event[i].object);
		assert_int_equal(again.event[i].other, t.event[i].other);
		assert_int_equal(again.event[i].site, t.event[i].site);
		assert_int_equal(again.event[i].any, t.event[i].any);
	}
	free(t.event);
	free(again.event);
	buf_release(&b);
}

/* In pieces, as a log has it: each goes on at the time of the one before. */
static void comes_back_in_pieces(void **state)
{
	struct burst_thread t = { .id = 1 };

	(void)state;
	assert_true(burst_read(&t, "v511"));
	assert_true(burst_read(&t, "v711"));
	assert_int_equal(t.n, 2);
	assert_int_equal(t.event[0].at_ns, 5);
	assert_int_equal(t.event[1].at_ns, 12);
	free(t.event);
}

static void is_refused(void **state)
{
	static const char *const malformed[] = {
		"?", "z", "v", "v1", "v11", "x", "r1", "r11", "a111", "l1 1", "v1.1", "x1x",
		"x________________", "xWWWWWWWWWWWWWWWW1", /* numbers that do not end, or are too large */
		"r1______41", "v11______4",
		"x\n", "\t", "xg",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); i++) {
		struct burst_thread t = { .id = 1 };

		if (burst_read(&t, malformed[i]))
			fail_msg("'%s' was read", malformed[i]);
		free(t.event);
	}
}

/* Events before the fault are kept. */
static void keeps_the_begin(void **state)
{
	struct burst_thread t = { .id = 1 };

	(void)state;
	assert_false(burst_read(&t, "x1x2?"));
	assert_int_equal(t.n, 2);
	assert_int_equal(t.event[1].at_ns, 3);
	free(t.event);
}

static void finds_threads(void **state)
{
	struct burst b = { .length_ns = 1, .cpus = 1 };

	(void)state;
	burst_thread(&b, 7);
	burst_thread(&b, 3);
	assert_ptr_equal(burst_thread(&b, 7), &b.thread[0]);
	assert_int_equal(b.n, 2);
	burst_release(&b);
	assert_int_equal(b.n, 0);
}

/* The thread's events after what was joined, as text.  beside: those of another thread. */
static void joined_beside(const char *beside, const char *text, const char *want)
{
	struct burst b = { .length_ns = 1000, .cpus = 1 };
	const struct burst_thread *t;
	struct buf got = BUF_INIT;
	int64_t before = 0;

	assert_true(burst_read(burst_thread(&b, 2), beside));
	assert_true(burst_read(burst_thread(&b, 1), text));
	join_waits(&b);
	t = burst_thread(&b, 1);
	buf_adds(&got, "");
	for (size_t i = 0; i < t->n; before = t->event[i++].at_ns)
		burst_write(&got, &t->event[i], before);
	assert_string_equal(got.s, want);
	buf_release(&got);
	burst_release(&b);
}

static void joined(const char *text, const char *want)
{
	joined_beside("", text, want);
}

/* Letter, time since the event before, length of the wait, objects, place. */
static void joins_timeouts(void **state)
{
	(void)state;
	/*
	 * The mutex of a condition, 3, is released at the place of the wait, 1; in the
	 * meantime the thread reads data under lock 4.
	 */
	joined("u131t991l142u143u131t991u131w99531", "u131wVV531");
	joined("u131t991s111u131w99531", "u131sA11wAK531");
	/* Until the end. */
	joined("u131t991u131t991l142", "u131");
	/* It did something: computed a visit, signalled a condition, waited elsewhere. */
	joined("t991v111t991", "t991v111");
	joined("t991u152w99531", "t991u152w99531");
	joined("t991w99532", "t991w99532");
	/* A wait that did not time out. */
	joined("w99531w99531", "w99531w99531");
	joined("", "");
}

static void joins_polls(void **state)
{
	(void)state;
	/* Yields from one place: one poll.  At another place, or after something was done, it is another one. */
	joined("p991p991", "pII1");
	joined("p991s111p991", "sA11p9J1");
	joined("p991p992", "p991p992");
	joined("p991v111p991", "p991v111p991");
	/* Each poll ends with the same lock: they were waits for it. */
	joined("p991p991l142u143p991l142", "aJJ42u143aAA42");
	/* A sleep is a poll only where it is mostly repeated, but not always. */
	joined("z991", "o991");
	joined("z991z991z991z991z991z991z991z991z991z991z991", "o991o991o991o991o991o991o991o991o991o991o991");
	joined("z991z991z991z991z991z991z991z991z991v111z991", "pn2n21v111p991");
}

/* The child notes who has created it; in the end, the parent has a note of that. */
static void joins_births(void **state)
{
	struct burst b = { .length_ns = 1000, .cpus = 1 };
	const struct burst_event *e;

	(void)state;
	assert_true(burst_read(burst_thread(&b, 2), "v211v911"));
	assert_true(burst_read(burst_thread(&b, 1), "m02f952v111"));
	join_waits(&b);
	e = burst_thread(&b, 2)->event;
	assert_int_equal(burst_thread(&b, 2)->n, 3);
	assert_int_equal(e[1].kind, BURST_BIRTH);
	assert_int_equal(e[1].at_ns, 4);
	assert_int_equal(e[1].object, 1);
	assert_true(burst_begins(burst_thread(&b, 1)));
	burst_release(&b);
	/* By a thread that is not known, or before the burst: it waits until it begins. */
	joined("f950v111", "t990v111");
	joined("f953v111", "t990v111");
	joined("f951v111", "t990v111");
	joined_beside("v111", "f5A2v111", "t550v111");
	/* The thread of a program that was executed; and one that was created. */
	joined("o900v111", "t990v111");
	joined_beside("n311", "o900v111", "o900v111");
}

static void names_polls(void **state)
{
	(void)state;
	/* The thread waits for object 5 as soon as the poll is over. */
	joined("p991a9951", "aII51");
	/* It waits for object 5 later.  Another thread released that one during the poll, */
	joined_beside("r551", "p991v111a9952", "a9951v111a9952");
	/* or another object, or before the poll, or after it. */
	joined_beside("r561", "p991v111a9952", "p991v111a9952");
	joined_beside("r151", "p941v111a9952", "p941v111a9952");
	joined_beside("rA51", "p991v111a9952", "p991v111a9952");
	/* The last one that was released. */
	joined_beside("r551r161", "p991v111a9952v111a9962", "a9961v111a9952v111a9962");
	/* What another thread waits for after such a poll. */
	joined_beside("p111a1152r451", "p991v111", "a9951v111");
	joined_beside("p112a1152r451", "p991v111", "p991v111");
	/* The thread itself did. */
	joined("r151p991v111a9952", "r151p991v111a9952");
	/* The poll began before the burst. */
	joined("p9J1v111a9952", "p9J1v111a9952");
}

/*
 * Thread 1 looks under lock 4, at place 1, twice in vain and then not, so many times.  Thread 2 unlocks at place 8, before the look
 * that is not in vain; and at place 9 before each look.
 */
static struct burst looks(int times, bool beside)
{
	struct burst b = { .length_ns = 1000000, .cpus = 2 };

	for (int i = 1; i <= 3 * times; i++) {
		const struct burst_event look[] = {
			{ .kind = BURST_LOCK, .at_ns = 100 * i, .object = 4, .site = 1 },
			{ .kind = BURST_UNLOCK, .at_ns = 100 * i + 5, .object = 4, .site = 2 },
			{ .kind = BURST_SLEEP, .at_ns = 100 * i + 90, .waited_ns = 80, .site = 3 },
		};
		const struct burst_event unlock = { .kind = BURST_UNLOCK, .at_ns = 100 * i - 20, .object = 4, .site = beside ? 9 : 8 };

		for (int k = 0; k < (i % 3 ? 3 : 2); k++)
			burst_add(burst_thread(&b, 1), &look[k]);
		if (beside || i % 3 == 0)
			burst_add(burst_thread(&b, 2), &unlock);
	}
	return b;
}

static size_t count_events(const struct burst_thread *t, enum burst_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->event[i].kind == kind;
	return n;
}

static void joins_naps(void **state)
{
	struct burst b = looks(20, false);
	const struct burst_event *e;

	(void)state;
	join_waits(&b);
	assert_int_equal(count_events(burst_thread(&b, 1), BURST_ACQUIRE), 19); /* what follows on the last look is not known */
	assert_int_equal(count_events(burst_thread(&b, 1), BURST_LOCK), 40); /* the first one in vain, and the last one */
	assert_int_equal(count_events(burst_thread(&b, 1), BURST_POLL) + count_events(burst_thread(&b, 1), BURST_OUTSIDE), 0);
	assert_int_equal(count_events(burst_thread(&b, 2), BURST_RELEASE), 20);
	e = &burst_thread(&b, 1)->event[2];
	assert_int_equal(e->kind, BURST_ACQUIRE);
	assert_int_equal(e->at_ns, 300);
	assert_int_equal(e->waited_ns, 190);
	assert_int_equal(e->object, burst_thread(&b, 2)->event[1].object);
	assert_int_equal(burst_thread(&b, 2)->event[1].other, 100);
	burst_release(&b);
}

/* Too few looks to know; and unlocks that do not tell looks in vain from others. */
static void leaves_other_naps(void **state)
{
	(void)state;
	for (int beside = 0; beside < 2; beside++) {
		struct burst b = looks(beside ? 20 : 7, beside);

		join_waits(&b);
		assert_int_equal(count_events(burst_thread(&b, 1), BURST_ACQUIRE), 0);
		assert_int_equal(count_events(burst_thread(&b, 2), BURST_RELEASE), 0);
		burst_release(&b);
	}
}

static struct burst_event event_of(int64_t at_ns, enum burst_kind kind, uint32_t object, uint32_t other)
{
	return (struct burst_event){ .at_ns = at_ns, .kind = kind, .object = object, .other = other };
}

/* There are so many visits at point 1 that two of a row become one.  Those at point 2 stay. */
static void joins_visits(void **state)
{
	struct burst b = { .length_ns = 1000000, .cpus = 1 };
	struct burst_thread *t = burst_thread(&b, 1);
	const struct burst_event *e;
	uint64_t sum = 0;

	(void)state;
	for (int64_t i = 0; i < 500; i++) {
		const struct burst_event row[] = {
			event_of(100 * i, BURST_VISIT, 1, 1), event_of(100 * i + 10, BURST_VISIT, 2, 10), event_of(100 * i + 20, BURST_VISIT, 1, 2),
			event_of(100 * i + 30, BURST_SAMPLE, 7, 0), event_of(100 * i + 40, BURST_VISIT, 1, 4), event_of(100 * i + 50, BURST_LOCK, 3, 0),
		};

		for (size_t k = 0; k < sizeof row / sizeof *row; k++)
			burst_add(t, &row[k]);
	}
	assert_int_equal(visits_join(&b), 500);
	assert_int_equal(t->n, 2500);
	e = &t->event[5 * 77];
	assert_int_equal(e[0].kind, BURST_VISIT);
	assert_int_equal(e[0].at_ns, 7700);
	assert_int_equal(e[0].other, 1);
	assert_int_equal(e[1].object, 2);
	assert_int_equal(e[2].kind, BURST_SAMPLE);
	assert_int_equal(e[3].at_ns, 7740);
	assert_int_equal(e[3].other, 6);
	assert_int_equal(e[4].kind, BURST_LOCK);
	for (size_t i = 0; i < t->n; i++)
		sum += t->event[i].kind == BURST_VISIT && t->event[i].object == 1 ? t->event[i].other : 0;
	assert_int_equal(sum, 500 * 7);
	assert_int_equal(visits_join(&b), 0); /* they are no longer so many */
	burst_release(&b);
}

/* The sum would be too large for one. */
static void leaves_large_visits(void **state)
{
	struct burst b = { .length_ns = 1000000, .cpus = 1 };

	(void)state;
	for (int64_t i = 0; i < 1500; i++)
		burst_add(burst_thread(&b, 1), &(struct burst_event){ .at_ns = i, .kind = BURST_VISIT, .object = 1, .other = UINT32_MAX });
	assert_int_equal(visits_join(&b), 0);
	burst_release(&b);
}

static void counts_work(void **state)
{
	struct burst b = { .length_ns = 100000000, .cpus = 1 };
	struct burst_thread *t = burst_thread(&b, 1);

	(void)state;
	assert_true(burst_read(t, "l111sAWWW11l111"));
	t->event[1].waited_ns = 1000000;
	burst_count_work(&b, 9);
	assert_int_equal(b.work, 9);
	assert_int_equal(b.thread[0].n, 4);
	assert_int_equal(b.thread[0].event[2].kind, BURST_VISIT);
	assert_int_equal(b.thread[0].event[2].at_ns, b.thread[0].event[1].at_ns);
	assert_int_equal(b.thread[0].event[2].object, 9);
	assert_int_equal(b.thread[0].event[2].other, 1000);
	burst_release(&b);
}

static void mutate(char *s, size_t n)
{
	static const char with[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_?";

	for (size_t i = 1 + any() % 4; n && i-- > 0;) {
		size_t at = any() % n;

		s[at] = with[any() % (sizeof(with) - 1)];
		if (!(any() % 8))
			s[at] = '\0';
	}
}

/* Learns of the burst, and asks. */
static void replay_takes(const struct burst *b)
{
	const double shorter[4] = { 0, 0.5, 1, NAN };
	const uint32_t without[2] = { 1, 2 };
	const struct replay_outside outside = { .site = 1, .factor = 0.5 };
	const struct replay_question q = { .shorter = shorter, .outside = &outside, .noutside = 1, .without = without, .nwithout = 2, .cpus = 1 };
	struct replay *r = replay_learn(b, 1, 3, 1);
	struct replay_answer a;
	struct replay_facts f;
	size_t waits;

	replay_facts(r, &f);
	replay_waits(r, &waits);
	replay_ask(r, &q, &a);
	assert_true(a.n >= 1);
	for (size_t i = 0; i < a.n; i++)
		assert_true(isnan(a.effect[i].gain) || isfinite(a.effect[i].gain));
	replay_answer_release(&a);
	replay_free(r);
}

static void takes_anything(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEXTS; i++) {
		struct burst b = { .length_ns = (int64_t)(any() % 10000000), .cpus = 1 + (unsigned)(any() % 3) };

		for (uint32_t id = 1; id <= 4; id++) {
			struct burst_thread t = { 0 };
			struct buf text = text_of(&t, 1 + any() % 60);

			mutate(text.s, i % 2 ? text.len : 0);
			burst_read(burst_thread(&b, id), text.s);
			free(t.event);
			buf_release(&text);
		}
		visits_join(&b);
		if (i < LEARNED)
			replay_takes(&b);
		burst_release(&b);
	}
}

/* Times that go back, threads of one id, nothing at all. */
static void takes_nonsense(void **state)
{
	struct burst b = { 0 };
	struct burst_event e = { .kind = BURST_ACQUIRE, .at_ns = -5, .waited_ns = INT64_MAX, .object = 1 };

	(void)state;
	replay_takes(&b);
	burst_thread(&b, 1);
	replay_takes(&b);
	burst_add(burst_thread(&b, 1), &e);
	e.at_ns = -100;
	burst_add(burst_thread(&b, 1), &e);
	e.kind = BURST_BIRTH;
	burst_add(burst_thread(&b, 1), &e);
	replay_takes(&b);
	burst_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(comes_back_in_pieces),
		cmocka_unit_test(is_refused),
		cmocka_unit_test(keeps_the_begin),
		cmocka_unit_test(finds_threads),
		cmocka_unit_test(joins_timeouts),
		cmocka_unit_test(joins_polls),
		cmocka_unit_test(joins_births),
		cmocka_unit_test(names_polls),
		cmocka_unit_test(joins_naps),
		cmocka_unit_test(leaves_other_naps),
		cmocka_unit_test(joins_visits),
		cmocka_unit_test(leaves_large_visits),
		cmocka_unit_test(counts_work),
		cmocka_unit_test(takes_anything),
		cmocka_unit_test(takes_nonsense),
	};

	return UNIT_MAIN(tests);
}
