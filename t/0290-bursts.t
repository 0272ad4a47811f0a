#!/bin/sh
# Bursts: the log has an event for each wait and wake between threads.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

gcc -O2 -g -Wall -Wextra -D_GNU_SOURCE -I"$top/lib" -o events "$programs/events.c" -pthread || exit 1

# Decodes the events of `log`, as andweorc(5) has them: BURST THREAD TIME LETTER NUMBER..., one a line.
decode() {
	perl -ne '
	BEGIN {
		@n = split //, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
		@value{@n} = 0 .. 63;
		%numbers = (r => 2, a => 3, u => 2, l => 2, w => 4, o => 2, q => 1, v => 2, b => 2, e => 2, n => 2, x => 0, s => 2, t => 2, i => 3, c => 2, z => 2, p => 2, k => 1, m => 1, f => 2, d => 3);
	}
	sub number {
		my ($sum, $shift, $d) = (0, 0);
		do {
			$d = $value{substr $data, $at++, 1};
			die "cut short" unless defined $d;
			$sum += ($d & 31) << $shift;
			$shift += 5;
		} while ($d > 31);
		$sum;
	}
	next unless /^events\t/;
	%f = map { split /=/, $_, 2 } grep { /=/ } split /\t|\n/;
	($data, $at) = ($f{data}, 0);
	$bytes += length;
	while ($at < length $data) {
		$letter = substr $data, $at++, 1;
		exists $numbers{lc $letter} or die "unknown letter";
		$time{"$f{burst} $f{thread}"} += number();
		print join(" ", $f{burst}, $f{thread}, $time{"$f{burst} $f{thread}"}, $letter, map { number() } 1 .. $numbers{lc $letter}), "\n";
		$events++;
	}
	END { printf STDERR "%.1f\n", $bytes / $events if $events }' log
}

# has_burst: the log has a burst, and samples from after it
has_burst() {
	awk -F'\t' '$1 == "burst" { n++ } $1 == "experiment" && n { found = 1; exit } END { exit !found }' log
}

# has_samples: so many samples, too, that they are no exception; on a busy machine that may take a second burst
has_samples() {
	has_burst && decode 2>/dev/null | awk '$4 == "s" && ++n > 20 { found = 1; exit } END { exit !found }'
}

# count LETTER
count() {
	awk -v letter="$1" '$4 == letter { n++ } END { print n + 0 }' events.txt
}

# record_of LETTER N ARG...: with more than N such events.  Of so short a recording one half is a burst, the first.
record_of() {
	letter=$1
	many=$2
	shift 2
	for seconds in 0.8 2 6; do
		recording log -d $seconds "$@"
		decode >events.txt 2>bytes
		if test "$(count "$letter")" -gt "$many"; then
			break
		fi
	done
	test -s events.txt
}

# record MODE LETTER N: the same, of the program
record() {
	record_of "$2" "$3" -r work -- ./events "$1"
}

(endless_until has_samples log -r work -- ./events pair) || exit 1

is_there() {
	test "$(grep -c '^burst	' log)" -ge 1
	has '^burst	.*start_ns=[0-9]+	length_ns=[0-9]+	cpus=[1-9][0-9]*	others_ns=[0-9]+$' log
	has '^stack	.*regions=[0-9]+$' log
	# A burst starts after a second, and lasts a second, or until there is no room for more events.
	awk -F'\t' '$1 == "burst" { split($4, b, "="); split($5, l, "="); exit !(b[2] > 1e9 && l[2] > 1e8 && l[2] < 15e8) }' log
}
check 'a burst is logged, with stacks that are charged to regions' is_there

# Of a second, too, and of each run of two: what was observed is the answer, where experiments are too few for one.
of_short_recordings() {
	for runs in $(is_long && echo 1) 2; do
		exits 0 andweorc-record -q -n $runs -d $runs -m function -r half -o short -- "$O/t/workload/serial" --seconds 100 >out 2>err
		grep '^burst' short >bursts
		test "$(wc -l <bursts)" -eq $runs
		awk -F'\t' '{ split($5, l, "="); if (l[2] < 3e8 || l[2] > 12e8) exit 1 }' bursts
		exits 0 andweorc-analyze --format andweorc short >got 2>err
		lacks 'only baselines' err
		awk -F'\t' '
			$1 == "replay" && /\tpoint=round\t.*\tspeedup_pct=50\t/ {
				sub(/.*\tgain_pct=/, "")
				if ($0 + 0 > 20 && $0 + 0 < 30)
					found = 1
			}
			END { exit !found }' got
	done
}
check 'short recordings have bursts, too' of_short_recordings

