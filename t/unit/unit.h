/*
 * unit: helpers of the unit tests.  Include it first; end main with UNIT_MAIN(tests),
 * which prints TAP.  Never skip(): cmocka says "not ok # SKIP", which prove takes for a
 * failure.
 */
#ifndef ANDWEORC_UNIT_H
#define ANDWEORC_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define UNIT_MAIN(tests) (cmocka_set_message_output(CM_OUTPUT_TAP), cmocka_run_group_tests((tests), NULL, NULL))

#define UNIT_UNUSED __attribute__((unused))

static int unit_saved, unit_sink;

/* From here on, descriptor fd (1 or 2) goes into memory. */
static UNIT_UNUSED void unit_capture(int fd)
{
	fflush(NULL);
	unit_saved = dup(fd);
	unit_sink = memfd_create("capture", 0);
	assert_true(unit_saved >= 0 && unit_sink >= 0);
	assert_int_equal(dup2(unit_sink, fd), fd);
}

/* Ends unit_capture; what was written, for the caller to free. */
static UNIT_UNUSED char *unit_captured(int fd)
{
	off_t len;
	char *text;

	fflush(NULL);
	dup2(unit_saved, fd);
	close(unit_saved);
	len = lseek(unit_sink, 0, SEEK_END);
	text = calloc(1, (size_t)len + 1);
	assert_non_null(text);
	assert_int_equal(pread(unit_sink, text, (size_t)len, 0), len);
	close(unit_sink);
	return text;
}

/* Runs fn in a child; its exit status, or 128 + signal. */
static UNIT_UNUSED int unit_child(void (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Makes the bytes what standard input reads. */
static UNIT_UNUSED void unit_stdin(const void *bytes, size_t len)
{
	int fd = memfd_create("stdin", 0);

	assert_true(fd >= 0);
	for (size_t done = 0; done < len;) {
		ssize_t n = write(fd, (const char *)bytes + done, len - done);

		assert_true(n > 0);
		done += (size_t)n;
	}
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	if (fd != STDIN_FILENO)
		close(fd);
}

#endif
