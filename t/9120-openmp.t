#!/bin/sh
# Predictions for OpenMP programs against the arithmetic truth: 15 s a program,
# tolerance 5 points.  Runs alone.
#
# A round is a parallel region, in which one thread works for 3 ms and the other
# for 1.5, and 1 ms of serial work.  The longer half counts until both are equal,
# the shorter one never, though it spins at the barrier just as long as it works.
. "$(dirname "$0")/lib.sh"

seconds=15
tolerance=5

for name in $(env | sed -En 's/^((G?O|K)MP_[A-Za-z0-9_]*)=.*/\1/p'); do
	unset "$name"
done

# profile PROGRAM REGION...: leaves `analysis`
profile() {
	program=$1
	shift
	for region in "$@"; do
		shift
		set -- "$@" -r "$region"
	done
	exits 0 andweorc-record -d $seconds -m function "$@" -s 0,25,50 -o log -- "$O/t/workload/$program" --seconds 1000000 >out
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
}

# predicts REGION PCT POINTS: the program gets POINTS % faster, within the tolerance
predicts() {
	awk -F '\t' -v region="$1" -v pct="$2" -v want="$3" -v tolerance=$tolerance '
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

an_unequal_team() {
	profile "$1" heavy light solo
	predicts heavy 25 18.8
	predicts heavy 50 37.5
	predicts light 50 0
	predicts solo 50 12.5
}

for program in openmp openmp-llvm; do
	if test -x "$O/t/workload/$program"; then
		check "the slower half of a parallel region counts, the faster one does not ($program)" an_unequal_team $program
	else
		skip "the slower half of a parallel region ($program)" 'its compiler has no OpenMP'
	fi
done

done_testing