# Where threads queue for a processor, the next burst comes sooner: with this seed, 0.7 instead of 2 s after the first one.
# A thread that sleeps nearly all the time does not queue, whatever else the machine does.
has_two() {
	test "$(grep -c '^burst	' "$log")" -ge 2
}
# Until an experiment that the second burst would have come before, if it were to come so soon.
has_second_or_none() {
	awk -F'\t' "$awk_value"'
		$1 == "burst" && ++n == 1 { over = number("start_ns") + number("length_ns") }
		$1 == "burst" && n == 2 { found = 1 }
		$1 == "experiment" && n && number("start_ns") > over + 1e9 { found = 1 }
		END { exit !found }' "$log"
}
# The time between the first burst and the second one, ms.
rest() {
	awk -F'\t' "$awk_value"'
		$1 == "burst" && ++n == 2 { print int((number("start_ns") - over) / 1e6) }
		$1 == "burst" { over = number("start_ns") + number("length_ns") }' log
}
crowds_are_observed_more() {
	endless_until has_two log --seed 41 -r inside -- taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')" \
		"$O/t/workload/mutex" --seconds 100
	rest=$(rest)
	echo "after $rest ms"
	test "$rest" -ge 600
	test "$rest" -le 1300
	endless_until has_second_or_none log --seed 41 -- perl -e 'while (1) { select undef, undef, undef, 0.05; $x += $_ for 1 .. 20000 }'
	has_second_or_none
	rest=$(rest)
	echo "asleep: ${rest:-none}"
	test "${rest:-9999}" -ge 1700
}
beside 'where threads queue for processors, bursts take more of the time' crowds_are_observed_more

# Each turn is a lock (or a wait for it), waits, a signal, an unlock and a visit.
adds_up() {
	decode >events.txt 2>bytes
	visits=$(count v) locked=$(awk '$4 == "l" || $4 == "a"' events.txt | wc -l) unlocks=$(count u) waits=$(count w)
	echo "visits $visits, locked $locked, unlocks and signals $unlocks, waits $waits"
	test "$visits" -gt 100
	test $((locked - visits)) -ge -4 && test $((locked - visits)) -le 4
	# One signal a turn, one unlock a turn, and one for each wait.
	test $((unlocks - 2 * visits - waits)) -ge -8 && test $((unlocks - 2 * visits - waits)) -le 8
}
check 'locks, waits, signals and visits add up' adds_up

samples_have_stacks() {
	echo "$(count s) samples"
	test "$(count s)" -gt 20
	awk '$4 == "s" && $6 < 1 { exit 1 }' events.txt
}
check 'samples are among them' samples_have_stacks

# A sample of perf stands for a period that was drawn, one of the timer for whole milliseconds.  The first one stops perf.
perf_rests() {
	awk '$4 == "s" && n[$1 " " $2]++ { all++; ms += $5 % 1000000 == 0 } END { print ms + 0 " of " all; exit !(all >= 10 && ms > 0.95 * all) }' events.txt
}
if grep -q '^run	.*sampler=perf.*kernel_sampled=1' log; then
	check 'they come from timers, for perf would slow the program down' perf_rests
fi

is_in_order() {
	awk '{ k = $1 " " $2 } $3 < last[k] { exit 1 } { last[k] = $3 }' events.txt
	cat bytes
	awk '$1 > 16 { exit 1 }' bytes
}
check 'times do not go back; an event takes 16 bytes at most' is_in_order

resolves() {
	exits 0 andweorc-resolve log >resolved 2>err
	grep '^events' log >before
	grep '^events' resolved >after
	same before after
	exits 0 andweorc-analyze --format andweorc resolved >got
	mv resolved pair
}
check 'the tools that follow pass them on' resolves

