/*
 * Images of t/program/chain.c, whose code is labelled with its own inline
 * chains (see chain.h), and of small programs made for one question each.
 * All are compiled here, in a directory that goes away.
 */
#include "unit.h"

#include "binary/image.h"
#include "binary/symbols.h"

static char dir[] = "/tmp/andweorc-image.XXXXXX";

/* Runs a shell command in the directory; $src is where the sources are. */
static void sh(const char *command)
{
	char line[2048];

	assert_true(snprintf(line, sizeof line, "cd '%s' && %s", dir, command) < (int)sizeof line);
	if (system(line) != 0)
		fail_msg("failed: %s", command);
}

static char *in_dir(const char *name)
{
	static char path[4][256];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof *path, "%s/%s", dir, name);
	return path[turn];
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static struct image *open_ok(const char *name)
{
	const char *why = "";
	struct image *img = image_open(in_dir(name), NULL, &why);

	if (!img)
		fail_msg("%s: %s", name, why);
	return img;
}

struct label {
	uint64_t off;
	unsigned leaf, mid, outer;
};

static size_t read_labels(const char *name, struct label *label, size_t max)
{
	char command[512], text[128];
	size_t n = 0;
	FILE *p;

	snprintf(command, sizeof command, "nm '%s'", in_dir(name));
	p = popen(command, "r");
	assert_non_null(p);
	while (n < max && fgets(text, sizeof text, p)) {
		unsigned long off;

		if (sscanf(text, "%lx %*c here_%u_%u_%u_", &off, &label[n].leaf, &label[n].mid, &label[n].outer) == 4)
			label[n++].off = off;
	}
	pclose(p);
	assert_true(n >= 9);
	return n;
}

/* The line of chain.h that has a label. */
static unsigned header_line(void)
{
	FILE *f = fopen(in_dir("chain.h"), "r");
	char text[256];
	unsigned line = 1;

	assert_non_null(f);
	while (fgets(text, sizeof text, f) && !strstr(text, "HERE(__LINE__"))
		line++;
	fclose(f);
	return line;
}

static bool anything(const char *file, void *arg)
{
	(void)file, (void)arg;
	return true;
}

static bool ends_in(const char *file, void *arg)
{
	size_t len = strlen(file), n = strlen(arg);

	return len >= n && !strcmp(file + len - n, arg);
}

static int setup(void **state)
{
	char cwd[4096];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_non_null(getcwd(cwd, sizeof cwd)); /* t/run starts us in the top directory */
	setenv("src", cwd, 1);
	sh("cp \"$src\"/t/program/chain.[ch] .");
	sh("gcc -O2 -g chain.c -o chain && gcc -O2 -g -x c++ chain.c -o chain++");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sh("rm -rf \"$PWD\"");
	return 0;
}

static void frames_are_what_the_code_says(void **state)
{
	struct image *img = open_ok("chain");
	struct label label[64];
	size_t n = read_labels("chain", label, 64);
	struct frame f[8];

	(void)state;
	assert_int_equal(image_debug(img), IMAGE_DWARF);
	assert_int_equal(strlen(image_build_id(img)), 40);
	for (size_t i = 0; i < n; i++) {
		size_t depth = 1 + (label[i].mid != 0) + (label[i].outer != 0);

		assert_int_equal(image_frames(img, label[i].off, f, 8), depth);
		assert_int_equal(f[0].line, label[i].leaf);
		if (depth > 1)
			assert_int_equal(f[1].line, label[i].mid);
		if (depth > 2) {
			assert_int_equal(f[2].line, label[i].outer);
			assert_string_equal(f[0].function, "leaf");
			assert_string_equal(f[0].file, in_dir("chain.h"));
			assert_string_equal(f[1].function, "mid");
		}
		assert_string_equal(f[depth - 1].file, in_dir("chain.c"));
		assert_string_equal(f[depth - 1].function, image_symbol(img, label[i].off));
		/* Less room: the number is the same, and what fits is the inner part. */
		f[0].line = 0;
		assert_int_equal(image_frames(img, label[i].off, f, 1), depth);
		assert_int_equal(f[0].line, label[i].leaf);
		assert_int_equal(image_frames(img, label[i].off, NULL, 0), depth);
	}
	assert_int_equal(image_frames(img, 0, f, 8), 0);
	assert_int_equal(image_frames(img, UINT64_MAX, f, 8), 0);
	image_close(img);
}

