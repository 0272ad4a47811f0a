/* Call paths: the elements that a frame of the stack contributes, in code with inlined functions. */
#include "unit.h"

#include <unistd.h>

#include "regions/regions.h"

static volatile int sink;

#if defined(__GNUC__) && !defined(__clang__)
#define OPAQUE __attribute__((noipa))
#else
#define OPAQUE __attribute__((noinline))
#endif

OPAQUE void callpath_leaf(void);
OPAQUE void callpath_leaf(void)
{
	sink++;
}

static inline __attribute__((always_inline)) void callpath_middle(void)
{
	sink += 2;
	callpath_leaf();
	sink += 3;
}

OPAQUE void callpath_outer(void);
OPAQUE void callpath_outer(void)
{
	sink += 5;
	callpath_middle();
	sink += 7;
}

static const struct scope everything;
static struct mappings modules;
static struct space space;
static struct regions regions;
static struct arena_target target;

/* Makes `target` that of the path, which is one in this program. */
static void begin(const char *path)
{
	struct region *g = NULL;

	mapping_init(&modules, &everything);
	regions_init(&regions, REGION_FUNCTION, &modules);
	assert_int_equal(space_read(&space, &modules, getpid(), 0), SPACE_CHANGED);
	assert_int_equal(regions_name(&regions, path, NAMED_NOWHERE), NAMED_FULL);
	for (size_t i = 0; i < regions.n; i++)
		if (regions.v[i]->scope == REGION_PATH)
			g = regions.v[i];
	assert_non_null(g);
	assert_true(g->named);
	regions_target(&g, 1, &target);
	assert_int_equal(target.nranges, 0);
	assert_true(target.nlinks > 0);
	for (uint32_t i = 0; i < target.nlinks; i++)
		assert_true(target.link[i].lo < target.link[i].hi && (i == 0 || target.link[i - 1].hi <= target.link[i].lo));
}

static void end(void)
{
	regions_release(&regions);
	mapping_release(&modules);
	space_release(&space);
}

/* Which numbers of parts (a bit each) are left behind frames in the function, if it was `left` before. */
static unsigned behind(const char *function, uint32_t left)
{
	const struct mapped *at = space_find(&space, (uint64_t)(uintptr_t)callpath_outer);
	struct range *range;
	unsigned set = 0;
	size_t n;

	assert_non_null(at);
	n = image_function_ranges(mapping_image(mapping_of(&modules, at->module)), function, &range);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		for (uint64_t off = range[i].lo; off < range[i].hi; off++)
			set |= 1u << arena_path_left(target.link, target.nlinks, left, arena_place(at->module, off));
	free(range);
	return set;
}

static void test_an_inlined_function_is_in_its_caller(void **state)
{
	(void)state;
	begin("callpath_outer;callpath_middle");
	/* One frame has both, or the outer one alone, which is none of what is looked for first. */
	assert_int_equal(behind("callpath_outer", 2), 1u << 0 | 1u << 2);
	assert_int_equal(behind("callpath_outer", 1), 1u << 0);
	assert_int_equal(behind("callpath_middle", 2), 1u << 0);
	assert_int_equal(behind("callpath_leaf", 2), 1u << 2);
	end();
}

static void test_not_the_other_way_round(void **state)
{
	(void)state;
	begin("callpath_middle;callpath_outer");
	assert_int_equal(behind("callpath_outer", 2), 1u << 1);
	assert_int_equal(behind("callpath_outer", 1), 1u << 0 | 1u << 1);
	assert_int_equal(behind("callpath_middle", 1), 1u << 0);
	end();
}

static void test_several_frames(void **state)
{
	(void)state;
	begin("callpath_outer;callpath_middle;callpath_leaf");
	assert_int_equal(behind("callpath_leaf", 3), 1u << 2);
	assert_int_equal(behind("callpath_leaf", 2), 1u << 2);
	assert_int_equal(behind("callpath_middle", 2), 1u << 0);
	/* The call of the leaf stands for it, in case that it has left by a jump. */
	assert_int_equal(behind("callpath_middle", 3), 1u << 0 | 1u << 3);
	end();
}

/* The program may overwrite what the runtime reads. */
static void test_nothing_is_harmful(void **state)
{
	struct arena_link link = { .lo = 0, .hi = UINT64_MAX };

	(void)state;
	memset(link.left, 0xff, sizeof(link.left));
	assert_int_equal(arena_path_left(&link, 1, 3, 5), 3);
	assert_int_equal(arena_path_left(&link, 1, UINT32_MAX, 5), UINT32_MAX);
	assert_int_equal(arena_path_left(&link, 0, 3, 5), 3);
}

static void test_what_is_no_path(void **state)
{
	(void)state;
	assert_null(regions_bad_path("a"));
	assert_null(regions_bad_path("a;b"));
	assert_null(regions_bad_path("::a;x.c:3"));
	assert_non_null(regions_bad_path(";"));
	assert_non_null(regions_bad_path("a;"));
	assert_non_null(regions_bad_path(";a"));
	assert_non_null(regions_bad_path("a;:io"));
	assert_null(regions_bad_path("1;2;3;4;5;6;7;8"));
	assert_non_null(regions_bad_path("1;2;3;4;5;6;7;8;9"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_inlined_function_is_in_its_caller),
		cmocka_unit_test(test_not_the_other_way_round),
		cmocka_unit_test(test_several_frames),
		cmocka_unit_test(test_nothing_is_harmful),
		cmocka_unit_test(test_what_is_no_path),
	};

	return UNIT_MAIN(tests);
}
