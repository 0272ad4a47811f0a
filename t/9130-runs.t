#!/bin/sh
# Predictions against known answers for programs without marks: completed runs, places in code,
# Coz's counters, :alloc.  Tolerance 4 points.  Runs alone.  shellcheck disable=SC2034 # what
# prediction.sh reads
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"

tolerance=4

gcc -O2 -g -D_GNU_SOURCE -o runs_ "$programs/runs.c" -pthread || exit 1
program points
gcc -O2 -g -D_GNU_SOURCE -o coz "$programs/coz.c" -pthread || exit 1

whole_runs() {
	analysis_of -d 15 -r half -r third -r fifth -s 25,50 -- ./runs_ serial 600
	predicts half 50 25 run
	predicts half 25 12.5 run
	predicts third 50 15 run
	predicts fifth 50 10 run
}
check 'completed runs of a serial program' whole_runs

runs_with_threads() {
	analysis_of -d 12 -r longer -r shorter -s 25,50 -- ./runs_ join 70
	predicts longer 25 25 run
	predicts shorter 50 0 run
}
check 'completed runs of a program that forks and joins' runs_with_threads

runs_of_a_child() {
	analysis_of -d 10 -r half -s 50 -- ./runs_ child 500
	predicts half 50 25 run
}
check 'completed runs of a program whose child does the work' runs_of_a_child

(andweorc-record -q -o probe -- ./runs_ serial 10 2>/dev/null)
if grep -q '	sampler=perf	' probe; then
	a_place() {
		analysis_of -d 4 -P another -r work -r :alloc -s 50 -- ./points allocates 1000000
		# All samples are in one of the two; the log has the shares.
		share=$(awk -F'\t' '$1 == "share" { split($4, s, "="); split($5, t, "="); of[$3] = s[2] / t[2] }
			$1 == "region" && /symbol=work/ { id = "region=" substr($2, 4) }
			END { print 100 * of[id] }' log)
		predicts work 50 "$(awk "BEGIN { print $share / 2 }")" another
		predicts :alloc 50 "$(awk "BEGIN { print (100 - $share) / 2 }")" another
	}
	check 'a place in code, and the class :alloc' a_place
else
	skip 'a place in code, and the class :alloc' 'perf is refused'
fi

counters() {
	analysis_of -d 4 -r work -s 50 -- ./coz serial 1000000
	predicts work 50 50 unit
}
check "Coz's counters" counters

done_testing
