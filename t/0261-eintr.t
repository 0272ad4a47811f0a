#!/bin/sh
# The recorder makes no call of the program end with EINTR, or short; a call that the program interrupts itself ends so.
. "$(dirname "$0")/lib.sh"

program eintr

# Rounds: three threads, 18 to 23 calls each.
rounds=120
is_long && rounds=300

# recorded SAMPLER [OPTION...] -- COMMAND...
recorded() {
	sampler=$1
	shift
	exits 0 andweorc-record -q --sampler "$sampler" -o log -r work -s 50 --window 20 "$@" >got 2>err
}

the_test_can_tell() {
	exits 0 ./eintr storm 60 >got 2>each
	cat each
	echo 'interrupted: 22 calls' >want
	same want got
}
check 'a storm of signals interrupts each kind of call' the_test_can_tell

never() {
	exits 0 ./eintr quiet 20 >want
	sed '/: never interrupted$/d' want >other
	empty other
	recorded "$1" -- ./eintr quiet $rounds
	same want got
	# Threads did pause, and were sampled.
	awk -F'\t' '$1 == "experiment" && /speedup_pct=50/ && /delay_ns=[1-9]/ { n++ } END { print n + 0, "experiments"; exit n < 3 }' log
	has '^sample	.*	state=cpu' log
}
own() {
	exits 0 ./eintr own >want
	has '^nanosleep: Interrupted' want
	recorded "$1" -- ./eintr own
	same want got
}
for sampler in perf timer; do
	check "none is interrupted or short ($sampler)" never $sampler
	check "none is spared what the program sends itself ($sampler)" own $sampler
done

done_testing
