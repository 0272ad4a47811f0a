/*
 * Rows for unwinding: compared with libdw at the same addresses, and made from garbage.
 */
#include "unit.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <time.h>

#include "binary/cfi.h"
#include "binary/unwind.h"

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- against libdw ---------------------------------------------------------- */

static unsigned long given_up; /* rows that say unknown where libdw knows */

/* gregs index of each DWARF column */
static const uint8_t greg[16] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7 };

/* Does the slot agree with libdw about the register? */
static bool same_register(Dwarf_Frame *frame, int column, unsigned slot)
{
	Dwarf_Op mem[3], *ops;
	size_t n;

	if (dwarf_frame_register(frame, column, mem, &ops, &n) != 0)
		return false;
	if (n == 0 && ops == NULL)
		return slot == UNWIND_SAME;
	/*
	 * Undefined.  A register that a program does not mention is unchanged; libdw uses
	 * column 0 for rbx in that case.
	 */
	if (n == 0)
		return slot == UNWIND_LOST || (column == 3 && slot == UNWIND_SAME);
	if (n == 2 && ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_plus_uconst)
		return (Dwarf_Sword)ops[1].number == -8 * (Dwarf_Sword)slot;
	/* Behind the pop in the epilogue of a realigned function libdw repeats gcc's error. */
	if (n == 1 && ops[0].atom == DW_OP_breg6)
		return slot == UNWIND_SAME || (Dwarf_Sword)ops[0].number == -8 * (Dwarf_Sword)(slot & 127);
	return slot == UNWIND_LOST;
}

static bool same_cfa(Dwarf_Frame *frame, const struct unwind_row *row)
{
	Dwarf_Op *op;
	size_t n;

	if (dwarf_frame_cfa(frame, &op, &n) != 0)
		return false;
	switch (row->cfa) {
	case UNWIND_REG:
		return n == 1 && op[0].atom == DW_OP_bregx && greg[op[0].number] == row->base &&
		       (Dwarf_Sword)op[0].number2 == row->off;
	case UNWIND_LOAD:
	case UNWIND_LOAD_8:
		return n == (row->cfa == UNWIND_LOAD ? 2 : 3) && greg[op[0].atom - DW_OP_breg0] == row->base &&
		       (Dwarf_Sword)op[0].number == row->off && op[1].atom == DW_OP_deref &&
		       (n == 2 || (op[2].atom == DW_OP_plus_uconst && op[2].number == 8));
	case UNWIND_PLT:
		return n == 9 && op[4].atom == DW_OP_lit0 + row->base && op[8].atom == DW_OP_plus;
	}
	return false;
}

static bool same(Dwarf_CFI *cfi, const struct unwind_row *row, uint64_t addr)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op mem[3], *ops;
	size_t n;
	bool signal, ok;
	int ra;

	if (dwarf_cfi_addrframe(cfi, addr, &frame) != 0)
		return row->cfa == UNWIND_UNKNOWN;
	ra = dwarf_frame_info(frame, NULL, NULL, &signal);
	dwarf_frame_register(frame, ra, mem, &ops, &n);
	if (row->cfa == UNWIND_UNKNOWN) {
		given_up++;
		ok = true;
	} else if (row->cfa == UNWIND_SIGNAL) {
		ok = signal;
	} else if (row->cfa == UNWIND_OUTERMOST) {
		ok = n == 0 && ops != NULL;
	} else {
		ok = n == 2 && ops[1].number == (Dwarf_Word)-8 && same_cfa(frame, row);
		if (row->cfa != UNWIND_PLT)
			ok = ok && same_register(frame, 6, row->bp) && same_register(frame, 3, row->bx);
	}
	free(frame);
	return ok;
}

static void check_file(const char *path)
{
	struct unwind_row *rows;
	const char *why = "";
	double start = now_ms(), ms;
	size_t n = unwind_rows(path, NULL, &rows, &why);
	Dwarf_CFI *cfi;
	Elf *elf;
	int fd;

	ms = now_ms() - start;
	if (n == 0)
		fail_msg("%s: %s", path, why);
	fd = open(path, O_RDONLY);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	cfi = dwarf_getcfi_elf(elf);
	assert_non_null(cfi);
	given_up = 0;
	assert_int_equal(rows[n - 1].cfa, UNWIND_UNKNOWN);
	for (size_t i = 0; i + 1 < n; i++) {
		assert_true(rows[i].start < rows[i + 1].start);
		if (!same(cfi, &rows[i], rows[i].start))
			fail_msg("%s: %#x: another row than libdw", path, rows[i].start);
		if (!same(cfi, &rows[i], rows[i + 1].start - 1))
			fail_msg("%s: %#x: another row than libdw", path, rows[i + 1].start - 1);
	}
	printf("# %s: %zu rows in %.1f ms (with libdw: %.1f ms), %lu of them unknown where libdw is not\n", path, n, ms,
	       (now_ms() - start - ms) / 2, given_up);
	/* longjmp and the like, whose return address is in a register */
	assert_true(given_up * 200 < n + 200);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
	free(rows);
}

/* Calls check_file for each file mapped into this process whose path holds `part`; true when there was one. */
static bool check_mapped(const char *part)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], *path;
	bool found = false;

	assert_non_null(maps);
	while (!found && fgets(line, sizeof line, maps)) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (path && strstr(path, part)) {
			check_file(path);
			found = true;
		}
	}
	fclose(maps);
	return found;
}