/* Everything in scope is charged to its own line, else to the call in the file that is. */
static void lines_are_charged_to_the_innermost_in_scope(void **state)
{
	struct image *img = open_ok("chain");
	struct label label[64];
	size_t n = read_labels("chain", label, 64);
	unsigned in_leaf = header_line();
	struct frame at;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		bool in_header = label[i].leaf == in_leaf;

		assert_true(image_charge_line(img, label[i].off, anything, NULL, &at));
		assert_int_equal(at.line, label[i].leaf);
		assert_true(image_charge_line(img, label[i].off, ends_in, (void *)(uintptr_t) "/chain.c", &at));
		assert_int_equal(at.line, in_header ? label[i].mid : label[i].leaf);
		assert_string_equal(at.file, in_dir("chain.c"));
		assert_int_equal(image_charge_line(img, label[i].off, ends_in, (void *)(uintptr_t) "/chain.h", &at), in_header);
		assert_false(image_charge_line(img, label[i].off, ends_in, (void *)(uintptr_t) "/none.c", &at));
	}
	image_close(img);
}

static bool holds(const struct range *r, size_t n, uint64_t off)
{
	for (size_t i = 0; i < n; i++)
		if (r[i].lo <= off && off < r[i].hi)
			return true;
	return false;
}

/* A line's ranges hold exactly the addresses that are charged to it, everywhere in the unit. */
static void line_ranges_agree_with_charges(void **state)
{
	static const char *const scopes[] = { "/chain.c", "/chain.h", "" };
	struct image *img = open_ok("chain");
	struct label label[64];
	size_t n = read_labels("chain", label, 64);

	(void)state;
	for (size_t s = 0; s < 3; s++) {
		void *scope = (void *)(uintptr_t)scopes[s];

		for (size_t i = 0; i < n; i++) {
			struct range *r;
			struct frame want, at;
			size_t count;

			if (!image_charge_line(img, label[i].off, ends_in, scope, &want))
				continue;
			count = image_line_ranges(img, label[i].off, want.file, want.line, ends_in, scope, &r);
			assert_true(count > 0);
			for (size_t k = 1; k < count; k++)
				assert_true(r[k - 1].hi < r[k].lo);
			for (uint64_t off = r[0].lo & ~(uint64_t)4095; off < (r[count - 1].hi | 4095); off++) {
				bool charged = image_charge_line(img, off, ends_in, scope, &at) && at.line == want.line &&
					       !strcmp(at.file, want.file);

				assert_int_equal(holds(r, count, off), charged);
			}
			free(r);
		}
	}
	image_close(img);
}

struct finds {
	size_t n;
	uint64_t off[16];
	char function[16][128];
	unsigned line[16];
};

static void note(void *arg, uint64_t off, const struct frame *at)
{
	struct finds *f = arg;

	assert_true(f->n < 16);
	f->off[f->n] = off;
	f->line[f->n] = at->line;
	snprintf(f->function[f->n++], 128, "%s", at->function ? at->function : "");
}

static void note_called(void *arg, uint64_t off, const struct frame *at, enum called how)
{
	(void)how;
	note(arg, off, at);
}

static void lines_are_found(void **state)
{
	struct image *img = open_ok("chain");
	void *scope = (void *)(uintptr_t) "/chain.c";
	struct label label[64];
	struct finds f = { 0 };
	struct frame at;

	(void)state;
	read_labels("chain", label, 64);
	assert_true(image_charge_line(img, label[0].off, ends_in, scope, &at));
	assert_int_equal(image_find_line(img, "chain.c", at.line, ends_in, scope, note, &f), 1);
	assert_int_equal(f.line[0], at.line);
	assert_int_equal(image_find_line(img, in_dir("chain.c"), at.line, ends_in, scope, note, &f), 1);
	assert_int_equal(image_find_line(img, "hain.c", at.line, ends_in, scope, note, &f), 0);
	assert_int_equal(image_find_line(img, "chain.c", 1, ends_in, scope, note, &f), 0);
	assert_int_equal(image_find_line(img, "chain.h", label[0].leaf, ends_in, scope, note, &f), 0);
	assert_int_equal(image_find_line(img, "", at.line, ends_in, scope, note, &f), 0);
	image_close(img);
}

