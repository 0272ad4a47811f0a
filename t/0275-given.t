#!/bin/sh
# --given: a region that is faster in all windows, and the analysis of such logs.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

program life
gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -I"$top/t/workload" -o round_ "$programs/given.c" -pthread || exit 1
gcc -O2 -g -D_GNU_SOURCE -o runs_ "$programs/runs.c" -pthread || exit 1

# record LOG ARG...: a recording
record() {
	log=$1
	shift
	limit=60 recording "$log" --window 20 "$@"
}

# record_twins LOG ARG...: a recording of a program that goes on until all has been tried
record_twins() {
	log=$1
	shift
	limit=60 recording_until all_tried "$log" --window 20 "$@" -- ./life twins
}

# says_in_each LOG REGION PCT: each experiment has this region as given, and no other
says_in_each() {
	awk -F'\t' -v symbol="symbol=$2" '$1 == "region" { for (i = 3; i <= NF; i++) if ($i == symbol) print substr($2, 4) }' "$1" |
		sort -u >ids
	test "$(wc -l <ids)" -eq 1
	values given experiment "$1" | sort -u | same ids -
	values id experiment "$1" | wc -l >want
	values given_pct experiment "$1" | grep -cx "$3" | same want -
	values region experiment "$1" >tried
	lacks "^$(cat ids)\$" tried
}

all_windows_say_so() {
	record_twins log --given second_twin=40 -m function -r first_twin -s 50
	empty err
	values given run log >got
	values given_pct run log >>got
	printf 'second_twin\n40\n' | same - got
	says_in_each log second_twin 40
	values speedup_pct experiment log | sort -un >got
	printf '0\n50\n' | same - got
}

is_never_tried() {
	record_twins log --given second_twin=40 -m function
	says_in_each log second_twin 40
}

# analysis LOG...: makes `analysis`, without the runs, whose numbers differ.  Disturbed windows do not matter to this
# test, so none is dropped.
analysis() {
	cat "$@" | sed 's/	disturbed=1$//' >both
	exits 0 andweorc-resolve both >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis 2>err
	# With windows of several kinds, there is no warning about windows without visits.
	grep -E '^(point|curve)' analysis | sed 's/	unvisited=[0-9]*//' | sort
}

is_compared_with_its_like() {
	record_twins plain -m function -r first_twin -s 50
	record_twins given --given second_twin=40 -m function -r first_twin -s 50
	record_twins other --given second_twin=70 -m function -r first_twin -s 50
	analysis plain >one
	analysis given >two
	analysis other >three
	analysis other plain given >all
	sort one two three | same - all
	values point point one >got
	echo unit | same - got
	values point point two >got
	echo 'unit%20(given%20second_twin%2040%20%25%20faster)' | same - got
	exits 0 andweorc-analyze --format text resolved >text 2>err
	has "^point +'unit'" text
	has "^point +'unit \(given second_twin 40 % faster\)'" text
}

classes_are_tried() {
	endless_until all_tried log --window 20 --given compute=40 -m function -r :sleep -r :alloc -s 50 -- ./round_ --scale 0.1 --seconds 1000
	empty err
	says_in_each log compute 40
	values symbol region log | sort >got
	printf ':alloc\n:sleep\ncompute\n' | same - got
	analysis log >got
	has '^point	point=round%20\(given%20compute%2040%20%25%20faster\)	kind=throughput' got
}

classes_are_given() {
	for class in :sleep :io :alloc; do
		endless_until all_tried log --window 20 --given $class=40 -m function -r compute -s 50 -- ./round_ --scale 0.1 --seconds 1000
		empty err
		says_in_each log $class 40
		analysis log >got
		has "^point	point=round%20\(given%20$class%2040%20%25%20faster\)	kind=throughput" got
	done
}

whole_runs_say_so() {
	record plain -n 9 -m function -r half -s 50 -- ./runs_ serial 60
	record given -n 9 --given third=40 -m function -r half -s 50 -- ./runs_ serial 60
	empty err
	# The first run is for discovery.
	values run experiment given >got
	printf '%s\n' 2 3 4 5 6 7 8 9 | same - got
	says_in_each given third 40
	analysis plain >one
	analysis given >two
	analysis given plain >all
	sort one two | same - all
	has '^point	point=run	kind=run' one
	has '^point	point=run%20\(given%20third%2040%20%25%20faster\)	kind=run' two
	has '^impact	point=run%20\(given.*	function=half	.*basis=runs' analysis
}

whole_runs_without_it() {
	record log -n 4 --given nobody=40 -m function -r half -s 50 -- sh -c './runs_ serial 60; exit 0'
	has "called 'nobody'" err
	lacks '^experiment' log
}

spans_are_of_such_points() {
	workload=$O/t/workload/spans
	endless_until all_tried plain --window 20 -m function -r second -s 50 -- "$workload" --scale 0.1 --seconds 1000
	endless_until all_tried given --window 20 --given first=50 -m function -r second -s 50 -- "$workload" --scale 0.1 --seconds 1000
	says_in_each given first 50
	analysis plain >one
	has '^point	point=span	kind=latency	measure=measured	.*p50_ns=' one
	analysis given >two
	has '^point	point=span%20\(given%20first%2050%20%25%20faster\)	kind=latency	measure=measured	.*p50_ns=' two
	analysis given plain >all
	sort one two | same - all
}

both_asked_and_given() {
	record_twins log --given second_twin=40 -m function -r first_twin -r second_twin -s 50
	says_in_each log second_twin 40
}

nothing_is_left() {
	LIFE_MS=300 record log --given second_twin=40 -m function -r second_twin -s 50 -- ./life twins
	has "'second_twin' is given and never tried" err
	has '^warning.*what=no-region' log
}

tells_of_what_takes_no_time() {
	LIFE_MS=1000 recording log --given long_life=40 -m function -r first_twin -s 50 --window 20 -- ./life twins
	has "no sample was in 'long_life'" err
	has '^warning.*what=unseen-region' log
}

tells_of_what_is_not_there() {
	LIFE_MS=300 record log --given nobody=40 -m function -r first_twin -- ./life twins
	has "called 'nobody'" err
	lacks '^experiment' log
}

check '--given: all windows, baselines too, say what is given and by how much' all_windows_say_so
check '--given: what is given is never tried, also among those found by samples' is_never_tried
check 'analyze: windows are compared with those alone that have the same given' is_compared_with_its_like
check '--given: with classes of time as the others' classes_are_tried
check '--given: a class of time' classes_are_given
check '--given: whole runs say it too, and are compared with their like' whole_runs_say_so
check '--given: spans too' spans_are_of_such_points
check '--given: a region that is also asked for is given' both_asked_and_given
check '--given: all that is asked for is given' nothing_is_left
check '--given: a region that takes no time' tells_of_what_takes_no_time
check '--given: no such region' tells_of_what_is_not_there
check '--given: no such region, whole runs' whole_runs_without_it
check '--given: bad values' refuses --given x second_twin=0 second_twin=100 second_twin= =30 second_twin=x :lock=30 :runqueue=30

done_testing
