/*
 * Damaged ELF files: no file content may make an image crash or hang.  Each round
 * breaks a few bytes of a small program, or cuts it off, and calls all functions of
 * image.h.
 *
 *     image-fuzz              400 rounds of each kind of file
 *     image-fuzz FIRST COUNT  rounds from FIRST on, to go further or to find one again
 */
#include "unit.h"

#include "binary/image.h"

static char dir[] = "/tmp/andweorc-damage.XXXXXX";
static unsigned first_round = 1, rounds = 400;

static void sh(const char *command)
{
	char line[1024];

	assert_true(snprintf(line, sizeof line, "cd '%s' && %s", dir, command) < (int)sizeof line);
	if (system(line) != 0)
		fail_msg("failed: %s", command);
}

static bool anything(const char *file, void *arg)
{
	(void)arg;
	return file[0] != '\0';
}

static void note(void *arg, uint64_t off, const struct frame *at)
{
	size_t *sum = arg;

	*sum += off + at->line + (at->function ? strlen(at->function) : 0) + (at->file ? strlen(at->file) : 0);
}

static void ask_at(struct image *img, uint64_t off)
{
	struct frame frame[8], at;
	const char *name[8];
	struct range *r;
	size_t sum = 0, n = image_frames(img, off, frame, 8);

	for (size_t i = 0; i < n && i < 8; i++) {
		note(&sum, off, &frame[i]);
		if (frame[i].function)
			free(image_demangle(frame[i].function));
	}
	image_aliases(img, off, name, 8);
	if (off % 16 == 0 && image_charge_line(img, off, anything, NULL, &at)) {
		image_line_ranges(img, off, at.file, at.line, anything, NULL, &r);
		free(r);
	}
}

static void note_called(void *arg, uint64_t off, const struct frame *at, enum called how)
{
	(void)how;
	note(arg, off, at);
}

static void note_probe(void *arg, const struct probe *probe)
{
	*(size_t *)arg += probe->off + probe->semaphore + strlen(probe->provider) + strlen(probe->name);
}

static void ask_everything(const char *path)
{
	const char *why;
	struct image *img = image_open(path, NULL, &why);
	struct range *r;
	size_t sum = 0;

	if (!img)
		return;
	for (uint64_t off = 0x1000; off < 0x1300; off += 4)
		ask_at(img, off);
	image_find_functions(img, "*", note_called, &sum);
	image_find_line(img, "small.c", 2, anything, NULL, note, &sum);
	image_find_probes(img, "*:*", note_probe, &sum);
	image_function_ranges(img, "leaf", &r);
	free(r);
	image_close(img);
}

/* Code, debug sections, or headers at either end. */
static void damage(char *bytes, size_t *len)
{
	size_t from = random() % 2 ? *len / 4 : random() % 2 ? 0 : *len - *len / 4;
	int changes = 1 + (int)(random() % 8);

	for (int i = 0; i < changes; i++) {
		size_t at = from + (size_t)random() % (*len - from);

		switch (random() % 4) {
		case 0:
			bytes[at] ^= (char)(1 << random() % 8);
			break;
		case 1:
			bytes[at] = (char)random();
			break;
		case 2:
			memset(bytes + at, 0xff, *len - at < 4 ? *len - at : 4);
			break;
		default:
			bytes[at] = 0;
		}
	}
	if (random() % 10 == 0)
		*len = (size_t)random() % *len;
}

static char *bytes;
static size_t length;

/* In a child: a crash ends it, and so does the clock. */
static void break_it(void)
{
	char *copy = malloc(length), path[256];

	snprintf(path, sizeof path, "%s/broken", dir);
	for (unsigned i = first_round; i < first_round + rounds; i++) {
		size_t len = length;
		FILE *f;

		srandom(i);
		memcpy(copy, bytes, length);
		damage(copy, &len);
		f = fopen(path, "wb");
		if (!f || fwrite(copy, 1, len, f) != len || fclose(f) != 0)
			_exit(3);
		printf("# round %u\n", i);
		fflush(stdout);
		alarm(30);
		ask_everything(path);
		alarm(0);
	}
	free(copy);
	exit(0); /* with leak check, where there is one */
}

static void survives(const char *compile)
{
	char path[256], *said;
	FILE *f;
	int status;

	sh(compile);
	snprintf(path, sizeof path, "%s/small", dir);
	f = fopen(path, "rb");
	assert_non_null(f);
	bytes = malloc(1 << 20);
	length = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	assert_true(length > 4096 && length < 1 << 20);
	unit_capture(1);
	status = unit_child(break_it);
	said = unit_captured(1);
	if (status != 0)
		fail_msg("status %d at%s", status, strrchr(said, '#') ? strrchr(said, '#') + 1 : " the start");
	free(said);
	free(bytes);
}

static void version_5_is_survived(void **state)
{
	(void)state;
	survives("gcc -O2 -gdwarf-5 small.c -o small");
}

static void version_4_is_survived(void **state)
{
	(void)state;
	survives("gcc -O2 -gdwarf-4 -x c++ small.c -o small");
}

static void zlib_is_survived(void **state)
{
	(void)state;
	survives("gcc -O2 -g -gz=zlib small.c -o small");
}

/* Where objcopy cannot, this is version 5 again. */
static void zstd_is_survived(void **state)
{
	(void)state;
	survives("gcc -O2 -g small.c -o small && { objcopy --compress-debug-sections=zstd small 2>/dev/null || :; }");
}

/* Notes and little else, so that most damage meets them. */
static void probes_are_survived(void **state)
{
	(void)state;
	survives("{ for i in $(seq 400); do echo \"PROBE(p$i)\"; done; } >probes.h && gcc -O2 -s -I. many.c -o small");
}

static int setup(void **state)
{
	char path[256];
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/small.c", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("static inline __attribute__((always_inline)) int leaf(int x) { return x * 3 + 1; }\n"
	      "static __attribute__((noinline)) int mid(int x) { int y = leaf(x); { int z = leaf(y); y += z; } return y; }\n"
	      "int main(int c, char **v) { (void)v; return mid(c) + leaf(c); }\n", f);
	if (fclose(f) != 0)
		return 1;
	snprintf(path, sizeof path, "%s/many.c", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("unsigned short counter __attribute__((section(\".probes\")));\n"
	      "#define PROBE(name) __asm__(\"1: nop\\n.pushsection .note.stapsdt,\\\"\\\",@note\\n.4byte 8, 4f-3f, 3\\n\" \\\n"
	      "	\".asciz \\\"stapsdt\\\"\\n3: .8byte 1b, 0, counter\\n.asciz \\\"x\\\", \\\"\" #name \"\\\", \\\"\\\"\\n\" \\\n"
	      "	\"4: .balign 4\\n.popsection\");\n"
	      "int main(void) {\n#include \"probes.h\"\nreturn counter; }\n", f);
	return fclose(f);
}

static int teardown(void **state)
{
	(void)state;
	sh("rm -rf \"$PWD\"");
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_5_is_survived),
		cmocka_unit_test(version_4_is_survived),
		cmocka_unit_test(zlib_is_survived),
		cmocka_unit_test(zstd_is_survived),
		cmocka_unit_test(probes_are_survived),
	};

	if (argc > 2) {
		first_round = (unsigned)atoi(argv[1]);
		rounds = (unsigned)atoi(argv[2]);
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
