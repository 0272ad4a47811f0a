/*
 * Each allocation fails in turn: the answer is always status 2 and one message,
 * never a signal.
 */
#include "unit.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "format/record.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_ALLOCATOR 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define OWN_ALLOCATOR 1
#endif

static void overflow(void)
{
	free(xrealloc(NULL, SIZE_MAX / 2, 4));
}

static void too_much(void)
{
	free(xcalloc(SIZE_MAX / 4, 2));
}

static void overflow_is_out_of_memory(void **state)
{
	char *got;

	(void)state;
	unit_capture(STDERR_FILENO);
	assert_int_equal(unit_child(overflow), 2);
	got = unit_captured(STDERR_FILENO);
	assert_string_equal(got, "andweorc: out of memory\n");
	free(got);
#ifndef OWN_ALLOCATOR /* it reports the request as a bug */
	unit_capture(STDERR_FILENO);
	assert_int_equal(unit_child(too_much), 2);
	free(unit_captured(STDERR_FILENO));
#else
	(void)too_much;
#endif
}

static void returns_usable_memory(void **state)
{
	size_t cap = 0;
	int *v = NULL;
	char *s;

	(void)state;
	s = xcalloc(0, 8);
	assert_non_null(s);
	s = xrealloc(s, 0, 1);
	assert_non_null(s);
	free(s);
	s = xcalloc(3, 2);
	assert_memory_equal(s, "\0\0\0\0\0", 6);
	free(s);
	s = xstrndup("abcdef", 3);
	assert_string_equal(s, "abc");
	free(s);
	s = xstrndup("ab", 30);
	assert_string_equal(s, "ab");
	free(s);
	s = xasprintf("%d-%s", 1, "x");
	assert_string_equal(s, "1-x");
	free(s);
	for (int i = 0; i < 1000; i++) {
		v = xgrow(v, (size_t)i, &cap, sizeof *v);
		assert_true(cap > (size_t)i);
		v[i] = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v[i], i);
	free(v);
}

#ifndef OWN_ALLOCATOR
static unsigned long countdown; /* 0: none fails; 1: the next one does */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static bool fails(void)
{
	if (!countdown || --countdown)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

static unsigned long fail_at;

enum {
	DONE,         /* there were not as many allocations */
	WRONG = 10,
	WITHOUT = 11, /* libc did without the memory (vasprintf shrinks its result), and the result is right */
};

/* One operation of each module that allocates. */
static void work(void)
{
	struct reader *r;
	struct record rec;
	struct buf b = BUF_INIT;
	struct map m = MAP_INIT;
	char *s;

	countdown = fail_at;
	r = reader_open("-");
	while (reader_next(r, &rec)) {
		record_copy(&b, &rec);
		for (size_t i = 0; i < rec.n; i++)
			*map_at(&m, rec.field[i].key) = &m;
	}
	reader_close(r);
	s = xasprintf("%zu %zu", m.n, b.len);
	if (strcmp(s, "42 300341"))
		_exit(WRONG);
	free(s);
	free(buf_detach(&b));
	map_release(&m);
	_exit(countdown ? DONE : WITHOUT);
}

static void every_failure_is_told(void **state)
{
	struct buf log = BUF_INIT;
	int status;
	char *got;

	(void)state;
	buf_adds(&log, "andweorc\tversion=1\nwide");
	for (int i = 0; i < 40; i++)
		buf_addf(&log, "\tkey%d=1", i);
	buf_adds(&log, "\nlong\tkey=");
	for (int i = 0; i < 300000; i++)
		buf_addc(&log, 'x');
	buf_addc(&log, '\n');

	for (fail_at = 1; fail_at < 1000; fail_at++) {
		unit_stdin(log.s, log.len);
		unit_capture(STDERR_FILENO);
		status = unit_child(work);
		got = unit_captured(STDERR_FILENO);
		if (!status) {
			assert_string_equal(got, "");
			free(got);
			break;
		}
		if (status != WITHOUT) {
			assert_int_equal(status, 2);
			assert_string_equal(got, "andweorc: out of memory\n");
		}
		free(got);
	}
	assert_true(fail_at >= 20 && fail_at <= 999);
	buf_release(&log);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overflow_is_out_of_memory),
		cmocka_unit_test(returns_usable_memory),
#ifndef OWN_ALLOCATOR
		cmocka_unit_test(every_failure_is_told),
#endif
	};

	return UNIT_MAIN(tests);
}
