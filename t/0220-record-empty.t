#!/bin/sh
# An empty recording has the reason in it: a line for people, a record for tools.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

program life
strip -o bare life || exit 1
gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -static -w -o static "$programs/life.c" -pthread -ldl 2>static.err || exit 1
gcc -O2 -D_GNU_SOURCE -o refuse "$programs/refuse.c" || exit 1
LIFE_MS=300
export LIFE_MS

# spin MS: works, without a progress point
cat >spin.c <<'END_OF_C'
#include <stdlib.h>
#include <time.h>

static volatile unsigned sink;

int main(int argc, char **argv)
{
	clock_t end = clock() + (argc > 1 ? atoi(argv[1]) : 0) * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		for (unsigned i = 0; i < 20000; i++)
			sink += i;
	return 0;
}
END_OF_C
gcc -O2 -g -o spin spin.c || exit 1

# sleeper: waits, and visits a progress point
cat >sleeper.c <<'END_OF_C'
#include <andweorc.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 3; i++) {
		usleep(100000);
		ANDWEORC_PROGRESS("nap");
	}
	return 0;
}
END_OF_C
gcc -O2 -g -I"$top/lib" -o sleeper sleeper.c || exit 1

record() {
	recording log "$@"
}

# codes: prints the codes of the warning records, but for those about this machine
codes() {
	values what warning | grep -Evx "$machine_codes" | sort -u
}

# warns CODE TEXT: this warning and no other is in the log and on standard error
warns() {
	codes >got
	echo "$1" >want
	same want got
	has "^andweorc-record: warning: $2" err
	test "$(wc -l <err)" -eq 1
	# Messages for people are also in the log.
	awk -F'\t' -v codes="^what=($machine_codes)\$" '$1 == "warning" && $3 !~ codes { print substr($4, 6) }' log |
		sed 's/%20/ /g; s/%09/	/g; s/%25/%/g' >text
	sed 's/^andweorc-record: warning: //' err >said
	same said text
	exits 0 andweorc-resolve log >resolved
}

no_progress_point() {
	record --window 1 -r main -- ./spin 100
	warns no-progress-point 'no progress point was visited: put ANDWEORC_PROGRESS'
}
check 'no progress point' no_progress_point

no_samples() {
	# A sleeper uses some microseconds; most likely no sample hits them, but one may.
	for _ in 1 2 3 4 5; do
		record -- ./sleeper
		if codes | grep -qx no-samples; then
			break
		fi
	done
	warns no-samples 'no sample was taken: '
}
check 'no samples: a program that sleeps' no_samples

has_levels() {
	test "$(values speedup_pct experiment | sort -u | wc -l)" -ge 2 && grep -q '^visits' log
}

unmarked() {
	endless_until has_levels log --window 20 -r main -- ./spin 1000000
	warns unmarked 'no progress point is marked: progress is :work; mark one with ANDWEORC_PROGRESS'
	values point visits | sort -u >got
	echo :work >want
	same want got
	test "$(values speedup_pct experiment | sort -u | wc -l)" -ge 2
}
check 'no progress point, and time for experiments: they are about processor time' unmarked

# tries_regions: there is an experiment with a region
tries_regions() {
	grep -q '^experiment	.*	region=[0-9]' log
}

# falls_back ARG...: an ordinary recording of a stripped program tries functions that have no names
falls_back() {
	recording_until tries_regions log --window 1 "$@" -- ./bare plain
	warns no-lines "the program has no debug information, so regions are functions, found by the unwind table, without names, in 'bare'"
	values scope region | sort -u >got
	echo function >want
	same want got
	grep '^experiment' log | grep -v 'region=-' >got
	test -s got
	# The same place has the same name in all that follows.
	has '^region.*function=bare\+0x[0-9a-f]+$' resolved
}
check 'line mode without debug information' falls_back
check 'function mode without symbols' falls_back -m function

# A hundred lines of equal weight: no line is worth an experiment, but the functions around them are.
cat >flat.awk <<'END'
BEGIN {
	print "volatile unsigned sink;"
	for (g = 0; g < 2; g++) {
		for (i = 0; i < 50; i++)
			printf "__attribute__((noinline)) static void f%d_%d(unsigned n)\n{\n\tfor (unsigned k = 0; k < n; k++)\n\t\tsink = sink * 3 + %d;\n}\n", g, i, 50 * g + i
		printf "__attribute__((noinline)) static unsigned group%d(void)\n{\n", g
		for (i = 0; i < 50; i++)
			printf "\tf%d_%d(%d);\n", g, i, 300 - 200 * g
		print "\treturn sink;\n}"
	}
	print "int main(void)\n{\n\tfor (int r = 0; r < 3000000; r++)\n\t\tif (group0() + group1() == 1)\n\t\t\treturn 1;\n\treturn 0;\n}"
}
END
awk -f flat.awk >flat.c && gcc -O2 -g -o flat flat.c && strip -o flat-bare flat || exit 1

