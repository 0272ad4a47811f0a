#include "unit.h"

#include <fcntl.h>
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "format/field.h"
#include "format/record.h"

#define HEADER "andweorc\tversion=1\n"

/* All records of the log, one a line: "LINE type key=value;...", then the messages. */
static char *read_bytes(const char *log, size_t len)
{
	struct buf b = BUF_INIT;
	struct record rec;
	struct reader *r;
	char *messages;

	unit_stdin(log, len);
	unit_capture(STDERR_FILENO);
	r = reader_open("-");
	while (reader_next(r, &rec)) {
		buf_addf(&b, "%lu %s", rec.line, rec.type);
		for (size_t i = 0; i < rec.n; i++)
			buf_addf(&b, " %s=%s;", rec.field[i].key, record_get(&rec, rec.field[i].key));
		buf_addc(&b, '\n');
	}
	assert_true(reader_close(r));
	messages = unit_captured(STDERR_FILENO);
	buf_adds(&b, messages);
	free(messages);
	return buf_detach(&b);
}

#define CHECK_BYTES(log, want)                                                                                               \
	do {                                                                                                                 \
		char *got_ = read_bytes(log, sizeof(log) - 1);                                                               \
		assert_string_equal(got_, want);                                                                             \
		free(got_);                                                                                                  \
	} while (0)

static void reads_records(void **state)
{
	(void)state;
	CHECK_BYTES(HEADER "run\tid=1\tcommand=a%20b\nstop\n", "1 andweorc version=1;\n2 run id=1; command=a b;\n3 stop\n");
	CHECK_BYTES("", "");
	CHECK_BYTES(HEADER "x\ta=\tb==\tc= d \n", "1 andweorc version=1;\n2 x a=; b==; c= d ;\n");
	CHECK_BYTES(HEADER "x\td=%41%0a%25%7F%c3%A9\n", "1 andweorc version=1;\n2 x d=A\n%\177\303\251;\n");
}

static void passes_over_comments_and_blank_lines(void **state)
{
	(void)state;
	CHECK_BYTES("# c\n\n \t\n" HEADER "#run\tid=1\nrun\tid=2\n", "4 andweorc version=1;\n6 run id=2;\n");
	assert_false(msg_failed());
}

static void reports_bad_lines_and_goes_on(void **state)
{
#define BAD(line, why)                                                                                                       \
	CHECK_BYTES(HEADER line "\nok\n", "1 andweorc version=1;\n3 ok\nandweorc: standard input:2: " why "\n")
	(void)state;
	BAD("\tid=1", "no record type before the first TAB");
	BAD("id=1\trun", "no record type before the first TAB");
	BAD("run id=1", "no record type before the first TAB");
	BAD("run\tid", "field 'id' has no '='");
	BAD("run\tid\tx=1", "field 'id' has no '='");
	BAD("run\t", "field '' has no '='");
	BAD("run\tid=1\t", "field '' has no '='");
	BAD("run\t\tid=1", "field '' has no '='");
	BAD("run\t=1", "field without a key");
	BAD("run\tid=1\tx=2\tid=1", "key 'id' twice");
	BAD("run\tid=%", "bad escape '%'");
	BAD("run\tid=%4", "bad escape '%4'");
	BAD("run\tid=%4\tx=1", "bad escape '%4\\x09'");
	BAD("run\tid=%4g", "bad escape '%4g'");
	BAD("run\tid=%%20", "bad escape '%%2'");
	BAD("run\tid=a%00b", "bad escape '%00'");
	BAD("run\tid=a\0b", "NUL byte in the line");
	BAD("\033[2Jrun\tid", "field 'id' has no '='");
	assert_true(msg_failed());
#undef BAD
}

static void last_line_needs_its_end(void **state)
{
	(void)state;
	CHECK_BYTES(HEADER "run\tid=1\nend\trun=1",
		    "1 andweorc version=1;\n2 run id=1;\nandweorc: standard input:3: last line has no end: the log was cut short here\n");
	CHECK_BYTES("x", "andweorc: standard input:1: last line has no end: the log was cut short here\n");
}

static void header_comes_first(void **state)
{
	(void)state;
	CHECK_BYTES("run\tid=1\nrun\tid=2\n" HEADER "run\tid=3\n",
		    "3 andweorc version=1;\n4 run id=3;\nandweorc: standard input:1: 'run' before the first 'andweorc' record\n");
}

static void newer_versions_are_skipped(void **state)
{
	(void)state;
	CHECK_BYTES("andweorc\tversion=2\nrun\tid=1\n" HEADER "run\tid=2\n",
		    "3 andweorc version=1;\n4 run id=2;\n"
		    "andweorc: standard input:1: format version 2 is newer than this program's 1\n");
	CHECK_BYTES("andweorc\ttool=record\nrun\tid=1\n", "andweorc: standard input:1: no 'version' in 'andweorc'\n");
	CHECK_BYTES("andweorc\tversion=1.0\nrun\tid=1\n", "andweorc: standard input:1: bad number '1.0' for 'version'\n");
	CHECK_BYTES(HEADER "andweorc\tversion=\nrun\tid=1\n",
		    "1 andweorc version=1;\nandweorc: standard input:2: bad number '' for 'version'\n");
}

