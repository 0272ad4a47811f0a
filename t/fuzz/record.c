/*
 * Any bytes may be a log: reading them must neither crash nor hang, and records must
 * fulfil the contract of record.h.  For libFuzzer: make fuzz.
 *
 * t/unit/record-fuzz.c replays t/fuzz/corpus/record.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/num.h"
#include "format/field.h"
#include "format/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A call of its own, so that a report says where it failed. */
__attribute__((noinline)) static void must(bool ok)
{
	if (!ok)
		abort();
}

static void set_stdin(const void *bytes, size_t len)
{
	int fd = memfd_create("log", 0);

	must(fd >= 0 && write(fd, bytes, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0);
	must(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	close(fd);
}

/* Everything of a record, decoded, as one string that its escaped form cannot change. */
static void describe(struct buf *b, struct record *rec)
{
	buf_addf(b, "%s %zu\n", rec->type, rec->n);
	for (size_t i = 0; i < rec->n; i++) {
		const char *value = record_get(rec, rec->field[i].key);

		must(value == rec->field[i].value && rec->field[i].decoded);
		must(rec->field[i].key[0] && !strpbrk(rec->field[i].key, "=\t\n"));
		buf_addf(b, "%s=%zu:%s\n", rec->field[i].key, strlen(value), value);
	}
}

static void try_numbers(struct record *rec)
{
	for (size_t i = 0; i < rec->n; i++) {
		const char *value = rec->field[i].value;
		char text[32];
		double x, y;
		uint64_t u;
		int64_t n;

		if (num_real(value, &x)) {
			num_format_real(text, x);
			must(num_real(text, &y) && x == y);
		}
		if (num_i64(value, &n) && value[0] != '-')
			must(num_u64(value, &u) && u == (uint64_t)n && num_real(value, &x));
	}
}

/* The record in the writer's own words.  Keys go through as they are: the reader does not decode them. */
static void write_again(struct buf *b, struct record *rec)
{
	record_begin(b, rec->type);
	for (size_t i = 0; i < rec->n; i++) {
		buf_addf(b, "\t%s=", rec->field[i].key);
		field_escape(b, rec->field[i].value, strlen(rec->field[i].value), '\0');
	}
	record_end(b);
}

/* Reads the log; all records described, copied as they were, and written again. */
static size_t read_log(const void *bytes, size_t len, struct buf *described, struct buf *copied, struct buf *written)
{
	struct reader *r;
	struct record rec;
	size_t n = 0;

	set_stdin(bytes, len);
	r = reader_open("-");
	for (; reader_next(r, &rec); n++) {
		must(rec.raw_len < len && rec.line > n);
		describe(described, &rec);
		try_numbers(&rec);
		record_copy(copied, &rec);
		record_end(copied);
		write_again(written, &rec);
	}
	must(!reader_next(r, &rec));
	must(reader_close(r));
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf first = BUF_INIT, second = BUF_INIT, third = BUF_INIT;
	struct buf copied = BUF_INIT, written = BUF_INIT, ignored = BUF_INIT;
	size_t n = read_log(data, size, &first, &copied, &written);

	/* A record that a filter copies, or a writer writes, must be read back with the same content. */
	must(read_log(copied.s, copied.len, &second, &ignored, &ignored) == n);
	must(read_log(written.s, written.len, &third, &ignored, &ignored) == n);
	if (n)
		must(!strcmp(first.s, second.s) && !strcmp(first.s, third.s));

	buf_release(&first);
	buf_release(&second);
	buf_release(&third);
	buf_release(&copied);
	buf_release(&written);
	buf_release(&ignored);
	return 0;
}
