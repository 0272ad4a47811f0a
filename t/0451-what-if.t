#!/bin/sh
# andweorc-analyze --what-if: questions that replay of recorded events answers; and its impact of each region.
. "$(dirname "$0")/lib.sh"

# log THREADS: each visits the point once in 1 ms, of which 0.6 ms are spent in slow.c:10 (outer) and 0.4 ms in slow.c:20 (inner).
# Samples are not in step with that.
log() {
	perl -e '
	require "$ENV{data}/analyze/burst.pl";
	begin();
	for $thread (1 .. shift) {
		$data = "";
		($at, $next) = (0, 100000);
		for (1 .. 499) {
			for (; $next < $_ * 1000000; $at = $next, $next += 213700) {
				$data .= "s" . number($next - $at) . number(213700) . number($next % 1000000 < 600000 ? 1 : 2);
			}
			$data .= "v" . number($_ * 1000000 - $at) . number(1) . number(1);
			$at = $_ * 1000000;
		}
		fields("events", "run=1", "burst=1", "thread=$thread", "data=$data");
	}
	fields("point", "run=1", "id=1", "name=unit", "kind=throughput", "visits=499");
	fields("end", "run=1", "status=exit:0");' "$1"
}
log 1 >one
log 2 >two

# saves QUESTION LOG LO HI: the answer is a part between LO and HI, in per cent; negative: more time
saves() {
	exits 0 andweorc-analyze --what-if "$1" "$2" >got 2>err
	empty err
	cat got
	test "$(wc -l <got)" -eq 1
	has '^unit: a visit takes [0-9.]+ [mu]?s now, and would take [0-9.]+ [mu]?s: [0-9.]+ % (less|more) \(.* to .*\)$' got
	awk -v lo="$3" -v hi="$4" '{
		for (i = 2; i <= NF; i++)
			if ($i == "%")
				part = $(i + 1) == "more" ? -$(i - 1) : $(i - 1)
		exit !(part >= lo && part <= hi)
	}' got
}
check 'a line' saves slow.c:10=50 one 29 31
check 'a function is all of its lines' saves inner=50 one 19 21
check 'a path' saves src/slow.c:20=25 one 9 11
check 'two at once' saves slow.c:10=50,inner=50 one 49 51
check 'nothing' saves slow.c:10=0 one 0 0.5
check 'as many processors as before' saves cpus=2 two 0 1
check 'one processor for two threads' saves cpus=1 two -102 -98

# refuses STATUS MESSAGE QUESTION LOG
refuses() {
	exits "$1" andweorc-analyze --what-if "$3" "$4" >got 2>err
	empty got
	test "$(wc -l <err)" -eq 1
	has "$2" err
}
check 'a region that is not there' refuses 2 "^andweorc-analyze: no region 'other' was sampled in the bursts of the input\$" other=50 one
check 'more than all of it' refuses 2 "bad question 'inner=101' for --what-if: a speedup is 0 to 100, in per cent" inner=101 one
check 'no speedup' refuses 2 "bad question 'inner' for --what-if: each part is REGION=PCT or cpus=N" inner one
check 'no processors' refuses 2 'cpus is a number of processors' cpus=0 one

has_none() {
	grep -v -e '^burst' -e '^stack' -e '^events' one >without
	refuses 2 "^andweorc-analyze: the input has no bursts of events to answer 'cpus=4' from\$" cpus=4 without
}
check 'a log without bursts' has_none

is_a_record() {
	run andweorc-analyze --format andweorc one >got 2>err
	grep '^replay' got >replays
	# Two regions, at the recorder's speedups.
	test "$(wc -l <replays)" -eq 8
	has '^replay	point=unit	region=slow.c:10	speedup_pct=50	gain_pct=(29|30|31)[.0-9]*	gain_se=[0-9]' replays
}
check 'each region has its records' is_a_record

# Replay is asked at the speedups of the experiments, and between them where they are far apart.
has_levels_of_experiments() {
	cp one with
	for pct in 0 20 60; do
		printf 'experiment\tid=%s\trun=1\tregion=%s\tspeedup_pct=%s\n' "$pct" 1 "$pct"
		printf 'visits\texperiment=%s\tpoint=unit\tcount=100\tvirtual_ns=100000000\n' "$pct"
	done >>with
	exits 0 andweorc-analyze --format andweorc with >got
	awk -F'\t' "$awk_value"'$1 == "replay" { print number("speedup_pct") }' got | sort -nu >levels
	printf '%s\n' 20 30 50 60 75 | same - levels
}
check 'at the speedups of the experiments' has_levels_of_experiments