# main has no name, either.  It is no region, because the whole program is inside of it.
has_two() {
	test "$(grep -c '^region' log)" -ge 2
}

leaves_main_out() {
	endless_until has_two log --window 1 -- ./flat-bare
	test "$(grep -c '^region' log)" -ge 2
	lacks "^region.*	ranges=0x$(nm flat | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')-" log
}
check 'a function that libc calls first is main' leaves_main_out

has_group() {
	grep -q '^region	.*	symbol=group0' log && grep -q '^experiment	.*	region=[0-9]' log && grep -q '^visits' log
}

is_flat() {
	endless_until has_group log --window 20 -s 50 -- ./flat
	codes >got
	printf 'flat\nunmarked\n' | same - got
	values symbol region >got
	has '^group0$' got
	values scope region | sort -u >got
	echo function | same - got
}
check 'a flat profile: functions instead of lines' is_flat

no_such_region() {
	recording_until "tried 0" log -r absent --window 1 -- ./life plain
	warns no-such-region "no code of the program or its libraries is called 'absent'"
}
check '-r of something absent' no_such_region

too_short() {
	LIFE_MS=150 record -- ./life plain
	warns too-short 'the program ended before an experiment could: give -d SECONDS to have it run again, or more input'
	LIFE_MS=30 record -n 2 -- ./life plain
	warns too-short 'the program ended before an experiment could: give a greater -n than 2 to have it run again, or more input'
}
check 'too short' too_short

not_preloaded() {
	record -- ./static plain
	warns not-preloaded "'\\./static' was not profiled: it is statically linked"
}
check 'statically linked' not_preloaded

perf_refused() {
	exits 0 ./refuse andweorc-record -q -o log -r work --window 1 -- ./life plain >out 2>all
	has '^andweorc-record: warning: perf is refused \(Permission denied; kernel\.perf_event_paranoid is -?[0-9]+\)' all
	test "$(grep -c 'perf is refused' all)" -eq 1
	of_the_program all >err
	empty err
	codes >got
	empty got
	values what warning | grep -cx perf-refused >got
	echo 1 | same - got
	has '^run.*	sampler=timer' log
	has '^sample' log
	exits 0 ./refuse andweorc-record -q -o log --sampler timer -r work --window 1 -- ./life plain 2>err
	lacks 'perf' err
	lacks 'what=perf-refused' log
}
check 'perf refused: the timer is used, with a warning unless it was asked for' perf_refused

several() {
	# A shell may start a program that has the point.
	record -n 2 -r absent -- sh -c './spin 50; exit 0'
	codes >got
	printf 'few-runs\nno-such-region\n' >want
	same want got
	test "$(wc -l <err)" -eq 2
	grep -c '^warning	run=2	what=no-such-region' log >got
	echo 1 >want
	same want got
}
check 'several reasons: each once on standard error, in the log for each run' several

nothing_to_say() {
	recording_until tries_regions log -r work --window 1 -- ./life plain
	empty err
	codes >got
	empty got
}
check 'nothing to warn of' nothing_to_say

# Each run reads the standard input from where the first one did.
one_input() {
	seq 1000 >numbers
	exits 0 sh -c '{ read -r first; exec andweorc-record -q -d 1 --show-output -o log -- sh -c "sleep 0.1; wc -l"; } <numbers' >out 2>err
	test "$(wc -l <out)" -ge 2
	test "$(sort -u out)" = "$(sort out | head -n 1)"
	has '^ *[1-9][0-9]*$' out
	# What came through a pipe is gone.
	exits 0 sh -c 'seq 1000 | andweorc-record -d 1 --show-output -o log -- sh -c "sleep 0.1; wc -l"' >out 2>err
	echo 1000 | same - out
	has 'the command is not run again, because its standard input is at its end' err
	exits 0 sh -c ': | andweorc-record -d 1 --show-output -o log -- sh -c "sleep 0.1; wc -l"' >out 2>err
	test "$(wc -l <out)" -ge 2
}
check 'each run has the same standard input' one_input

again_and_again() {
	LIFE_MS=50 record -d 0.5 --show-output -- ./life plain
	grep -c '^run' log >got
	test "$(cat got)" -ge 3
	grep '^run' log | cut -f 2 >got
	seq -f 'id=%g' "$(wc -l <got)" >want
	same want got
	grep -c '^end' log >ends
	wc -l <got >want
	same want ends
	# Each run but the last ended by itself.
	test "$(grep -c '^end.*status=exit:0' log)" -ge "$(($(cat want) - 1))"
	test "$(wc -l <out)" -ge "$(($(cat want) - 1))"
}
check 'short commands are run again until the time is used up' again_and_again

done_testing