static void functions_are_found(void **state)
{
	struct image *img = open_ok("chain"), *cxx = open_ok("chain++");
	struct finds f = { 0 };

	(void)state;
	assert_int_equal(image_find_functions(img, "first", note_called, &f), 1);
	assert_string_equal(f.function[0], "first");
	assert_string_equal(image_symbol(img, f.off[0]), "first");
	assert_int_equal(image_find_functions(img, "leaf", note_called, &f), 1); /* only inlined copies */
	assert_int_equal(image_find_functions(img, "[fs]*t", note_called, &f), 1);
	assert_int_equal(image_find_functions(img, "firs", note_called, &f), 0);
	f.n = 0;
	assert_int_equal(image_find_functions(cxx, "first", note_called, &f), 1);
	assert_string_equal(f.function[0], "_Z5firsti");
	assert_int_equal(image_find_functions(cxx, "first(int)", note_called, &f), 1);
	assert_int_equal(image_find_functions(cxx, "_Z5firsti", note_called, &f), 1);
	assert_int_equal(image_find_functions(cxx, "first(long)", note_called, &f), 0);
	image_close(img);
	image_close(cxx);
}

/* An inlined function's ranges are where it is in the chain, a whole one's are its symbol. */
/* Parts, clones and constructors of one function belong to it; names with only a common begin do not. */
static void function_ranges_are_of_all_its_symbols(void **state)
{
	static const struct {
		const char *function;
		size_t ranges;
	} wanted[] = {
		{ "work", 3 },      { "work.cold", 3 },  { "work.part.0", 3 }, { "work2", 1 },      { "wor", 0 },
		{ "_ZN1AC1Ev", 2 }, { "_ZN1AC2Ev", 2 },  { "_ZN1AD0Ev", 1 },   { "_ZN1AC2Ei", 1 },  { "_ZN1AC3Ex", 0 },
		{ "C1", 1 },        { "C2", 1 },         { "", 0 },
	};
	static const char *const symbols[] = { "work", "work.cold", "work.part.0", "work2", "_ZN1AC1Ev", "_ZN1AC2Ev", "_ZN1AD0Ev",
					       "_ZN1AC2Ei", "C1", "C2" };
	char text[4096] = "";
	struct image *img;
	struct range *r;

	(void)state;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			 ".globl \"%s\"\n.type \"%s\", @function\n\"%s\":\nnop\nnop\n.size \"%s\", 1\n", symbols[i], symbols[i],
			 symbols[i], symbols[i]);
	write_file("names.s", text);
	sh("gcc -shared -nostdlib -o names names.s");
	img = open_ok("names");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_int_equal(image_function_ranges(img, wanted[i].function, &r), wanted[i].ranges);
		free(r);
	}
	image_close(img);
}

static void function_ranges_hold_inlined_copies(void **state)
{
	struct image *img = open_ok("chain");
	struct label label[64];
	size_t n = read_labels("chain", label, 64), leaf_count, second_count;
	struct range *leaf, *second;
	struct frame f[8];

	(void)state;
	leaf_count = image_function_ranges(img, "leaf", &leaf);
	second_count = image_function_ranges(img, "second", &second);
	assert_true(leaf_count >= 4);
	assert_int_equal(second_count, 1);
	for (size_t i = 0; i < n; i++) {
		size_t depth = image_frames(img, label[i].off, f, 8);

		assert_int_equal(holds(leaf, leaf_count, label[i].off), !strcmp(f[0].function, "leaf"));
		assert_int_equal(holds(second, second_count, label[i].off), !strcmp(f[depth - 1].function, "second"));
	}
	free(leaf);
	free(second);
	assert_int_equal(image_function_ranges(img, "nothing", &leaf), 0);
	free(leaf);
	image_close(img);
}

/* Internal linkage in C++: the debug information has no linkage name, the symbol table has. */
static void inlined_copies_share_the_name_of_their_function(void **state)
{
	struct image *img;
	struct finds f = { 0 };
	struct frame frame[4];
	struct range *r;
	size_t n, inlined = 0;

	(void)state;
	write_file("internal.cc", "namespace { struct job { int n; int work(int x) { for (volatile int i = 0; i < n; i = i + 1) x += i; return x; } }; }\n"
				  "static int once(int x) { for (volatile int i = 0; i < 5; i = i + 1) x ^= i; return x; }\n"
				  "int (job::*volatile by)(int) = &job::work;\n"
				  "int main(int c, char **) { job j = { c }; return j.work(c) + (j.*by)(c) + once(c); }\n");
	sh("g++ -O2 -g internal.cc -o internal");
	img = open_ok("internal");
	assert_int_equal(image_find_functions(img, "*job::work", note_called, &f), 1);
	assert_string_equal(f.function[0], "_ZN12_GLOBAL__N_13job4workEi");
	n = image_function_ranges(img, f.function[0], &r);
	for (size_t i = 0; i < n; i++) {
		size_t depth = image_frames(img, r[i].lo, frame, 4);

		assert_true(depth >= 1);
		assert_string_equal(frame[0].function, f.function[0]);
		inlined += depth > 1 && !strcmp(frame[1].function, "main");
	}
	assert_true(inlined >= 1);
	assert_int_equal(n, inlined + 1);
	free(r);
	assert_int_equal(image_find_functions(img, "once", note_called, &f), 1); /* no symbol: its source name must do */
	image_close(img);
}

