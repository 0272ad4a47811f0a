/* The functions that are tried, of those with samples: none that only calls another one. */
#include "unit.h"

#include "base/alloc.h"
#include "regions/regions.h"

static struct regions regions;
static struct mappings modules;

static void begin(void)
{
	static const struct scope everything;

	mapping_init(&modules, &everything);
	regions_init(&regions, REGION_LINE, &modules);
	regions.all_samples = 1000;
}

static void end(void)
{
	regions_release(&regions);
}

/* A function with so many samples; `through`: how many more of them are in a call of `callee` than not. */
static struct region *add(const char *name, uint64_t samples, struct region *callee, uint64_t through)
{
	struct region *g = xcalloc(1, sizeof(*g));

	g->scope = REGION_FUNCTION;
	g->function = xstrdup(name);
	g->nameless = strchr(name, '+') != NULL;
	g->ranges = xcalloc(1, sizeof(*g->ranges));
	g->nranges = 1;
	g->all_samples = samples;
	g->callee = callee;
	g->through = through;
	regions.v = xgrow(regions.v, regions.n, &regions.cap, sizeof(struct region *));
	regions.v[regions.n++] = g;
	g->id = (unsigned)regions.n;
	return g;
}

/* The names of what is picked, with blanks between. */
static void picks(size_t max, const char *want)
{
	struct region **out = xcalloc(max + 1, sizeof(struct region *));
	char got[200] = "";
	size_t n = regions_pick(&regions, max, 0.01, out);

	for (size_t i = 0; i < n; i++) {
		strcat(got, i ? " " : "");
		strcat(got, out[i]->function);
	}
	assert_string_equal(got, want);
	free(out);
}

static void test_those_with_most(void **state)
{
	(void)state;
	begin();
	add("a", 300, NULL, 300);
	add("b", 500, NULL, 500);
	add("c", 9, NULL, 9);
	add("d", 100, NULL, 100);
	picks(2, "a b");
	picks(6, "a b d");
	end();
}

/* compress_thread -> deflate -> deflate_slow, of which only the second has a name. */
static void test_a_name_stands_for_its_callee(void **state)
{
	struct region *slow, *deflate;

	(void)state;
	begin();
	slow = add("libz.so.1+0x4970", 940, NULL, 940);
	deflate = add("deflate", 960, slow, 920);
	add("pigz+0x6f20", 980, deflate, 940);
	picks(6, "deflate");
	end();
}

static void test_without_names_the_innermost(void **state)
{
	struct region *inner, *middle;

	(void)state;
	begin();
	inner = add("x+0x10", 900, NULL, 900);
	middle = add("x+0x20", 920, inner, 890);
	add("x+0x30", 950, middle, 900);
	picks(6, "x+0x10");
	end();
}

/* A callee with other frequent callers is kept, and so is a function that spends half of its time in it. */
static void test_what_is_shared_stays(void **state)
{
	struct region *common;

	(void)state;
	begin();
	common = add("x+0x10", 800, NULL, 800);
	add("named", 300, common, 290);
	add("half", 600, common, 0);
	picks(6, "half named x+0x10");
	end();
}

/* Two functions that call each other: neither is the innermost, and both stay. */
static void test_circles_end(void **state)
{
	struct region *a, *b;

	(void)state;
	begin();
	a = add("a", 500, NULL, 500);
	b = add("b", 500, a, 500);
	a->callee = b;
	add("c", 400, NULL, 400);
	picks(6, "a b c");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_those_with_most),
		cmocka_unit_test(test_a_name_stands_for_its_callee),
		cmocka_unit_test(test_without_names_the_innermost),
		cmocka_unit_test(test_what_is_shared_stays),
		cmocka_unit_test(test_circles_end),
	};

	return UNIT_MAIN(tests);
}
