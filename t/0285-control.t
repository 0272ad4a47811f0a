#!/bin/sh
# The program, or the user, starts and stops experiments.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

gcc -O2 -g -Wall -Wextra -D_GNU_SOURCE -I"$top/lib" -o control "$programs/control.c" || exit 1

# If all goes well, there is no sample of two of these, and that is said.
unminded="no sample was in '(warm_up|tear_down)'"
# A log has the shares of these.
named='-r work -r warm_up -r tear_down'

# sampled FUNCTION: percent of the samples on a processor that are charged to it in `log`
sampled() {
	awk -F'\t' -v name="$1" '
	$1 == "region" && $0 ~ "\tsymbol=" name "$" { split($2, part, "="); id = part[2] }
	$1 == "share" && $3 == "region=" id { split($4, part, "="); samples += part[2] }
	$1 == "share" { split($5, part, "="); total = part[2] }
	END { printf "%d", total ? 100 * samples / total : 0 }' log
}

# only_work: work was sampled; and other code only until the recorder saw that it was to stop, on a machine that
# gives it no processor for a while
only_work() {
	for of in work warm_up tear_down; do
		echo "$of: $(sampled $of) %"
	done
	test "$(sampled work)" -ge 80
	test "$(sampled warm_up)" -le 8
	test "$(sampled tear_down)" -le 8
}

# counts_work MS: the time of the log is that in which the program worked, give or take half of the rest
counts_work() {
	worked=$(awk '$1 == "worked" { print $2 }' out)
	wall=$(values wall_ns end | awk '{ printf "%d", $1 / 1e6 }')
	stopped=$(values stopped_ns end | awk '{ printf "%d", $1 / 1e6 }')
	echo "worked $worked ms, on for $wall ms, stopped for $stopped ms"
	test "$wall" -le $((worked + $1))
	test "$wall" -ge $((worked - $1))
	test "$stopped" -ge "$1"
}

# experiments [N]: the log has N
experiments() {
	test "$(grep -c '^experiment' "$log")" -ge "${1:-6}"
}

leaves_out_the_rest() {
	# shellcheck disable=SC2086 # several words
	recording_until experiments log -m function --start-paused --window 40 $named -- ./control "$1" 300 0
	empty err
	has 'done' out
	experiments
	only_work
	counts_work 300
}
check 'warming up and tearing down are left out' leaves_out_the_rest told
check 'in handlers of signals' leaves_out_the_rest handler

# The first time of work ends with four experiments, the second with four more.
both_times() {
	test -e first || ! experiments 4 || grep -c '^experiment' "$log" >first
	test -e first && experiments $(($(cat first) + 5))
}

goes_on() {
	rm -f first
	# shellcheck disable=SC2086 # several words
	recording_until both_times log -m function --start-paused --window 40 $named -- ./control twice 300 0
	both_times
	only_work
	counts_work 450
	# Windows lie one after the other on the clock of the log, in which stops are no time.
	awk -F'\t' -v all="$wall" "$awk_value"'
	$1 == "experiment" { if (number("start_ns") < end) exit 1; end = number("start_ns") + number("wall_ns"); n++ }
	END { exit !(n > 4 && end <= all * 1e6 + 1e6) }' log
}
check 'they are stopped, and started again' goes_on

stops_from_the_start() {
	# shellcheck disable=SC2086 # several words
	recording_until experiments log -m function --window 40 $named -- ./control told 300 0
	experiments
	test "$(sampled tear_down)" -le 8
	test "$(values stopped_ns end)" -ge 150000000
}
check 'without --start-paused they are on at first' stops_from_the_start

has_burst() {
	grep -q '^events' "$log"
}

is_observed() {
	# shellcheck disable=SC2086 # several words
	recording_until has_burst log -m function --attach-only --start-paused $named -- ./control told 300 0
	lacks '^experiment' log
	has '^burst' log
	has '^events' log
	only_work
}
check '--attach-only: so are bursts' is_observed

is_never_started() {
	limit=20 recording log -m function --start-paused -d 1 -- ./control silent 100 100
	has 'experiments were never started: they begin when' err
	test "$(wc -l <err)" -eq 1
	has '^warning.*what=never-started' log
	lacks '^(experiment|visits|sample)' log
	# It is not run again: that would never end.
	test "$(grep -c '^run' log)" -eq 1
}
check 'those that are never started are missed' is_never_started

# total KEY: of all runs in `log`, in milliseconds
total() {
	values "$1" end | awk '{ sum += $1 } END { printf "%d", sum / 1e6 }'
}

# The recording takes longer than -d says, by the stopped time of each run.
counts_the_time() {
	began=$(date +%s%N)
	limit=100 recording log -m function --start-paused -d 0.8 --window 40 -- ./control told 100 300
	took=$((($(date +%s%N) - began) / 1000000))
	runs=$(grep -c '^run' log)
	active=$(total wall_ns)
	stopped=$(total stopped_ns)
	echo "$runs runs in $took ms, on for $active ms, stopped for $stopped ms"
	test "$runs" -ge 2
	test "$active" -le 1800
	test "$stopped" -ge $((runs * 100))
	test "$took" -ge $((800 + stopped))
}
check '-d is time of experiments' counts_the_time

# until_it COMMAND...: waits until it succeeds, or has failed for half a minute
until_it() {
	tries=300
	until "$@" >evidence 2>&1 || test $tries -eq 0; do
		sleep 0.1
		tries=$((tries - 1))
	done
}

# In the part after its work, the user stops the experiments, not the program.
starts_by_signal() {
	rm -f enough log out
	log=log
	# shellcheck disable=SC2086 # several words
	LIFE_UNTIL=$PWD/enough andweorc-record -o log -m function --start-paused --window 40 $named -- ./control silent 300 0 >out 2>err &
	recorder=$!
	until_it has works out
	kill -USR1 $recorder
	until_it experiments
	kill -USR2 $recorder
	sleep 0.3
	: >enough
	wait $recorder
	has 'done' out
	has "or with: kill -USR1 $recorder\$" err
	experiments
	only_work
	test "$(values stopped_ns end)" -ge 600000000
}
check 'the user starts and stops them by signals' starts_by_signal

leaves_signals() {
	# Not by exits, which takes such a status for a death of the tool.
	run andweorc-record -q -o log2 -- sh -c 'kill -USR1 $$' 2>err
	test "$status" -eq 138
	# An ignored signal stays ignored.
	(trap '' USR1; exits 5 andweorc-record -q -o log3 -- sh -c 'kill -USR1 $$; exit 5' 2>err)
}
check "the command's own signals are its own" leaves_signals

says_whether() {
	./control ask >out
	echo 0 >want
	same want out
	exits 0 andweorc-record -q -o log --attach-only -- ./control ask >out 2>err
	echo 1 >want
	same want out
}
check 'ANDWEORC_IS_RECORDED' says_whether

is_inert() {
	./control told 10 10 >out
	has 'done' out
}
check 'not recorded, a program starts and stops nothing' is_inert

is_refused() {
	exits 125 andweorc-record -o made.aw -P :run --start-paused -- ./control told 10 10 2>err
	has 'andweorc-record: -P :run compares runs' err
	test ! -e made.aw
}
check '-P :run has no part that could be left out' is_refused

done_testing