static void parts_belong_to_their_function(void **state)
{
	struct image *img;
	struct range *r;
	size_t n;
	uint64_t cold = 0;
	struct frame f[4];

	(void)state;
	write_file("cold.c", "#include <stdlib.h>\n#include <stdio.h>\n"
			     "__attribute__((cold, noinline)) void bad(int n) { fprintf(stderr, \"%d\", n); exit(n); }\n"
			     "__attribute__((noinline)) int good(int n) { if (n > 100) { bad(n); } return n * 3; }\n"
			     "int main(int c, char **v) { (void)v; return good(c); }\n");
	sh("gcc -O2 -g cold.c -o cold && nm cold | grep -q good.cold");
	img = open_ok("cold");
	n = image_function_ranges(img, "good", &r);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_true(image_frames(img, r[i].lo, f, 4) > 0);
		assert_string_equal(f[0].function, "good");
		if (!strcmp(image_symbol(img, r[i].lo), "good.cold"))
			cold = r[i].lo;
	}
	assert_int_not_equal(cold, 0);
	free(r);
	image_close(img);
}

static void folded_functions_have_all_names(void **state)
{
	struct image *img;
	struct finds f = { 0 };
	const char *name[4] = { 0 };
	size_t n;

	(void)state;
	/* An alias looks as what a linker leaves that folds identical functions. */
	write_file("fold.c", "__attribute__((noinline)) int one(int n) { return n * 77 + 1; }\n"
			     "int two(int) __attribute__((alias(\"one\")));\n"
			     "int main(int c, char **v) { (void)v; return one(c) + two(c + 1); }\n");
	sh("gcc -O2 -g fold.c -o fold");
	img = open_ok("fold");
	assert_int_equal(image_find_functions(img, "one", note_called, &f), 1);
	n = image_aliases(img, f.off[0] + 1, name, 4);
	assert_int_equal(n, 2);
	assert_string_equal(name[0], "one");
	assert_string_equal(name[1], "two");
	assert_int_equal(image_aliases(img, f.off[0], NULL, 0), 2);
	assert_int_equal(image_aliases(img, 0, name, 4), 0);
	image_close(img);
}

static void assembly_without_sizes_reaches_the_next_symbol(void **state)
{
	struct image *img;
	struct finds f = { 0 };

	(void)state;
	write_file("bare.s", ".text\n.globl alpha, beta\nalpha: nop\n nop\n nop\nbeta: nop\n ret\n"
			     ".section .note.GNU-stack,\"\",@progbits\n");
	sh("gcc -shared -nostdlib bare.s -o bare.so");
	img = open_ok("bare.so");
	assert_int_equal(image_debug(img), IMAGE_SYMBOLS);
	assert_int_equal(image_find_functions(img, "alpha", note_called, &f), 1);
	assert_string_equal(image_symbol(img, f.off[0] + 2), "alpha");
	assert_string_equal(image_symbol(img, f.off[0] + 3), "beta");
	assert_string_equal(image_symbol(img, f.off[0] + 4), "beta");
	assert_null(image_symbol(img, f.off[0] + 5));
	image_close(img);
}

static void symbols_remain_without_debug_information(void **state)
{
	struct image *img;
	struct label label[64];
	struct frame f[4], at;
	struct range *r, first, extent;

	(void)state;
	read_labels("chain", label, 64);
	sh("objcopy --strip-debug chain nodebug && strip -o stripped chain");
	img = open_ok("nodebug");
	assert_int_equal(image_debug(img), IMAGE_SYMBOLS);
	assert_int_equal(image_frames(img, label[0].off, f, 4), 1);
	assert_non_null(f[0].function);
	assert_null(f[0].file);
	assert_int_equal(f[0].line, 0);
	assert_false(image_charge_line(img, label[0].off, anything, NULL, &at));
	assert_int_equal(image_line_ranges(img, label[0].off, "x", 1, anything, NULL, &r), 0);
	free(r);
	assert_int_equal(image_function_ranges(img, "first", &r), 1);
	first = r[0];
	free(r);
	image_close(img);
	img = open_ok("stripped");
	assert_int_equal(image_debug(img), IMAGE_BARE);
	assert_int_equal(image_frames(img, label[0].off, f, 4), 0);
	assert_null(image_symbol(img, label[0].off));
	/* The unwind table has the begin and the end of each function. */
	assert_true(image_extent(img, first.lo, &extent) && extent.lo == first.lo && extent.hi == first.hi);
	assert_true(image_extent(img, first.hi - 1, &extent) && extent.lo == first.lo);
	assert_false(image_extent(img, 0, &extent));
	assert_false(image_extent(img, UINT64_MAX, &extent));
	image_close(img);
}

