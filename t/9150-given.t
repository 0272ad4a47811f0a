#!/bin/sh
# --given against known answers: with classes of time, whole runs, and lengths of
# spans.  Tolerance 4 points.  Runs alone.
. "$(dirname "$0")/lib.sh"

tolerance=4

gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -I"$top/t/workload" -o round_ "$data/record/given.c" -pthread || exit 1
gcc -O2 -g -D_GNU_SOURCE -o runs_ "$data/record/runs.c" -pthread || exit 1

# profile REGION=PCT ARG...: leaves `analysis`, in which points are called NAME with $given behind it
profile() {
	given="%20(given%20${1%=*}%20${1#*=}%20%25%20faster)"
	exits 0 andweorc-record -q -o log -m function --given "$@" >out
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
}

# predicts POINT REGION PCT POINTS [KEY]: with the region PCT % faster, too, POINTS % more are gained, within the tolerance
predicts() {
	awk -F '\t' -v point="$1$given" -v region="$2" -v pct="$3" -v want="$4" -v key="${5:-program_pct}" -v tolerance="$tolerance" '
		$1 == "curve" {
			delete f
			for (i = 2; i <= NF; i++) {
				eq = index($i, "=")
				f[substr($i, 1, eq - 1)] = substr($i, eq + 1)
			}
			if (f["point"] == point && f["region"] == region && f["speedup_pct"] + 0 == pct) {
				found++
				got = f[key] + 0
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

# A round is 1 of compute, and 1 of work and 1 of sleep in rest.
code_is_given() {
	profile compute=50 -d 5 -r :sleep -r rest -s 50 -- ./round_ --seconds 100000
	predicts round :sleep 50 20
	predicts round rest 50 40
}
check 'code is given, a class is tried' code_is_given

a_class_is_given() {
	profile :sleep=50 -d 5 -r compute -r rest -s 50 -- ./round_ --seconds 100000
	predicts round compute 50 20
	predicts round rest 50 30
}
check 'a class is given, code is tried that is partly in it' a_class_is_given

a_class_is_inside() {
	profile rest=50 -d 5 -r :sleep -r compute -s 50 -- ./round_ --seconds 100000
	predicts round :sleep 50 12.5
	predicts round compute 50 25
}
check 'code is given that is partly in the class that is tried' a_class_is_inside

whole_runs() {
	profile half=50 -d 15 -r third -r fifth -s 50 -- ./runs_ serial 600
	predicts run third 50 20
	predicts run fifth 50 13.3
}
check 'whole runs' whole_runs

# 0.5 against 1, which becomes 0.75; starting threads takes a little.
another_bottleneck() {
	profile longer=75 -d 12 -r shorter -s 25 -- ./runs_ join 70
	predicts run shorter 25 24
}
check 'whole runs that another thread determines by now' another_bottleneck

# Spans are 1.6, of which 0.8 become 0.4; each eighth has another 0.8.
spans() {
	profile first=50 -d 6 -r second -r outside -s 50 -- "$O/t/workload/spans" --seconds 100000
	predicts span second 50 30.8
	predicts span second 50 33.3 p50_pct
	predicts span outside 50 0
	predicts round second 50 23.5
}
check 'lengths of spans, on average and in the middle' spans

done_testing