# Children tell which thread has forked them, and when: after its last note before.
forks_are_told() {
	record_of f 20 -r task -- "$O/t/workload/children" --seconds 1000
	awk '$4 == "v" { parent = $2 }
		$4 == "f" && $6 { forked++; by[$6]++; long += $5 > 50000000 }
		$4 == "o" && !$5 && !$6 { alone++ }
		END { print parent, forked + 0, by[parent] + 0, long + 0, alone + 0; exit !(forked > 10 && by[parent] == forked && !long && !alone) }' events.txt
	exits 0 andweorc-analyze --format andweorc log >analysis
	# A busy machine makes it smaller.  1.24: children seemed to compute before they were forked.
	has '^replay	.*	simulated_check=(0\.|1\.0)' analysis
}
check 'forked children tell who has forked them' forks_are_told

# The processor of the first event of each thread; later only others.  Samples from before a thread's first event come first.
processors_are_told() {
	allowed=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9]*\)$/\1/p' /proc/self/status)
	record_of m 1 -r work -- taskset -c "$allowed" ./events pair
	awk -v here=$((allowed + 1)) '
		{ thread = $1 " " $2 }
		!(thread in seen) && $4 ~ /^[sq]$/ { next }
		!(thread in seen) { first += $4 == "m"; threads++ }
		{ seen[thread] = 1 }
		$4 == "m" { told++; wrong += $5 != here }
		END { print threads + 0, first + 0, told + 0, wrong + 0; exit !(threads > 1 && first == threads && told == threads && !wrong) }' events.txt
}
if command -v taskset >/dev/null; then
	check 'events tell on which processor a thread is' processors_are_told
else
	skip 'events tell on which processor a thread is' 'there is no taskset'
fi

# ---- each of these waits, most of its time, until a burst is over ---------------------------

at_once=2

is_cut() {
	record tight l 0
	awk -F'\t' '$1 == "burst" { split($5, l, "="); print l[2]; exit !(l[2] > 0 && l[2] < 2e8) }' log
	awk '$3 > 2e8 { exit 1 }' events.txt
}
beside 'a burst with too many events ends early, and says so' is_cut

own_locks_are_left_out() {
	# Which locks are a thread's own is known after a while.
	endless_until has_burst log -r work -- ./events own
	decode >events.txt 2>bytes
	visits=$(count v) locked=$(awk '$4 == "l" || $4 == "a"' events.txt | wc -l)
	echo "visits $visits, locked $locked"
	test "$visits" -gt 100
	test $((locked - visits)) -ge -4 && test $((locked - visits)) -le 4
}
beside 'a lock that one thread uses alone fills no burst; one in common does' own_locks_are_left_out

lives_are_told_apart() {
	record spawn n 50
	births=$(count n) deaths=$(count x)
	echo "births $births, deaths $deaths"
	test "$births" -gt 50
	test $((births - deaths)) -ge -2 && test $((births - deaths)) -le 2
	# Each thread is born once, and has an id of its own.
	awk '$4 == "n" && $5 > 0 && seen[$5]++ { exit 1 }' events.txt
	awk '$4 == "x" && seen[$2]++ { exit 1 }' events.txt
}
beside 'threads that are created and end have numbers of their own' lives_are_told_apart

# Else replay takes the routine's work for a wait that timed out.
once_is_no_wait() {
	record once v 100
	visits=$(count v) waits=$(awk '$4 == "t" || $4 == "a"' events.txt | wc -l)
	echo "visits $visits, waits $waits"
	test "$visits" -gt 100
	test "$waits" -eq 0
}
beside 'the thread that runs a routine of pthread_once has not waited for it' once_is_no_wait

# Otherwise replay takes the end of the call for the moment, and says that no work in front of the call is worth anything.
late_is_no_wait() {
	record moments v 10
	visits=$(count v) waits=$(count c)
	echo "visits $visits, waits $waits"
	test "$visits" -gt 10
	test $((waits - visits)) -ge -3 && test $((waits - visits)) -le 3
	record late v 100
	visits=$(count v) waits=$(count c)
	echo "late: visits $visits, waits $waits"
	test "$visits" -gt 100
	test "$waits" -le 2
}
beside 'a sleep until a moment that is over is no wait for it' late_is_no_wait

