#!/bin/sh
# Commands that start the program proper: shells, timeout, env, nice, xargs.
# The recorder follows them to the program.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

program processes
UNIT_US=2500 UNITS=200
export UNIT_US UNITS

# found: no process was lost on the way
found() {
	lacks 'was not profiled|no progress point|is called' err
	has '^process	.*	command=./processes%20plain$' log
}

# follows COPIES STATUS COMMAND [ARG...]: ends with STATUS, and points and regions of COPIES copies of the program are found;
# repeated with a longer run until there was time for an experiment
follows() {
	copies=$1
	expected=$2
	shift 2
	for UNITS in 200 400 1600 6400; do
		run andweorc-record -q -o log -r work -s 50 --window 20 -- "$@" >out 2>err
		test "$status" -eq "$expected"
		lacks 'was not profiled|no progress point' err
		test "$(sort -u out)" = plain
		has "^end	run=1	status=exit:$expected	" log
		test "$(field point unit visits)" -eq $((copies * UNITS))
		has '^sample	.*	state=cpu(	|$)' log
		sed -n 's/^module	.*	path=//p' log | sort | uniq -d >twice
		empty twice
		exits 0 andweorc-resolve log >resolved
		if grep -q '^experiment	.*	speedup_pct=50	' log; then
			break
		fi
	done
	found
	has '^region	.*	symbol=work$' log
	has '^experiment	.*	speedup_pct=50	' log
	has '^visits	.*	point=unit	' log
}

check 'sh -c PROGRAM' follows 1 0 sh -c './processes plain'
check 'sh -c "PROGRAM && PROGRAM"' follows 2 0 sh -c './processes plain && ./processes plain'
check 'sh -c "PROGRAM & wait"' follows 1 0 sh -c './processes plain & wait'
check 'sh -c "PROGRAM | cat"' follows 1 0 sh -c './processes plain | cat'
check 'a status of its own' follows 1 7 sh -c './processes plain; exit 7'
check 'a wrapper in a wrapper in a wrapper' follows 1 0 timeout 60 nice -n 1 sh -c 'env ./processes plain; true'
# Each of these is part of the others.
if is_long; then
	check 'sh -c "PROGRAM; true"' follows 1 0 sh -c './processes plain; true'
	check 'env' follows 1 0 env SOME=THING ./processes plain
	check 'nice' follows 1 0 nice -n 1 ./processes plain
	check 'timeout' follows 1 0 timeout 60 ./processes plain
fi

through_xargs() {
	printf 'plain\nplain\nplain\nplain\n' >modes
	follows 4 0 xargs -a modes -n 1 -P 2 ./processes
	# xargs, its four children before exec, and the programs that they became
	grep -c "^process	.*	visits=$UNITS\$" log >got
	echo 4 >want
	same want got
}
check 'xargs -P 2' through_xargs

script() {
	cat >script <<-END
	#!/bin/sh
	sleep 0.3
	./processes plain
	END
	chmod +x script
	follows 1 0 ./script
}
check 'a script that takes its time first' script


killed_by_timeout() {
	UNIT_US=20000
	run andweorc-record -q -o log -r work -s 50 --window 20 -- timeout 0.3 ./processes plain >out 2>err
	test "$status" -eq 124
	has '^end	run=1	status=exit:124	' log
	test "$(field point unit visits)" -gt 0
}
check 'a program that timeout kills' killed_by_timeout

points_in_it() {
	for UNITS in 200 400 1600 6400; do
		exits 0 andweorc-record -q -o log -P work -r work -s 50 --window 20 -- sh -c './processes plain; true' >out 2>err
		has "	visits[12]=$UNITS	visits[12]=[0-9]|	visits1=[0-9]+	visits2=$UNITS\$" log
		if grep -q '^visits	.*	point=work	' log; then
			break
		fi
	done
	found
	has '^visits	.*	point=work	' log
	has "	visits[12]=$UNITS	visits[12]=[1-9]|	visits1=[1-9][0-9]*	visits2=$UNITS\$" log
}
if has_breakpoints; then
	check '-P names a place in the program, not in the wrapper' points_in_it
else
	skip '-P names a place in the program, not in the wrapper' 'no breakpoints here'
fi

