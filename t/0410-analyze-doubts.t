#!/bin/sh
# andweorc-analyze: an empty or doubtful result is never silent.  Each reason is
# one line on standard error, and in the report.
. "$(dirname "$0")/lib.sh"

generate() {
	awk "$@" -f "$data/random.awk" -f "$data/analyze/generate.awk"
}

generate -v seed=5 -v blocks=6 >log

# doubt FILE PATTERN: all three places give this reason, and the status is 0
doubt() {
	exits 0 andweorc-analyze --format text "$1" >report 2>err
	has "^andweorc-analyze: warning: $2" err
	lacks '.{101}' report
	# the report breaks lines
	tr '\n' ' ' <report | tr -s ' ' >flat
	has "warning: $2" flat
	exits 0 andweorc-analyze --format andweorc "$1" >out 2>err
	has "^warning	what=$3	" out
	exits 0 andweorc-analyze --format json "$1" >json 2>err
	has "\"what\": \"$3\"" json
}

nothing() {
	printf 'andweorc\tversion=1\ttool=record\n' >case
	doubt case 'no run in the input' no-run
	: >void
	run andweorc-analyze void >out 2>err
	test "$status" -ne 139
	has 'no run in the input' err
}
check 'no run' nothing

no_experiment() {
	grep -Ev '^(experiment|visits)' log >case
	doubt case 'no experiments in the input: the program ended before the first window' no-experiment
}
check 'no experiment' no_experiment

no_point() {
	grep -v '^visits' log >case
	doubt case 'no progress point was visited: put ANDWEORC_PROGRESS' no-progress-point
	sed 's/count=[0-9]*/count=0/' log >case
	doubt case 'no progress point was visited in any window' no-visits
}
check 'no visits' no_point

no_end() {
	grep -v '^end' log >case
	doubt case '1 of 1 run\(s\) have no end record' no-end
	has '^impact.*region=work.c:10.*verdict=high' out
}
check 'a log that was cut short' no_end

all_disturbed() {
	sed '/^experiment/s/$/	disturbed=1/' log >case
	doubt case 'all 144 windows were disturbed' all-disturbed
	lacks '^impact.*slope=' out
}
check 'all windows disturbed' all_disturbed

only_baselines() {
	sed 's/region=[1-5]\(.*\)speedup_pct=[0-9]*/region=-\1speedup_pct=0/' log >case
	doubt case 'only baselines: no region was sped up' only-baselines
}
check 'only baselines' only_baselines

no_baseline() {
	awk -F '\t' '$1 == "experiment" { use = !/speedup_pct=0/ } $1 != "experiment" && $1 != "visits" || use' log >case
	doubt case 'no baseline: nothing to compare with; record longer' no-baseline
	lacks '^impact.*slope=' out
	has '^impact.*verdict=not-enough-data	need=baseline' out
	# They are always made, but may all have been disturbed.
	awk '/^experiment/ && /\tspeedup_pct=0\t/ { print $0 "\tdisturbed=1"; next } 1' log >case
	doubt case 'no undisturbed baseline: nothing to compare with; record again on a quieter machine' no-baseline
}
check 'no baseline' no_baseline

one_level() {
	generate -v seed=5 -v blocks=6 -v levels=50 >case
	doubt case 'only one speedup, 50 %' one-level
	has '^impact.*region=work.c:10.*note=[a-z,]*one-level' out
}
check 'one speedup only' one_level

no_names() {
	sed '/^region/{s/	file=.*//;}' log >case
	doubt case '5 region\(s\) have no name: pass the log through andweorc-resolve' no-names
	has '^impact.*region=sim\+0x1000	' out
}
check 'regions without names' no_names

impossible_time() {
	sed 's/count=39	virtual_ns=/count=39	virtual_ns=-/' log >case
	doubt case '[0-9]+ visits record\(s\) have a virtual time of zero or less' impossible-time
}
check 'negative virtual time' impossible_time

recorders_warnings() {
	{ cat log; printf 'warning\trun=1\twhat=perf-refused\ttext=perf%%20was%%20refused\n'; } >case
	exits 0 andweorc-analyze --format text case >report 2>err
	has '^warning: perf was refused$' report
	exits 0 andweorc-analyze case >out 2>err
	has '^warning	what=perf-refused	text=perf%20was%20refused$' out
	empty err
}
check 'warnings of the recorder reach the report' recorders_warnings

