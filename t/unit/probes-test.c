/* Probes of <sys/sdt.h>, in t/program/probes.c and in malicious files. */
#include "unit.h"

#include "binary/image.h"

static char dir[] = "/tmp/andweorc-probes.XXXXXX";

static void sh(const char *command)
{
	char line[1024];

	assert_true(snprintf(line, sizeof line, "src=$PWD && cd '%s' && %s", dir, command) < (int)sizeof line);
	if (system(line) != 0)
		fail_msg("failed: %s", command);
}

struct found {
	size_t n, with_semaphore;
	uint64_t off[8];
	char name[8][64];
};

static void note(void *arg, const struct probe *probe)
{
	struct found *f = arg;

	assert_true(f->n < 8);
	f->off[f->n] = probe->off;
	snprintf(f->name[f->n++], sizeof f->name[0], "%s:%s", probe->provider, probe->name);
	f->with_semaphore += probe->semaphore != 0;
}

static struct found find(const char *file, const char *name)
{
	struct found f = { 0 };
	const char *why = "";
	struct image *img;
	char path[256];
	size_t told;

	snprintf(path, sizeof path, "%s/%s", dir, file);
	img = image_open(path, NULL, &why);
	if (!img)
		fail_msg("%s: %s", path, why);
	told = image_find_probes(img, name, note, &f);
	assert_int_equal(told, f.n);
	image_close(img);
	return f;
}

static void probes_are_found_by_name(void **state)
{
	struct found f;

	(void)state;
	sh("gcc -O2 -o probes \"$src/t/program/probes.c\" -pthread");
	f = find("probes", "tested:guarded");
	assert_int_equal(f.n, 1);
	assert_int_equal(f.with_semaphore, 1);
	f = find("probes", "tested:plain__unit");
	assert_int_equal(f.n, 1);
	assert_int_equal(f.with_semaphore, 0);
	assert_int_equal(find("probes", "tested:plain-unit").off[0], f.off[0]);
	f = find("probes", "tested:twice");
	assert_int_equal(f.n, 2);
	assert_int_not_equal(f.off[0], f.off[1]);
	assert_int_equal(find("probes", "*:*d").n, 2);
	assert_int_equal(find("probes", "*:*").n, 5);
	assert_int_equal(find("probes", "other:guarded").n, 0);
	assert_int_equal(find("probes", "tested:guard").n, 0);
}

static void stripped_files_have_them(void **state)
{
	(void)state;
	sh("strip -o stripped probes");
	assert_int_equal(find("stripped", "tested:*").n, 5);
}

/* As prelink(8) does, which leaves the notes alone. */
static void a_file_that_was_moved(void **state)
{
	struct found before = find("probes", "tested:guarded"), after;

	(void)state;
	sh("objcopy --change-addresses 0x10000 probes moved 2>/dev/null");
	after = find("moved", "tested:guarded");
	assert_int_equal(after.n, 1);
	assert_int_equal(after.off[0], before.off[0] + 0x10000);
}

/* Notes whose parts are cut off, or that point to where no code is, or no data that could be written to. */
static void lies_are_not_believed(void **state)
{
	(void)state;
	sh("cat >lies.c <<'END'\n"
	   "__attribute__((section(\".probes\"))) unsigned short data;\n"
	   "const unsigned short constant = 1;\n"
	   "#define NOTE(pc, semaphore, len, strings) __asm__(\"8: nop\\n.pushsection .note.stapsdt,\\\"\\\",@note\\n\" \\\n"
	   "	\".4byte 8, \" len \", 3\\n.asciz \\\"stapsdt\\\"\\n3: .8byte \" pc \", 0, \" semaphore \"\\n\" strings \"\\n4: .balign 4\\n.popsection\")\n"
	   "int main(void) {\n"
	   "NOTE(\"8b\", \"data\", \"4f-3f\", \".asciz \\\"x\\\", \\\"good\\\", \\\"\\\"\");\n"
	   "NOTE(\"data\", \"0\", \"4f-3f\", \".asciz \\\"x\\\", \\\"in_data\\\", \\\"\\\"\");\n"
	   "NOTE(\"0\", \"0\", \"4f-3f\", \".asciz \\\"x\\\", \\\"nowhere\\\", \\\"\\\"\");\n"
	   "NOTE(\"8b\", \"main\", \"4f-3f\", \".asciz \\\"x\\\", \\\"code_as_semaphore\\\", \\\"\\\"\");\n"
	   "NOTE(\"8b\", \"constant\", \"4f-3f\", \".asciz \\\"x\\\", \\\"constant\\\", \\\"\\\"\");\n"
	   "NOTE(\"8b\", \"data+1\", \"4f-3f\", \".asciz \\\"x\\\", \\\"odd\\\", \\\"\\\"\");\n"
	   "NOTE(\"8b\", \"0\", \"24\", \"\");\n"
	   "NOTE(\"8b\", \"0\", \"26\", \".asciz \\\"x\\\"\");\n"
	   "NOTE(\"8b\", \"0\", \"28\", \".ascii \\\"x\\\\0yz\\\"\");\n"
	   "NOTE(\"8b\", \"0\", \"28\", \".ascii \\\"\\\\0y\\\\0z\\\"\");\n"
	   "return data + constant; }\n"
	   "END\n"
	   "gcc -O1 -o lies lies.c");
	assert_int_equal(find("lies", "*:*").n, 1);
	assert_string_equal(find("lies", "*:*").name[0], "x:good");
}

static void names_of_probes(void **state)
{
	(void)state;
	assert_true(image_is_probe_name("python:gc__start"));
	assert_true(image_is_probe_name("*:transaction-start"));
	assert_true(image_is_probe_name("x:2nd"));
	assert_false(image_is_probe_name("main.c:12"));
	assert_false(image_is_probe_name("src/main.c:x"));
	assert_false(image_is_probe_name("ns::f"));
	assert_false(image_is_probe_name("ns::f:x"));
	assert_false(image_is_probe_name(":output"));
	assert_false(image_is_probe_name("x:"));
	assert_false(image_is_probe_name("main"));
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : 1;
}

static int teardown(void **state)
{
	(void)state;
	sh("rm -rf \"$PWD\"");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_are_found_by_name),
		cmocka_unit_test(stripped_files_have_them),
		cmocka_unit_test(a_file_that_was_moved),
		cmocka_unit_test(lies_are_not_believed),
		cmocka_unit_test(names_of_probes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
