#!/bin/sh
# --given: a region that is faster in all windows, and what analyze makes of it.
. "$(dirname "$0")/lib.sh"
. "$data/record/record.sh"

gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -o life "$data/record/life.c" -pthread -ldl || exit 1
LIFE_MS=1500
export LIFE_MS

# record LOG ARG...: a recording
record() {
	log=$1
	shift
	limit=60 recording "$log" --window 20 "$@"
}

all_windows_say_so() {
	record log --given second_twin=40 -m function -r first_twin -s 50 -- ./life twins
	empty err
	values given run log >got
	values given_pct run log >>got
	printf 'second_twin\n40\n' | same - got
	values id experiment log | wc -l >want
	values given_pct experiment log | grep -cx 40 | same want -
	values given experiment log | sort -u >ids
	test "$(wc -l <ids)" -eq 1
	values speedup_pct experiment log | sort -un >got
	printf '0\n50\n' | same - got
	# Its region is described, and never tried.
	awk -F'\t' -v id="id=$(cat ids)" '$1 == "region" && $2 == id && /symbol=second_twin/ { seen = 1 } END { exit !seen }' log
	values region experiment log | grep -vx -e - >tried
	lacks "^$(cat ids)\$" tried
}

is_never_tried() {
	record log --given second_twin=40 -m function -- ./life twins
	values given experiment log | sort -u >ids
	values region experiment log >tried
	lacks "^$(cat ids)\$" tried
}

# analysis LOG...: without the runs, whose numbers differ
analysis() {
	cat "$@" >both
	exits 0 andweorc-resolve both >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis 2>err
	# Of windows without visits nothing is said where there are windows of several kinds.
	grep -E '^(point|curve)' analysis | sed 's/	unvisited=[0-9]*//' | sort
}

is_compared_with_its_like() {
	record plain -m function -r first_twin -s 50 -- ./life twins
	record given --given second_twin=40 -m function -r first_twin -s 50 -- ./life twins
	record other --given second_twin=70 -m function -r first_twin -s 50 -- ./life twins
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

tells_of_what_is_not_there() {
	LIFE_MS=300 record log --given nobody=40 -m function -r first_twin -- ./life twins
	has "called 'nobody'" err
	lacks '^experiment' log
}

check '--given: all windows, baselines too, say what is given and by how much' all_windows_say_so
check '--given: what is given is never tried, also among those found by samples' is_never_tried
check 'analyze: windows are compared with those alone that have the same given' is_compared_with_its_like
check '--given: no such region' tells_of_what_is_not_there
check '--given: bad values' refuses --given x second_twin=0 second_twin=100 second_twin= =30 second_twin=x :lock=30 :runqueue=30

done_testing
