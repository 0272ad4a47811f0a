#!/bin/sh
# Predictions in programs of several processes, roughly: 8 s a program, tolerance
# 6 points.  (make accuracy looks closer.)  Runs alone.
. "$(dirname "$0")/lib.sh"

seconds=8
tolerance=6

# profile PROGRAM REGION...: leaves `analysis`
profile() {
	program=$1
	shift
	for region in "$@"; do
		shift
		set -- "$@" -r "$region"
	done
	test -x "$program" || program=$O/t/workload/$program
	exits 0 andweorc-record -d "$seconds" -m function "$@" -s 0,25,50 -o log -- "$program" --seconds 1000000 >out
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
}

# predicts REGION PCT POINTS: the program gets POINTS % faster, within the tolerance
predicts() {
	awk -F '\t' -v region="$1" -v pct="$2" -v want="$3" -v tolerance="$tolerance" '
		$1 == "curve" {
			delete f
			for (i = 2; i <= NF; i++) {
				eq = index($i, "=")
				f[substr($i, 1, eq - 1)] = substr($i, eq + 1)
			}
			if (f["point"] == "round" && f["region"] == region && f["speedup_pct"] + 0 == pct) {
				found++
				got = f["program_pct"] + 0
			}
		}
		END {
			if (found != 1) {
				print found + 0 " curve records for " region " at " pct
				exit 1
			}
			printf "%s at %d %%: predicted %.1f, known %.1f\n", region, pct, got, want
			exit got < want - tolerance || got > want + tolerance
		}' analysis
}

over_pipes() {
	profile childpipe answer prepare
	predicts answer 25 25
	predicts answer 50 41.7
	predicts prepare 50 0
}
check 'a child that answers over pipes limits its parent' over_pipes

in_shared_memory() {
	profile prefork prepare task locked
	predicts prepare 50 8.6
	predicts task 50 15.7
	predicts locked 50 21.4
}
check 'pre-forked workers: what is done under the lock that they share counts for more' in_shared_memory

# Forking takes some of the round: 7 % of it where this was tried.
for_each_round() {
	profile children task rest
	predicts task 25 17.4
	predicts task 50 34.9
	predicts rest 50 11.6
}
check 'a child for each round, which is waited for' for_each_round

waits_for_strangers() {
	gcc -O2 -static -o nap -x c - <<-END
	#include <time.h>
	int main(void) { struct timespec t = { 0, 4000000 }; return nanosleep(&t, 0); }
	END
	gcc -O2 -g -std=c11 -D_GNU_SOURCE -I"$top/lib" -o outside "$data/record/outside.c" -pthread
	profile ./outside ask digest
	predicts ask 25 13.5
	predicts ask 50 27
	predicts digest 50 23
}
check 'a child that is not profiled is waited for as a device is' waits_for_strangers

done_testing
