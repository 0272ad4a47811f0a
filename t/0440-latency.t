#!/bin/sh
# Latency points: the mean length of spans, measured or by Little's law, and its
# percentiles, from logs whose effect is known.
. "$(dirname "$0")/lib.sh"

# generate [-v gain=G] [-v runs=N] [-v spans=N]...: a log of point `request`, whose spans take 1 to 2 ms and as much less
# as `gain` says of a speedup.  -v ends=N: ends in a window; -v in_flight=1: and what is open at a time; -v crossing=N.
generate() {
	awk -v gain=0.6 -v runs=1 -v spans=200 -v blocks=16 "$@" '
		function least(ns, e) {
			for (e = 1; ns >= 128 * e; e *= 2)
				;
			return int(ns / e) * e
		}
		BEGIN {
			if (ends == "")
				ends = spans
			print "andweorc\tversion=1\ttool=record"
			print "module\trun=1\tid=1\tpath=/src/server"
			print "region\tid=1\tscope=function\tmodule=1\tranges=0x10-0x20\tfunction=serve"
			for (run = 1; run <= runs; run++) {
				print "run\tid=" run "\tcommand=server\tperiod_ns=1000000\tseed=5\tstarted_ns=" run "000000000"
				for (block = 1; block <= blocks; block++)
					for (w = 0; w < 4; w++) {
						s = w == 2 ? 25 : w == 3 ? 50 : 0
						print "experiment\tid=" ++id "\trun=" run "\tblock=" block "\tregion=" (s ? 1 : "-") \
							"\tspeedup_pct=" s "\tstart_ns=" id "00000000\twall_ns=100000000"
						delete n
						sum = 0
						for (i = 0; i < spans; i++) {
							# Each window has all lengths, and not the same ones as the last.
							x = (i + (id * 0.618034) % 1) / spans
							ns = (1e6 + 1e6 * x) * (1 - gain * s / 100)
							sum += ns
							n[least(ns)]++
						}
						m = 0
						for (b in n) {
							at[++m] = b + 0
							for (k = m; k > 1 && at[k - 1] > at[k]; k--) {
								t = at[k]; at[k] = at[k - 1]; at[k - 1] = t
							}
						}
						buckets = ""
						for (k = 1; k <= m; k++)
							buckets = buckets (k > 1 ? "," : "") sprintf("%d:%d", at[k], n[at[k]])
						if (spans)
							printf "latency\texperiment=%d\tpoint=request\tcount=%d\tvirtual_ns=%d\tcrossing=%d\tbuckets=%s\n", \
								id, spans, sum, crossing, buckets
						printf "visits\texperiment=%d\tpoint=request\tkind=latency\tcount=%d\tvirtual_ns=100000000%s\n", id, ends, \
							in_flight ? sprintf("\tin_flight_ns=%d", ends * 1500000 * (1 - 0.3 * s / 100)) : ""
						printf "visits\texperiment=%d\tpoint=page\tkind=throughput\tcount=%d\tvirtual_ns=100000000\n", id, 2 + id % 2
					}
				print "end\trun=" run "\tstatus=exit:0"
			}
		}'
}

# near RECORD KEY=VALUE... -- KEY WANT TOLERANCE: in the only record of `analysis` that has all these
near() {
	type=$1
	shift
	with=
	while test "$1" != --; do
		with="$with$1 "
		shift
	done
	awk -F'\t' -v type="$type" -v with="$with" -v key="$2" -v want="$3" -v tolerance="$4" '
		BEGIN { n = split(with, need, " ") }
		$1 == type {
			for (i = 1; i <= n; i++)
				if (index($0 "\t", "\t" need[i] "\t") == 0)
					next
			found++
			for (i = 2; i <= NF; i++)
				if (index($i, key "=") == 1)
					got = substr($i, length(key) + 2) + 0
		}
		END {
			if (found == 1 && got != "" && got >= want - tolerance && got <= want + tolerance)
				exit 0
			print found + 0 " records, " key " is " (got == "" ? "not there" : got) " instead of " want
			exit 1
		}' analysis
}

analyze() {
	exits 0 andweorc-analyze --format andweorc "$@" >analysis 2>err
}

