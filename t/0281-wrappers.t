#!/bin/sh
# Commands that start the program proper: shells, timeout, env, nice, xargs.
# They are followed to it.
. "$(dirname "$0")/lib.sh"

gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -o processes "$data/record/processes.c" -pthread || exit 1
UNIT_US=2000
export UNIT_US

# quiet: no message but that the machine was busy
quiet() {
	grep -v 'experiments were set aside' err >said || test $? -eq 1
	empty said
}

# follows VISITS COMMAND [ARG...]: the output is that of the bare command, and the program's points and regions are found
follows() {
	visits=$1
	shift
	run "$@" >bare 2>bare.err
	bare=$status
	run andweorc-record -q -o log -r work -s 50 --window 20 -- "$@" >profiled 2>err
	same bare profiled
	quiet
	test "$status" -eq "$bare"
	has "^end	run=1	status=exit:$bare	" log
	has "	visits1=$visits\$" log
	has '^region	.*	symbol=work$' log
	has '^experiment	.*	speedup_pct=50	' log
	has '^visits	.*	point=unit	' log
	has '^sample	.*	state=cpu$' log
	sed -n 's/^module	.*	path=//p' log | sort | uniq -d >twice
	empty twice
	exits 0 andweorc-resolve log >resolved
}

check 'sh -c PROGRAM' follows 100 sh -c './processes plain'
check 'sh -c "PROGRAM; true"' follows 100 sh -c './processes plain; true'
check 'sh -c "PROGRAM && PROGRAM"' follows 200 sh -c './processes plain && ./processes plain'
check 'sh -c "PROGRAM & wait"' follows 100 sh -c './processes plain & wait'
check 'sh -c "PROGRAM | cat"' follows 100 sh -c './processes plain | cat'
check 'a status of its own' follows 100 sh -c './processes plain; exit 7'
check 'env' follows 100 env SOME=THING ./processes plain
check 'nice' follows 100 nice -n 1 ./processes plain
check 'timeout' follows 100 timeout 60 ./processes plain
check 'a wrapper in a wrapper in a wrapper' follows 100 timeout 60 nice -n 1 sh -c 'env ./processes plain; true'

through_xargs() {
	printf 'plain\nplain\nplain\nplain\n' >modes
	follows 400 xargs -a modes -n 1 -P 2 ./processes
	# xargs, four children before exec, and what they became
	grep -c '^process	.*	visits=100$' log >got
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
	UNIT_US=5000
	follows 100 ./script
}
check 'a script that takes its time first' script


killed_by_timeout() {
	UNIT_US=100000
	run andweorc-record -q -o log -r work -s 50 --window 20 -- timeout 0.5 ./processes plain >out 2>err
	test "$status" -eq 124
	has '^end	run=1	status=exit:124	' log
	has '	visits1=[1-9]' log
}
check 'a program that timeout kills' killed_by_timeout

points_in_it() {
	exits 0 andweorc-record -q -o log -P work -r work -s 50 --window 20 -- sh -c './processes plain; true' >out 2>err
	quiet
	has '^visits	.*	point=work	' log
	has '	visits[12]=100	visits[12]=100$' log
}
if test "$(andweorc-record -q -o try -- ./processes plain >out 2>&1; sed -n 's/^run	.*	sampler=\([a-z]*\)	.*/\1/p' try)" = perf; then
	check '-P names a place in the program, not in the wrapper' points_in_it
else
	skip '-P names a place in the program, not in the wrapper' 'perf is refused here'
fi

static_wrapper() {
	gcc -O2 -static -w -o wrapper -x c - <<-END
	#include <unistd.h>
	int main(int argc, char **argv) { return argc > 1 ? execv(argv[1], argv + 1) : 1; }
	END
	follows 100 ./wrapper ./processes plain
}
check 'a wrapper that is statically linked is followed too' static_wrapper

done_testing