# Without an experiment, the impact is that of replay: slow.c:10 has six tenths of the only thread's time.
is_an_impact() {
	exits 0 andweorc-analyze --format andweorc one >got 2>err
	empty err
	awk -F'\t' "$awk_value"'
		$1 == "impact" && value("region") == "slow.c:10" {
			print value("slope"), value("slope_lo"), value("slope_hi"), value("basis"), value("verdict")
			near = number("slope") > 0.58 && number("slope") < 0.62 && number("slope_lo") < 0.6 && number("slope_hi") > 0.6
			n += near && value("basis") == "replay" && value("verdict") == "high" && number("n") == 0
		}
		$1 == "curve" && value("region") == "slow.c:10" { levels++ }
		$1 == "point" { n += value("kind") == "throughput" && value("replay") == "used" && number("replay_check") > 0.98 && number("replay_check") < 1.02 }
		$1 == "run" { n += number("bursts") == 1 && number("events") == 499 }
		END { exit !(n == 3 && levels == 4) }' got
	exits 0 andweorc-analyze --format text one >report 2>err
	has '^Work on slow.c:10 \(outer\): 10 % off its time takes 6.0 % off the time per .unit. \(' report
	has '^replay +the impact of 1, 2 is computed from recorded events alone, without an experiment$' report
	has "^point +'unit': one visit every 1 ms\$" report
	lacks '^warning' report
}
check 'without experiments, replay says what regions are worth' is_an_impact

# Experiments say that slow.c:10 is worth nothing.  Where a warning says why they are wrong, replay counts alone, and the
# warning puts no verdict in doubt.
replaces_wrong_experiments() {
	cp one wrong
	for n in $(seq 40); do
		printf 'experiment\tid=%s\trun=1\tblock=%s\tregion=1\tspeedup_pct=%s\twall_ns=100000000\n' "$n" $((n / 4)) $((n % 2 * 50))
		printf 'visits\texperiment=%s\tpoint=unit\tcount=%s\tvirtual_ns=100000000\n' "$n" $((100 + n % 3))
	done >>wrong
	for what in oversubscribed absolute-timer; do
		{ cat wrong; printf 'warning\trun=1\twhat=%s\ttext=some\n' $what; } >warned
		exits 0 andweorc-analyze --format andweorc warned >got 2>err
		awk -F'\t' "$awk_value"'
			$1 == "impact" && value("region") == "slow.c:10" {
				n = value("replay") == "replaces" && number("slope") > 0.58 && number("slope") < 0.62 && number("measured_slope") < 0.1
			}
			END { exit !n }' got
		lacks 'doubt=' got
		exits 0 andweorc-analyze --format text warned >report 2>err
		has '^replay +the impact of 1 is computed from recorded events alone: a warning below says why' report
		lacks 'In doubt' report
	done
	exits 0 andweorc-analyze --format andweorc wrong >got 2>err
	awk -F'\t' "$awk_value"'
		$1 == "impact" && value("region") == "slow.c:10" {
			n = value("replay") == "contradicts" && number("slope_lo") < number("measured_slope") && number("slope_hi") > number("replay_slope")
		}
		END { exit !n }' got
	exits 0 andweorc-analyze --format text wrong >report 2>err
	has '^replay +the impact of 2 is that of experiments and of a replay of recorded events together, which' report
	has '^needs +not enough data for 2: a reason why the two methods contradict each other: an impact of' report
}
check 'replay replaces experiments that are known to be wrong' replaces_wrong_experiments

is_refused() {
	exits 0 andweorc-analyze --format text "$1" >report 2>err
	lacks '^Work on' report
	has "$2" report
}
own_waits_nobody_ends() {
	perl -e '
	require "$ENV{data}/analyze/burst.pl";
	begin();
	$data = "";
	for (1 .. 249) {
		$data .= "s" . number(600000) . number(600000) . number(1) . "s" . number(400000) . number(400000) . number(2);
		$data .= "a" . number(1000000) . number(1000000) . number(1) . number(1) . "v" . number(0) . number(1) . number(1);
	}
	fields("events", "run=1", "burst=1", "thread=1", "data=$data");
	fields("point", "run=1", "id=1", "name=unit", "kind=throughput", "visits=249");
	fields("end", "run=1", "status=exit:0");' >unseen
}
own_waits_nobody_ends
# The truth lies between nothing (the wait ends at a certain time) and half of both.
is_open() {
	exits 0 andweorc-analyze --format andweorc unseen >got 2>err
	awk -F'\t' "$awk_value"'
		$1 == "curve" && value("region") == "slow.c:10" && number("speedup_pct") == 50 {
			n += number("program_pct") > 14 && number("program_pct") < 16 && number("lo") < -20 && number("hi") > 50
		}
		END { exit n != 1 }' got
}
check 'waits that no event ends may end earlier, or not: the interval holds both' is_open

