#!/bin/sh
# Recordings that decide by their results so far: --design adaptive, --until.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

program life
# record ARG...: a recording into `log`
record() {
	limit=60 recording log "$@"
}

# record_twins EVIDENCE ARG...: records a program that goes on until the command EVIDENCE succeeds
record_twins() {
	looks=$1
	shift
	limit=60 recording_until "$looks" log --window 10 "$@" -- ./life twins
}

# For each whole block and region, as many experiments as planned, and at most one more for each disturbed one.
# (Not always one more: the first windows are judged late, when it is known what is usual, and are not done again.)
kept_to_the_plan() {
	awk -F'\t' '
	{
		delete f
		for (i = 2; i <= NF; i++) {
			eq = index($i, "=")
			f[substr($i, 1, eq - 1)] = substr($i, eq + 1)
		}
	}
	$1 == "plan" && "region" in f { planned[f["block"], f["region"]] = f["windows"]; last = f["block"] }
	$1 == "experiment" {
		made[f["block"], f["region"]]++
		disturbed[f["block"], f["region"]] += "disturbed" in f
	}
	END {
		for (at in planned) {
			split(at, key, SUBSEP)
			if (key[1] == last)
				continue
			whole++
			if (made[at] + 0 < planned[at] || made[at] > planned[at] + disturbed[at]) {
				printf "block %s, region %s: %d planned, %d made, of which %d were disturbed\n", key[1], key[2],
					planned[at], made[at], disturbed[at]
				failed = 1
			}
		}
		if (!whole)
			print "no block was finished"
		exit failed || !whole
	}' log
}

# Two blocks are over.
has_three_plans() {
	grep -q '^plan	.*	block=3	' log
}

plans_are_kept() {
	record_twins has_three_plans --design adaptive -r first_twin -r second_twin -s 75,25 --seed 3
	values design run >got
	echo adaptive | same - got
	kept_to_the_plan
	# from the second block on, the recorder prints what is known
	values role plan | sort -u >got
	has '^(leader|useful|idle)$' got
	lacks '^(|[^liu].*)$' got
	values slope_lo plan >got
	test -s got
	values point plan | sort -u >got
	values point visits | sort -u | same - got
}

fixed_has_no_plans() {
	record_twins all_tried -r first_twin -s 50
	values design run >got
	echo fixed | same - got
	lacks '^plan' log
	lacks 'until_points' log
}

# So wide an interval is soon reached; the program would go on for long.
ends_when_it_is_enough() {
	for design in fixed adaptive; do
		LIFE_MS=50000 record --until 99 --design $design -r first_twin --window 10 -- ./life twins
		values stop plan >got
		echo until | same - got
		values ended_by end >got
		echo recorder | same - got
		values until_points run >got
		echo 99 | same - got
		values design run >got
		echo $design | same - got
	done
	LIFE_MS=50000 record --until 99 -r first_twin --window 10 -- ./life twins
	values design run >got
	echo adaptive | same - got
}

# Three runs may agree by chance; so the fifth is the first that can end it.
takes_runs_enough() {
	LIFE_MS=400 record --until 99 -n 30 -r first_twin --window 10 -- ./life twins
	values id run >got
	test "$(wc -l <got)" -ge 5
	test "$(wc -l <got)" -lt 30
	values stop plan >got
	echo until | same - got
}

plans_pass() {
	record_twins has_three_plans --design adaptive -r first_twin -r second_twin
	exits 0 andweorc-resolve log >resolved 2>err
	empty err
	grep '^plan' log >want
	grep '^plan' resolved | same want -
	exits 0 andweorc-analyze --format andweorc resolved >analysis 2>err
	empty err
	has '^impact' analysis
}

check '--design adaptive: the log has a plan for each block, and windows are as planned' plans_are_kept
check 'the fixed design plans nothing' fixed_has_no_plans
check '--until: the recording ends when that is reached; it is adaptive unless told otherwise' ends_when_it_is_enough
check '--until with -n: runs are compared' takes_runs_enough
check 'plans pass resolve, and analyze reads on' plans_pass
check '--design: bad values' refuses --design x '' fixe
check '--until: bad values' refuses --until x 0 -1 101 nan

done_testing
