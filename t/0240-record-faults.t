#!/bin/sh
# Faults that andweorc-record once had, each with its symptom.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

# shellcheck disable=SC3045 # dash and bash have it
ulimit -c 0
program life
long=120

# alike SAMPLER MODE: as in t/0210
alike() {
	run ./life "$2" >bare 2>bare.err
	bare=$status
	LIFE_MS=$long run andweorc-record -q --sampler "$1" -o log -r work -s 50 --window 1 -- ./life "$2" >profiled 2>err
	same bare profiled
	echo "$bare" >want
	echo "$status" >got
	same want got
	has '^module	.*/life$' log
}

for sampler in perf timer; do
	# 1. init.c:getauxval answers 0 once arena is NULL; andweorc_visit() calls through it: SIGSEGV
	check "0. executes itself ($sampler)" alike $sampler exec
	check "1. forked children that visit points ($sampler)" alike $sampler fork
	check "1. daemon(3) ($sampler)" alike $sampler fork-in-libc
	# 2. /proc/PID/maps of a zombie leader is empty
	check "2. main thread leaves at once ($sampler)" alike $sampler main-leaves-early
	# 3. on_signal() ignores sa_mask, SA_ONSTACK, SA_RESETHAND of the program's SIGTRAP action
	check "3. flags of the program's SIGTRAP handler ($sampler)" alike $sampler trap-flags
	# 4. thread_end() closes a descriptor number that the program has closed and taken since
	check "4. descriptors that the program closed and took ($sampler)" alike $sampler take-numbers
done

# 5. launch.c:become() sets SIGINT, SIGQUIT, SIGPIPE to default though they were ignored
inherited() {
	trap '' INT QUIT PIPE
	exits 0 ./life ignored >bare
	exits 0 andweorc-record -q -o log -- ./life ignored >profiled 2>err
	same bare profiled
}
check '5. signals that were ignored stay ignored' inherited

# 6. a name whose regions are all named already counts as not found
named_twice() {
	LIFE_MS=300 exits 0 andweorc-record -q -o log --window 1 -r work -r work -r 'wor?' -- ./life plain >out 2>err
	lacks 'no code of the program' err
}
check '6. a region named twice is no unknown region' named_twice

# 7. names are looked up once, before exec and dlopen
named_after_exec() {
	LIFE_MS=600 exits 0 andweorc-record -q -o log --window 1 -r work -- sh -c 'exec ./life plain' >out 2>err
	lacks 'no code of the program' err
	has '^region.*symbol=work$' log
}
check '7. a region of a program that a shell executes' named_after_exec

named_in_plugin() {
	gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -shared -fPIC -o plugin.so "$programs/plugin.c"
	LIFE_MS=600 exits 0 andweorc-record -q -o log --window 1 -r plug -- ./life dlopen >out 2>err
	lacks 'no code of the program' err
	has '^region.*symbol=plug$' log
}
check '7. a region of a library that is loaded later' named_in_plugin

# 8. -n is cut short when a run fails in under 50 ms
all_runs() {
	exits 4 andweorc-record -q -n 3 -o log -- sh -c 'exit 4' 2>err
	test "$(grep -c '^run' log)" -eq 3
}
check '8. -n: all runs, also when one fails at once' all_runs

# 9. -r '' and -P '' are accepted
empty_names() {
	exits 125 andweorc-record -o log -r '' -- true 2>err
	exits 125 andweorc-record -o log -P '' -- true 2>err
}
check '9. an empty name is a bad value' empty_names

# 10. SIGTERM (timeout(1), a cancelled CI job) ends the recorder and leaves the command running, without an end record
terminated() {
	LIFE_MS=20000 andweorc-record -q -o log -r work --window 1 -- ./life plain >out 2>err &
	recorder=$!
	sleep 0.6
	target=$(pgrep -P $recorder)
	kill -TERM $recorder
	wait $recorder || :
	sleep 0.2
	if kill -0 "$target" 2>/dev/null; then
		kill -KILL "$target"
		echo 'the command still runs'
		return 1
	fi
	has '^end	' log
}
check '10. SIGTERM goes to the command, and the log is finished' terminated

# 11. -d ends the command but not what it has started
orphans() {
	exits 0 andweorc-record -q -o log -d 0.5 -- sh -c 'sleep 7.531 & echo $! >pid; wait; true' 2>err
	sleep 0.1
	if kill -0 "$(cat pid)" 2>/dev/null; then
		kill "$(cat pid)"
		echo 'its child still runs'
		return 1
	fi
}
check '11. -d: nothing of the command is left running' orphans

# 12. a program without debug information has regions, too: that it was too short is the one thing to say
one_reason() {
	gcc -O2 -s -D_GNU_SOURCE -I"$top/lib" -o bare-life "$programs/life.c" -pthread -ldl
	LIFE_MS=300 exits 0 andweorc-record -q -o log -- ./bare-life plain >out 2>err
	has 'ended before an experiment' err
	unminded='ended before an experiment|no debug information'
	of_the_program err >others
	empty others
}
check '12. without debug information: too short, for one reason' one_reason

# 13. after env -i the program itself is not preloaded: "no progress point" misleads
not_preloaded() {
	exits 0 andweorc-record -q -o log -- env -i LIFE_MS=700 ./life plain >out 2>err
	has '^warning	run=1	what=runtime-lost' log
	lacks 'no-progress-point' log
}
check '13. env -i: the program was not preloaded, and that is said' not_preloaded

# 14. a program that ends within a tick: its modules are never read, so samples have no place and -r finds nothing
short_life() {
	n=0
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		LIFE_MS=3 exits 0 andweorc-record -q -o log -r work -- ./life plain >out 2>err
		if grep -q '^module.*/life$' log && ! grep -q 'no code of the program' err; then
			n=$((n + 1))
		fi
	done
	echo "$n of 10 have modules"
	test $n -eq 10
}
check '14. modules of a program that lives for 3 ms' short_life

through_exec() {
	LIFE_MS=300 exits 0 andweorc-record -q -o log -m function --window 1 -- sh -c 'exec ./life plain' >out 2>err
	lacks 'wrapper|no progress|no sample' err
	whole log exit:0
	# The point is not number 1 if the program came after more than a second: automatic points were first.
	test "$(field point unit visits)" -gt 0
	LIFE_MS=300 exits 0 setarch -R andweorc-record -q -o log -m function --window 1 -- sh -c 'exec ./life dlopen' >out 2>err
	echo unloaded >want
	same want out
	whole log exit:0
}
check '0. sh -c "exec PROGRAM" is the program' through_exec

# 0. read_modules() between exec and the new runtime's init publishes rows at the old base: SIGSEGV in row_of(), 1 in 80 on a busy machine
keeps_alive_through_exec() {
	gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -shared -fPIC -o plugin.so "$programs/plugin.c"
	for _ in $(seq 20); do
		LIFE_MS=30 exits 0 andweorc-record -q -o log -m function --window 1 -- sh -c 'exec ./life exec' >out 2>err
	done
}
check '0. exec, again and again' keeps_alive_through_exec

# 15. the end of a short run is seen up to 50 ms late, so that the rule for commands that fail in less than that never holds
does_not_insist() {
	exits 9 andweorc-record -q -d 3 -o log -- sh -c 'echo x >>count; exit 9' 2>err
	test "$(wc -l <count)" -eq 1
}
check '15. a command that fails at once is not run again and again' does_not_insist

done_testing