# Functions: all of main's time is in work, which calls hot for 95 % of it.  Results of main and work would repeat that of hot.
wrappers() {
	perl -e '
	require "$ENV{data}/analyze/burst.pl";
	fields("andweorc", "version=1", "tool=record", "resolved=1");
	fields("run", "id=1", "command=slow", "cpus=2", "period_ns=1000000", "mode=function", @ARGV);
	fields("module", "run=1", "id=1", "path=/slow");
	for (["main", 1], ["work", 2], ["hot", 3]) {
		fields("region", "id=$_->[1]", "scope=function", "module=1", "ranges=0x$_->[1]0-0x$_->[1]8", "symbol=$_->[0]", "function=$_->[0]");
	}
	fields("burst", "run=1", "id=1", "start_ns=0", "length_ns=500000000", "cpus=2");
	fields("stack", "run=1", "id=1", "regions=3,2,1");
	fields("stack", "run=1", "id=2", "regions=2,1");
	$data = "";
	for (1 .. 499) {
		$data .= "s" . number(950000) . number(950000) . number(1) . "s" . number(50000) . number(50000) . number(2);
		$data .= "v" . number(0) . number(1) . number(1);
	}
	fields("events", "run=1", "burst=1", "thread=1", "data=$data");
	fields("point", "run=1", "id=1", "name=unit", "kind=throughput", "visits=499");
	fields("end", "run=1", "status=exit:0");' "$@"
}
leaves_out_wrappers() {
	wrappers >log
	exits 0 andweorc-analyze --format andweorc log >got 2>err
	grep '^impact' got | grep -o 'region=[a-z]*' >regions
	echo 'region=hot' | same - regions
	wrappers named=1 >log
	exits 0 andweorc-analyze --format andweorc log >got 2>err
	grep '^impact' got | grep -o 'region=[a-z]*' | sort >regions
	printf 'region=%s\n' hot main work | same - regions
}
check 'a function that hardly does more than call another is left out, unless regions were named' leaves_out_wrappers

# Two files in one, as cat makes them: the input has the records of both.  There is one answer, between those of the two.
concatenates() {
	cat one two >both
	for input in one two both; do
		exits 0 andweorc-analyze --what-if inner=50 $input >got 2>err
		test "$(wc -l <got)" -eq 1
		sed 's/.*would take [^:]*: \([0-9.]*\) %.*/\1/' got
	done >answers
	awk '{ a[NR] = $1 } END { exit !(NR == 3 && (a[1] <= a[3] && a[3] <= a[2] || a[2] <= a[3] && a[3] <= a[1])) }' answers
}
check 'runs of several logs have one answer' concatenates

# What one log is asked does not depend on the other one, which has tried other speedups.
in_any_order() {
	for log in one two; do
		test $log = one && pct=20 || pct=35
		sed "s/^run	.*/&	started_ns=$pct/" $log >$log.tried
		for n in $(seq 40); do
			printf 'experiment\tid=%s\trun=1\tblock=%s\tregion=1\tspeedup_pct=%s\twall_ns=100000000\tstart_ns=%s00000000\n' "$n" $((n / 4)) $((n % 2 * pct)) "$n"
			printf 'visits\texperiment=%s\tpoint=unit\tcount=%s\tvirtual_ns=100000000\n' "$n" $((100 + n % 3))
		done >>$log.tried
	done
	exits 0 andweorc-analyze --format andweorc one.tried two.tried >want 2>err
	has '^replay	.*speedup_pct=35	' want
	exits 0 andweorc-analyze --format andweorc two.tried one.tried >got 2>err
	same want got
}
check 'the order of logs does not matter' in_any_order

# damaged SED MESSAGE
damaged() {
	sed "$1" one >bad
	exits 2 andweorc-analyze --what-if inner=50 bad >got 2>err
	has "^andweorc-analyze: bad:[0-9]+: $2" err
}
check 'events that are cut' damaged 's/^\(events.*\)..$/\1/' "bad events for 'data'"
check 'events of no kind' damaged 's/data=s/data=?/' "bad events for 'data'"
check 'a stack that is missing' damaged '/^stack.*id=1/d' 'stack 2 does not follow stack 0'
check 'a length that is none' damaged 's/length_ns=5/length_ns=x/' "bad number 'x00000000' for 'length_ns'"

# A second run finds slow.c:30 instead of slow.c:20.  The first one ended before, so its shares say nothing of that line.
later_region() {
	log 1 | sed -e 's/^end	.*/&	wall_ns=1000000000/' -e '/^end	/i share	run=1	region=1	samples=600	total=1000' \
		-e '/^end	/i share	run=1	region=2	samples=400	total=1000' >later
	log 1 | sed -e '/^andweorc	/d' -e '/^module	/d' -e '/^region	id=1	/d' -e 's/run=1/run=2/' -e 's/^run	id=1/run	id=2/' \
		-e 's/^region	id=2	\(.*\)line=20/region	id=3	\1line=30/' -e 's/0x20-0x30/0x30-0x40/' -e 's/regions=2/regions=3/' \
		-e 's/^end	.*/&	wall_ns=1000000000/' -e '/^end	/i share	run=2	region=1	samples=600	total=1000' \
		-e '/^end	/i share	run=2	region=3	samples=400	total=1000' >>later
	exits 0 andweorc-analyze --format andweorc later >got
	awk -F'\t' '$1 == "impact" {
		split($3, region, "=")
		for (i = 4; i <= NF; i++)
			if ($i ~ /^slope=/)
				slope[region[2]] = substr($i, 7)
	}
	END {
		print slope["slow.c:10"], slope["slow.c:20"], slope["slow.c:30"]
		off = slope["slow.c:30"] - 0.4
		exit !(off < 0.03 && off > -0.03)
	}' got
}
check 'of a line that a later run finds, the run before says nothing' later_region

done_testing
