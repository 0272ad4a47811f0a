#!/bin/sh
# Starts and ends of programs: the same when profiled as when bare; and the records of them in the log.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

# shellcheck disable=SC3045
ulimit -c 0
program life
gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -shared -fPIC -o plugin.so "$programs/plugin.c" || exit 1
gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -static -w -o life-static "$programs/life.c" -pthread -ldl 2>static.err || exit 1

# Processor time of the profiled programs: enough for some experiments, but no check needs one.
long=60

# ends STATUS: the end record of the log has this status
ends() {
	if test "$1" -gt 128; then
		echo "signal:$(($1 - 128))"
	else
		echo "exit:$1"
	fi
}

# alike SAMPLER MODE
alike() {
	run ./life "$2" >bare 2>bare.err
	bare=$status
	test "$bare" -ne 98 && test "$bare" -ne 99
	LIFE_MS=$long run andweorc-record -q --sampler "$1" -o log -r work -s 50 --window 1 -- ./life "$2" >profiled 2>err
	same bare profiled
	echo "$bare" >want
	echo "$status" >got
	same want got
	whole log "$(ends "$bare")"
	lacks '^andweorc-record: [^w]' err
}

# What the timers have of their own: signals, and descriptors that are not there.
for sampler in perf timer; do
	if test $sampler = perf || is_long; then
		check "aborts ($sampler)" alike $sampler abort
		check "calls _exit with a thread at work ($sampler)" alike $sampler exit
		check "main thread leaves first ($sampler)" alike $sampler main-leaves
		check "spawns, system(3), popen(3) ($sampler)" alike $sampler spawn
		check "blocks all signals in all threads ($sampler)" alike $sampler mask
		check "handles SIGTRAP itself ($sampler)" alike $sampler trap-handler
		check "dies of a breakpoint ($sampler)" alike $sampler int3
		check "dies of a SIGTRAP that it raised ($sampler)" alike $sampler trap
		check "alternate signal stacks ($sampler)" alike $sampler altstack
		check "cancels a thread ($sampler)" alike $sampler cancel
		check "counts on the numbers of descriptors ($sampler)" alike $sampler next-descriptor
		check "closes all descriptors ($sampler)" alike $sampler close-all
		check "loads and unloads a library ($sampler)" alike $sampler dlopen
	fi
	check "crashes ($sampler)" alike $sampler crash
	check "blocks all signals past libc ($sampler)" alike $sampler mask-raw
	check "handles its breakpoints ($sampler)" alike $sampler int3-handler
	check "threads with the least of stacks ($sampler)" alike $sampler small-stack
	check "300 threads ($sampler)" alike $sampler many
	check "at most 16 descriptors and 20 threads ($sampler)" alike $sampler few-descriptors
done

runs_so() {
	LIFE_MS=$long exits 0 andweorc-record -q -o log -- "$@" >out 2>err
	echo plain >want
	same want out
}

through_wrapper() {
	runs_so sh -c './life plain; true'
	lacks 'wrapper' err
	awk -F'\t' '$1 == "module" && /path=.*\/life$/' log >got
	test "$(wc -l <got)" -eq 1
	has '^end	run=1	status=exit:0	' log
	test "$(field point unit visits)" -gt 0
}
check 'sh -c "PROGRAM; true": the program is followed' through_wrapper

statically_linked() {
	runs_so ./life-static plain
	has "^andweorc-record: warning: './life-static' was not profiled: it is statically linked" err
	test "$(wc -l <err)" -eq 1
	has '^warning	run=1	what=not-preloaded	' log
	has '^end	run=1	status=exit:0' log
	exits 0 andweorc-resolve log >resolved
}
check 'statically linked: not profiled, and why' statically_linked

without_environment() {
	runs_so env -i ./life plain
	has '^warning	run=1	what=' log
	has '^end	run=1	status=exit:0' log
	exits 0 andweorc-resolve log >resolved
}
check 'env -i: runs as it would, with a warning' without_environment

# reap PID: as run does, of a child of this shell
reap() {
	set +e
	wait "$1"
	status=$?
	set -e
}

killed_from_outside() {
	LIFE_MS=100000 andweorc-record -q -o log -r work -s 50 --window 1 -- ./life plain >out 2>err &
	recorder=$!
	until_it_has log '^visits'
	kill -KILL "$(pgrep -P $recorder)"
	reap $recorder
	test "$status" -eq 137
	whole log signal:9
	has '^sample' log
}
check 'killed from outside: nothing that was measured is lost' killed_from_outside

recorder_killed() {
	rm -f log out # of the tests before
	LIFE_MS=600 andweorc-record -q -o log -r work -s 50 --window 1 -- ./life plain >out 2>err &
	recorder=$!
	until_it_has log '^visits'
	kill -KILL $recorder
	reap $recorder
	test "$status" -eq 137
	empty out
	until_it_has out '^plain$' || { pgrep -a life; return 1; }
	test "$(tail -c 1 log | od -An -c | tr -d ' ')" = '\n'
	lacks '^end' log
	exits 0 andweorc-resolve log >resolved 2>err
	has '^visits' resolved
}
check 'recorder killed: the program goes on to its end, the log has whole lines' recorder_killed

done_testing
