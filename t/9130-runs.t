#!/bin/sh
# Predictions against known answers where nobody instrumented the program:
# completed runs, places in code, Coz's counters, :alloc.  Tolerance 4 points.
# Runs alone.
. "$(dirname "$0")/lib.sh"

tolerance=4

gcc -O2 -g -D_GNU_SOURCE -o runs_ "$data/record/runs.c" -pthread || exit 1
gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -o points "$data/record/points.c" -pthread -ldl || exit 1
gcc -O2 -g -D_GNU_SOURCE -o coz "$data/record/coz.c" -pthread || exit 1

# profile ARG...: leaves `analysis`
profile() {
	exits 0 andweorc-record -q -m function -o log "$@" >out
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
}

# predicts POINT REGION PCT POINTS: with the region PCT % faster, the program is POINTS % faster, within the tolerance
predicts() {
	awk -F '\t' -v point="$1" -v region="$2" -v pct="$3" -v want="$4" -v tolerance="$tolerance" '
		$1 == "curve" {
			delete f
			for (i = 2; i <= NF; i++) {
				eq = index($i, "=")
				f[substr($i, 1, eq - 1)] = substr($i, eq + 1)
			}
			if (f["point"] == point && f["region"] == region && f["speedup_pct"] + 0 == pct) {
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

whole_runs() {
	profile -d 15 -r half -r third -r fifth -s 25,50 -- ./runs_ serial 600
	predicts run half 50 25
	predicts run half 25 12.5
	predicts run third 50 15
	predicts run fifth 50 10
}
check 'completed runs of a serial program' whole_runs

runs_with_threads() {
	profile -d 12 -r longer -r shorter -s 25,50 -- ./runs_ join 70
	predicts run longer 25 25
	predicts run shorter 50 0
}
check 'completed runs of a program that forks and joins' runs_with_threads

runs_of_a_child() {
	profile -d 10 -r half -s 50 -- ./runs_ child 500
	predicts run half 50 25
}
check 'completed runs of a program whose child does the work' runs_of_a_child

(andweorc-record -q -o probe -- ./runs_ serial 10 2>/dev/null)
if grep -q '	sampler=perf	' probe; then
	a_place() {
		profile -d 4 -P another -r work -r :alloc -s 50 -- ./points allocates 1000000
		# What is not the one is the other; the log knows how much that is.
		share=$(awk -F'\t' '$1 == "share" { split($4, s, "="); split($5, t, "="); of[$3] = s[2] / t[2] }
			$1 == "region" && /symbol=work/ { id = "region=" substr($2, 4) }
			END { print 100 * of[id] }' log)
		predicts another work 50 "$(awk "BEGIN { print $share / 2 }")"
		predicts another :alloc 50 "$(awk "BEGIN { print (100 - $share) / 2 }")"
	}
	check 'a place in code, and the class :alloc' a_place
else
	skip 'a place in code, and the class :alloc' 'perf is refused'
fi

counters() {
	profile -d 4 -r work -s 50 -- ./coz serial 1000000
	predicts unit work 50 50
}
check "Coz's counters" counters

done_testing