# Spinning is not seen, so intervals allow for a quarter of the slope, as a standard deviation.
spins() {
	{ cat log; printf 'warning\trun=1\twhat=spin\ttext=it%%20spins\n'; } >case
	andweorc-analyze --format andweorc log 2>/dev/null >without
	andweorc-analyze --format andweorc case 2>/dev/null >with
	cat without with | awk -F'\t' "$awk_value"'
		$1 == "impact" && value("region") == "work.c:10" {
			half[++n] = (value("slope_hi") - value("slope_lo")) / 2
			slope = value("slope")
		}
		END { more = sqrt(half[2] ^ 2 - half[1] ^ 2) / slope; exit !(n == 2 && more > 0.45 && more < 0.53) }' || {
		grep '^impact.*region=work.c:10' without with
		return 1
	}
}
check 'where threads spin, intervals are wider' spins

# warning WHAT RUN...: one of each run, in its own numbers
warning() {
	what=$1
	shift
	for run in "$@"; do
		printf 'warning\trun=%d\twhat=%s\ttext=%d%%20times%%20at%%20a.c:%d%%20(%d.5%%25)\n' "$run" "$what" "$run" 7 "$run"
	done
}

warnings_are_one() {
	generate -v seed=5 -v blocks=1 -v runs=12 >log12
	{ cat log12; warning lost-samples 2 10 3; warning lost-samples 10; warning seccomp 1; } >case
	exits 0 andweorc-analyze --format text case >report 2>err
	grep '^warning' report >got
	same - got <<-END
	warning: 10 times at a.c:7 (10.5%) (in 3 runs, the numbers are those of one)
	warning: 1 times at a.c:7 (1.5%)
	END
	exits 0 andweorc-analyze case >out 2>err
	has '^warning	what=lost-samples	text=10%20times%20at%20a.c:7%20\(10.5%25\)	count=3$' out
	exits 0 andweorc-analyze --format json case >json 2>err
	has '"text": "10 times at a.c:7 \(10.5%\)",$' json
	has '"count": 3' json
	{ head -n 1 case; tail -n +2 case | sort -r; } >permuted
	exits 0 andweorc-analyze permuted >got 2>err
	same out got
	# A list that grows from run to run.
	{ cat log12; printf "warning\trun=%d\twhat=no-lines\ttext=no%%20lines%%20in%%20%s;%%20use%%20-g\n" 1 "'a'" 2 "'a',%20'b'" 3 "'a'"; } >case
	exits 0 andweorc-analyze --format text case >report 2>err
	grep '^warning' report >got
	echo "warning: no lines in 'a', 'b'; use -g (in 3 runs)" | same - got
}
check 'warnings of many runs are one, with their number' warnings_are_one

names_stay_apart() {
	{
		cat log
		printf 'warning\trun=1\twhat=no-such-region\ttext=no%%20code%%20is%%20called%%20a.c:%d\n' 1 2
	} >case
	exits 0 andweorc-analyze case >out 2>err
	test "$(grep -c '^warning' out)" -eq 2
}
check 'warnings of other places are others' names_stay_apart

# Conditions that no interval shows are in the verdict of each region; others are warnings only.
undermined() {
	for what in spin absolute-timer brief-locks kernel-time outside oversubscribed quota; do
		{ cat log; warning $what 1; } >case
		exits 0 andweorc-analyze case >out 2>err
		test "$(grep -c "^impact.*	doubt=$what\$" out)" -eq 5
		exits 0 andweorc-analyze --format text case >report 2>err
		has "^In doubt \\($what\\): Work on " report
		test "$(grep -Ec '^[0-9] .* (high|moderate|low|harmful|none|not a bottleneck)\?$' report)" -eq 5
		has '^in doubt what the warnings say' report
		lacks '[Hh]ottest' report
		exits 0 andweorc-analyze --format json case >json 2>err
		grep -A 1 '"doubt": \[$' json >doubts
		test "$(grep -c "\"$what\"" doubts)" -eq 5
	done
	{ cat log; warning spin 1; warning outside 1; } >case
	exits 0 andweorc-analyze case >out 2>err
	has '^impact.*	doubt=outside,spin$' out
	for what in point-too-hot lost-samples threads-refused processes-refused seccomp; do
		{ cat log; warning $what 1; } >case
		exits 0 andweorc-analyze case >out 2>err
		lacks 'doubt=' out
		exits 0 andweorc-analyze --format text case >report 2>err
		lacks '[Ii]n doubt|\?$' report
	done
}
check 'what no interval shows puts every verdict in doubt' undermined

