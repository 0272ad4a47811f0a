#!/bin/sh
# andweorc-record: its options, its streams and its exit status.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

program life
# Programs for tests without experiments are short.
LIFE_MS=5
export LIFE_MS

# record ARG...: a recording into `log` that goes well
record() {
	recording log "$@"
}

# record_until EVIDENCE ARG...: the same, repeated until the command EVIDENCE succeeds
record_until() {
	looks=$1
	shift
	recording_until "$looks" log "$@"
}

# region_named KEY=VALUE...: experiments were made with the region that has all these
region_named() {
	awk -F'\t' -v want="$*" '
	BEGIN { n = split(want, w, " ") }
	$1 == "region" {
		found = 0
		for (k = 1; k <= n; k++)
			for (i = 2; i <= NF; i++)
				found += $i == w[k]
		if (found == n)
			id = $2
	}
	$1 == "experiment" && id != "" {
		for (i = 2; i <= NF; i++)
			seen = seen || $i == "region=" substr(id, 4)
	}
	END { exit !seen }' log || { echo "no experiment with $*:"; grep '^region' log; return 1; }
}

# ---- options ---------------------------------------------------------------------

says_what_it_does() {
	record --seed 7 --sampler timer --period 2000 -m function -- ./life plain
	values command run >got
	values seed run >>got
	values sampler run >>got
	values period_ns run >>got
	values mode run >>got
	same - got <<-END
	./life%20plain
	7
	timer
	2000000
	function
	END
}
check 'the run record names command, seed, sampler, period and mode' says_what_it_does

# A thread has room for 128 samples.  When these were read each 50 ms, 3,000 of 10,000 were lost.
short_periods_are_read_in_time() {
	recording log -d 2 --period 200 -- "$O/t/workload/serial" --seconds 1000
	lost=$(sed -n 's/.* \([0-9]*\) samples were lost.*/\1/p' all)
	test "${lost:-0}" -lt 1000
}
check 'of short periods, samples are read in time' short_periods_are_read_in_time

# The values of the three options reach the analysis unchanged.
says_where_it_belongs() {
	GITHUB_SHA=abc record -n 2 --block '7 %	a' --side head --commit 'v1.2 dirty' --attach-only -- ./life plain
	for key in block side commit; do
		values $key run
	done >got
	same - got <<-END
	7%20%25%09a
	7%20%25%09a
	head
	head
	v1.2%20dirty
	v1.2%20dirty
	END
	andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis 2>err
	test "$(grep -c '^run	.*	commit=v1.2%20dirty	block=7%20%25%09a	side=head	' analysis)" -eq 2
}
check '--block, --side, --commit: in the log, and in the analysis' says_where_it_belongs

says_nothing_of_it() {
	GITHUB_SHA=abc record --attach-only -- ./life plain
	values commit run >got
	echo abc | same - got
	lacks '	(block|side)=' log
	GITHUB_SHA='' record --attach-only -- ./life plain
	lacks '	commit=' log
}
check 'without them: the commit of GITHUB_SHA' says_nothing_of_it

runs_so_many_times() {
	record -n 3 --show-output -- ./life plain
	values id run >got
	printf '1\n2\n3\n' >want
	same want got
	printf 'plain\nplain\nplain\n' >want
	same want out
	values status end >got
	printf 'exit:0\nexit:0\nexit:0\n' >want
	same want got
}
check '-n: so many runs' runs_so_many_times

ends_a_long_command() {
	LIFE_MS=100000 record -d 0.3 -r work --window 1 -- ./life plain
	values ended_by end >got
	echo recorder >want
	same want got
	empty out
}
check '-d: a command that takes longer is ended, and that is no failure' ends_a_long_command

divides_the_time() {
	LIFE_MS=100000 record -d 0.4 -n 2 -r work --window 1 -- ./life plain
	values id run >got
	printf '1\n2\n' >want
	same want got
	for ns in $(values wall_ns end); do
		test "$ns" -ge 150000000
		test "$ns" -le 10000000000
	done
}
check '-d with -n: the time is divided among the runs' divides_the_time

