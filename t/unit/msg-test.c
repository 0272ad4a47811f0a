#include "unit.h"

#include <fcntl.h>

#include "base/msg.h"

static void expect(const char *want)
{
	char *got = unit_captured(STDERR_FILENO);

	assert_string_equal(got, want);
	free(got);
}

static void prefix_is_the_last_component(void **state)
{
	(void)state;
	assert_string_equal(msg_program(), "andweorc");
	msg_init(NULL);
	assert_string_equal(msg_program(), "andweorc");
	msg_init("/usr/bin/andweorc-resolve");
	assert_string_equal(msg_program(), "andweorc-resolve");
	msg_init("plain");
	assert_string_equal(msg_program(), "plain");
}

static void warnings_are_not_failures(void **state)
{
	(void)state;
	unit_capture(STDERR_FILENO);
	msg_warn("no %s", "samples");
	expect("plain: warning: no samples\n");
	assert_false(msg_failed());
}

static void errors_are_remembered(void **state)
{
	(void)state;
	unit_capture(STDERR_FILENO);
	msg_error_at("profile.aw", 12, "bad number '%s' for '%s'", "x1", "count");
	expect("plain: profile.aw:12: bad number 'x1' for 'count'\n");
	assert_true(msg_failed());
	unit_capture(STDERR_FILENO);
	msg_error("cannot open '%s'", "a");
	expect("plain: cannot open 'a'\n");
}

static void control_bytes_are_shown(void **state)
{
	(void)state;
	unit_capture(STDERR_FILENO);
	msg_error("'%s'", "a\n::error::x\t\033[2J\177\r\302\233H");
	expect("plain: 'a\\x0a::error::x\\x09\\x1b[2J\\x7f\\x0d\\xc2\\x9bH'\n");
	unit_capture(STDERR_FILENO);
	msg_error("%s", "na\303\257ve \342\202\254"); /* not controls */
	expect("plain: na\303\257ve \342\202\254\n");
	unit_capture(STDERR_FILENO);
	msg_error("%s", "a\342\200\256b\342\200\250c\302\240d\351"); /* direction, end of line, blank that does not break, no UTF-8 */
	expect("plain: a\\xe2\\x80\\xaeb\\xe2\\x80\\xa8c\\xc2\\xa0d\\xe9\n");
	unit_capture(STDERR_FILENO);
	msg_error_at("a\nb%s", 1, "x");
	expect("plain: a\\x0ab%s:1: x\n");
	unit_capture(STDERR_FILENO);
	msg_init("x/a\nb");
	msg_error("y");
	msg_init("plain");
	expect("a\\x0ab: y\n");
}

/* The worst case: all bytes masked, the text and the path too long. */
static void long_texts_are_cut(void **state)
{
	char *huge = malloc(100001), *got;

	(void)state;
	memset(huge, '\1', 100000);
	huge[100000] = '\0';
	unit_capture(STDERR_FILENO);
	msg_error_at(huge, 7, "%s", huge);
	got = unit_captured(STDERR_FILENO);
	assert_non_null(strstr(got, "\\x01:7: \\x01"));
	assert_true(strlen(got) > 30000 && strlen(got) < 40000);
	assert_string_equal(got + strlen(got) - 8, "\\x01...\n");
	assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
	free(got);
	free(huge);
}

/* In packet mode each write(2) is a packet of its own. */
static void is_one_write(void **state)
{
	int fd[2], saved = dup(STDERR_FILENO);
	char packet[256];
	ssize_t n;

	(void)state;
	assert_int_equal(pipe2(fd, O_DIRECT | O_NONBLOCK), 0);
	dup2(fd[1], STDERR_FILENO);
	msg_error("one %d", 1);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(fd[0], packet, sizeof packet);
	assert_int_equal(n, (ssize_t)strlen("plain: one 1\n"));
	assert_int_equal(read(fd[0], packet, sizeof packet), -1);
	close(fd[0]);
	close(fd[1]);
}

static void die(void)
{
	msg_die(125, "gone: %d", 3);
}

static void dies_with_its_status(void **state)
{
	int status;

	(void)state;
	unit_capture(STDERR_FILENO);
	status = unit_child(die);
	expect("plain: gone: 3\n");
	assert_int_equal(status, 125);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefix_is_the_last_component),
		cmocka_unit_test(warnings_are_not_failures),
		cmocka_unit_test(errors_are_remembered),
		cmocka_unit_test(control_bytes_are_shown),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(is_one_write),
		cmocka_unit_test(dies_with_its_status),
	};

	return UNIT_MAIN(tests);
}
