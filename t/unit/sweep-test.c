/* The table of innermost intervals, against a search through all of them at every address. */
#include "unit.h"

#include "binary/sweep.h"

static void nothing_gives_nothing(void **state)
{
	struct piece empty[] = { { 5, 5, 0, 0 }, { 9, 3, 1, 0 } };
	struct cut *cut;

	(void)state;
	assert_int_equal(sweep(empty, 2, &cut), 0);
	assert_int_equal(sweep_find(cut, 0, 5), SWEEP_NONE);
	free(cut);
	assert_int_equal(sweep(NULL, 0, &cut), 0);
	free(cut);
}

static void children_paint_over_parents(void **state)
{
	struct piece piece[] = {
		{ 10, 40, 0, 0 }, { 10, 20, 1, 1 }, { 20, 30, 2, 1 }, { 22, 30, 3, 2 }, { 50, 60, 4, 0 },
	};
	static const uint32_t want[][2] = {
		{ 9, SWEEP_NONE }, { 10, 1 }, { 19, 1 }, { 20, 2 }, { 22, 3 }, { 29, 3 }, { 30, 0 }, { 39, 0 }, { 40, SWEEP_NONE },
		{ 50, 4 }, { 59, 4 }, { 60, SWEEP_NONE },
	};
	struct cut *cut;
	size_t n;

	(void)state;
	n = sweep(piece, 5, &cut);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		assert_int_equal(sweep_find(cut, n, want[i][0]), want[i][1]);
	free(cut);
}

static void first_of_equals_wins(void **state)
{
	struct piece piece[] = { { 1, 9, 7, 0 }, { 1, 9, 3, 0 }, { 1, 9, 5, 0 } };
	struct cut *cut;
	size_t n = sweep(piece, 3, &cut);

	(void)state;
	assert_int_equal(n, 2);
	assert_int_equal(sweep_find(cut, n, 1), 3);
	assert_int_equal(sweep_find(cut, n, 8), 3);
	free(cut);
}

/* A random tree: each node inside its parent, siblings disjoint. */
static size_t grow(struct piece *piece, size_t n, size_t max, uint64_t lo, uint64_t hi, uint32_t depth)
{
	uint64_t at = lo;

	while (n < max && at + 1 < hi) {
		uint64_t from = at + (uint64_t)random() % (hi - at), to = from + 1 + (uint64_t)random() % (hi - from);

		piece[n] = (struct piece){ from, to, (uint32_t)n, depth };
		n++;
		if (depth < 6 && random() % 2)
			n = grow(piece, n, max, from, to, depth + 1);
		at = to;
	}
	return n;
}

static void agrees_with_a_search(void **state)
{
	enum { MAX = 40, SPAN = 200 };
	struct piece piece[MAX], sorted[MAX];

	(void)state;
	srandom(1);
	for (int round = 0; round < 2000; round++) {
		size_t n = grow(piece, 0, MAX, 0, SPAN, 0), ncuts;
		struct cut *cut;

		memcpy(sorted, piece, sizeof piece);
		ncuts = sweep(sorted, n, &cut);
		for (size_t i = 1; i < ncuts; i++) {
			assert_true(cut[i - 1].lo < cut[i].lo);
			assert_int_not_equal(cut[i - 1].id, cut[i].id);
		}
		for (uint64_t at = 0; at <= SPAN; at++) {
			uint32_t want = SWEEP_NONE;

			/* Parents come before their children. */
			for (size_t i = 0; i < n; i++)
				if (piece[i].lo <= at && at < piece[i].hi)
					want = piece[i].id;
			assert_int_equal(sweep_find(cut, ncuts, at), want);
		}
		free(cut);
	}
}

/* Crossing intervals come from damaged files: any interval that contains the address is accepted. */
static void crossing_ones_give_one_that_holds(void **state)
{
	enum { N = 30, SPAN = 100 };
	struct piece piece[N], sorted[N];

	(void)state;
	srandom(2);
	for (int round = 0; round < 2000; round++) {
		struct cut *cut;
		size_t ncuts;

		for (size_t i = 0; i < N; i++)
			piece[i] = (struct piece){ (uint64_t)random() % SPAN, (uint64_t)random() % SPAN, (uint32_t)i,
						   (uint32_t)random() % 4 };
		memcpy(sorted, piece, sizeof piece);
		ncuts = sweep(sorted, N, &cut);
		for (uint64_t at = 0; at < SPAN; at++) {
			uint32_t id = sweep_find(cut, ncuts, at);

			if (id != SWEEP_NONE)
				assert_true(piece[id].lo <= at && at < piece[id].hi);
		}
		free(cut);
	}
}

static void ranges_merge_touching_ones(void **state)
{
	struct range r[] = { { 8, 9 }, { 1, 3 }, { 3, 5 }, { 4, 4 }, { 2, 4 }, { 7, 6 } };

	(void)state;
	assert_int_equal(ranges_merge(r, 6), 2);
	assert_int_equal(r[0].lo, 1);
	assert_int_equal(r[0].hi, 5);
	assert_int_equal(r[1].lo, 8);
	assert_int_equal(r[1].hi, 9);
	assert_int_equal(ranges_merge(NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_gives_nothing),
		cmocka_unit_test(children_paint_over_parents),
		cmocka_unit_test(first_of_equals_wins),
		cmocka_unit_test(agrees_with_a_search),
		cmocka_unit_test(crossing_ones_give_one_that_holds),
		cmocka_unit_test(ranges_merge_touching_ones),
	};

	return UNIT_MAIN(tests);
}