static void refusals_say_why(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_null(image_open(in_dir("nothing"), NULL, &why));
	assert_string_equal(why, "No such file or directory");
	assert_null(image_open(dir, NULL, &why));
	assert_string_equal(why, "not a regular file");
	assert_null(image_open("/dev/null", NULL, &why));
	assert_string_equal(why, "not a regular file");
	assert_null(image_open(in_dir("chain.c"), NULL, &why));
	assert_string_equal(why, "not an ELF file");
	assert_null(image_open(in_dir("chain"), "0123456789", &why));
	assert_string_equal(why, "another build-id than was run");
	sh("mkfifo pipe");
	assert_null(image_open(in_dir("pipe"), NULL, &why));
	sh("gcc -O2 -g -Wl,--build-id=none chain.c -o noid");
	assert_null(image_open(in_dir("noid"), "0123456789", &why));
	assert_string_equal(why, "no build-id, but what was run had one");
	image_close(NULL);
}

static void names_are_demangled(void **state)
{
	static const char *const pairs[][2] = {
		{ "main", "main" },
		{ "f", "f" },
		{ "", "" },
		{ "good.cold", "good" },
		{ "f.isra.0.constprop.12", "f" },
		{ "f.part.0.cold", "f" },
		{ "a.b", "a.b" },
		{ ".cold", ".cold" },
		{ "f.cold.x", "f.cold.x" },
		{ "_Z3fooi", "foo(int)" },
		{ "_ZN3Foo3barEv.isra.0", "Foo::bar()" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.123456", "core::fmt::Formatter::pad" },
		{ "_RNvCsbmNqQUJIY6D_4work4main", "work::main" },
		{ "_Znotmangled", "_Znotmangled" },
		{ "_Z3fooi.resume", "foo(int)" },
		{ "_Z8producerPZ8produceriE13_Z3fooi.Frame.actor", "foo(int)" },
		{ "_Z3foo.Frame", "_Z3foo.Frame" },
		{ ".Frame", ".Frame" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		char *plain = image_demangle(pairs[i][0]);

		assert_string_equal(plain, pairs[i][1]);
		free(plain);
	}
}

/* b<a, a>, b<that, that>, and so on: 2^60 characters when unfolded. */
static void names_that_unfold_without_end_stay_short(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_Z1fI1a1bIS0_S0_E", *plain;

	(void)state;
	/* S_ is f's name, S0_ a, S1_ the template b, S2_ the first b<>; each b<> after it is one number further. */
	for (int i = 2; i < 36; i++)
		snprintf(name + strlen(name), sizeof name - strlen(name), "S1_IS%c_S%c_E", digits[i], digits[i]);
	strcat(name, "Evv");
	plain = image_demangle(name);
	assert_string_equal(plain, name);
	free(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_what_the_code_says),
		cmocka_unit_test(lines_are_charged_to_the_innermost_in_scope),
		cmocka_unit_test(line_ranges_agree_with_charges),
		cmocka_unit_test(lines_are_found),
		cmocka_unit_test(functions_are_found),
		cmocka_unit_test(function_ranges_hold_inlined_copies),
		cmocka_unit_test(function_ranges_are_of_all_its_symbols),
		cmocka_unit_test(inlined_copies_share_the_name_of_their_function),
		cmocka_unit_test(parts_belong_to_their_function),
		cmocka_unit_test(folded_functions_have_all_names),
		cmocka_unit_test(assembly_without_sizes_reaches_the_next_symbol),
		cmocka_unit_test(symbols_remain_without_debug_information),
		cmocka_unit_test(refusals_say_why),
		cmocka_unit_test(names_are_demangled),
		cmocka_unit_test(names_that_unfold_without_end_stay_short),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
