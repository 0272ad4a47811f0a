/*
 * The table of records and keys.  With --print it prints the table, for t/0001-format.t, a
 * line for each key: TYPE KEY KIND, and "needed" or "optional".
 */
#include "unit.h"

#include "format.h"
#include "format/schema.h"

static void knows_types_and_keys(void **state)
{
	const struct schema *s = schema_of(AW_VISITS);

	(void)state;
	assert_non_null(s);
	assert_string_equal(s->type, AW_VISITS);
	assert_true(schema_key(s, "experiment", 0)->needed && schema_key(s, "experiment", 0)->kind == SCHEMA_UNSIGNED);
	assert_true(!schema_key(s, "kind", 0)->needed && schema_key(s, "kind", 0)->kind == SCHEMA_TEXT);
	assert_int_equal(schema_key(s, "virtual_ns", 0)->kind, SCHEMA_SIGNED);
	assert_int_equal(schema_key(schema_of(AW_CURVE), "lo", 0)->kind, SCHEMA_REAL);
	assert_ptr_equal(schema_key(s, "experiment", s->n), schema_key(s, "experiment", 1)); /* from anywhere */
	assert_null(schema_key(s, "slope", 0));
	assert_null(schema_of("future"));
	assert_null(schema_of(""));
}

/* The reader takes the first of two keys of one name. */
static void names_are_unique(void **state)
{
	size_t n;
	const struct schema *s = schema_all(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(schema_of(s[i].type), &s[i]);
		for (size_t k = 0; k < s[i].n; k++)
			assert_ptr_equal(schema_key(&s[i], s[i].key[k].name, 0), &s[i].key[k]);
	}
}

static void print_table(void)
{
	static const char *const kind[] = {
		[SCHEMA_TEXT] = "text", [SCHEMA_UNSIGNED] = "unsigned", [SCHEMA_SIGNED] = "signed", [SCHEMA_REAL] = "real",
	};
	size_t n;
	const struct schema *s = schema_all(&n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < s[i].n; k++)
			printf("%s %s %s %s\n", s[i].type, s[i].key[k].name, kind[s[i].key[k].kind], s[i].key[k].needed ? "needed" : "optional");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_types_and_keys),
		cmocka_unit_test(names_are_unique),
	};

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		print_table();
		return 0;
	}
	return UNIT_MAIN(tests);
}