measured() {
	generate >log
	analyze log
	near point point=request measure=measured -- period_ns 1500000 2000
	near point point=request -- p50_ns 1500000 15000
	near point point=request -- p95_ns 1950000 20000
	near point point=request -- p99_ns 1990000 20000
	near impact point=request region=serve verdict=high -- slope 0.6 0.002
	near impact point=request -- cost_ns 900000 4000
	near curve point=request speedup_pct=50 -- program_pct 30 0.1
	for p in p50 p95 p99; do
		near impact point=request -- ${p}_slope 0.6 0.01
		near impact point=request -- ${p}_lo 0.6 0.04
		near impact point=request -- ${p}_hi 0.6 0.04
		near curve point=request speedup_pct=25 -- ${p}_pct 15 0.5
		near curve point=request speedup_pct=50 -- ${p}_pct 30 0.5
		near curve point=request speedup_pct=50 -- ${p}_lo 30 2
		near curve point=request speedup_pct=50 -- ${p}_hi 30 2
	done
	# A throughput point has none of these keys.
	lacks 'point=page.*(measure|p50|p95|p99)' analysis
}
check 'lengths that were measured: mean and percentiles' measured

over_runs() {
	generate -v runs=5 -v blocks=4 >log
	analyze log
	near impact point=request basis=runs runs=5 -- slope 0.6 0.003
	near impact point=request -- p95_lo 0.6 0.04
	near impact point=request -- p95_hi 0.6 0.04
}
check 'with runs, intervals are over runs' over_runs

gets_longer() {
	generate -v gain=-0.5 >log
	analyze log
	near impact point=request verdict=harmful -- slope -0.5 0.003
	near impact point=request -- p99_slope -0.5 0.01
	exits 0 andweorc-analyze --format text -p request log >text 2>err
	tr '\n' ' ' <text >flat
	has '^1  serve  *-0.50 .* harmful$' text
	has "is harmful: the faster it runs, the longer a span takes\. Its impact is -0\.50 \(" flat
}
check 'positive is shorter, negative is longer' gets_longer

more_than_one_for_one() {
	generate -v gain=1.5 >log
	analyze log
	near impact point=request -- slope 1.5 0.01
	lacks 'point=request.*note=[a-z,-]*out-of-range' analysis
	# For a throughput point, the same slope is out of range.
	grep -v '^latency' log | awk 'BEGIN { FS = OFS = "\t" } /^experiment/ { s = substr($6, 13) }
		/point=request/ { $5 = "count=1000"; sub("kind=latency", "kind=throughput"); $6 = "virtual_ns=" 1e8 * (1 - 1.5 * s / 100) } { print }' >rate
	analyze rate
	has 'point=request.*note=[a-z,-]*out-of-range' analysis
}
check 'a queue can gain more than one for one' more_than_one_for_one

in_flight() {
	generate -v spans=0 -v ends=100 -v in_flight=1 >log
	analyze log
	near point point=request measure=in-flight -- period_ns 1500000 2000
	near impact point=request -- slope 0.3 0.002
	lacks '(p50|p95|p99)' analysis
	# Also when a part was measured: it is some part.
	generate -v spans=50 -v ends=100 -v in_flight=1 >log
	analyze log
	near point point=request measure=in-flight -- period_ns 1500000 2000
	lacks '(p50|p95|p99)' analysis
	# A few differing values do not change the result.
	generate -v spans=95 -v ends=100 -v in_flight=1 >log
	analyze log
	near impact point=request -- slope 0.6 0.002
}
check 'of spans that were not measured, the mean' in_flight

ends_only() {
	generate -v spans=0 -v ends=100 >log
	analyze log
	near point point=request measure=ends -- period_ns 1000000 1
	exits 0 andweorc-analyze --format text log >text 2>err
	has "'request' \(latency point: throughput of its ends\)" text
	generate -v runs=2 >both
	analyze both log
	has '^warning	what=kinds	text=some' analysis
}
check 'of spans that nothing is known of, the ends' ends_only

no_order() {
	generate -v runs=3 -v blocks=4 >log
	analyze log
	cp analysis want
	{ head -n 1 log; tail -n +2 log | sort -r; } >reversed
	analyze reversed
	same want analysis
	for run in 1 2 3; do
		generate -v runs=3 -v blocks=4 | awk -v run=$run '/^(andweorc|module|region)/ { print; next }
			/^(run|end)\t/ { at = substr($2, index($2, "=") + 1); here = at == run; if (here) print; if (/^end/) here = 0; next } here { print }' >part$run
	done
	analyze part2 part3 part1
	sed 's/baselines=[0-9]*//' want >want.some
	sed 's/baselines=[0-9]*//' analysis | same want.some -
}
check 'the order of records and files does not matter' no_order

