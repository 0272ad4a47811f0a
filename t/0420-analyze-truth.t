#!/bin/sh
# andweorc-analyze finds what generate.awk put in.  20 logs: an interval of 95 %
# may miss one of them, and chance, at most 5 in 20 (p < 0.0003).
. "$(dirname "$0")/lib.sh"

for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	awk -v seed=$seed -v runs=1 -v blocks=12 -v disturb=0.05 -f "$data/random.awk" -f "$data/analyze/generate.awk" >log
	andweorc-analyze log >out$seed 2>err || exit 1
done
cat out* | grep ^impact | tr '\t' ' ' >impacts

# covers LABEL TRUTH
covers() {
	awk -v label="$1" -v truth="$2" "$awk_value"'
	index($0, "region=" label " ") {
		n++
		sum += number("slope")
		# the interval of repetition alone: slope_lo and slope_hi add an allowance; 12 strata have 11 degrees of freedom
		off = (number("slope") - truth) / number("slope_se")
		held += off < 2.2 && off > -2.2
	}
	END {
		printf "%s: %d of %d intervals hold %g, mean %g\n", label, held, n, truth, sum / n
		exit !(n == 20 && held >= 15 && sum / n > truth - 0.03 && sum / n < truth + 0.03)
	}' impacts
}

check 'slope 0.6' covers work.c:10 0.6
check 'slope 0.8 before the knee' covers compress.c:142 0.8
check 'slope 0' covers spin.c:77 0
check 'slope 0.02' covers tiny.c:5 0.02
check 'slope -0.3' covers lock.c:300 -0.3

verdicts() {
	test "$(grep -c 'region=work.c:10 .*verdict=high' impacts)" -eq 20
	test "$(grep -c 'region=compress.c:142 .*verdict=high' impacts)" -eq 20
	test "$(grep -c 'region=lock.c:300 .*verdict=harmful' impacts)" -eq 20
	test "$(grep -c 'region=spin.c:77 .*verdict=none' impacts)" -ge 17
	test "$(grep -c 'region=tiny.c:5 .*verdict=\(none\|low\)' impacts)" -ge 17
}
check 'verdicts' verdicts

knees() {
	sed -n 's/.*region=compress.c:142 .*max_useful_pct=\([^ ]*\).*/\1/p' impacts >at
	test "$(wc -l <at)" -eq 20
	awk '{ sum += $1; if ($1 < 20 || $1 > 45) bad++ } END { print sum / NR; exit !(!bad && sum / NR > 26 && sum / NR < 34) }' at
	grep -v 'region=compress.c:142 ' impacts >others
	lacks 'max_useful_pct' others
}
check 'the knee at 30 %, and no other' knees

# At most 4 in 20 of 95 % intervals miss (p < 0.003); none covers all speedups.
knee_intervals() {
	sed -n 's/.*region=compress.c:142 .*max_useful_lo=\([^ ]*\) max_useful_hi=\([^ ]*\).*/\1 \2/p' impacts >at
	awk '$1 <= 30 && 30 <= $2 { held++ } $2 > 60 { wide = 1 } END { print held + 0; exit !(NR == 20 && held >= 16 && !wide) }' at
}
check 'the interval of the knee' knee_intervals

contention() {
	test "$(grep -c 'region=lock.c:300 .*note=[a-z,-]*contention' impacts)" -eq 20
	grep -v 'region=lock.c:300 ' impacts >others
	lacks 'contention' others
	awk -v seed=3 -v blocks=10 -f "$data/random.awk" -f "$data/analyze/generate.awk" >log
	exits 0 andweorc-analyze --format text log >out 2>err
	has '^[0-9] lock.c:300 lock .* harmful$' out
	has '^note     [0-9] lock.c:300: the faster the region, the slower the program' out
}
check 'contention is called so' contention

