#!/bin/sh
# Who waits at a descriptor for another one of the recording: predictions for two
# that take turns, over each kind of wire.  2.5 s a wire, 5 s for a device,
# tolerance 6 points; were the other end taken for the outside, what it does would
# be predicted to be worth nothing.  Runs alone.
. "$(dirname "$0")/lib.sh"

seconds=2.5
tolerance=6

gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -I"$top/t/workload" -o alternate "$data/record/alternate.c" -pthread -lrt || exit 1

# profile REGION PROGRAM: leaves `analysis`
profile() {
	exits 0 andweorc-record -d $seconds -m function -r "$1" -s 0,50 --window 100 -o log -- "$2" --seconds 1000000 >out
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
}

# predicts REGION POINTS: at 50 % the program gets POINTS % faster, within the tolerance
predicts() {
	awk -F '\t' -v region="$1" -v want="$2" -v tolerance=$tolerance '
		$1 == "curve" {
			delete f
			for (i = 2; i <= NF; i++) {
				eq = index($i, "=")
				f[substr($i, 1, eq - 1)] = substr($i, eq + 1)
			}
			if (f["point"] == "round" && f["region"] == region && f["speedup_pct"] + 0 == 50) {
				found++
				got = f["program_pct"] + 0
			}
		}
		END {
			if (found != 1) {
				print found + 0 " curve records for " region
				exit 1
			}
			printf "%s: predicted %.1f, known %.1f\n", region, got, want
			exit got < want - tolerance || got > want + tolerance
		}' analysis
}

# Half of `answer` is 30.8 % of a round, less two wake-ups of 10 to 50 us.
over() {
	WIRE=$1
	export WIRE
	profile answer ./alternate
	predicts answer 29.8
}

over_pipe() {
	over pipe
	profile prepare ./alternate
	predicts prepare 18.6
}

check 'pipe' over_pipe
check 'event counters, two processes' over eventfd-fork
check 'socket pair, two processes' over pair-fork
check 'Unix socket' over unix
check 'TCP, two processes' over tcp6-fork
check 'UDP' over udp
check 'message queues' over queue
check 'poll' over poll
check 'epoll' over epoll
check 'lines of stdio, two processes' over lines-fork

# The other way round: what no recording follows is the outside, and waiting for it can be the region.
a_device() {
	seconds=5
	profile ask "$O/t/workload/device"
	predicts ask 28.6
}
check 'a device' a_device

done_testing