few_visits_of_one_point() {
	generate >log
	analyze log
	has '^impact	point=page	.*note=[a-z,-]*few-visits' analysis
	lacks '^impact	point=request	.*few-visits' analysis
	# The rare point takes nothing from the other one.
	grep -v 'point=page' log >alone
	grep '^impact	point=request' analysis | sed 's/	q=[^	]*//' >want
	analyze alone
	grep '^impact	point=request' analysis | sed 's/	q=[^	]*//' >got
	same want got
}
check 'too few visits are told of the point that has them' few_visits_of_one_point

few_spans() {
	generate -v spans=4 >log
	analyze log
	has '^point	point=request	.*p50_ns=' analysis
	lacks 'p99_' analysis
}
check 'without spans that are longer there is no percentile' few_spans

long_spans() {
	generate -v crossing=10 >log
	analyze log
	lacks 'long-spans' analysis
	generate -v crossing=40 >log
	analyze log
	has '^warning	what=long-spans	text=20' analysis
}
check 'spans that are longer than the time to settle' long_spans

disturbed() {
	generate >log
	analyze log
	cp analysis want
	# One more window, an outlier, which is set aside.
	awk '{ print } END {
		print "experiment\tid=9999\trun=1\tblock=1\tregion=1\tspeedup_pct=50\tstart_ns=1\twall_ns=100000000\tdisturbed=1"
		print "latency\texperiment=9999\tpoint=request\tcount=1000\tvirtual_ns=9000000000000\tbuckets=8589934592:1000"
	}' log >more
	analyze more
	grep -E '^(point|impact|curve)' want | grep 'point=request' | sed 's/disturbed=[0-9]*//' >want.rest
	grep -E '^(point|impact|curve)' analysis | grep 'point=request' | sed 's/disturbed=[0-9]*//' | same want.rest -
}
check 'spans of disturbed windows are left out' disturbed

bad_lines() {
	{
		generate
		printf 'latency\texperiment=1\tpoint=x\tcount=2\tvirtual_ns=%s\tbuckets=%s\n' 5 1:1 5 1:3 5 1:1,1:1 5 2:1,1:1 5 1 5 1:x,2:1 5 1:2,2:0 5 , x 1:2
		printf 'latency\texperiment=1\tpoint=x\tcount=x\tvirtual_ns=5\n'
		printf 'latency\texperiment=1\tcount=1\tvirtual_ns=5\n'
		printf 'latency\texperiment=1\tpoint=y\tcount=18446744073709551615\tvirtual_ns=-5\tbuckets=9223372036854775808:1\n'
	} >bad
	exits 2 andweorc-analyze bad >analysis 2>err
	test "$(grep -c 'bad buckets' err)" -eq 9
	has "bad number 'x' for 'virtual_ns'" err
	has "bad number 'x' for 'count'" err
	has "'point'" err
	lacks 'point=x' analysis
	near impact point=request -- slope 0.6 0.002
}
check 'bad lines are reported, the rest is used' bad_lines

report() {
	generate -v runs=3 >log
	exits 0 andweorc-analyze --format text -p request log >text 2>err
	has "^point    'request' \(latency\): a span takes 1.5 ms \(.*\), p50 1.5 ms, p95 1.9[0-9] ms, p99\$" text
	has "^Work on serve: 10 % off its time takes 6.0 % off the mean length of 'request' \(5\.[0-9] to 6\.[0-9], 95 %" text
	has '^1  serve +0.60 \(0\.[56].* to 0\.6.* \+30\.0 \(.*  high$' text
	has 'gain % at 50 %' text
	has '^spans    1 serve: impact on p50 0\.[56][0-9]* \(.*\), p95 0\.[56][0-9]* \(.*\), p99 0\.[56]' text
	lacks '.{101}' text
	exits 0 andweorc-analyze --format json log >json 2>err
	has '"measure": "measured"' json
	has '"p95_slope": 0\.[56]' json
	has '"p99_pct": 30?|"p99_pct": 29' json
}
check 'the report says it in words' report

done_testing