speeds_up_by() {
	record_until 'tried 0 40 80' -r work --window 1 -s 40,80 -- ./life plain
	values speedup_pct experiment | sort -un >got
	printf '0\n40\n80\n' >want
	same want got
	record_until 'tried 0' -r work --window 1 -s 0 -- ./life plain
	values speedup_pct experiment | sort -un >got
	echo 0 >want
	same want got
	record_until 'tried 0 10 30 50 90' -r work --window 1 -s 0,10-50:20,30,90 -- ./life plain
	values speedup_pct experiment | sort -un >got
	printf '0\n10\n30\n50\n90\n' >want
	same want got
	for bad in 10- 10-50 50-10:5 10-50:0 -5 10-101:1 10-50:x 10:5; do
		! record -r work -s "$bad" -- ./life plain 2>err
		has "^andweorc-record: bad .*'" err
	done
}
check '-s: these speedups and the baseline' speeds_up_by

# windows_at: how many there are of 0, 20 and 60 %.  A window that was disturbed is not counted; it is repeated once.
windows_at() {
	awk -F'\t' "$awk_value"'$1 == "experiment" && !/\tdisturbed=/ { n[number("speedup_pct")]++ }
		END { print n[0] + 0, n[20] + 0, n[60] + 0 }' log
}

# sixty_has N: so many of 60 %
sixty_has() {
	test "$(windows_at | cut -d ' ' -f 3)" -ge "$1"
}

# A block is 1 region x 3 levels and 2 baselines, with 0 named twice 4.
counts_what_is_named_twice() {
	record_until 'sixty_has 5' -r work --window 1 -s 20,20,60 -- ./life plain
	windows_at >got
	read -r none twenty sixty <got
	test "$sixty" -ge 5
	test "$((twenty - 2 * sixty))" -ge -2
	test "$((twenty - 2 * sixty))" -le 2
	test "$((none - sixty))" -le "$((sixty + 2))"
	record_until 'sixty_has 5' -r work --window 1 -s 0,0,20,20,60 -- ./life plain
	windows_at >got
	read -r none twenty sixty <got
	test "$sixty" -ge 5
	test "$((none - 4 * sixty))" -ge -4
	test "$((none - 4 * sixty))" -le 4
	record_until 'sixty_has 10' --design adaptive -r work --window 1 -s 20,60,60,60 -- ./life plain
	windows_at >got
	read -r none twenty sixty <got
	test "$sixty" -gt "$((2 * twenty))"
}
check '-s: what is named twice is tried twice as often' counts_what_is_named_twice

keeps_to_one_speedup() {
	record_until 'tried 0 35' -r work --window 1 -s 35 -- ./life plain
	values speedup_pct experiment | sort -un >got
	printf '0\n35\n' >want
	same want got
}
check '-s: one fixed speedup' keeps_to_one_speedup

too_many_speedups() {
	list=1
	for i in 1 2 3 4 5 6 7 8 9 10; do
		list=$list,$i,2,3,4,5,6,7,8,9,10
	done
	! record -r work -s "$list" -- ./life plain 2>err
	has '^andweorc-record: too many speedups' err
}
check '-s: too many' too_many_speedups

# -d counts from when it has been waited.
waits_first() {
	LIFE_MS=100000 record -d 0.25 -w 0.3 -r work --window 1 -- ./life plain
	has '^run	.*	wait_ns=300000000' log
	test "$(values start_ns experiment | sort -n | head -n 1)" -ge 300000000
	values wall_ns end >wall
	values samples end >samples
	cat wall samples
	test "$(cat wall)" -ge 500000000
	test "$(cat wall)" -le 10000000000
	test "$(cat samples)" -gt 20
	test "$(cat samples)" -le $(($(cat wall) / 1000000 - 250))
}
check '-w: nothing is measured before' waits_first

# Without -w, the first burst begins a little before that.
notes_no_event_before() {
	for seconds in 0.6 3; do
		LIFE_MS=100000 record --attach-only -d $seconds -w 0.5 -- ./life plain
		if grep -q '^burst' log; then
			break
		fi
	done
	test "$(values start_ns burst | sort -n | head -n 1)" -ge 500000000
}
check '-w: no event is noted before' notes_no_event_before

ends_while_it_is_waited() {
	LIFE_MS=100 record -d 5 -w 3 -r work -- ./life plain
	has '^andweorc-record: warning: the program ended before the 3 s of -w were over: nothing was measured$' err
	values id run >got
	echo 1 >want
	same want got
	lacks '^experiment' log
}
check '-w: a program that ends before' ends_while_it_is_waited

