/* t/fuzz/table.c on its corpus, and on a table that is cut, damaged and put together in fixed ways.  Run from the source tree. */
#include "unit.h"

#include <glob.h>

#include "base/buf.h"

#include "../fuzz/table.c"

static const char TABLE[] =
	"row\tname\tvalue\tverdict\tdirection\tpoint\tregion\tbase_region\tscope\tfunction\tfile\tline\tmatch\tconfidence\tdesign\t"
	"base_ns\thead_ns\tpct\tpct_lo\tpct_hi\tq\tmde_pct\tneeded\tbase_runs\thead_runs\tunits\tbase_curve\thead_curve\tshift\tnote\n"
	"meta\tandweorc-diff\t1\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\n"
	"meta\tbase_commit\tabc--%3E\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\n"
	"note\tunlike\t%0A::error::kernels%20differ\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\n"
	"point\t\t\tchanged\tslower\tblock\t\t\t\t\t\t\t\t\tpaired\t2e6\t2.2e6\t-9\t-10\t-8\t0.001\t1\t\t5\t5\t5\t\t\t\t\n"
	"region\t\t\tchanged\tslower\tblock\ta.c:1\ta.c:2\tline\t%60%7C%0D\t/src/a.c\t1\ttext\t0.9\tpaired\t1e5\t2e5\t5\t4\t6\t0.01\t1\t\t5\t5\t5\t"
	"25:1%2050:2\t25:2%2050:1e3\t\t-->\n"
	"region\t\t\tinconclusive\t\tblock\t##[group]b\t##[group]b\tfunction\tb%1B[31m\t\t\tfunction\t1\twelch\t1\t2\t0\t-9\t9\t1\t9\t99\t5\t5\t5\t"
	"x:y\t:\t1\t%E2%80%AE\n"
	"region\t\t\tnew\t\tblock\t::c\t\tclass\t<script>\t\t\t\t\t\t\t1e308\t1e308\t-1e308\t\t\t\t\t\t\t\t\t\t\t@x\n";

static void quietly(const void *bytes, size_t len)
{
	unit_capture(STDERR_FILENO);
	LLVMFuzzerTestOneInput(bytes, len);
	free(unit_captured(STDERR_FILENO));
}

static void as_it_is(void **state)
{
	(void)state;
	unit_capture(STDERR_FILENO);
	LLVMFuzzerTestOneInput((const uint8_t *)TABLE, strlen(TABLE));
	char *said = unit_captured(STDERR_FILENO);
	assert_string_equal(said, "");
	free(said);
}

static void replays_the_corpus(void **state)
{
	glob_t g;

	(void)state;
	assert_int_equal(glob("t/fuzz/corpus/table/*", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 4);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "rb");
		static char bytes[1 << 16];
		size_t len;

		assert_non_null(f);
		len = fread(bytes, 1, sizeof bytes, f);
		assert_true(feof(f));
		fclose(f);
		quietly(bytes, len);
	}
	globfree(&g);
}

static void damaged(void **state)
{
	static const char damage[] = { '\0', '\t', '\n', '%', '-', '9', ':', '\x80', '`', '|' };
	size_t len = strlen(TABLE);
	char *bytes = strdup(TABLE);

	(void)state;
	assert_non_null(bytes);
	for (size_t at = 0; at < len; at += 3) {
		char old = bytes[at];

		quietly(bytes, at);
		bytes[at] = damage[at / 3 % sizeof damage];
		quietly(bytes, len);
		bytes[at] = old;
	}
	free(bytes);
}

/* Columns of numbers with texts in them, texts of any length, and the other way round. */
static void any_cells(void **state)
{
	static const char *const cells[] = { "", "1", "-1e308", "nan", "inf", "0x1", "changed", "slower", "%", "%00", "%0A", "paired",
		"::", "25:1", "-->", "\xff\xfe", "99999999999999999999" };
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 400; i++) {
		struct buf b = BUF_INIT;
		size_t columns = 30;

		buf_add(&b, TABLE, strcspn(TABLE, "\n") + 1);
		for (int row = 0; row < 4; row++) {
			buf_adds(&b, row_kind_name((enum row_kind)(row % ROW_KINDS)));
			for (size_t c = 1; c < columns; c++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				buf_addf(&b, "\t%s", c == 3 && row > 1 ? change_name((enum change)((seed >> 40) % CHANGES)) :
						     cells[(seed >> 33) % (sizeof cells / sizeof cells[0])]);
			}
			buf_addc(&b, '\n');
		}
		quietly(b.s, b.len);
		buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_it_is),
		cmocka_unit_test(replays_the_corpus),
		cmocka_unit_test(damaged),
		cmocka_unit_test(any_cells),
	};

	return UNIT_MAIN(tests);
}
