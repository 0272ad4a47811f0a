#!/bin/sh
# Stacks: andweorc-analyze --format folded and --format pprof.
. "$(dirname "$0")/lib.sh"

# A run of two functions that main calls; the second is reached by recursion, too, and has code inlined from a header.
# `work` is a region, and so is the line of `wait`; windows say that only the first one matters: 10 % are 5 %.
log() {
	awk '
	function window(region, pct, time) {
		id++
		printf "experiment\tid=%d\trun=1\tblock=%d\tregion=%s\tspeedup_pct=%d\tstart_ns=%.0f\twall_ns=200000000\n", id, 1 + int(id / 4), region, pct, id * 3e8
		printf "visits\texperiment=%d\tpoint=unit\tcount=100\tvirtual_ns=%.0f\n", id, time
	}
	BEGIN {
		print "andweorc\tversion=1\ttool=record\tresolved=1"
		print "run\tid=1\tcommand=prog\tperiod_ns=1000000\tstarted_ns=1700000000000000000\tseed=1"
		print "module\trun=1\tid=1\tbuild_id=abcd01\tpath=/bin/prog"
		print "module\trun=1\tid=2\tpath=/lib/libc.so"
		print "region\tid=1\tscope=function\tmodule=1\tranges=0x100-0x200\tsymbol=work\tfunction=work\tfile=/src/a.c\tline=10"
		print "region\tid=2\tscope=line\tmodule=1\tranges=0x310-0x320\tfile=/src/a.c\tline=31\tfunction=wait"
		for (i = 0; i < 40; i++) {
			window("-", 0, 1e8 + i % 3 * 1e4)
			window(1, 50, 75e6 + i % 5 * 1e4)
			window("-", 0, 1e8 + i % 4 * 1e4)
			window(2, 50, 1e8 + i % 3 * 1e4)
		}
		print "call\tid=1\tmodule=1\toffset=0x50\tfunction=main\tfile=/src/a.c\tline=3"
		print "call\tid=2\tmodule=1\toffset=0x150\tcaller=1\tfunction=work\tfile=/src/a.c\tline=12"
		print "call\tid=3\tmodule=1\toffset=0x150\tcaller=2\tfunction=work\tfile=/src/a.c\tline=12"
		print "call\tid=4\tmodule=1\toffset=0x311\tmore=1\tfunction=wait\tfile=/src/a.c\tline=31"
		print "sample\trun=1\tmodule=1\toffset=0x160\tcount=30\tstate=cpu\tcaller=2\tfunction=std::min<int;@%20>\tfile=/usr/include/c++/12/algo\tline=7\tinlined_by=work@/src/a.c:14"
		print "sample\trun=1\tmodule=1\toffset=0x160\tcount=10\tstate=cpu\tcaller=3\tfunction=std::min<int;@%20>\tfile=/usr/include/c++/12/algo\tline=7\tinlined_by=work@/src/a.c:14"
		print "sample\trun=1\tmodule=2\toffset=0x10\tcount=60\tstate=cpu\tcaller=1\tfunction=memcpy"
		print "sample\trun=1\tmodule=2\toffset=0x20\tcount=25\tstate=blocked\tclass=lock\tcaller=4\tfunction=futex"
		print "sample\trun=1\tmodule=2\toffset=0x20\tcount=5\tstate=blocked\tclass=io\tcaller=4\tfunction=futex"
		print "share\trun=1\tregion=1\tsamples=40\ttotal=100"
		print "share\trun=1\tregion=2\tsamples=0\ttotal=100\tblocked=5\tblocked_total=30"
		print "end\trun=1\tstatus=exit:0\twall_ns=60000000000"
	}' </dev/null
}
log >log

folds_cpu() {
	exits 0 andweorc-analyze -f folded log >got
	same - got <<-'END'
	main;memcpy 60000
	main;work;work;std::min<int:@ > 30000
	main;work;work;work;std::min<int:@ > 10000
	END
}
check 'folded: processor time, in microseconds' folds_cpu

folds_waits() {
	exits 0 andweorc-analyze -f folded --by blocked log >got
	same - got <<-'END'
	[more];wait;futex;[io] 5000
	[more];wait;futex;[lock] 25000
	END
	exits 0 andweorc-analyze -f folded --by time log >got
	test "$(wc -l <got)" -eq 5
	test "$(awk '{ sum += $NF } END { print sum }' got)" -eq 130000
}
check 'folded: how threads waited' folds_waits

# The function's time is scaled fully, the line's, whose impact is none, not at all.  Recursion enters a function once.
folds_impact() {
	exits 0 andweorc-analyze -f folded --by impact log >got
	test "$(sed 's/ [0-9]*$//' got)" = 'main;work'
	cost=$(andweorc-analyze -f andweorc log | awk -F'\t' "$awk_value"'$1 == "impact" && value("region") == "work" { printf "%.0f", number("cost_ns") }')
	awk -v cost="$cost" '{ sum += $NF } END { exit !(cost > 400000 && sum > cost * 0.9999 && sum < cost * 1.0001) }' got
}
check 'folded: impact, of regions that have one' folds_impact

