#!/bin/sh
# The call stacks of samples, from a recording to folded stacks.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

cc=${CC:-cc}
# shellcheck disable=SC2086
$cc -O2 -g -fno-optimize-sibling-calls -I"$top/lib" -o stacks "$programs/stacks.c" -pthread || exit 1

folded() {
	exits 0 andweorc-resolve log >resolved 2>resolve.err
	exits 0 andweorc-analyze -f folded --by "$1" resolved >got 2>err
}

# Shares of the chains by which inner() is reached, in line mode, where regions ask for no stacks.
chains_are_there() {
	recording log --window 100 -- ./stacks 150
	folded cpu
	awk '{
		t = $NF; all += t
		if (/;main;outer;inner(;| )/) outer += t
		if (/;main;other;inner(;| )/) other += t
	} END {
		print "all " all ", by outer " outer ", by other " other
		exit !(all > 500000 && outer + other > 0.9 * all && outer > 1.6 * other && outer < 2.5 * other)
	}' got
	folded blocked
	has 'sleeper;rest;[^ ]*\[sleep\] [0-9]{5,}$' got
	# No stack has a function of the profiler, but for those that its header puts into the program.
	sed -E 's/;andweorc_(point|visit)(;| )/\2/g' got >stacks.txt
	lacks 'andweorc' stacks.txt
}
check 'chains of calls, and their shares' chains_are_there

# The samples are what they were: what a region has of them is the sum of those in its code.
samples_add_up() {
	# Of runs that were long enough for experiments; all share records of one have the same total.  That has samples
	# without a record, too: the first of a run, from before the recorder knows its modules.
	awk -F'\t' "$awk_value"'
	$1 == "share" { total[value("run")] = number("total") }
	$1 == "sample" && value("state") == "cpu" { sum[value("run")] += number("count") }
	END {
		for (run in total)
			if (sum[run] <= total[run] && sum[run] > 0.95 * total[run])
				same++
			else if (++differ)
				print "run " run ": " sum[run] " of " total[run]
		exit !(same && !differ)
	}' log
	# Each call is there once, after the one that led to it.
	awk -F'\t' "$awk_value"'$1 == "call" {
		if (number("id") != ++n || number("caller") >= n || seen[value("module"), value("offset"), value("caller"), value("more")]++)
			bad = $0
	} $1 == "sample" && number("caller") > n { bad = $0 } END { print bad; exit !(n > 3 && bad == "") }' log
}
check 'samples add up, and calls come once' samples_add_up

# Functions and several runs: calls are the same in all runs.
runs_share_calls() {
	recording log -n 2 -m function --window 100 -- ./stacks 80
	samples_add_up
	awk -F'\t' '$1 == "end" { ends++ } $1 == "call" && ends { late++ } $1 == "call" && !ends { early++ } END { exit !(early > 3 && late < early) }' log
	folded cpu
	has ';main;outer;inner' got
}
check 'runs share their calls' runs_share_calls

deep_stacks() {
	recording log --window 100 -- ./stacks 80 deep
	folded cpu
	has '^\[more\];deep;deep;' got
	# The log keeps no more of a stack than its innermost calls.
	awk '/^\[more\]/ { n = split($0, frame, ";"); most = n > most ? n : most } END { exit !(most > 15 && most <= 27) }' got
	has '^[^[].*;main;outer;inner' got
}
check 'stacks that are deeper than is kept' deep_stacks

done_testing
