/* The arena as a command finds it if the recorder does nothing after the launch. */
#include "unit.h"

#include "base/clock.h"
#include "target/launch.h"

/* A recorder that is killed before it conducts leaves an arena that says so after ARENA_ALIVE_NS. */
static void test_a_recorder_that_is_killed_at_once_is_gone(void **state)
{
	int64_t before = now_ns(), expires;
	int fd;
	struct arena *a = launch_arena(1, &fd);

	(void)state;
	assert_non_null(a);
	expires = atomic_load(&a->expires_ns);
	assert_in_range(expires, before + ARENA_ALIVE_NS, now_ns() + ARENA_ALIVE_NS);
	launch_release(a, fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_recorder_that_is_killed_at_once_is_gone),
	};

	return UNIT_MAIN(tests);
}
