#!/bin/sh
# andweorc-analyze on many logs, one behind the other.
. "$(dirname "$0")/lib.sh"

# logs FIRST LAST STEP: runs of 315 windows.  The region `most` has 60 % of
# each visit, `idle` nothing.  Each run is generated from its number alone.
logs() {
	awk -v first="$1" -v last="$2" -v step="$3" '
	function noise() {
		seed = (seed * 16807) % 2147483647
		return 1 + 0.1 * (seed / 2147483647 - 0.5)
	}

	function window(block, region, pct,    time) {
		time = 40 * period * (1 - (region == 1 ? 0.6 * pct / 100 : 0)) * noise()
		printf "experiment\tid=%d\trun=1\tblock=%d\tregion=%s\tspeedup_pct=%d\tstart_ns=%.0f\twall_ns=1000\n", ++id, block,
			pct ? region : "-", pct, id * 1000
		printf "visits\texperiment=%d\tpoint=round\tkind=throughput\tcount=40\tvirtual_ns=%.0f\n", id, time
	}

	function run(nth,    b, pct) {
		seed = 7919 * nth
		id = 0
		period = 1e6 * noise()
		print "andweorc\tversion=1\ttool=record"
		print "run\tid=1\tcommand=sim\thost=box\tstarted_ns=17" 1e8 + nth "00000000\tseed=" nth
		print "module\trun=1\tid=1\tpath=/build" nth "/sim"
		print "region\tid=1\tscope=line\tmodule=1\tranges=0x10-0x20\tfile=/src/a.c\tline=1\tfunction=most"
		print "region\tid=2\tscope=line\tmodule=1\tranges=0x30-0x40\tfile=/src/a.c\tline=2\tfunction=idle"
		for (b = 1; b <= 35; b++) {
			window(b, 0, 0)
			for (pct = 25; pct <= 100; pct += 25)
				window(b, 1, pct)
			window(b, 0, 0)
			for (pct = 75; pct > 0; pct -= 25)
				window(b, 2, pct)
		}
		print "share\trun=1\tregion=1\tsamples=600\ttotal=1000"
		print "warning\trun=1\twhat=test\ttext=said%20by%20each%20run"
		print "end\trun=1\tstatus=exit:0\twall_ns=1"
	}

	BEGIN {
		for (nth = first; step > 0 ? nth <= last : nth >= last; nth += step)
			run(nth)
	}' </dev/null
}

logs 1 700 1 >log
andweorc-analyze log >out 2>err

finds_the_truth() {
	test "$(grep -c '^experiment' log)" -gt 200000
	empty err
	test "$(grep -c '^run' out)" -eq 700
	test "$(grep -c '^impact' out)" -eq 2
	has '^point.*windows=220500	baselines=49000	disturbed=0	unvisited=0	drift_pct=[^	]*$' out
	has '^impact.*region=a.c:1	.*share_pct=60	.*runs=700	basis=runs	verdict=high' out
	has '^impact.*region=a.c:2	.*share_pct=0	.*runs=700	basis=runs	verdict=none' out
	awk -F '\t' "$awk_value"'
	$1 == "curve" { slope = number("program_pct") / number("speedup_pct"); truth = $3 == "region=a.c:1" ? 0.6 : 0 }
	$1 == "curve" && (slope < truth - 0.005 || slope > truth + 0.005) { print; bad = 1 }
	$1 == "impact" { truth = $3 == "region=a.c:1" ? 0.6 : 0 }
	$1 == "impact" && (number("slope") < truth - 0.002 || number("slope") > truth + 0.002) { print; bad = 1 }
	$1 == "impact" && number("slope_se") > 0.001 { print; bad = 1 }
	END { exit bad }' out
}
check 'slope, curve and counts of 220500 windows' finds_the_truth

order_does_not_matter() {
	logs 700 1 -1 >backwards
	exits 0 andweorc-analyze backwards >got 2>err
	same out got
	logs 1 699 2 >odd
	logs 2 700 2 >even
	exits 0 andweorc-analyze even odd >got 2>err
	same out got
}
check 'logs in any order, and in several files' order_does_not_matter

a_run_counts_once() {
	logs 17 17 1 >again
	exits 0 andweorc-analyze log again >got 2>err
	has 'in the input twice: counted once' err
	same out got
}
check 'a run that is there twice' a_run_counts_once

warns_once() {
	test "$(grep -c '^warning' out)" -eq 1
	has '^warning	what=test	text=said%20by%20each%20run	count=700$' out
	exits 0 andweorc-analyze --format text log >report 2>err
	has '^warning: said by each run \(in 700 runs\)$' report
	exits 0 andweorc-analyze --format json log >json 2>err
	has '"count": 700' json
}
check 'a warning of every run is said once' warns_once

done_testing
