#include "unit.h"

#include "base/idmap.h"
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

/* An entry for each id, by its number: zero as the id comes, and kept while others come. */
static void room_for_entries(void **state)
{
	struct idmap m = IDMAP_INIT;
	uint64_t *v = NULL;
	size_t cap = 0;

	(void)state;
	assert_null(idmap_room(&m, v, &cap, sizeof(*v)));
	for (uint64_t id = 1000; id > 0; id--) {
		size_t i = idmap_number(&m, id);

		v = idmap_room(&m, v, &cap, sizeof(*v));
		assert_int_equal(v[i], 0);
		v[i] = id;
	}
	assert_int_equal(m.n, 1000);
	assert_true(cap >= m.n);
	for (uint64_t id = 1; id <= 1000; id++)
		assert_int_equal(v[idmap_number(&m, id)], id);
	free(v);
	idmap_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_answers_null),
		cmocka_unit_test(new_keys_hold_null_and_copies),
		cmocka_unit_test(keeps_insertion_order_while_growing),
		cmocka_unit_test(room_for_entries),
	};

	return UNIT_MAIN(tests);
}