# Experiments are wrong about such a program, so replay counts alone; not where it does not sleep for the rest of frames.
frames_are_known() {
	# On a busy machine few frames of a burst may be in time.
	for _ in 1 2 3; do
		endless_until has_burst log -r work -- ./events frames
		exits 0 andweorc-resolve log >resolved
		exits 0 andweorc-analyze --format andweorc resolved >analysis
		if grep -q '^warning	what=absolute-timer	' analysis; then
			break
		fi
	done
	has '^warning	what=absolute-timer	text=threads%20waited%20for%20the%20rest%20of%20their%20frames' analysis
	has '^impact	.*	replay=replaces	' analysis
	exits 0 andweorc-analyze --format andweorc pair >analysis
	lacks '^warning	what=absolute-timer	' analysis
}
beside 'sleeps for the rest of frames are known' frames_are_known

# A run that was cut short has seen the first phases only.
cut_runs_do_not_count() {
	sed '/^end	/s/	ended_by=recorder//' pair >ended
	has '	ended_by=recorder' pair
	lacks '	ended_by=' ended
	for name in pair ended; do
		sed 's/	started_ns=[0-9]*/	started_ns=1/' "$name" >"other.$name"
	done
	answers() {
		exits 0 andweorc-analyze --format andweorc "$@" >analysis
		grep -c '^replay	' analysis
	}
	one=$(answers pair)
	test "$one" -gt 0
	test "$(answers pair other.pair)" -eq $((2 * one))
	test "$(answers ended other.ended)" -eq $((2 * one))
	test "$(answers ended other.pair)" -eq "$one"
}
beside 'runs that were cut short do not count beside runs that were not' cut_runs_do_not_count

# Each wait ends by a release of the same object, which the sender notes.
signals_are_sent() {
	record signals a 50
	awk '$4 == "r" { sent[$5]++ } $4 == "a" && $5 > 100000 { got[$6]++; n++ } $4 == "o" { other++ }
		END {
			for (object in got)
				by += sent[object] ? got[object] : 0
			print n + 0, by + 0, other + 0
			exit !(n > 50 && by == n && other <= n / 10)
		}' events.txt
}
beside 'a descriptor of signalfd is read because somebody has sent a signal' signals_are_sent

# The producer waits for room, which the slower consumer makes.
places() {
	record_of w 50 -r produce -r consume -- "$O/t/workload/queue" --seconds 1000
	exits 0 andweorc-resolve log >resolved
	has '^place	run=1	id=[0-9]+	module=[0-9]+	offset=0x[0-9a-f]+	function=producer	file=.*/onequeue\.h	line=[0-9]+$' resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	has '^why	region=produce	who=own	wait_pct=[0-9.]+	at=onequeue\.h:[0-9]+%20\((await%20in%20)?producer\)	until=onequeue\.h:[0-9]+%20\((tell%20in%20)?consumer\)$' analysis
	has '^why	region=consume	who=others	wait_pct=[0-9.]+	at=onequeue\.h:[0-9]+%20\((await%20in%20)?producer\)	until=onequeue\.h:[0-9]+%20\((tell%20in%20)?consumer\)$' analysis
}
beside 'where threads waited, and where others let them go on' places

# On a busy machine, few happen in one burst.
has_waits() {
	has_burst && decode 2>/dev/null | awk '$4 == "i" && ++n > 100 { found = 1; exit } END { exit !found }'
}

# (What they are worth: t/9000.)
waits_are_sampled() {
	endless_until has_waits log -r ask -r compute -- "$O/t/workload/device" --seconds 1000
	decode >events.txt 2>bytes
	test "$(count i)" -gt 100
	awk '$4 == "i" && ($6 < 1 || $7 < 1) { exit 1 }' events.txt
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	has '^replay	.*	region=ask	speedup_pct=50	' analysis
}
beside 'waits for the outside are sampled, and replayed as a part of the code that waits' waits_are_sampled

