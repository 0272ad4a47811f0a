#!/bin/sh
# Many threads, many visits, many processes: same output as bare, a warning for each loss, bounded memory.
. "$(dirname "$0")/lib.sh"
. "$top/t/hostile.sh"

build threads

# scaled SAMPLER MODE N: same output as bare; no output depends on the time taken
scaled() {
	exits 0 ./threads "$2" "$3" >bare 2>/dev/null
	recorded "$1" -r work -- ./threads "$2" "$3"
	test "$status" -eq 0
	same bare profiled
	has '^end	.*	status=exit:0	' log
}

# value KEY: of the log's end
value() {
	sed -n "s/^end	.*	$1=\([0-9]*\).*/\1/p" log
}

# More threads than descriptors.
at_once() {
	scaled "$1" at-once 1200
	test "$(value threads_refused)" -eq 0
	test "$(value lost)" -eq 0
	has '^sample	' log
	# Six tenths of a second of work; the kernel's ticks find more or less of it.
	test "$(value samples)" -gt 300
}
check '1,200 threads at once, 1,024 descriptors (perf)' at_once perf
check '1,200 threads at once (timer)' at_once timer

in_turn() {
	scaled "$1" in-turn "$2"
	test "$(value threads_refused)" -eq 0
	test "$(value visits1)" -eq "$2"
	# The program's own memory: the arena is counted where it is touched.
	test "$(sed -n 's/^\([0-9]*\) kB$/\1/p' err)" -lt 40000
}
check '8,000 threads in turn (perf)' in_turn perf 8000
if is_long; then
	check '20,000 threads in turn (perf)' in_turn perf 20000
fi
# More than there are slots for.
check '6,000 threads in turn (timer)' in_turn timer 6000

too_many() {
	scaled perf at-once 4200
	test "$(value threads_refused)" -gt 0
	has '^warning	.*	what=threads-refused	' log
	has '^andweorc-record: warning: [0-9]+ threads were not sampled' err
}
if ./threads at-once 4200 >bare 2>/dev/null; then
	check 'more threads than there is room for: they run, and that is said' too_many
else
	skip 'more threads than there is room for: they run, and that is said' 'there may not be so many here'
fi

processes() {
	scaled "$1" processes 100
	test "$(value processes_refused)" -eq 0
	# Each process has ended, and their visits add up to those of the run.
	awk -F'\t' '$1 == "process" { for (i = 2; i <= NF; i++) if (sub(/^visits=/, "", $i)) { n++; sum += $i } }
		END { print n, sum }' log >got
	echo "101 $(value visits1)" >want
	same want got
}
check '100 processes at once (perf)' processes perf
check '100 processes at once (timer)' processes timer

visits() {
	scaled perf visits 16000000
	test "$(value visits1)" -eq 16000000
}
check 'eight threads visit a point 16,000,000 times: none is lost' visits

done_testing
