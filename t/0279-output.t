#!/bin/sh
# The output of a command's first run goes where the user sent it; that of later runs, to a file of the same kind.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

# writer [STATUS-OF-THE-SECOND-RUN]: prints the kinds of its two streams, on both of them; and appends them to `kinds`
cat >writer.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *kind(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return "closed";
	return S_ISREG(st.st_mode) ? "file" : S_ISFIFO(st.st_mode) ? "pipe" : isatty(fd) ? "terminal" : "device";
}

int main(int argc, char **argv)
{
	FILE *f = fopen("kinds", "a");
	long n;

	fprintf(f, "%s %s\n", kind(1), kind(2));
	n = ftell(f);
	fclose(f);
	for (clock_t end = clock() + CLOCKS_PER_SEC / 20; clock() < end;)
		continue;
	printf("to %s\n", kind(1));
	fprintf(stderr, "error to %s\n", kind(2));
	/* more than a pipe holds, when nobody reads */
	if (argc > 1 && atoi(argv[1]) < 0)
		for (int i = 0; i < 50000; i++)
			puts("a line of many");
	return argc > 1 && atoi(argv[1]) > 0 && n == 2 * (long)sizeof "file file" ? atoi(argv[1]) : 0;
}
END
gcc -O2 -g -w -o writer writer.c || exit 1

# kinds_are KIND KIND RUNS
kinds_are() {
	for _ in $(seq "$3"); do
		echo "$1 $2"
	done | same - kinds
	rm kinds
}

note='^andweorc-record: the command is run again; what it writes is shown once \(--show-output shows all\)$'

to_files() {
	exits 0 andweorc-record -o log -n 4 -- ./writer >out 2>err
	kinds_are file file 4
	echo 'to file' | same - out
	test "$(grep -c '^error to file$' err)" -eq 1
	test "$(grep -Ec "$note" err)" -eq 1
	# The output of later runs is kept nowhere.
	ls >got
	printf 'err\ngot\nlog\nout\nwriter\nwriter.c\n' | same - got
	echo before >out
	exits 0 andweorc-record -q -o log -n 3 -- ./writer >>out 2>err
	kinds_are file file 3
	printf 'before\nto file\n' | same - out
	lacks "$note" err
}
check 'files: written once' to_files

to_pipes() {
	(run andweorc-record -o log -n 3 -- ./writer -1 2>err; echo "$status" >status) | wc -l >lines
	echo 50001 | same - lines
	kinds_are pipe file 3
	echo 0 | same - status
	(run andweorc-record -q -o log -n 3 -- ./writer -1 2>&1; echo "$status" >status) | cat >both
	kinds_are pipe pipe 3
	test "$(grep -c '^to pipe$' both)" -eq 1
	test "$(grep -c '^error to pipe$' both)" -eq 1
}
check 'pipes: written once, however much it is' to_pipes

to_a_terminal() {
	script -qec 'stty cols 77; exec andweorc-record -q -o log -n 3 -- sh -c "./writer; stty size <&2 >>width"' /dev/null </dev/null >screen
	kinds_are terminal terminal 3
	test "$(grep -c '^to terminal' screen)" -eq 1
	test "$(grep -c '^error to terminal' screen)" -eq 1
	awk '{ print $2 }' width >got
	printf '77\n77\n77\n' | same - got
}
if script --version >/dev/null 2>&1; then
	check 'a terminal: written once, and as wide' to_a_terminal
else
	skip 'a terminal: written once, and as wide' 'no script(1)'
fi

to_devices() {
	exits 0 andweorc-record -o log -n 3 -- ./writer >/dev/null 2>err
	kinds_are device file 3
}
check 'a device stays what it is' to_devices

to_the_log() {
	exits 0 andweorc-record -n 3 -- ./writer >log 2>err
	kinds_are file file 3
	test "$(grep -c '^to file' err)" -eq 1
	test "$(grep -c '^error to file' err)" -eq 1
	lacks '^(to|error)' log
}
check 'with the log on standard output, both go to standard error' to_the_log

all_of_it() {
	exits 0 andweorc-record --show-output -o log -n 3 -- ./writer >out 2>err
	rm kinds
	printf 'to file\nto file\nto file\n' | same - out
	test "$(grep -c '^error to file$' err)" -eq 3
	lacks "$note" err
	exits 0 andweorc-record -o log -- ./writer >out 2>err
	rm kinds
	lacks "$note" err
	exits 0 andweorc-record -o log -n 3 -- sleep 0.05 >out 2>err
	lacks "$note" err
}
check '--show-output: all of it; nothing is said where nothing was thrown away' all_of_it

other_status() {
	exits 3 andweorc-record -q -o log -n 3 -- ./writer 3 >out 2>err
	rm kinds
	has '^andweorc-record: warning: run 2 ended with status 3, the first one with status 0; what it wrote is not shown \(--show-output shows it\)$' err
	test "$(grep -c 'ended with' err)" -eq 1
	exits 3 andweorc-record -q --show-output -o log -n 3 -- ./writer 3 >out 2>err
	rm kinds
	has '^andweorc-record: warning: run 2 ended with status 3, the first one with status 0$' err
	exits 0 andweorc-record -q -o log -n 3 -- ./writer >out 2>err
	rm kinds
	lacks 'ended with' err
}
check 'a run that ends in another way is said' other_status

done_testing