# One bad run of many does not lower a verdict; one in ten does, and so does a warning about the whole log.
seldom() {
	{ cat log12; warning oversubscribed 4; } >case
	exits 0 andweorc-analyze case >out 2>err
	lacks 'doubt=' out
	{ cat log12; warning oversubscribed 4 5; } >case
	exits 0 andweorc-analyze case >out 2>err
	has 'doubt=oversubscribed' out
	{ cat log12; printf 'warning\twhat=outside\ttext=x\n'; } >case
	exits 0 andweorc-analyze case >out 2>err
	has 'doubt=outside' out
}
check 'one run of many puts nothing in doubt' seldom

mixed_kinds() {
	awk -F '\t' -v OFS='\t' '/^visits/ && ++n % 2 { sub("kind=throughput", "kind=run") } { print }' log >case
	doubt case "the logs disagree on what a visit of the point 'block' is" kinds
	lacks '^point.*	kind=' out
}
check 'a point of two kinds' mixed_kinds

few_windows() {
	generate -v seed=5 -v blocks=1 -v cv=1 -v visits=10 >case
	exits 0 andweorc-analyze case >out 2>err
	has 'verdict=not-enough-data	need=.*times%20as%20many%20windows' out
	exits 0 andweorc-analyze --format text case >out 2>err
	has '^needs    not enough data for [0-9, ]+: about [0-9]+ times as many windows \(record with -d [0-9]+\)' out
	has '^Not enough data to say what limits ' out
	lacks 'inf|nan' out
}
check 'few windows: what would be enough' few_windows

few_runs() {
	generate -v seed=6 -v runs=3 -v blocks=1 -v cv=1 -v visits=10 >case
	exits 0 andweorc-analyze case >out 2>err
	has 'basis=runs	verdict=not-enough-data	need=about%20[0-9]+%20runs%20\(record%20with%20-d%20[0-9]+%20-n%20[0-9]+\)' out
}
check 'few runs: how many would be enough' few_runs

two_runs() {
	generate -v seed=6 -v runs=2 -v blocks=4 >case
	exits 0 andweorc-analyze case >out 2>err
	has 'runs=2	basis=within-run' out
	exits 0 andweorc-analyze --format text case >out 2>err
	tr '\n' ' ' <out >flat
	has 'it says nothing about other runs' flat
}
check 'two runs say nothing about others' two_runs

generate -v seed=5 -v blocks=8 -v disturb=0.06 >marked

# unmark SED: the same windows are disturbed, but not marked; there may be other evidence, or not
unmark() {
	sed "/disturbed=1/{$1;s/	disturbed=1//;}" marked >case
	exits 0 andweorc-analyze case >out 2>err
	exits 0 andweorc-analyze --format text case >report 2>err
	tr '\n' ' ' <report | tr -s ' ' >flat
}

# With all other samples as usual, disturbed windows are found; the others give the result of an undisturbed log.
hit_windows() {
	exits 0 andweorc-analyze marked >marked.out 2>err
	has '^point.*	disturbed=6	unvisited=0	drift_pct=[^	]*$' marked.out
	unmark 's/	steal_ns=[0-9]*//'
	has '^point.*	disturbed=0	unvisited=0	slow=6	downweighted=6	weight=0	drift_pct=[^	]*$' out
	has ' 6 windows far slower than their like, by something outside the program: they count 0.00 of the others' flat
	sed 's/	\(disturbed\|slow\|downweighted\|weight\)=[^	]*//g' marked.out | grep -v '^run' >want
	sed 's/	\(disturbed\|slow\|downweighted\|weight\)=[^	]*//g' out | grep -v '^run' >got
	same want got
}
check 'windows that something hit count less' hit_windows

