#!/bin/sh
# Programs that take the handlers of our signals in unusual ways, or are traced: bare and profiled, they say and end the same.
. "$(dirname "$0")/lib.sh"
. "$top/t/hostile.sh"
. "$top/t/record.sh"
build handlers traced

for sampler in perf timer; do
	check "a handler by the number of the call ($sampler)" alike $sampler handlers by-number
	check "threads whose alternate stacks are too small for samples ($sampler)" alike $sampler handlers tight-alternate
	if test $sampler = timer && ! is_long; then
		continue
	fi
	check "signal of strict ISO C ($sampler)" alike $sampler handlers sysv
	check "sigset and its like ($sampler)" alike $sampler handlers xsi
	check "siginterrupt ($sampler)" alike $sampler handlers siginterrupt
	check "the default by the number of the call ($sampler)" alike $sampler handlers default-by-number
	check "arguments that the kernel refuses ($sampler)" alike $sampler handlers bad-numbers
	check "which was so before they are used ($sampler)" alike $sampler handlers tight-before
	check "one that is large enough ($sampler)" alike $sampler handlers large-alternate
done

# Without a breakpoint at the call the recorder notices it afterwards, when the program may have got one of our signals.
if test "$(uname -m)" = x86_64 && has_breakpoints; then
	check 'the default by an instruction of its own' alike perf handlers default-by-instruction
	check 'a handler by an instruction of its own' alike perf handlers handler-by-instruction
else
	skip 'a handler, or the default, by an instruction of its own' 'no breakpoints here'
fi
if test "$(uname -m)" = x86_64; then
	check 'ignored by an instruction of its own' alike perf handlers ignored-by-instruction
else
	skip 'ignored by an instruction of its own' 'x86-64 only'
fi

# ---- traced ---------------------------------------------------------------------------

# untouched SAMPLER MODE: as alike, but sampling stops before the end, with a warning
untouched() {
	run ./traced "$2" >bare 2>bare.err
	bare=$status
	LIFE_MS=20 run timeout 20 andweorc-record -q --sampler "$1" -o log -s 50 --window 10 -r work -- ./traced "$2" >profiled 2>err
	same bare profiled
	echo "$bare" >want
	echo "$status" >got
	same want got
	has '^warning	run=1	what=traced	' log
	has '^andweorc-record: warning: a process was traced' err
}

for sampler in perf timer; do
	check "traced by its parent, the recorder ($sampler)" untouched $sampler by-parent
	check "a child that is traced does not stop for samples ($sampler)" untouched $sampler child
	if test $sampler = perf || is_long; then
		check "with threads ($sampler)" untouched $sampler with-threads
		check "nor one that is seized ($sampler)" untouched $sampler seized
	fi
done

# The recorder sees its child stop, and lets it go on.
unseen() {
	LIFE_MS=100 exits 0 timeout 20 andweorc-record -q -o log -- ./traced by-instruction >got 2>err
	echo worked >want
	same want got
	has '^end	run=1	status=exit:0' log
}
if test "$(uname -m)" = x86_64; then
	check 'traced by its parent, past libc' unseen
else
	skip 'traced by its parent, past libc' 'x86-64 only'
fi

time_is_up() {
	LIFE_MS=20000 exits 0 timeout 20 andweorc-record -q -d 0.3 -o log -- ./traced by-parent >out 2>err
	has '^end	run=1	status=signal:15	ended_by=recorder' log
}
check 'one that is traced can be ended' time_is_up

under_gdb() {
	LIFE_MS=50 exits 0 andweorc-record -q -o log -- gdb -nx -batch -ex 'break work' -ex run -ex continue --args ./traced works >out 2>err
	has 'Breakpoint 1, ' out
	has 'exited normally' out
	lacks 'SIGTRAP|SIG54' out
}
if command -v gdb >/dev/null; then
	check 'a debugger under the recorder' under_gdb
else
	skip 'a debugger under the recorder' 'no gdb'
fi

under_strace() {
	LIFE_MS=50 exits 0 andweorc-record -q -o log -- strace -f -e trace=none -o trace ./traced works >got 2>err
	echo worked >want
	same want got
	lacks 'SIGTRAP|SIGRT' trace
	has 'exited with 0' trace
}
attached() {
	LIFE_MS=800 andweorc-record -q -o log -- ./traced works >got 2>err &
	recorder=$!
	sleep 0.4
	strace -q -e trace=none -o trace -p "$(pgrep -P $recorder)" 2>strace.err &
	tracer=$!
	wait $recorder
	wait $tracer || :
	echo worked >want
	same want got
	has '^warning	run=1	what=traced	' log
	# Until the recorder has seen it, 50 ms or so, there are samples.
	test "$(grep -c SIGTRAP trace)" -lt 500
}
if command -v strace >/dev/null; then
	check 'strace under the recorder' under_strace
	check 'strace of what is being recorded' attached
else
	skip 'strace under the recorder' 'no strace'
	skip 'strace of what is being recorded' 'no strace'
fi

done_testing
