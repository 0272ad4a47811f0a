#!/bin/sh
# A program that writes into the recorder's memory: however it ends, the log is whole and has the status.
. "$(dirname "$0")/lib.sh"
. "$top/t/hostile.sh"
build scribble

# survives MODE SEED
survives() {
	rm -f log
	LIFE_MS=70 run timeout -k 1 20 andweorc-record -q -n 1 -d 0.25 -o log -r work -s 50 --window 10 -- \
		./scribble "$1" "$2" >profiled 2>err
	# Status 139 is the program's own death by signal, which the recorder repeats; then the log has it.
	test "$(grep -c '^end	' log)" -eq 1 || { echo "mode $1, seed $2: status $status, no end"; tail -n 2 log | cut -c 1-200; return 1; }
	run andweorc-resolve log >resolved 2>resolve.err
	test "$status" -eq 0 || { echo "mode $1, seed $2: the log is malformed"; head -n 3 resolve.err; return 1; }
	run andweorc-analyze resolved >analysis 2>analyze.err
	test "$status" -le 2
}

seeds() {
	seed=$1
	while test "$seed" -lt "$2"; do
		survives random "$seed"
		seed=$((seed + 1))
	done
}
last=12
if is_long; then
	last=40
fi
check "random scribbling, seeds 1 to $last" seeds 1 $((last + 1))

check 'counts, indices and names that are none' survives hostile 1

shrinks() {
	survives shrink 1
	has '^cannot shrink$' profiled
	has '^end	.*	status=exit:0	' log
}
check 'nobody else makes the memory smaller' shrinks

done_testing
