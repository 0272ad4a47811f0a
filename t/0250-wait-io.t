#!/bin/sh
# Calls on descriptors have the same results under the recorder as without it, while parts of
# the program are sped up and while not.  (Accuracy of predictions: t/9100.)
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC3045 # dash and bash have it
ulimit -c 0
program io-bytes io-sockets io-files
for name in io-bytes io-sockets io-files; do
	cp "$O/t/program/fortified/$name" $name-fortified || exit 1
done

# alike SAMPLER PROGRAM MODE...: each mode says and ends the same, bare and recorded
alike() {
	sampler=$1
	program=$2
	shift 2
	for mode in "$@"; do
		echo "$program $mode"
		run ./"$program" "$mode" >bare 2>bare.err
		bare=$status
		test "$bare" -eq 0
		test -s bare
		SYNC_MS=$long run andweorc-record -q --sampler "$sampler" -o log -r work -s 50 --window 1 -- ./"$program" "$mode" \
			>profiled 2>err
		same bare profiled
		test "$status" -eq "$bare"
		has '^module	.*/'"$program"'$' log
		lacks '^andweorc-record: [^w]' err
		total=$((total + $(grep -c '^experiment	.*region=[0-9]' log || true)))
	done
}

# sped_up: as alike, and a region was sped up meanwhile; on a busy machine that takes longer
sped_up() {
	total=0
	for long in 120 500 2000 4000; do
		alike "$@"
		test $total -eq 0 || return 0
	done
	return 1
}

check 'pipes' sped_up perf io-bytes threads processes full failures interrupted cancelled jumped
check 'counters, timers, queues, copies' sped_up perf io-bytes events timers queues copies
check 'one of many' sped_up perf io-bytes polls selects epolls
check 'sockets' sped_up perf io-sockets pairs pair-of-processes tcp tcp6 unix without-blocking
check 'messages' sped_up perf io-sockets udp unix-datagrams passed times-out names
check 'files' sped_up perf io-files opens fifo locks writes-back asynchronous names
check 'streams' sped_up perf io-files streams lines fragile-streams
check 'with checks of sizes' sped_up perf io-bytes-fortified sizes polls
check 'files and streams with checks' sped_up perf io-files-fortified opens streams fragile-streams
check 'on the timer' sped_up timer io-bytes threads interrupted jumped polls
long=1
check 'standard streams' alike perf io-files standard
check 'standard streams with checks' alike perf io-files-fortified standard

# recorded_times OPTION... -- COMMAND...: what it writes is in took; sets lock, io, slept, cpu (ns)
recorded_times() {
	exits 0 andweorc-record -q -s 50 --window 20 -o log "$@" >took
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	lock=$(of_run lock_ns)
	io=$(of_run io_ns)
	slept=$(of_run sleep_ns)
	cpu=$(of_run cpu_ns)
	echo "for threads $lock ns, for devices $io ns, slept $slept ns, worked $cpu ns"
}

# of_run KEY: its value in the analysis; 0: it is not there
of_run() {
	sed -n 's/^run	.*	'"$1"'=\([0-9]*\).*/\1/p' analysis | grep . || echo 0
}

# ---- io_uring ---------------------------------------------------------------------

# By the time of its waits, a ring waits for a thread, not for a device.
waits_for_threads() {
	SYNC_MS=400 recorded_times -r work -- ./"$1" threads
	test "$lock" -gt "$io"
}

long=
for rings in rings rings-of-liburing; do
	flags=
	test $rings = rings || flags='-DLIBURING -luring'
	# shellcheck disable=SC2086 # several
	if ! gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -o $rings "$programs/rings.c" -pthread $flags 2>build; then
		skip "$rings" 'no liburing (liburing-dev)'
	elif ! ./$rings >refused; then
		skip "$rings" 'io_uring is not allowed here'
	else
		if test $rings = rings || is_long; then
			check "$rings" sped_up perf $rings files threads timers messages
			check "$rings on the timer" sped_up timer $rings threads messages
			check "$rings waits for threads" waits_for_threads $rings
		else
			check "$rings" sped_up perf $rings threads messages
		fi
	fi
