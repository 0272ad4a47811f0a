/* Processes of a recording that come and go faster than the recorder looks. */
#include "unit.h"

#include "an_arena.h"

#include <signal.h>
#include <sys/prctl.h>

#include "recorder/processes.h"

static struct processes processes;
static const struct scope scope;
static struct mappings modules;
static struct journal journal;
static struct arena *arena;
static struct arena_process *entry;
static pid_t child;

static int setup(void **state)
{
	(void)state;
	arena = an_arena();
	journal = (struct journal){ .fd = memfd_create("journal", 0) };
	assert_true(journal.fd >= 0);
	mapping_init(&modules, &scope);
	processes_init(&processes, arena, &modules, &journal, 1);
	atomic_store(&arena->processes_used, 1);
	entry = &arena->process[0];
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	processes_release(&processes);
	mapping_release(&modules);
	buf_release(&journal.line);
	close(journal.fd);
	munmap(arena, sizeof(*arena));
	return 0;
}

/* A process that takes the entry, and lives until end_child. */
static void begin_child(void)
{
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	atomic_store(&entry->pid, child);
}

static void end_child(void)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static bool is_logged(const char *text)
{
	char all[4096];
	ssize_t n = pread(journal.fd, all, sizeof(all) - 1, 0);

	assert_true(n >= 0);
	all[n] = '\0';
	return strstr(all, text);
}

static void test_one_that_joins_and_ends_between_two_looks(void **state)
{
	(void)state;
	begin_child();
	processes_meet(&processes, false);
	assert_int_equal(processes.alive, 1);
	assert_false(is_logged("process"));

	/* Only now its entry is filled in. */
	atomic_store(&entry->visits, 7);
	atomic_store(&entry->id, 3);
	end_child();
	processes_look(&processes);
	processes_bury(&processes);
	assert_int_equal(processes.alive, 0);
	assert_int_equal(atomic_load(&entry->pid), 0);
	assert_true(is_logged("\tid=3\tpid="));
	assert_true(is_logged("\tid=3\tvisits=7"));
}

static void test_one_that_ends_before_it_has_joined(void **state)
{
	(void)state;
	begin_child();
	processes_meet(&processes, false);
	end_child();
	processes_look(&processes);
	processes_bury(&processes);
	assert_int_equal(atomic_load(&entry->pid), 0);
	assert_false(is_logged("process"));
}

/* The last process of the entry has become another program.  The next one has not. */
static void test_one_that_takes_the_entry_after_an_exec(void **state)
{
	(void)state;
	begin_child();
	atomic_store(&entry->id, 1);
	processes_meet(&processes, false);
	atomic_store(&entry->left, 1);
	processes_look(&processes);
	processes_bury(&processes);
	assert_true(is_logged("\tstatus=exec"));
	end_child();

	begin_child();
	processes_meet(&processes, false);
	processes_look(&processes);
	processes_bury(&processes);
	assert_int_equal(atomic_load(&entry->pid), child);
	atomic_store(&entry->id, 2);
	processes_meet(&processes, false);
	assert_true(is_logged("\tid=2\tpid="));
	end_child();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_that_joins_and_ends_between_two_looks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_that_ends_before_it_has_joined, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_that_takes_the_entry_after_an_exec, setup, teardown),
	};

	return UNIT_MAIN(tests);
}