no_whole_runs() {
	! record -P :run -w 1 -- ./life plain 2>err
	has "bad wait '1' with '-P :run'" err
}
check '-w: not with whole runs' no_whole_runs

names_a_function() {
	record_until 'region_named symbol=first_twin' -r first_twin --window 1 -- ./life twins
	empty err
	region_named scope=function symbol=first_twin
	lacks 'symbol=second_twin' log
}
check '-r FUNCTION' names_a_function

names_a_line() {
	line=$(grep -n 'sink -= ' "$programs/life.c" | cut -d: -f1)
	# A name that means nothing would be warned of.
	record_until "region_named line=$line" -r "life.c:$line" -r "program/life.c:$line" -r "$programs/life.c:$line" --window 1 -- ./life twins
	empty err
	region_named scope=line "file=$programs/life.c" "line=$line"
	test "$(grep -c '^region' log)" -eq 1
}
check '-r FILE:LINE, by any tail of the path' names_a_line

# both_twins: experiments were made with each of the two
both_twins() {
	region_named symbol=first_twin && region_named symbol=second_twin
}

names_by_pattern() {
	record_until both_twins -r '*_twin' --window 1 -- ./life twins
	empty err
	region_named symbol=first_twin
	region_named symbol=second_twin
	grep -c '^region' log >got
	echo 2 >want
	same want got
}
check '-r PATTERN' names_by_pattern

names_several() {
	record_until both_twins -r first_twin -r second_twin --window 1 -- ./life twins
	empty err
	region_named symbol=first_twin
	region_named symbol=second_twin
}
check '-r again' names_several

names_nothing() {
	record_until 'region_named symbol=work' -r no_such_function -r life.c:1 -r nofile.c:9 -r 'no*such' -r work --window 1 -- ./life plain
	for name in no_such_function life.c:1 nofile.c:9 'no*such'; do
		case $name in
		life.c:1) more="; the next line with code is $(grep -n 'clock_gettime(CLOCK_THREAD' "$programs/life.c" | head -n 1 | cut -d: -f1)" ;;
		nofile.c:9) more=': nothing that was compiled with -g comes from a file of that name' ;;
		*) more= ;;
		esac
		echo "andweorc-record: warning: no code of the program or its libraries is called '$name'$more"
	done | sort >want
	grep -v ': so far: ' err | sort | same want - # said after 3 s of a slow recording
	grep -c '^warning.*what=no-such-region' log >got
	echo 4 >want
	same want got
	region_named symbol=work
}
check '-r of what is not there: a warning, and the others are measured' names_nothing

# visits N: of the point with this number (1..), at the end of the run
visits() {
	awk -F'\t' -v key="visits$1=" '$1 == "end" { for (i = 2; i <= NF; i++) if (index($i, key) == 1) print substr($i, length(key) + 1) }' log
}

# visited POINT...: each POINT has windows, and there are many windows in all
visited() {
	for point; do
		grep -q "^visits	.*	point=$point	" log || return 1
	done
	grep -q '^experiment	.*	block=3	' log
}

makes_points() {
	line=$(grep -n 'first_twin();' "$programs/life.c" | cut -d: -f1)
	# Few visits a second: a point with many is given up on a processor that is slow in trapping.
	LIFE_TURNS=1500000 record_until "visited first_twin life.c:$line unit" -r second_twin -s 50 --window 1 -P first_twin -P "life.c:$line" -- ./life twins
	empty err
	for point in first_twin "life.c:$line" unit; do
		has "^visits	.*	point=$point	" log
	done
	# The program passes all three points equally often, but for the time until the first two are armed.
	visits 1 >got
	visits 2 >>got
	visits 3 >>got
	sort -n got | awk '{ v[NR] = $1 } END { exit !(NR == 3 && v[1] > 0.5 * v[3]) }' || { cat got; return 1; }
}

makes_no_point() {
	record_until 'tried 0' -r work --window 1 -P no_such_function -- ./life plain
	same - err <<-END
	andweorc-record: warning: no progress point at 'no_such_function': no code of the program or its libraries is called so
	END
	has '^warning	run=1	what=no-such-point	' log
}