done

# ---- calls that seldom wait -----------------------------------------------------

# They are taken for work of the kernel, until one waits.
waits_that_are_rare() {
	gcc -O2 -g -I"$top/lib" -o brief-reads "$programs/brief-reads.c" -pthread
	recorded_times -r work -- ./brief-reads 120
	has '^run	.*	experiments=[1-9]' analysis
	cat took
	# All reads: on a busy machine, those that do not wait are preempted.
	awk -v slept="$slept" '{ exit !(slept > 0.8 * $1 && slept < 1.2 * $2) }' took
}
check 'a call that seldom waits' waits_that_are_rare

# Long ones that do not wait are work of the kernel, too: once they were waits, all of them.  (On a busy machine, some are
# preempted.)
long_work() {
	recorded_times -r write_all -m function -- ./long-writes
	test "$((4 * cpu))" -gt "$io"
	has '^impact	.*	function=write_all	' analysis
}

# So are short ones.  Once, samples that hit them were lost: three quarters of this program's time.
short_work() {
	gcc -O2 -g -I"$top/lib" -o short-reads "$programs/short-reads.c"
	recorded_times -m function -- ./short-reads
	cat took
	awk -v cpu="$cpu" '{ exit !(cpu > 0.75 * $1) }' took
	has '^impact	.*	function=read_all	' analysis
}

# The reader waits for the writer, and then for the processor.  The writer never waits, though the reader may work while the
# writer is in a write: once that was a wait, and all waits together were longer than those of the reader.
preempted() {
	gcc -O2 -g -I"$top/lib" -o preempted "$programs/preempted.c" -pthread
	recorded_times --attach-only -m function -- ./preempted
	cat took
	awk -v lock="$lock" '{ exit !(lock > 0.4 * $1 && lock < $1) }' took
}

gcc -O2 -g -I"$top/lib" -o long-writes "$programs/long-writes.c" || exit 1
andweorc-record -q -o log -- true
if ./long-writes told && grep -q '	kernel_sampled=1' log; then
	check 'a long call that does not wait' long_work
	check 'a short one' short_work
	check 'a thread that is preempted in a call does not wait' preempted
else
	skip 'a long call that does not wait' 'the kernel does not tell'
	skip 'a short one' 'the kernel does not tell'
	skip 'a thread that is preempted in a call does not wait' 'the kernel does not tell'
fi

# ---- whatever is called is one of ours -----------------------------------------

# A function that the runtime forgot to export would be libc's: neither wait nor wake, and nothing else would show it.
stood_in_for() {
	nm -D --defined-only "$O/libandweorc.so" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' | sort -u >ours
	nm -D --undefined-only io-bytes io-sockets io-files io-*-fortified | awk '{ print $NF }' | sed 's/@.*//' | sort -u >called
	grep -Ex '(__)?(p?(read|write)v?(64)?(v2)?|recv(from|msg|mmsg)?|send(to|msg|mmsg)?|accept4?|connect|open(at)?(64)?(_2)?|creat|fsync|fdatasync|sync_file_range|msync|(un)?link(at)?|symlink(at)?|remove|rename(at2?)?|(mk|rm)dir(at)?|f?truncate(64)?|(posix_)?fallocate(64)?|flock|lockf|fcntl(64)?|sendfile|splice|tee|vmsplice|copy_file_range|eventfd.*|socketpair|p?poll|p?select|epoll_(wait|pwait2?|ctl)|mq_(send|receive|timed.*)|fread.*|fgets|getline|getdelim|fgetc|getc|getchar|uflow|fwrite.*|fputs|puts|fputc|putc|putchar|overflow|v?[fd]?printf|fflush|fclose|getaddrinfo|dup[23]?|timerfd_(create|settime)|aio_(read|write|fsync|suspend)|lio_listio|shutdown)(_chk)?' \
		called >wanted
	test "$(wc -l <wanted)" -gt 110
	comm -23 wanted ours >forgotten
	empty forgotten
}
check 'nothing is forgotten' stood_in_for

done_testing
