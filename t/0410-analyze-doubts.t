#!/bin/sh
# andweorc-analyze: an empty or doubtful result is never silent.  Each reason is
# one line on standard error, and in the report.
. "$(dirname "$0")/lib.sh"

generate() {
	awk "$@" -f "$data/analyze/generate.awk"
}

generate -v seed=5 -v blocks=6 >log

# doubt FILE PATTERN: the reason, in all three places, and a status of 0
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
	doubt case 'no undisturbed baseline' no-baseline
	lacks '^impact.*slope=' out
	has '^impact.*verdict=not-enough-data	need=baseline' out
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

few_windows() {
	generate -v seed=5 -v blocks=1 -v cv=1 -v visits=10 >case
	exits 0 andweorc-analyze case >out 2>err
	has 'verdict=not-enough-data	need=.*times%20as%20many%20windows' out
	exits 0 andweorc-analyze --format text case >out 2>err
	has 'needs  .*times as many windows.*\(record with -d [0-9]+\)' out
	lacks 'inf|nan' out
}
check 'few windows: what would be enough' few_windows

few_runs() {
	generate -v seed=6 -v runs=3 -v blocks=1 -v cv=1 -v visits=10 >case
	exits 0 andweorc-analyze case >out 2>err
	has 'basis=runs	verdict=not-enough-data	need=about%20[0-9]+%20runs%20\(-n%20[0-9]+\)' out
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

done_testing
