#!/bin/sh
# --given against known answers: with classes of time, whole runs, and lengths of
# spans.  Tolerance 4 points.  Runs alone.
# shellcheck disable=SC2034 # what prediction.sh reads
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"

tolerance=4

gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -I"$top/t/workload" -o round_ "$programs/given.c" -pthread || exit 1
program life
gcc -O2 -g -D_GNU_SOURCE -o runs_ "$programs/runs.c" -pthread || exit 1

# profile REGION=PCT ARG...: leaves `analysis`, in which points are called NAME with $given behind it
profile() {
	given="%20(given%20${1%=*}%20${1#*=}%20%25%20faster)"
	analysis_of --given "$@"
}

# predicts_more POINT REGION PCT POINTS [KEY]: with the region PCT % faster, too, POINTS % more are gained, within the tolerance
predicts_more() {
	predicts "$2" "$3" "$4" "$1$given" "${5:-program_pct}"
}

# A round is 1 of compute, and 1 of work and 1 of sleep in rest.
code_is_given() {
	profile compute=50 -d 5 -r :sleep -r rest -s 50 -- ./round_ --seconds 100000
	predicts_more round :sleep 50 20
	predicts_more round rest 50 40
}
check 'code is given, a class is tried' code_is_given

a_class_is_given() {
	profile :sleep=50 -d 5 -r compute -r rest -s 50 -- ./round_ --seconds 100000
	predicts_more round compute 50 20
	predicts_more round rest 50 30
}
check 'a class is given, code is tried that is partly in it' a_class_is_given

a_class_is_inside() {
	profile rest=50 -d 5 -r :sleep -r compute -s 50 -- ./round_ --seconds 100000
	predicts_more round :sleep 50 12.5
	predicts_more round compute 50 25
}
check 'code is given that is partly in the class that is tried' a_class_is_inside

whole_runs() {
	profile half=50 -d 15 -r third -r fifth -s 50 -- ./runs_ serial 600
	predicts_more run third 50 20
	predicts_more run fifth 50 13.3
}
check 'whole runs' whole_runs

# 0.5 against 1, which becomes 0.75; starting threads takes a little.
another_bottleneck() {
	profile longer=75 -d 12 -r shorter -s 25 -- ./runs_ join 70
	predicts_more run shorter 25 24
}
check 'whole runs that another thread determines by now' another_bottleneck

# Spans are 1.6, of which 0.8 become 0.4; each eighth has another 0.8.
spans() {
	profile first=50 -d 6 -r second -r outside -s 50 -- "$O/t/workload/spans" --seconds 100000
	predicts_more span second 50 30.8
	predicts_more span second 50 33.3 p50_pct
	predicts_more span outside 50 0
	predicts_more round second 50 23.5
}
check 'lengths of spans, on average and in the middle' spans

# delayed ARG...: which part of the time others were delayed, with :runqueue 50 % shorter
delayed() {
	exits 0 andweorc-record -q -o log -m function -r :runqueue -s 50 --window 20 "$@" -- taskset -c 0 ./life mask >out
	awk -F'\t' '$1 == "experiment" {
			delete f
			for (i = 2; i <= NF; i++) {
				eq = index($i, "=")
				f[substr($i, 1, eq - 1)] = substr($i, eq + 1)
			}
			if (f["speedup_pct"] == 50) {
				delay += f["delay_ns"]
				wall += f["wall_ns"]
			}
		}
		END { print wall ? delay / wall : 0 }' log
}

# The given region takes no time at all.
queues() {
	LIFE_MS=8000
	export LIFE_MS
	without=$(delayed)
	with=$(delayed --given long_life=90)
	echo "$without without, $with with"
	awk -v a="$without" -v b="$with" 'BEGIN { exit !(a > 0.1 && b > 0.8 * a && b < 1.25 * a) }'
}
check 'waiting for a processor gets its own part, not that of what is given' queues

done_testing
