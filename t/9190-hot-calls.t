#!/bin/sh
# Programs that call what the runtime wraps hundreds of times in a period: what that costs is no part of
# the program, neither in the profile nor in what either method says.  The truth is measured: with half
# of the computing.  When it did count, the slope of the computing was 40 points too small beside locks, and
# experiments were 40 too small beside writes.  What a call costs the kernel differs by 10 from second to
# second, and 4 s have ten windows for experiments.  Runs alone.
# shellcheck disable=SC2034 # what prediction.sh reads
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"

gcc -O2 -g -I"$top/lib" -o hotcalls "$programs/hotcalls.c" -pthread || exit 1

# So pairs are measured before and after the recording.
pairs() {
	for _ in 1 2 3; do
		./hotcalls "$kind" "$calls" 300 100
		./hotcalls "$kind" "$calls" 300 50
	done | paste - - >>paired
}

# is_seen_through KIND CALLS
is_seen_through() {
	kind=$1
	calls=$2
	rm -f paired
	pairs
	analysis_of -q -d 4 -r computes -r calls -- ./hotcalls "$kind" "$calls" 9000 100
	pairs
	truth=$(awk '{ print 200 * (1 - $1 / $2) }' paired | sort -n | awk '{ t[NR] = $1 } END { print (t[3] + t[4]) / 2 }')
	tr '\t' ' ' <analysis >impacts
	awk -v truth="$truth" "$awk_value"'
	function far(number_said, most) { return number_said - truth > most || truth - number_said > most }
	/^impact .*region=computes / {
		cpu = number("cpu_pct")
		slope = 100 * number("slope")
		measured = 100 * number("measured_slope")
		replayed = 100 * number("replay_slope")
	}
	END {
		printf "really %.1f; %.1f %% of the samples, slope %.1f, measured %.1f, replayed %.1f\n", truth, cpu, slope, measured, replayed
		exit far(cpu, 12) || far(slope, 12) || far(measured, 25) || far(replayed, 12)
	}' impacts
}
check 'a lock that one thread uses alone' is_seen_through lock 50
check 'a byte to /dev/null' is_seen_through write 20
check 'a byte through a pipe and back' is_seen_through pipe 8

done_testing