makes_no_fifth_point() {
	record_until 'tried 0' -r work --window 1 -P work -P crash -P aborts -P plain -P twins -- ./life plain
	# Those who may have probes of the kernel for more: see t/0291.
	if ! grep -q '^point	.*name=twins	' log; then
		same - err <<-END
		andweorc-record: warning: no progress point at 'twins': the processor has four breakpoints in all
		END
	fi
}

makes_no_point_without_perf() {
	record_until 'tried 0' --sampler timer -r work --window 1 -P plain -- ./life plain
	same - err <<-END
	andweorc-record: warning: no progress point at 'plain': breakpoints need perf, which is not used
	END
}

if has_breakpoints; then
	check '-P FUNCTION, -P FILE:LINE' makes_points
	check '-P of what is not there' makes_no_point
	check '-P: four at the most' makes_no_fifth_point
else
	skip '-P FUNCTION, -P FILE:LINE' 'no breakpoints here'
fi
check '-P without perf' makes_no_point_without_perf

finds_functions() {
	record_until both_twins -m function --window 1 -- ./life twins
	region_named scope=function symbol=first_twin
	region_named scope=function symbol=second_twin
	lacks 'symbol=main$' log
}
check '-m function: functions found by sampling' finds_functions

finds_lines() {
	line=$(grep -n 'sink -= ' "$programs/life.c" | cut -d: -f1)
	record_until "region_named line=$line" -m line --window 1 -- ./life twins
	region_named scope=line "file=$programs/life.c" "line=$line"
	lacks 'scope=function' log
}
check '-m line: lines found by sampling' finds_lines

# Regions have been picked three times.
has_blocks() {
	grep -q '^experiment	.*	block=3	' log
}

keeps_to_so_many_regions() {
	record_until has_blocks -m function -s 50 --max-regions 1 --window 1 -- ./life twins
	values region experiment | grep -v '^-$' | sort -u | wc -l >got
	echo 1 >want
	same want got
}
check '--max-regions' keeps_to_so_many_regions

# The first 8 experiments; one that was repeated because of a disturbance counts once.
# Regions by their names: they are numbered as samples find them.
order() {
	awk -F'\t' "$awk_value"'
	$1 == "region" { name[value("id")] = value("symbol") }
	$1 == "experiment" { print name[value("region")], value("speedup_pct") }' log | uniq | head -n 8
}

has_an_order() {
	test "$(order | wc -l)" -eq 8
}

repeats_an_order() {
	for seed in 7 7 8; do
		record_until has_an_order --seed $seed -r first_twin -r second_twin --window 1 -- ./life twins
		order >order.$seed.new
		test "$(wc -l <order.$seed.new)" -eq 8
		test ! -e order.$seed || same order.$seed order.$seed.new
		mv order.$seed.new order.$seed
	done
	exits 1 cmp -s order.7 order.8
}
check '--seed: the same seed is the same order, another one another' repeats_an_order

has_windows_of() {
	record_until 'tried 0 15' -r work --window 60 -- ./life plain
	values wall_ns experiment >got
	test -s got
	for ns in $(cat got); do
		test "$ns" -ge 60000000
	done
}
check '--window: no experiment is shorter' has_windows_of

only_samples() {
	LIFE_MS=150 record --attach-only -- ./life plain
	empty err
	lacks '^(experiment|visits)' log
	has '^sample' log
	has '^end	run=1	status=exit:0' log
}
check '--attach-only: samples, no experiment' only_samples

check '-w: bad values' refuses -w x -1 nan inf 1e9 ''
check '-d: bad values' refuses -d x 0 -1 nan inf 1e9 '' '1 s' 0x10
check '-n: bad values' refuses -n x 0 -1 1.5 '' 99999999
check '-m: bad values' refuses -m lines functions '' LINE
check '-s: bad values' refuses -s 101 x -5 , 10,,20 '' '10 20' 10%
check '--seed: bad values' refuses --seed x -1 '' 18446744073709551616
check '--max-regions: bad values' refuses --max-regions x 0 -1 '' 1001
check '--sampler: bad values' refuses --sampler x '' PERF
check '--period: bad values' refuses --period x 0 49 -1 '' 1000001
check '--side: bad values' refuses --side x '' BASE 'base '
check '--block: bad values' refuses --block ''
check '--commit: bad values' refuses --commit ''
check '--window: bad values' refuses --window x 0 -1 '' 60001

