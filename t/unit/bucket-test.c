/* Histograms: every length has one bucket, and buckets are as narrow as they are said to be. */
#include "unit.h"

#include "bucket.h"

static void a_bucket_holds_what_begins_there(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < BUCKETS; k++) {
		assert_int_equal(bucket_of(bucket_least(k)), k);
		assert_int_equal(bucket_of(bucket_least(k + 1) - 1), k);
		assert_true(bucket_least(k) < bucket_least(k + 1));
		assert_true((bucket_least(k + 1) - bucket_least(k)) * (1 << BUCKET_BITS) <= bucket_least(k) || k < 2 << BUCKET_BITS);
	}
}

static void what_is_out_of_range_is_at_the_ends(void **state)
{
	(void)state;
	assert_int_equal(bucket_of(-1), 0);
	assert_int_equal(bucket_of(INT64_MIN), 0);
	assert_int_equal(bucket_of(INT64_MAX), BUCKETS - 1);
	assert_int_equal(bucket_of(bucket_least(BUCKETS)), BUCKETS - 1);
	assert_true(bucket_least(BUCKETS) > 100ll * 1000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bucket_holds_what_begins_there),
		cmocka_unit_test(what_is_out_of_range_is_at_the_ends),
	};

	return UNIT_MAIN(tests);
}
