#!/bin/sh
# andweorc-analyze --what-if: questions that recorded events answer; and what replay says of each region.
. "$(dirname "$0")/lib.sh"

# log THREADS: each visits the point once in 1 ms, of which 0.6 ms are spent in slow.c:10 (outer) and 0.4 ms in slow.c:20 (inner)
log() {
	perl -e '
	require "$ENV{data}/analyze/burst.pl";
	begin();
	for $thread (1 .. shift) {
		$data = "";
		for (1 .. 499) {
			$data .= "s" . number(600000) . number(600000) . number(1) . "s" . number(400000) . number(400000) . number(2);
			$data .= "v" . number(0) . number(1) . number(1);
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
	# Two regions, three speedups.
	test "$(wc -l <replays)" -eq 6
	has '^replay	point=unit	region=slow.c:10	speedup_pct=50	gain_pct=(29|30|31)[.0-9]*	gain_se=[0-9]' replays
}
check 'each region has its records' is_a_record

# Two files in one, as cat makes them: what each says is in the input.
concatenates() {
	cat one two >both
	exits 0 andweorc-analyze --what-if inner=50 both >got 2>err
	test "$(wc -l <got)" -eq 2
}
check 'runs of several logs answer each for itself' concatenates

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

done_testing