emptied_environment() {
	run andweorc-record -q -o log -r work -- env -i UNITS=200 UNIT_US=2500 ./processes plain >out 2>err
	test "$status" -eq 0
	has '^andweorc-record: warning: 1 of the processes went on as a program that is not profiled' err
	has '^warning	run=1	what=runtime-lost	' log
	# Before exec, the process was part of the recording.
	has '^process	run=1	id=1	status=exec	visits=0$' log
}
check 'env -i: not profiled, and why' emptied_environment

# Between exec and joining, a program has no runtime: the recorder must not take that for a loss.
tries='1 2 3 4'
if is_long; then
	tries='1 2 3 4 5 6 7 8'
fi
start_is_no_loss() {
	for i in $tries; do
		UNITS=40 UNIT_US=2500 exits 0 andweorc-record -q -o "log$i" --attach-only -- sh -c 'exec ./processes plain' >out 2>err
		lacks 'what=runtime-lost' "log$i"
	done
}
check 'exec PROGRAM: what has not joined yet is not lost' start_is_no_loss

# A map of 400 pieces is read in many steps, and the process may end between them.
end_is_no_loss() {
	gcc -O2 -w -o ends -x c - <<-END
	#include <sys/mman.h>
	#include <sys/wait.h>
	#include <unistd.h>
	int main(void)
	{
		for (int i = 0; i < 400; i++)
			mmap(0, 4096, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (int n = 1000; n > 0; n--) {
			if (fork() == 0)
				_exit(0);
			while (n % 16 == 0 && wait(0) > 0)
				;
		}
		while (wait(0) > 0)
			;
		return 0;
	}
	END
	exits 0 andweorc-record -q -o log --attach-only -- ./ends >out 2>err
	lacks 'what=runtime-lost' log
	lacks '^process	.*	status=exec	' log
}
check 'a process that ends while the recorder looks is not lost' end_is_no_loss

# A debugger is told of each signal before the program is.
debugged() {
	gcc -O2 -w -o debugger -x c - <<-END
	#include <signal.h>
	#include <sys/ptrace.h>
	#include <sys/wait.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		int status, stops = 0, pid = fork();
		if (pid == 0) {
			ptrace(PTRACE_TRACEME, 0, 0, 0);
			return execv(argv[1], argv + 1);
		}
		for (waitpid(pid, &status, 0); WIFSTOPPED(status); waitpid(pid, &status, 0), stops++)
			ptrace(PTRACE_CONT, pid, 0, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
		return stops != 1;
	}
	END
	exits 0 andweorc-record -q -o log -r work -- ./debugger ./processes plain >out 2>err
	test "$(sort -u out)" = plain
	has '^andweorc-record: warning: 1 of the processes went on .*debugger' err
}
check 'a debugger sees no signals of ours' debugged

in_valgrind() {
	exits 0 andweorc-record -q -o log -r work -- valgrind -q --tool=none ./processes plain >out 2>err
	test "$(sort -u out)" = plain
	has '^warning	.*	what=runtime-lost	' log
	lacks 'INTERNAL' err
}
if valgrind -q --tool=none true 2>"$scratch/valgrind"; then
	check 'valgrind: not profiled, and that is said' in_valgrind
else
	skip 'valgrind: not profiled, and that is said' 'it is not there'
fi

# A child as sandboxes make it: past libc, so that the runtime is not told.
sandboxed() {
	gcc -O2 -w -o sandbox -x c - <<-END
	#include <sys/wait.h>
	#include <unistd.h>
	int main(void)
	{
		long pid;
		__asm__ volatile("syscall" : "=a"(pid) : "a"(57 /* fork */) : "rcx", "r11", "memory");
		for (volatile long i = 0; pid == 0 && i < 150000000; i++)
			;
		if (pid == 0)
			_exit(0);
		wait(0);
		return 0;
	}
	END
	exits 0 andweorc-record -q -o log -- ./sandbox >out 2>err
	lacks 'used no processor time' err
}
if test "$(uname -m)" = x86_64; then
	check 'time that a sandbox has used is not said to be none' sandboxed
fi

static_wrapper() {
	gcc -O2 -static -w -o wrapper -x c - <<-END
	#include <unistd.h>
	int main(int argc, char **argv) { return argc > 1 ? execv(argv[1], argv + 1) : 1; }
	END
	follows 1 0 ./wrapper ./processes plain
}
check 'a wrapper that is statically linked is followed too' static_wrapper

done_testing