loops_wait_for_any() {
	record_of A 100 -r handle -- "$O/t/workload/reactor" --seconds 1000
	test "$(count A)" -gt 100
	# The loop is the only thread that does.
	awk '$4 == "A" { loop[$2]++ } END { for (t in loop) n++; exit n != 1 }' events.txt
}
beside 'an event loop waits for any of several things' loops_wait_for_any

# A send that is refused releases nothing.  One that succeeds after that was let go on by the receiver, which has made room.
refused_sends() {
	record full A 50
	awk '
		$4 == "r" || $4 == "R" { releases[$2]++ }
		$4 == "a" { receives[$2]++ }
		$4 == "A" { room[$2]++ }
		$4 == "i" || $4 == "z" { sleeps[$2]++ }
		END {
			for (t in room)
				sender = t
			for (t in receives)
				if (receiver == "" || receives[t] > receives[receiver])
					receiver = t
			print releases[sender], room[sender], receives[receiver], sleeps[sender]
			exit !(room[sender] > 50 && sleeps[sender] > 2 * releases[sender] &&
				releases[sender] < 1.1 * receives[receiver] + 10 && releases[sender] > 0.9 * receives[receiver])
		}' events.txt
}
beside 'sends to a full socket' refused_sends

# Each answer comes after what asked for it, and after that which was asked for the same before.  Some are taken without a call.
answers_are_noted() {
	record_of D 400 -r compress -- "$O/t/workload/ringio" --seconds 1000
	awk '
		$4 == "r" { asked[$1, $5] = $3 }
		$4 == "D" && !(($1, $6) in asked) { early++ }
		$4 == "D" && (($1, $6) in asked) {
			n++
			taken += $7 == 0
			wrong += $3 < asked[$1, $6]
			delete asked[$1, $6]
		}
		END { print n, taken, early, wrong; exit !(n > 200 && taken > 20 && early < n / 20 && !wrong) }' events.txt
}
if "$O/t/workload/ringio" --seconds 0.05 >out 2>err; then
	beside 'answers of the kernel to what a ring asked for' answers_are_noted
else
	skip 'answers of the kernel to what a ring asked for' 'io_uring is not allowed here'
fi

# The first burst tells that threads yield; see conductor_set_period.  One of four samples is kept, and stands for the time of four.
yielding_is_sampled_more_often() {
	gcc -O2 -D_GNU_SOURCE -o interrupted "$programs/interrupted.c" -pthread
	recording log -r work -- ./interrupted
	cat out
	awk '$1 == "first" { first = $2 } $1 == "later" { later = $2 } END { exit !(first > 100 && later > 2.5 * first) }' out
	awk -F'\t' "$awk_value"'
		$1 == "burst" { bursts++ }
		$1 == "experiment" && bursts { samples += number("samples"); ns += number("sampled_ns") }
		END { print samples, ns; exit !(samples > 200 && samples * 1e6 > 0.8 * ns && samples * 1e6 < 1.25 * ns) }' log
}
if grep -q '	sampler=perf	' pair; then
	beside 'threads that wait by yielding are sampled more often' yielding_is_sampled_more_often
else
	skip 'threads that wait by yielding are sampled more often' 'the kernel has no sampler but ticks'
fi

survives() {
	rm -f log
	andweorc-record -q -d 3 -o log -r work -- ./events pair >out 2>err &
	recorder=$!
	for _ in $(seq 300); do
		if has_burst 2>/dev/null; then
			break
		fi
		sleep 0.1
	done
	target=$(pgrep -P $recorder)
	kill -KILL $recorder
	wait $recorder || :
	kill -KILL "$target"
	decode >events.txt 2>bytes
	test "$(count v)" -gt 100
	run andweorc-resolve log >resolved 2>err
	has '^events	' resolved
}
beside 'bursts that are over survive a recorder that is killed' survives

# Each run has the results of its own bursts, in whatever order the recordings come.
order_does_not_matter() {
	record pair w 50
	exits 0 andweorc-resolve pair >first
	exits 0 andweorc-resolve log >second
	exits 0 andweorc-analyze --format andweorc first second | grep -v '^why	' >want
	has '^replicate	' want
	exits 0 andweorc-analyze --format andweorc second first | grep -v '^why	' >got
	same want got
}
beside 'recordings in any order' order_does_not_matter

done_testing
