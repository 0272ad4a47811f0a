#!/bin/sh
# A program without any progress point: completed runs are the point.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

gcc -O2 -g -Wall -Wextra -D_GNU_SOURCE -o runs_ "$programs/runs.c" -pthread || exit 1
program points

# record ARG...: a recording into `log`
record() {
	recording log -m function "$@"
}

each_run_is_one() {
	record -n 9 -r half -r third -s 25,50 -- ./runs_ serial 60
	empty err
	values id run | wc -l >got
	echo 9 >want
	same want got
	# The first run is for discovery; then each run is one experiment, one block after the other.
	values run experiment >got
	printf '2\n3\n4\n5\n6\n7\n8\n9\n' >want
	same want got
	values experiment visits >got
	values id experiment >want
	same want got
	values kind visits | sort -u >got
	echo run >want
	same want got
	values point visits | sort -u >got
	same want got
	values count visits | sort -u >got
	echo 1 >want
	same want got
}
check 'each run is one experiment' each_run_is_one

is_a_schedule() {
	record -n 13 -r half -r third -s 25,50 -- ./runs_ serial 60
	# A block is 4 trials and 2 baselines; disturbed experiments are repeated, so not all of the block need be here.
	values speedup_pct experiment | sort -un >got
	has '^0$' got
	test "$(wc -l <got)" -ge 2
	values region experiment | sort | uniq -c >regions
	has ' -$' regions
	test "$(wc -l <regions)" -ge 2
	values block experiment | head -n 1 >got
	echo 1 >want
	same want got
}
check 'regions, speedups and baselines take turns' is_a_schedule

is_virtual() {
	# From an experiment's own numbers: its length less the inserted delays.
	awk -F'\t' "$awk_value"'
	$1 == "experiment" {
		wall[value("id")] = value("wall_ns")
		delay[value("id")] = value("delay_ns")
		# A run as short as these may have no sample in the region.
		pct[value("id")] = value("region_samples") > 0 ? value("speedup_pct") : 0
	}
	$1 == "visits" {
		e = value("experiment")
		seen++
		if (delay[e] == 0 && value("virtual_ns") != wall[e])
			print "baseline " e ": " value("virtual_ns") " of " wall[e]
		if (pct[e] > 0 && (delay[e] <= 0 || value("virtual_ns") + 0 >= wall[e] + 0))
			print "experiment " e ": " value("virtual_ns") " of " wall[e] ", delay " delay[e]
	}
	END { if (seen < 5) print seen + 0 " of them" }' log >bad
	empty bad
}
check 'virtual time is the length of the run less the clock of its thread' is_virtual

fits_into_the_time() {
	start=$(date +%s)
	record -d 0.8 -P :run -r half -s 50 -- ./runs_ serial 200
	test $(($(date +%s) - start)) -le 12
	test "$(values kind visits | wc -l)" -ge 5
	# None is cut short.
	values status end | sort -u >got
	echo exit:0 >want
	same want got
}
check '-d: as many as there is time for, none cut short' fits_into_the_time

finds_regions() {
	record -n 8 -s 50 -- ./runs_ serial 300
	values symbol region | sort -u >got
	has '^half$' got
	has '^third$' got
	test "$(values kind visits | wc -l)" -eq 7
}
check 'regions are found by sampling the first run' finds_regions

is_analysed() {
	record -n 16 -P :run -r half -s 50 -- ./runs_ serial 100
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	has '^point.*kind=run' analysis
	has '^impact.*point=run	.*function=half.*basis=runs' analysis
}
check 'the rest of the pipeline takes such a log' is_analysed

# In the time there is room for a run, on a busy machine too.
is_too_long() {
	for seconds in 0.8 2.4 9; do
		record -d $seconds -P :run -r half -s 50 -- ./runs_ serial 1000
		if values status end | grep -qx exit:0; then
			break
		fi
	done
	has "^andweorc-record: warning: without a progress point each run is one experiment, and one takes [0-9.]+ s: give a longer -d than $seconds, or name a function with -P" err
	has '^warning.*what=few-runs' log
}
check 'of runs that are too long, the remedy is said' is_too_long

is_one() {
	record -r half -- ./runs_ serial 200
	has 'no progress point was visited: put ANDWEORC_PROGRESS' err
	has 'or give -d SECONDS to have whole runs compared$' err
	lacks '^experiment' log
	# The report does not advise options that were in force already.
	record -n 1 -r half -- ./runs_ serial 200
	has 'or give a greater -n than 1 to have whole runs compared$' err
	record -d 0.3 -r half -- ./runs_ serial 100000
	has 'or give a longer -d than 0.3 to have whole runs compared: none came to its end$' err
	# Long enough that a program has begun, on a busy machine too.
	for seconds in 0.5 6; do
		record -n 2 -d $seconds -r half -- ./runs_ serial 100000
		if ! grep -q 'the runtime did not report in' err; then
			break
		fi
	done
	has "or give a longer -d than $seconds to have whole runs compared: none came to its end\$" err
	record -n 3 -r half -s 50 -- ./runs_ serial 60
	has 'each run is one experiment, .*: give a greater -n than 3, or name' err
}
check 'of a single run, too' is_one

has_points() {
	record -n 3 -r work --window 20 -s 50 -- ./points warm 1500
	values kind visits | sort -u >got
	echo throughput >want
	same want got
}
check 'a program with points is not compared by runs' has_points

has_a_hot_point() {
	record -n 6 -P unit -r work --window 20 -s 50 -- ./points steady 150
	if has_breakpoints; then
		lacks '^visits.*kind=run' log
	fi
	# The only point is given up: from the next run on, completed runs are the point.
	gcc -O2 -g -D_GNU_SOURCE -DROUNDS_PER_US=80ul -o hot "$programs/runs.c" -pthread
	record -n 4 -P half -r fifth -s 50 -- ./hot serial 8000
	if has_breakpoints; then
		has '^warning	run=1	what=point-too-hot' log
		values kind visits >got
		has '^run$' got
	fi
}
check 'nor is one with points in its code, unless they are given up' has_a_hot_point

ends_in_other_ways() {
	rm -f runs
	run andweorc-record -q -o log -m function -n 7 -r half -s 50 -- ./runs_ fails 100 >out 2>err
	test "$status" -eq 3
	# Runs 3 and 6: experiments 2 and 5.
	awk -F'\t' '$1 == "experiment" && /\tdisturbed=1/ { print $3 }' log >got
	has '^run=3$' got
	has '^run=6$' got
}
check 'a run that ends in another way is set aside' ends_in_other_ways

of_a_child() {
	record -n 5 -r half -s 50 -- ./runs_ child 200
	values kind visits | sort -u >got
	echo run >want
	same want got
	record -n 5 -r half -s 50 -- sh -c './runs_ serial 200; ./runs_ serial 100'
	values kind visits | sort -u >got
	same want got
	values virtual_ns visits | awk '$1 <= 0' >bad
	empty bad
}
check 'work in children counts' of_a_child

attaches_only() {
	record --attach-only -n 2 -r half -- ./runs_ serial 100
	lacks '^experiment' log
}
check '--attach-only: no experiment' attaches_only

done_testing