contrast() {
	awk -v seed=3 -v only=3 -v blocks=10 -f "$data/random.awk" -f "$data/analyze/generate.awk" | sed 's/samples=250	total/samples=650	total/' >log
	exits 0 andweorc-analyze --format text log >out 2>err
	tr '\n' ' ' <out >flat
	has 'The hottest line, spin.c:77 \(spin\), has 65 % of the CPU samples, but is not a bottleneck: -?0.0[0-9] \(' flat
	# a wide interval that lies below the share
	awk -v seed=3 -v only=3 -v blocks=2 -v cv=1 -f "$data/random.awk" -f "$data/analyze/generate.awk" | sed 's/samples=250	total/samples=650	total/' >log
	exits 0 andweorc-analyze --format text log >out 2>err
	tr '\n' ' ' <out >flat
	has 'The hottest line, spin.c:77 \(spin\), has 65 % of the CPU samples, but its impact is less: -0.01 \(-0.27 to 0.25\)' flat
	has ' below its share *$' out
	exits 0 andweorc-analyze --format html log >page 2>err
	has 'data-value="below its share"' page
	sed -E 's/samples=650	total/samples=240	total/' log >cooler
	exits 0 andweorc-analyze --format text cooler >out 2>err
	lacks 'below its share' out
}
check 'the hottest region that is no bottleneck is named' contrast

# A region that is active now and then: 0.3 of the time on average.
phases() {
	awk -v seed="$1" '
	function uniform() {
		seed = (seed * 16807) % 2147483647
		return seed / 2147483647
	}
	BEGIN {
		print "andweorc\tversion=1\ttool=record"
		print "run\tid=1\tcommand=sim\tperiod_ns=1000000\tseed=1\tstarted_ns=1"
		print "module\trun=1\tid=1\tpath=/sim"
		print "region\tid=1\tscope=line\tmodule=1\tranges=0x10-0x20\tfile=a.c\tline=1"
		for (i = 0; i < 60; i++) {
			s = i % 3 * 0.25
			wall = 200e6 * (1 + 0.004 * (uniform() - 0.5))
			period = 1e6 * (0.875 + uniform() / 4)
			active = 0.6 * uniform() * wall
			printf "experiment\tid=%d\trun=1\tblock=%d\tregion=%s\tspeedup_pct=%d\tstart_ns=%.0f\twall_ns=%.0f\tsamples=%d\tregion_samples=%d",
				i + 1, i / 6, (s > 0 ? 1 : "-"), 100 * s, i * 25e7, wall, wall / period, (s > 0 ? active / period : 0)
			printf "\nvisits\texperiment=%d\tpoint=p\tkind=throughput\tcount=100\tvirtual_ns=%.0f\n", i + 1, wall - s * active
		}
		print "share\trun=1\tregion=1\tsamples=3000\ttotal=10000"
	}' </dev/null
}

interval_of_phases() {
	for seed in 1 2 3 4 5; do
		phases $seed >log
		exits 0 andweorc-analyze log 2>err | awk -F '\t' '
		$1 == "impact" {
			for (i = 2; i <= NF; i++)
				if (split($i, at, "=") == 2)
					v[at[1]] = at[2]
			print v["slope"], v["slope_lo"], v["slope_hi"]
			exit !(v["slope_lo"] < 0.3 && 0.3 < v["slope_hi"] && v["slope_hi"] - v["slope_lo"] < 0.3)
		}'
	done
}
check 'a region that is active now and then' interval_of_phases

# Of each visit, 0.6 ms more are the runtime's.  The program is the same.
with_overhead() {
	awk -v seed=20 -v blocks=12 -f "$data/random.awk" -f "$data/analyze/generate.awk" >log
	exits 0 andweorc-analyze log >out.none 2>err
	awk -F '\t' '
	function value(key,    at) {
		at = match($0, "\t" key "=[0-9.]*")
		return at ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : 0
	}
	function longer(key, by) { sub("\t" key "=[0-9]*", "\t" key "=" sprintf("%.0f", value(key) + by)) }
	$1 == "experiment" { held = $0; next }
	$1 == "visits" {
		own = value("count") * 6e5
		longer("virtual_ns", own)
		visits = $0
		$0 = held
		longer("wall_ns", own)
		print $0 "\town_ns=" sprintf("%.0f", own)
		$0 = visits
	}
	{ print }' log >log.own
	has 'own_ns=[0-9]{7}' log.own
	exits 0 andweorc-analyze log.own >out.own 2>err
	for out in out.none out.own; do
		tr '\t' ' ' <$out | awk "$awk_value"'/^impact/ { print $3, number("slope"), number("period_ns") }' >$out.slopes
	done
	paste out.none.slopes out.own.slopes >both
	awk '{
		n++
		far += $1 != $4 || $2 - $5 > 0.002 || $5 - $2 > 0.002 || $3 / $6 > 1.002 || $6 / $3 > 1.002
	}
	END { exit !(n == 5 && !far) }' both
}
check 'the time of the runtime is no part of the program' with_overhead

done_testing
