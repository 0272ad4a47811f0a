#include "unit.h"

#include "base/map.h"

static void empty_answers_null(void **state)
{
	struct map m = MAP_INIT;

	(void)state;
	assert_null(map_get(&m, "x"));
	assert_null(map_get(&m, ""));
	map_release(&m);
	map_release(&m);
}

static void new_keys_hold_null_and_copies(void **state)
{
	struct map m = MAP_INIT;
	char key[] = "key";
	int value;

	(void)state;
	assert_null(*map_at(&m, key));
	assert_int_equal(m.n, 1);
	*map_at(&m, key) = &value;
	key[0] = 'K';
	assert_ptr_equal(map_get(&m, "key"), &value);
	assert_null(map_get(&m, "Key"));
	assert_int_equal(m.n, 1);
	assert_string_equal(m.entry[0].key, "key");
	*map_at(&m, "") = &m;
	assert_ptr_equal(map_get(&m, ""), &m);
	map_release(&m);
}

static void keeps_insertion_order_while_growing(void **state)
{
	enum { COUNT = 20000 };
	struct map m = MAP_INIT;
	char key[32];

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(key, sizeof key, "%zx", i * 7919 % COUNT);
		*map_at(&m, key) = (void *)(i + 1);
	}
	assert_int_equal(m.n, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(key, sizeof key, "%zx", i * 7919 % COUNT);
		assert_string_equal(m.entry[i].key, key);
		assert_ptr_equal(map_get(&m, key), (void *)(i + 1));
		snprintf(key, sizeof key, "%zx.", i);
		assert_null(map_get(&m, key));
	}
	map_release(&m);
	assert_int_equal(m.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_answers_null),
		cmocka_unit_test(new_keys_hold_null_and_copies),
		cmocka_unit_test(keeps_insertion_order_while_growing),
	};

	return UNIT_MAIN(tests);
}