# Windows with other code, or with waits, are a phase; with steal time, they are a disturbance.
phases_are_none() {
	unmark 's/region_samples=[0-9]*/region_samples=0/; s/	steal_ns=[0-9]*//'
	has '^point.*	slow=[0-9]*	drift_pct=[^	]*$' out
	lacks downweighted out
	has 'far slower than their like: they count in full, as they may be a phase of the program' flat
	unmark 's/	samples=[0-9]*	region_samples=[0-9]*/	samples=3	region_samples=1/; s/	steal_ns=[0-9]*//'
	lacks downweighted out
	unmark 's/region_samples=[0-9]*/region_samples=0/; s/	steal_ns=[0-9]*/	steal_ns=90000000/'
	has '^point.*	slow=[0-9]*	downweighted=[0-9]*	weight=0	drift_pct=[^	]*$' out
}
check 'phases are not taken for disturbance' phases_are_none

# A region in every other window alone.
comes_and_goes() {
	awk -F '\t' -v OFS='\t' '/^experiment/ && ++n % 2 { sub("region_samples=[0-9]*", "region_samples=0") } { print }' log >case
	exits 0 andweorc-analyze case >out 2>err
	has '^impact.*region=work.c:10	.*note=[a-z,-]*phases' out
	exits 0 andweorc-analyze --format text case >report 2>err
	has '^note     1 compress.c:142, 2 work.c:10, .*: it runs in some windows' report
	exits 0 andweorc-analyze log >out 2>err
	lacks phases out
}
check 'a region that comes and goes' comes_and_goes

# A machine that gets slower from block to block, by 40 % in all: there is a note, and no other change.
drift() {
	generate -v seed=5 -v blocks=12 -v cv=0.05 >steady
	awk -F '\t' -v OFS='\t' '
	/^experiment/ { for (i = 2; i <= NF; i++) if ($i ~ /^block=/) block = substr($i, 7) }
	/^visits/ { for (i = 2; i <= NF; i++) if ($i ~ /^virtual_ns=/) $i = sprintf("virtual_ns=%.0f", substr($i, 12) * (1 + block / 30)) }
	{ print }' steady >case
	exits 0 andweorc-analyze case >out 2>err
	sed -n 's/^point.*	drift_pct=//p' out >got
	awk '{ exit !($1 > 8 && $1 < 14) }' got
	exits 0 andweorc-analyze --format text case >report 2>err
	tr '\n' ' ' <report | tr -s ' ' >flat
	has 'within runs, it was now faster and now slower, by 1[0-9] % \(standard deviation\)' flat
	for log in steady case; do
		andweorc-analyze $log | sed -n 's/^impact.*region=work.c:10	.*	slope=\([^	]*\).*/\1/p'
	done >got
	awk '{ s[NR] = $1 } END { exit !(s[1] - s[2] < 0.01 && s[2] - s[1] < 0.01) }' got
}
check 'drift is told, and is in no slope' drift

# Nothing is dropped in silence.
unvisited() {
	awk -F '\t' '/^visits/ && ++n % 10 == 0 { next } { print }' log >case
	exits 0 andweorc-analyze case >out 2>err
	has '^point.*	windows=130	baselines=[0-9]*	disturbed=0	unvisited=14	drift_pct=[^	]*$' out
	exits 0 andweorc-analyze --format text case >report 2>err
	has '14 windows without a visit from which time could be taken' report
	for region in work.c:10 spin.c:77; do
		awk -F '\t' -v region="region=$region" "$awk_value"'
		$1 == "impact" && $3 == region { exit number("n") + number("unvisited") + number("disturbed") != 48 }' out
	done
}
check 'windows without visits are counted' unvisited

# Automatic points: one with the log's visits, and one whose visits in a window are as many as its nanoseconds.
points_differ() {
	sed -n 's/point=[^	]*/point=:work/p' log >work
	sed -n 's/^visits.*experiment=\([0-9]*\).*count=\([0-9]*\).*virtual_ns=\([0-9]*\).*/visits\texperiment=\1\tpoint=:output\tcount=\3\tvirtual_ns=\3/p' log >other
	test -s other
	{ grep -v '^visits' log && grep '^visits' work; } >case
	exits 0 andweorc-analyze --format andweorc case >out 2>err
	lacks 'points-differ' out
	{ cat case && cat other; } >both
	doubt both "of '[^']*', the point ':(output|work)' says [-0-9.]+ and ':(output|work)' [-0-9.]+: a unit of work does not take the same" points-differ
	# One of them is shown; the other one when it is asked for.
	grep -c '^point' out >got
	echo 1 | same - got
	exits 0 andweorc-analyze --format andweorc -p :work both >out
	has '^point	point=:work' out
}
check 'two points that nobody has marked contradict each other' points_differ

done_testing
