#!/bin/sh
# Programs with little memory, with locked memory, or that outlive the recorder: same output as bare, and the right warnings.
. "$(dirname "$0")/lib.sh"
. "$top/t/hostile.sh"
build limits threads

# most KEY MORE: profiled, no line of that key is more than MORE above the bare one
most() {
	awk -v key="$1" -v more="$2" '
	FNR == 1 { file++ }
	$1 == key && file == 1 { bare = $2 > bare ? $2 : bare }
	$1 == key && file == 2 { n++; if ($2 > bare + more) { print key, "is", $2, "kB, bare", bare; exit wrong = 1 } }
	END { if (!wrong && !n) print "no", key; exit wrong || !n }' bare.err err
}

for sampler in perf timer; do
	small() {
		alike $sampler limits size
		most VmSize 65536
		has '^end	.*	threads_refused=0(	|$)' log
	}
	check "64 threads take less than 64 MB of address space ($sampler)" small
done

# On a slow machine it lives long enough for a burst: the logs of its 64 threads take 0.65 MB each.
locked() {
	alike perf limits locked
	if grep -q '^burst	' log; then
		most VmLck $((65536 + 64 * 656))
	else
		most VmLck 65536
	fi
}
if ./limits locked >/dev/null 2>&1; then
	check 'locked memory, too' locked
else
	skip 'locked memory' 'it may not be locked'
fi

check 'a program that limits itself has its memory' alike perf limits limited

full() {
	alike perf limits full
	has '^warning	.*	what=threads-refused	' log
}
check 'no room for further threads: they run, and that is said' full

# The number of the four children alive at a time is chance, and each maps the slots of all.  With all four, the slots are
# those of 320 threads: 123 MB were seen, on a machine whose host had taken half of its processors.
forked() {
	alike timer limits forks
	most VmSize 131072
	has '^end	.*	threads_refused=0	processes_refused=0(	|$)' log
}
check 'forked children with threads of their own' forked

in_a_sandbox() {
	alike timer limits sandboxed
	has '^end	.*	threads_refused=0(	|$)' log
}
if test "$(id -u)" -eq 0; then
	check 'without its root and its user a child comes to more slots' in_a_sandbox
else
	skip 'without its root and its user' 'not root'
fi

# ---- limits that the recorder has, too -----------------------------------------------------

# under LIMIT VALUE COMMAND...: with that limit of the shell
under() (
	ulimit "$1" "$2"
	shift 2
	exec "$@"
)

for kb in 1000000 400000; do
	little_space() {
		LIFE_MS=100 exits 0 under -v $kb andweorc-record -q -o log -r work -s 50 --window 10 -- ./limits size >profiled 2>err
		has '^all have worked$' profiled
		has '^sample	' log
		has '^end	.*	threads_refused=0(	|$)' log
	}
	check "ulimit -v $kb" little_space
done

too_little_space() {
	run under -v 100000 andweorc-record -q -o log -- ./limits size >profiled 2>err
	test "$status" -eq 125
	has '^andweorc-record: cannot map shared memory of [0-9]+ MB: .*; the limit is 100000 kB \(ulimit -v\)$' err
	test "$(wc -l <err)" -eq 1
}
check 'ulimit -v 100000: one line says why not' too_little_space

# In units of 512 or 1024 bytes, as the shell has it.
small_files() {
	LIFE_MS=100 run under -f 8 andweorc-record -q -o log -r work -s 50 --window 10 -- ./limits size >profiled 2>err
	test "$status" -lt 128
	if test "$status" -eq 125 && ! grep -q 'have worked' profiled; then
		has '^andweorc-record: cannot create shared memory of [0-9]+ MB: File too large; the limit is [0-9]+ kB \(ulimit -f\)$' err
	else
		has '^all have worked$' profiled
	fi
	test "$(grep -c '^andweorc-record: [^w]' err)" -le 1
}
check 'ulimit -f: at most one line says why not' small_files

# The command's output is the same as without the recorder; the recorder fails with one line.
log_is_too_large() {
	LIFE_MS=300 run under -f 8 andweorc-record -q -o log --attach-only -- ./threads processes 60 >profiled 2>err
	test "$status" -eq 125
	has "^andweorc-record: cannot (write|create).*: File too large" err
	LIFE_MS=300 run under -f 8 ./threads processes 60 >bare 2>/dev/null
	test ! -s profiled || same bare profiled
}
check 'a log that may not grow: one line, no signal' log_is_too_large

# ---- the recorder is gone ----------------------------------------------------------------

outlives() {
	(exec andweorc-record -q -o log -r work -s 50 --window 10 -- ./limits orphan >profiled 2>err) || :
	patience=120 # half seconds: 1,200 forks take half a minute where the host takes half of the processors
	while test ! -s profiled && test $patience -gt 0; do
		patience=$((patience - 1))
		sleep 0.5
	done
	test "$(sed -n 's/^ms //p' profiled)" -lt 50
}
check 'the recorder is killed: forks do not wait for it' outlives

done_testing