static void finds_doubled_keys_in_wide_lines(void **state)
{
	struct buf log = BUF_INIT;
	struct record rec;
	struct reader *r;
	char *got;

	(void)state;
	buf_adds(&log, HEADER "wide");
	for (int i = 0; i < 100000; i++)
		buf_addf(&log, "\tk%d=%d", i, i);
	buf_adds(&log, "\nwide");
	for (int i = 0; i < 100000; i++)
		buf_addf(&log, "\tk%d=%d", i % 99999, i);
	buf_adds(&log, "\n");
	unit_stdin(log.s, log.len);
	unit_capture(STDERR_FILENO);
	r = reader_open("-");
	assert_true(reader_next(r, &rec));
	assert_true(reader_next(r, &rec));
	assert_int_equal(rec.n, 100000);
	assert_string_equal(record_get(&rec, "k99999"), "99999");
	assert_false(reader_next(r, &rec));
	reader_close(r);
	got = unit_captured(STDERR_FILENO);
	assert_string_equal(got, "andweorc: standard input:3: key 'k0' twice\n");
	free(got);
	buf_release(&log);
}

/* Lines around every size at which the read buffer moves or grows. */
static void reads_long_lines(void **state)
{
	static const size_t size[] = { 262100, 262143, 262144, 262145, 524288, 3000001 };
	struct buf log = BUF_INIT, copy = BUF_INIT;
	struct record rec;
	struct reader *r;
	size_t n = 0;

	(void)state;
	buf_adds(&log, HEADER);
	for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
		buf_addf(&log, "a\tsize=%zu\tv=", size[i]);
		for (size_t k = 0; k < size[i]; k++)
			buf_addc(&log, (char)('a' + (i + k) % 26));
		buf_addf(&log, "\tend=1\n");
	}
	unit_stdin(log.s, log.len);
	r = reader_open("-");
	while (reader_next(r, &rec)) {
		uint64_t want;

		record_copy(&copy, &rec);
		record_end(&copy);
		if (!n++)
			continue;
		assert_true(num_u64(record_get(&rec, "size"), &want));
		assert_int_equal(strlen(record_get(&rec, "v")), want);
		assert_string_equal(record_get(&rec, "end"), "1");
	}
	assert_true(reader_close(r));
	assert_int_equal(n, 1 + sizeof size / sizeof *size);
	assert_int_equal(copy.len, log.len);
	assert_memory_equal(copy.s, log.s, log.len);
	buf_release(&log);
	buf_release(&copy);
}

/* Writes the bytes one at a time: every line arrives in pieces. */
static void reads_from_a_pipe(void **state)
{
	static const char log[] = HEADER "run\tid=1\n#\nend\trun=1\n";
	struct record rec;
	struct reader *r;
	int fd[2], saved = dup(STDIN_FILENO), n = 0, status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		for (size_t i = 0; i < sizeof log - 1; i++)
			if (write(fd[1], log + i, 1) != 1)
				_exit(1);
		_exit(0);
	}
	close(fd[1]);
	dup2(fd[0], STDIN_FILENO);
	close(fd[0]);
	r = reader_open("-");
	while (reader_next(r, &rec))
		n++;
	assert_true(reader_close(r));
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(n, 3);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

static void open_and_read_errors(void **state)
{
	struct record rec;
	struct reader *r;
	char *got;

	(void)state;
	unit_capture(STDERR_FILENO);
	assert_null(reader_open("/nonexistent/log"));
	assert_true(reader_close(NULL));
	r = reader_open("/");
	assert_non_null(r);
	assert_false(reader_next(r, &rec));
	assert_false(reader_next(r, &rec));
	assert_false(reader_close(r));
	got = unit_captured(STDERR_FILENO);
	assert_string_equal(got, "andweorc: cannot open '/nonexistent/log': No such file or directory\n"
				 "andweorc: cannot read '/': Is a directory\n");
	free(got);
}

static void keeps_comments(void **state)
{
	static const char log[] = "# one\n" HEADER "\nrun\tid=1\n#two\t%\n";
	struct record rec;
	struct reader *r;
	char *kept = NULL;
	size_t len = 0;
	FILE *sink = open_memstream(&kept, &len);

	(void)state;
	unit_stdin(log, sizeof log - 1);
	r = reader_open("-");
	reader_filter(r, sink);
	while (reader_next(r, &rec))
		fprintf(sink, "%.*s\n", (int)rec.raw_len, rec.raw);
	reader_close(r);
	fclose(sink);
	assert_string_equal(kept, log);
	free(kept);
}