static void libc_is_as_libdw_says(void **state)
{
	(void)state;
	assert_true(check_mapped("/libc.so"));
}

static void the_loader_is_as_libdw_says(void **state)
{
	(void)state;
	assert_true(check_mapped("/ld-linux"));
}

static void this_program_is_as_libdw_says(void **state)
{
	(void)state;
	check_file("/proc/self/exe");
}

static void other_libraries_are_as_libdw_says(void **state)
{
	static const char *const names[] = { "libz.so.1", "libstdc++.so.6", "libcrypto.so.3", "libm.so.6" };

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[100];

		snprintf(path, sizeof path, "/usr/lib/x86_64-linux-gnu/%s", names[i]);
		if (access(path, R_OK) == 0)
			check_file(path);
	}
}

/* ---- refusals --------------------------------------------------------------- */

static void what_is_no_module_is_refused(void **state)
{
	struct unwind_row *rows;
	const char *why = NULL;

	(void)state;
	assert_int_equal(unwind_rows("/nonexistent", NULL, &rows, &why), 0);
	assert_string_equal(why, "No such file or directory");
	assert_null(rows);
	assert_int_equal(unwind_rows("/proc/self/cmdline", NULL, &rows, &why), 0);
	assert_string_equal(why, "not an ELF file");
	assert_int_equal(unwind_rows("/", NULL, &rows, &why), 0);
	assert_int_equal(unwind_rows("/proc/self/exe", "00112233", &rows, &why), 0);
	assert_string_equal(why, "the file's build-id is another one");
	assert_null(rows);
}

static void the_vdso_has_rows(void **state)
{
	struct unwind_row *rows;
	const char *why = NULL;

	(void)state;
	assert_true(unwind_rows("[vdso]", NULL, &rows, &why) > 3);
	free(rows);
}

/* ---- garbage ---------------------------------------------------------------- */

static unsigned long below(unsigned long n) /* a random number */
{
	static unsigned long x = 7;

	x = x * 6364136223846793005UL + 1442695040888963407UL;
	return (x >> 20) % n;
}

static void check_order(void *arg, const struct unwind_row *row)
{
	int64_t *last = arg;

	assert_true(row->start > *last);
	assert_true(row->cfa <= UNWIND_PLT);
	*last = row->start;
}

static unsigned long read_all(const uint8_t *bytes, size_t size, uint64_t addr, bool debug_frame)
{
	/* A copy that ends where the heap block ends, for the sanitizer to watch. */
	uint8_t *copy = malloc(size + !size);
	struct cfi_section s = { copy, size, addr, debug_frame };
	struct cfi_fde fde;
	unsigned long n = 0;
	size_t at = 0;

	memcpy(copy, bytes, size);
	while (cfi_next(&s, &at, &fde)) {
		int64_t last = (int64_t)fde.lo - 1;

		assert_true(fde.lo < fde.hi && at <= size);
		n++;
		if (fde.hi <= UINT32_MAX)
			cfi_rows(&fde, check_order, &last);
		assert_true(last < (int64_t)fde.hi || fde.hi > UINT32_MAX);
	}
	free(copy);
	return n;
}

/* Two entries of each layout as compilers write them, to start from. */
static const uint8_t eh_frame[] = {
	0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 12, 7, 8, 0x90, 1, 0, 0, /* CIE */
	0x24, 0, 0, 0, 0x1c, 0, 0, 0, 0, 1, 0, 0, 0x60, 0, 0, 0, 0, /* FDE: 0x60 bytes */
	0x42, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0a, 0x02, 0x20, 0x0c, 7, 8, 0x41, 0x0b, 0x0f, 3, 0x76, 0x78, 6, 0, 0,
	0, 0, 0, 0,
};
static const uint8_t debug_frame[] = {
	0x14, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 1, 0x78, 16, 12, 7, 8, 0x90, 1, 0, 0, 0, 0, 0, 0, /* CIE */
	0x1c, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0x60, 0, 0, 0, 0, 0, 0, 0, 0x42, 0x0e, 16, 0x86, 2, 0, 0, 0,
};

static void garbage_is_survived(void **state)
{
	uint8_t bytes[256];
	unsigned long entries = 0;

	(void)state;
	assert_int_equal(read_all(eh_frame, sizeof eh_frame, 0x4000, false), 1);
	assert_int_equal(read_all(debug_frame, sizeof debug_frame, 0, true), 1);
	for (unsigned round = 0; round < 400000; round++) {
		bool debug = below(3) == 0;
		const uint8_t *from = debug ? debug_frame : eh_frame;
		size_t size = debug ? sizeof debug_frame : sizeof eh_frame;

		memcpy(bytes, from, size);
		for (unsigned long i = below(6); i > 0; i--)
			bytes[below(size)] = (uint8_t)(below(2) ? below(256) : below(24));
		entries += read_all(bytes, below(4) ? size : below(size), 0x4000, debug);
	}
	printf("# %lu entries read from garbage\n", entries);
	assert_true(entries > 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libc_is_as_libdw_says),
		cmocka_unit_test(the_loader_is_as_libdw_says),
		cmocka_unit_test(this_program_is_as_libdw_says),
		cmocka_unit_test(other_libraries_are_as_libdw_says),
		cmocka_unit_test(what_is_no_module_is_refused),
		cmocka_unit_test(the_vdso_has_rows),
		cmocka_unit_test(garbage_is_survived),
	};

	return UNIT_MAIN(tests);
}