# ---- streams ------------------------------------------------------------------------

log_on_standard_output() {
	exits 0 andweorc-record -q -- sh -c 'echo to output; echo to errors >&2; echo andweorc' >log 2>err
	has '^to output$' err
	has '^to errors$' err
	lacks '^to ' log
	has '^andweorc	version=1	tool=record' log
	grep -c '^andweorc' log >got
	echo 1 >want
	same want got
	exits 0 andweorc-resolve log >resolved
}
check 'log on standard output: the output of the command goes elsewhere' log_on_standard_output

log_in_a_pipe() {
	(run andweorc-record -q -- sh -c 'echo loud' 2>err; echo "$status" >status) | andweorc-resolve >resolved
	echo 0 >want
	same want status
	has '^end	run=1	status=exit:0' resolved
}
check 'log in a pipe' log_in_a_pipe

reader_that_leaves() {
	(run andweorc-record -q -n 20 -- sh -c 'echo ran >>ran-unread' 2>err; echo "$status" >status) | head -n 1 >first
	has '^andweorc	version=1' first
	test "$(wc -l <ran-unread)" -eq 20
	echo 125 >want
	same want status
	has "^andweorc-record: cannot write 'standard output': Broken pipe\$" err
}
check 'reader that leaves: the command does not notice, and the status tells' reader_that_leaves

keeps_the_streams() {
	printf 'one\ntwo\n' >in
	exits 0 andweorc-record -q -o log -- sh -c 'cat; echo oops >&2' <in >out 2>err
	same in out
	has '^oops$' err
	lacks '^(one|two|oops)' log
}
check 'with -o, input and outputs are those of the command' keeps_the_streams

# Descriptors of the runtime have high numbers, from 700 on, and are closed by exec.
same_descriptors() {
	sh -c 'ls /proc/self/fd' >want
	record -- sh -c 'ls /proc/self/fd'
	awk '$1 < 700' out >got
	same want got
	test "$(awk '$1 >= 700' out | wc -l)" -le 1
}
check 'the command inherits no descriptor of ours' same_descriptors

same_environment() {
	env | grep -v -e '^LD_PRELOAD=' -e '^ASAN_OPTIONS=' -e '^_=' | sort >want
	record -- env
	grep -v -e '^LD_PRELOAD=' -e '^ANDWEORC_ARENA=' -e '^ASAN_OPTIONS=' -e '^_=' out | sort >got
	same want got
}
check 'the rest of the environment is the same' same_environment

# on_terminal COMMAND: runs it with all streams on a terminal, whose output is kept in `screen`
on_terminal() {
	if script --version >/dev/null 2>&1; then
		script -qec "$1" /dev/null </dev/null >screen
	else
		python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(["sh", "-c", sys.argv[1]])))' \
			"$1" </dev/null >screen
	fi
}

refuses_a_terminal() {
	on_terminal 'andweorc-record -- sh -c "echo ran >ran-on-terminal"; echo $? >status'
	echo 125 >want
	same want status
	has '^andweorc-record: the log would go to the terminal' screen
	test "$(wc -l <screen)" -eq 1
	test ! -e ran-on-terminal
}

shows_progress() {
	for shown in 200 1000; do
		TERM=xterm LIFE_MS=$shown on_terminal 'andweorc-record -o log -r work --window 1 -- ./life plain; echo $? >status'
		echo 0 >want
		same want status
		if grep -Eq '[0-9]+ s  [0-9]+ windows' screen; then
			break
		fi
	done
	has '[0-9]+ s  [0-9]+ windows' screen
	TERM=dumb LIFE_MS=$shown on_terminal 'andweorc-record -o log -r work --window 1 -- ./life plain; echo $? >status'
	lacks 'windows' screen
}

shows_no_progress() {
	TERM=xterm LIFE_MS=400 on_terminal 'andweorc-record -q -o log -r work --window 1 -- ./life plain; echo $? >status'
	echo 0 >want
	same want status
	lacks 'windows' screen
}

shows_no_progress_in_a_file() {
	TERM=xterm LIFE_MS=400
	export TERM
	exits 0 andweorc-record -o log -r work --window 1 -- ./life plain >out 2>err
	lacks 'windows' err
}