static void typed_values(void **state)
{
	static const char log[] = HEADER "visits\texperiment=7\tpoint=a%0Ab\tcount=0x1F\tvirtual_ns=-7\tbegins=%31\n"
					 "untried\tname=\tcpu_pct=0.5\tfuture=x\n";
	struct record rec;
	struct reader *r;

	(void)state;
	unit_stdin(log, sizeof log - 1);
	r = reader_open("-");
	assert_true(reader_next(r, &rec) && reader_next(r, &rec));
	assert_true(record_get_u64(&rec, "experiment") == 7 && record_get_u64(&rec, "count") == 31);
	assert_true(record_get_i64(&rec, "virtual_ns") == -7 && record_get_u64(&rec, "begins") == 1);
	assert_true(record_get_real(&rec, "virtual_ns") == -7 && record_get_real(&rec, "count") == 31);
	assert_string_equal(record_get(&rec, "point"), "a\nb");
	assert_ptr_equal(record_get(&rec, "point"), record_get(&rec, "point")); /* decoded once */
	assert_null(record_get(&rec, "kind"));
	assert_true(record_get_u64(&rec, "in_flight_ns") == 0 && isnan(record_get_real(&rec, "in_flight_ns")));
	assert_true(reader_next(r, &rec));
	assert_true(record_get_real(&rec, "cpu_pct") == 0.5);
	assert_string_equal(record_get(&rec, "name"), "");
	assert_string_equal(record_get(&rec, "future"), "x");
	assert_false(reader_next(r, &rec));
	reader_close(r);
}

/* Each fault of a record gets a message; the record is passed over, and the next one read. */
static void values_of_the_wrong_kind(void **state)
{
	(void)state;
	CHECK_BYTES(HEADER "visits\texperiment=-7\tcount=x1\tvirtual_ns=0x1\nuntried\tname=a\tcpu_pct=nan\nend\tstatus=\nok\n",
		    "1 andweorc version=1;\n5 ok\n"
		    "andweorc: standard input:2: bad number '-7' for 'experiment'\n"
		    "andweorc: standard input:2: bad number 'x1' for 'count'\n"
		    "andweorc: standard input:2: bad number '0x1' for 'virtual_ns'\n"
		    "andweorc: standard input:2: no 'point' in 'visits'\n"
		    "andweorc: standard input:3: bad number 'nan' for 'cpu_pct'\n"
		    "andweorc: standard input:4: no 'run' in 'end'\n");
}

/* record_copy after values were decoded: the line is still as it was read. */
static void copies_the_line_as_it_was(void **state)
{
	static const char log[] = HEADER "x\ta=%41%0a\tb=%c3%A9\n";
	struct buf b = BUF_INIT;
	struct record rec;
	struct reader *r;

	(void)state;
	unit_stdin(log, sizeof log - 1);
	r = reader_open("-");
	assert_true(reader_next(r, &rec) && reader_next(r, &rec));
	assert_string_equal(record_get(&rec, "a"), "A\n");
	record_copy(&b, &rec);
	record_str(&b, "c", "new value");
	record_end(&b);
	assert_string_equal(b.s, "x\ta=%41%0a\tb=%c3%A9\tc=new%20value\n");
	buf_release(&b);
	reader_close(r);
}

static void writes_fields(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	record_begin(&b, "x");
	record_str(&b, "s", "a\tb\n%=\177\303\251");
	record_str(&b, "empty", "");
	record_strn(&b, "n", "abcdef", 3);
	record_u64(&b, "u", UINT64_MAX);
	record_i64(&b, "i", INT64_MIN);
	record_hex(&b, "h", 0xabc);
	record_real(&b, "r", 0.1);
	record_real(&b, "nan", strtod("nan", NULL));
	record_real(&b, "inf", strtod("inf", NULL));
	record_str(&b, "visits_a b=c", "1");
	record_end(&b);
	assert_string_equal(b.s, "x\ts=a%09b%0A%25=%7F\303\251\tempty=\tn=abc\tu=18446744073709551615\ti=-9223372036854775808"
				 "\th=0xabc\tr=0.1\tvisits_a%20b%3Dc=1\n");
	buf_release(&b);
}

static void escapes_every_byte(void **state)
{
	(void)state;
	for (int c = 1; c < 256; c++) {
		char text[] = { 'a', (char)c, 'z', '\0' };
		struct buf b = BUF_INIT;
		bool plain = c > 0x20 && c != 0x7f && c != '%';

		field_escape(&b, text, 3, '\0');
		assert_int_equal(b.len, plain ? 3 : 5);
		assert_null(field_bad_escape(b.s, b.len));
		field_unescape(b.s);
		assert_string_equal(b.s, text);
		buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_records),
		cmocka_unit_test(passes_over_comments_and_blank_lines),
		cmocka_unit_test(reports_bad_lines_and_goes_on),
		cmocka_unit_test(last_line_needs_its_end),
		cmocka_unit_test(header_comes_first),
		cmocka_unit_test(newer_versions_are_skipped),
		cmocka_unit_test(finds_doubled_keys_in_wide_lines),
		cmocka_unit_test(reads_long_lines),
		cmocka_unit_test(reads_from_a_pipe),
		cmocka_unit_test(open_and_read_errors),
		cmocka_unit_test(keeps_comments),
		cmocka_unit_test(typed_values),
		cmocka_unit_test(values_of_the_wrong_kind),
		cmocka_unit_test(copies_the_line_as_it_was),
		cmocka_unit_test(writes_fields),
		cmocka_unit_test(escapes_every_byte),
	};

	return UNIT_MAIN(tests);
}
