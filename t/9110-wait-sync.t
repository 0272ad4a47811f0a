#!/bin/sh
# Who waits for another one of the recording, other than at a descriptor (t/9100) or
# by a lock of pthread's (t/9000): predictions for two that take turns, in each way
# there is, 2 s a way; and for three programs of known truth.  Tolerance 6 points;
# were the other one not seen, what it does would be predicted to be worth nothing.
# Runs alone.
. "$(dirname "$0")/lib.sh"

tolerance=6

gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -I"$top/t/workload" -o handover "$data/record/handover.c" -pthread || exit 1

# profile SECONDS PROGRAM REGION...: leaves `analysis`
profile() {
	seconds=$1
	program=$2
	shift 2
	for region in "$@"; do
		shift
		set -- "$@" -r "$region"
	done
	exits 0 andweorc-record -d "$seconds" -m function "$@" -s 0,50 --window 100 -o log -- "$program" --seconds 1000000 >out
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
by() {
	WAY=$1
	export WAY
	profile 2 ./handover answer
	predicts answer 29.8
}

check 'semaphores, two processes' by semaphore-fork
check 'named semaphores, two processes' by named-fork
check 'futexes' by futex
check 'futexes, two processes' by futex-fork
check 'futexes, waiters being moved' by moved
check 'condition variables of C11' by c11
check 'a flag, declared' by flag
check 'signals to threads, waited for' by signal
check 'signals to processes, waited for' by signal-fork
check 'signals, with a handler' by suspend

# Three threads, of which two alternate; they meet at a lock as well.
a_hand_off() {
	profile 6 "$O/t/workload/handoff" give aside
	predicts give 30
	predicts aside 0
}

# A ring between two threads, the slower of which counts, until the other one is the slower.
a_ring() {
	profile 5 "$O/t/workload/semaphore" consume produce
	predicts consume 41.7
	predicts produce 0
}

# Who sleeps, and who spins until then.
a_spin() {
	profile 6 "$O/t/workload/spinflag" nap spin
	predicts nap 26.3
	predicts spin 0
}

check 'futexes of one'\''s own' a_hand_off
check 'a ring counted by semaphores' a_ring
check 'a sleep while another thread spins' a_spin

done_testing
