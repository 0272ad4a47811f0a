#!/bin/sh
# Programs that call what the runtime wraps hundreds of times in a period: what that costs is no part of
# the program, neither in the profile nor in what either method says.  The truth is measured: with half
# of the computing.  Runs alone.
# shellcheck disable=SC2034 # what prediction.sh reads
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"

gcc -O2 -g -I"$top/lib" -o hotcalls "$programs/hotcalls.c" -pthread || exit 1

# rounds PERCENT: in a millisecond, with so much of the computing; of three, the one in the middle
rounds() {
	for _ in 1 2 3; do
		./hotcalls "$kind" "$calls" 300 "$1"
	done | sort -n | sed -n 2p
}

# is_seen_through KIND CALLS
is_seen_through() {
	kind=$1
	calls=$2
	analysis_of -q -d 4 -r computes -r calls -- ./hotcalls "$kind" "$calls" 9000 100
	truth=$(awk -v whole="$(rounds 100)" -v half="$(rounds 50)" 'BEGIN { print 200 * (1 - whole / half) }')
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
		exit far(cpu, 9) || far(slope, 9) || far(measured, 20) || far(replayed, 9)
	}' impacts
}
check 'a lock that one thread uses alone' is_seen_through lock 50
check 'a byte to /dev/null' is_seen_through write 20
check 'a byte through a pipe and back' is_seen_through pipe 8

done_testing