if script --version >/dev/null 2>&1 || python3 -c 'import pty' 2>/dev/null; then
	check 'a log to the terminal is refused' refuses_a_terminal
	check 'progress is shown on a terminal, unless it is dumb' shows_progress
	check '-q: no progress is shown' shows_no_progress
else
	skip 'a log to the terminal is refused' 'neither script(1) nor python3'
fi
check 'no progress is shown in a file' shows_no_progress_in_a_file

full_disk() {
	exits 125 andweorc-record -q -o /dev/full -- sh -c 'echo ran' >out 2>err
	echo ran >want
	same want out
	grep -v ': warning: ' err >errors
	same - errors <<-END
	andweorc-record: cannot write '/dev/full': No space left on device
	END
	exits 3 andweorc-record -q -o /dev/full -- sh -c 'exit 3' >out 2>err
	exits 125 andweorc-record -q -- sh -c 'echo ran' >/dev/full 2>err
	has "^andweorc-record: cannot write 'standard output': No space left on device\$" err
	has '^ran$' err
}
check 'full disk: the command runs, and the status tells' full_disk

closed_output() {
	exits 125 andweorc-record -q -- sh -c 'echo ran >ran-closed' >&- 2>err
	has "^andweorc-record: cannot write 'standard output': Bad file descriptor\$" err
	test -e ran-closed
}
check 'closed output' closed_output

cannot_write() {
	for path in no/such/log . ''; do
		exits 125 andweorc-record -o "$path" -- sh -c 'echo ran >ran-unwritten' >out 2>err
		empty out
		has "^andweorc-record: cannot create '$path': " err
		test "$(wc -l <err)" -eq 1
		test ! -e ran-unwritten
	done
}
check 'a log that cannot be written: the command is not run' cannot_write

replaces_an_old_log() {
	yes 'old line' | head -n 10000 >log
	record -- true
	lacks 'old' log
	has '^andweorc' log
}
check 'an old log is replaced' replaces_an_old_log

# ---- the command and its status -------------------------------------------------------

arguments_are_its_own() {
	printf '%s\n' -o x -d --help -- '-n 3' '' 'a	b' >want
	record -- sh -c 'printf "%s\n" "$@"' - -o x -d --help -- '-n 3' '' 'a	b'
	same want out
	record sh -c 'printf "%s\n" "$@"' - -o x -d --help -- '-n 3' '' 'a	b'
	same want out
	test ! -e x
	values command run >got
	has '%09' got
	lacks '	' got
}
check "the command's options are its own, with -- and without" arguments_are_its_own

status_is_its_own() {
	for n in 0 1 3 42 125 126 127; do
		exits $n andweorc-record -q -o log -- sh -c "exit $n" 2>err
		has "^end	run=1	status=exit:$n	" log
	done
}
check 'exit status' status_is_its_own

signal_is_told() {
	for n in 1 2 3 6 9 13 15; do
		dies $n andweorc-record -q -o log -- sh -c "ulimit -c 0; kill -$n \$\$" 2>err
		has "^end	run=1	status=signal:$n	" log
	done
}
check 'killed by signal N: 128+N' signal_is_told

first_failure_counts() {
	exits 4 andweorc-record -q -n 3 -o log -- sh -c 'echo x >>three; case $(wc -l <three) in 2) sleep 0.1; exit 4;; 3) exit 5;; esac' 2>err
	values status end >got
	printf 'exit:0\nexit:4\nexit:5\n' >want
	same want got
}
check 'several runs: the first failure' first_failure_counts

not_there() {
	for name in no-such-command-anywhere ./no/such/path ''; do
		exits 127 andweorc-record -o log -- "$name" >out 2>err
		empty out
		echo "andweorc-record: cannot run '$name': No such file or directory" >want
		same want err
	done
}
check 'a command that is not there: 127' not_there

not_executable() {
	echo text >text
	for name in ./text / ./text/file; do
		exits 126 andweorc-record -o log -- "$name" >out 2>err
		empty out
		has "^andweorc-record: cannot run '$name': " err
		test "$(wc -l <err)" -eq 1
	done
}
check 'a command that is no program: 126' not_executable

done_testing
