#!/bin/sh
# Predictions against known answers, roughly: 2 s a program, tolerance 5 points.
# (`make predictions` and `make accuracy` look closer.)  Runs alone.
# shellcheck disable=SC2034 # what prediction.sh reads
. "$(dirname "$0")/lib.sh"
. "$top/t/prediction.sh"

# One second for a burst, and one for experiments, which are short, so that each of them is made several times.
seconds=2
experiments="$experiments --window 100"

a_serial_program() {
	profile serial half fifth
	predicts half 50 25
	predicts half 25 12.5
	predicts fifth 50 10
}

a_mutex() {
	profile mutex inside outside
	predicts inside 25 25
	predicts outside 25 0
	predicts outside 50 0
}

a_queue() {
	profile queue consume produce
	predicts consume 25 25
	predicts produce 50 0
}

# Waits that are not ended by a plain wake-up: a pipe is closed, a descriptor of epoll is armed anew, a child ends.
other_ends() {
	profile endofdata make use
	predicts make 50 32
	predicts use 50 16
	profile rearm make use
	predicts make 50 33
	profile reaper build plan
	predicts build 50 34
}

# Nothing is sped up, and no thread pauses: the prediction is from recorded events.
# Half of `consume` would ask whether the producer gets faster when it waits no more.  In one second, that is not known to
# 5 points: see lib/replay/awake.c.
only_observed() {
	experiments='--attach-only'
	seconds=1.2 # of two seconds, the second would be none to observe in
	profile serial half fifth
	predicts half 50 25
	predicts fifth 50 10
	profile queue consume produce
	predicts consume 15 15
	predicts produce 50 0
	profile trylock inside outside
	predicts inside 50 19
	predicts outside 50 25
	profile logger written outside
	predicts written 50 19
	predicts outside 15 9.4
}

may_trace() {
	test "$(uname -m)" = x86_64 || return
	test "$(id -u)" -eq 0 || test "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -eq 0
}

# The same of a process that runs already.
attached_to() {
	attach serial half fifth
	predicts half 50 25
	predicts fifth 50 10
	attach queue consume produce
	predicts consume 15 15
	predicts produce 50 0
}

# Experiments alone say 25: they cannot slow the clock that the thread sleeps by.
a_clock() {
	profile clocked serve
	predicts serve 50 0
}

# One function, called by the slower end of a queue and by the faster one.
call_paths() {
	seconds=3
	profile paths 'consume;helper' 'produce;helper'
	predicts 'consume;helper' 50 30
	predicts 'consume;helper' 25 15
	predicts 'produce;helper' 50 0
}

a_short_program() {
	profile short longer_half shorter_half
	lacks '^warning	what=absolute-timer	' analysis
	predicts longer_half 50 30
	predicts shorter_half 25 10
}

# Twice as many threads as processors.
a_crowd() {
	profile crowd first second
	predicts second 50 37.5
	predicts second 25 18.8
	predicts first 50 12.5
}

# Two threads, each with a lock of its own, which it takes 300 times in a millisecond.
short_locks() {
	profile locks inside outside
	predicts inside 50 24
	predicts outside 50 24
}

# Spans are 0.8 of the program, and what is outside of them is not in them.
spans() {
	profile spans first outside
	predicts first 50 23.5 span
	predicts first 25 11.8 span
	predicts first 50 25 span p50_pct
	predicts first 50 16.7 span p99_pct
	predicts first 50 19.0 round
	predicts outside 50 0 span
	predicts outside 50 0 span p50_pct
	predicts outside 50 9.5 round
}

# It works as long as it runs, and the point that counts its work is automatic.  shellcheck disable=SC2086 #
# several options
work_is_progress() {
	seconds=3 # for a while, it is found out what moves
	gcc -O2 -g -o mover "$programs/mover.c"
	analysis_of -d "$seconds" -r work $experiments -- ./mover write 1000000
	exits 0 andweorc-analyze --format andweorc -p :work resolved >analysis
	predicts work 50 50 :work
	predicts work 25 25 :work
}

# Half of the time to wait for a device is worth 27.6 %: the code that waits has no processor time.  If other programs use the
# machine all the time, a wait is longer by an unknown amount, so it may be worth more.
waits_are_replayed() {
	exits 0 andweorc-record -q -o log -d 2 -r ask -r compute -- "$O/t/workload/device" --seconds 1000 --unit "$unit" >out 2>err
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	most=35
	if test -n "${again:-}" && grep -q '^warning	.*what=busy-machine' log; then
		most=50
	fi
	awk -F'\t' -v most="$most" '$1 == "replay" && /\tregion=ask\tspeedup_pct=50\t/ {
		split($5, gain, "=")
		print gain[2]
		n++
		wrong += gain[2] < 20 || gain[2] > most
	}
	END { exit !(n > 0 && wrong == 0) }' analysis
}

# Of processor time as progress, in a thread that does nothing to others.  Part of a run would be one of its phases.
whole_runs_are_replayed() {
	gcc -O2 -g -o phased "$programs/phased.c"
	exits 0 andweorc-record -q -o log -d 7 -m function -P :work -r first -r second -s 50 -- ./phased 400 >out 2>err
	has '^burst	.*	whole=1' log
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze -p :work --format andweorc resolved >analysis
	awk -F'\t' "$awk_value"'
		$1 == "impact" { print value("region"), value("replay_slope"); slope[value("region")] = value("replay_slope") }
		END {
			off = slope["first"] - 2 / 3
			also = slope["second"] - 1 / 3
			exit !(off < 0.06 && off > -0.06 && also < 0.06 && also > -0.06)
		}' analysis
}

# Where predictions are off by ten points, the recorder says why they may be.
warns_of() {
	exits 0 andweorc-record -q -d 2 -s 50 -m function -r "$3" -o log -- "$O/t/workload/$2" --seconds 100 --unit "$unit" >out 2>err
	# Where others use the machine, that is what it says.
	has "^warning	run=1	what=($1|busy-machine)	" log
}

truth 'regions of a serial program count by their share' a_serial_program
truth 'work under a contended mutex counts in full, work outside does not' a_mutex
truth 'the slower end of a queue counts, the faster one does not' a_queue
truth 'events alone tell it, without a pause' only_observed
truth 'what waits for the clock gains nothing, whatever experiments say' a_clock
if may_trace; then
	truth 'and of a process that runs already' attached_to
else
	skip 'and of a process that runs already' 'on x86-64 alone, and where it may be traced'
fi
truth 'threads that share processors count by their share' a_crowd
truth 'what is in a span makes it shorter, what is not does not' spans
truth 'a wait for the outside is replayed as a part of the code that waits' waits_are_replayed
if is_long; then
	truth 'a wait may end by the end of data, of a child, or by a change of what is waited for' other_ends
	truth 'one function counts by who calls it' call_paths
	truth 'work under short locks counts by its share' short_locks
	truth 'a program that ends early is run again' a_short_program
	check 'of short runs some are noted as a whole, and processor time is replayed' whole_runs_are_replayed
	truth ':work of a program that only works' work_is_progress
	if [ "$(getconf _NPROCESSORS_ONLN)" -le 2 ]; then
		truth 'short threads that queue: a warning' warns_of oversubscribed threads3 before
	else
		skip 'short threads that queue: a warning' 'there are processors for all'
	fi
	case $(uname -m) in
	x86_64)
		truth 'a lock that spins before it sleeps: a warning' warns_of spin spinpark guarded
		;;
	*) skip 'a lock that spins before it sleeps: a warning' 'spinning is known by instructions of x86' ;;
	esac
fi

done_testing
