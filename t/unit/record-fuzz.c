/* Replays the corpus of t/fuzz/record.c, and each file of it cut and damaged in fixed ways.  Run from the source tree. */
#include "unit.h"

#include <glob.h>

#include "../fuzz/record.c"

static char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *bytes = malloc(1 << 16);

	assert_non_null(f);
	assert_non_null(bytes);
	*len = fread(bytes, 1, 1 << 16, f);
	assert_true(feof(f));
	fclose(f);
	return bytes;
}

static void quietly(const void *bytes, size_t len)
{
	unit_capture(STDERR_FILENO);
	LLVMFuzzerTestOneInput(bytes, len);
	free(unit_captured(STDERR_FILENO));
}

static void replays_the_corpus(void **state)
{
	static const char damage[] = { '\0', '\t', '\n', '=', '%', '#', '0', '\x7f' };
	glob_t g;

	(void)state;
	assert_int_equal(glob("t/fuzz/corpus/record/*", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 8);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		size_t len;
		char *bytes = slurp(g.gl_pathv[i], &len);

		quietly(bytes, len);
		for (size_t at = 0; at < len; at += 1 + len / 64) {
			char old = bytes[at];

			quietly(bytes, at);
			bytes[at] = damage[at % sizeof damage];
			quietly(bytes, len);
			bytes[at] = old;
		}
		free(bytes);
	}
	globfree(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replays_the_corpus),
	};

	return UNIT_MAIN(tests);
}
