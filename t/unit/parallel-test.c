/* parallel: each piece of work is done once, and all is done on return. */
#include "unit.h"

#include <stdatomic.h>

#include "base/parallel.h"

enum { MOST = 10000 };

static _Atomic unsigned done[MOST];

static void count(void *arg, size_t i)
{
	_Atomic unsigned *counts = arg;

	atomic_fetch_add(&counts[i], 1);
}

static void test_each_once(void **state)
{
	(void)state;
	for (size_t n = 0; n <= MOST; n = n < 5 ? n + 1 : n * 10) {
		for (size_t i = 0; i < MOST; i++)
			atomic_store(&done[i], 0);
		parallel_for(n, count, done);
		for (size_t i = 0; i < MOST; i++)
			assert_int_equal(atomic_load(&done[i]), i < n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_once),
	};

	return UNIT_MAIN(tests);
}