# For lines, the innermost place in own source decides; gains of two regions, one inside the other, are not added.
nested_impacts() {
	sed -e 's/scope=line\(.*\)ranges=0x310-0x320.*/scope=function\1ranges=0x0-0x200\tsymbol=main\tfunction=main/' \
		-e 's/\(region=2\tspeedup_pct=50.*\)/\1/' log |
		awk -F'\t' -v OFS='\t' '/^experiment.*region=2/ { two = 1; print; next } two { sub(/virtual_ns=10/, "virtual_ns=7"); two = 0 } { print }' >nested
	exits 0 andweorc-analyze -f andweorc nested >all
	exits 0 andweorc-analyze -f folded --by impact nested >got
	most=$(awk -F'\t' "$awk_value"'$1 == "impact" && number("cost_ns") > most { most = number("cost_ns") } END { printf "%.0f", most }' all)
	test "$(grep -c '^impact' all)" -eq 2
	awk -v most="$most" '{ sum += $NF } END { exit !(sum > most * 0.9999 && sum < most * 1.0001) }' got
}
check 'folded: regions inside each other' nested_impacts

order_does_not_matter() {
	for by in cpu time impact; do
		exits 0 andweorc-analyze -f folded --by $by log >want
		{ head -n 1 log; sed 1d log | tac; } >backwards
		exits 0 andweorc-analyze -f folded --by $by backwards >got
		same want got
	done
	# Two runs of one program, with ids of their own, are one.
	sed -e 's/started_ns=17/started_ns=18/' log >second
	exits 0 andweorc-analyze -f folded log second >got
	has '^main;memcpy 120000$' got
	# The same run twice counts once.
	exits 0 andweorc-analyze -f folded log log >got 2>err
	has '^main;memcpy 60000$' got
}
check 'the order of records does not matter, and runs add up' order_does_not_matter

old_logs() {
	grep -v '^call' log | sed 's/	caller=[0-9]*//' >old
	exits 0 andweorc-analyze -f folded old >got 2>err
	has 'there are no calls in the input' err
	has '^memcpy 60000$' got
	has '^work;std::min<int:@ > 40000$' got
}
check 'logs without calls give what they have' old_logs

bad_calls() {
	sed 's/^call	id=2	/call	id=1	/; s/caller=3/caller=77/' log >bad
	exits 2 andweorc-analyze -f folded bad >got 2>err
	has "^andweorc-analyze: bad:[0-9]*: the caller 1 of call 1 does not come before it" err
	has "name a caller that no 'call' record defines" err
	has '^main;memcpy 60000$' got
	exits 2 andweorc-analyze -f folded --by nothing log >got 2>err
	has "unknown 'nothing' for --by" err
	# Other formats do not use stacks, and ignore errors in them.
	exits 0 andweorc-analyze -f json bad >got 2>err
}
check 'calls that lead to themselves or nowhere' bad_calls

# A chain without end, names of all bytes, many of all.
hostile() {
	awk 'BEGIN {
		print "andweorc\tversion=1\ttool=record"
		print "run\tid=1\tperiod_ns=1000000"
		print "module\trun=1\tid=1\tpath=/bin/%3Cscript%3E%0A%FF"
		for (i = 1; i <= 30000; i++)
			printf "call\tid=%d\tmodule=1\toffset=0x50\tcaller=%d\tfunction=a%%0Ab%%3B%%1B[31m%%FF\n", i, i - 1
		for (i = 1; i <= 10000; i++)
			printf "sample\trun=1\tmodule=1\toffset=0x%x\tcount=1\tstate=cpu\tcaller=%d\tfunction=f%d;%%09<b>\n", i, i % 7 * 3 + 1, i
	}' </dev/null | sed 's/	caller=0	/	/' >big
	exits 2 andweorc-analyze -f folded big >got 2>err
	has 'more than 1000 of them' err
	test "$(wc -l <got)" -eq 10000
	# A line has one number, and no control is in it.
	test "$(LC_ALL=C tr -d '\012\040-\176' <got | wc -c)" -eq 0
	test "$(grep -cE ' 1000$' got)" -eq 10000
	exits 2 andweorc-analyze -f pprof big >got.gz 2>err
	gzip -t got.gz
}
check 'hostile logs' hostile

# ---- pprof ------------------------------------------------------------------

andweorc-analyze -f pprof log >p.pb.gz
same_bytes() {
	exits 0 andweorc-analyze -f pprof log >q.pb.gz
	cmp p.pb.gz q.pb.gz
	gzip -t p.pb.gz
	# no time, no name
	test "$(od -An -tx1 -N 8 p.pb.gz | tr -d ' ')" = 1f8b080000000000
}
check 'pprof: the same bytes for the same input' same_bytes

pprof() {
	exits 0 go tool pprof "$@" p.pb.gz >got 2>err
}

pprof_reads_it() {
	pprof -raw
	has '^Samples:$' got
	has 'cpu/nanoseconds\[dflt\] blocked/nanoseconds impact/nanoseconds' got
	has '^ *30000000 +0 +[0-9]+: ' got
	has '^ *0 +25000000 +0: ' got
	has 'wait:\[lock\]' got
	has ' M=1 std::min /usr/include/c[+][+]/12/algo:7 s=0[(]std::min<int;@ >[)]' got
	has '^ *work /src/a.c:14' got
	has '^1: .*/bin/prog abcd01 \[FN\]\[FL\]\[LN\]\[IN\]' got
	pprof -top -sample_index=cpu
	has ' 60ms 60.00% .*memcpy$' got
	has '  0 .*100ms +100% +main$' got
	pprof -top -sample_index=blocked
	has ' 30ms +100% +100% +30ms +100% +futex$' got
	pprof -top -sample_index=impact
	has '0.5[0-9]ms|[45][0-9][0-9]\.[0-9]*us' got
	has ' work' got
	lacks 'wait|memcpy' got
}
if go tool pprof -raw p.pb.gz >/dev/null 2>&1; then
	check 'pprof reads it' pprof_reads_it
else
	skip 'pprof reads it' 'no go tool pprof (package golang-go)'
fi

done_testing
