#!/bin/sh
# Programs with signals, masks and stacks of their own: bare and profiled, they say and end the same.
. "$(dirname "$0")/lib.sh"
. "$top/t/hostile.sh"
build signals

for sampler in perf timer; do
	check "its own SIGPROF and ITIMER_PROF ($sampler)" alike $sampler signals own-sigprof
	check "a crash reporter on the least of alternate stacks ($sampler)" alike $sampler signals crash-report
	check "a stack overflow, caught as Rust does it ($sampler)" alike $sampler signals stack-overflow
	check "handlers at work on the least of alternate stacks ($sampler)" alike $sampler signals tight-handlers
	check "SIGTRAP ends a read, or does not ($sampler)" alike $sampler signals trap-interrupts
	check "so does the signal of the timer sampler ($sampler)" alike $sampler signals realtime-interrupts
	check "which is queued with its values ($sampler)" alike $sampler signals realtime-queued
	check "masks are told as they were set ($sampler)" alike $sampler signals mask-is-kept
	check "a SIGTRAP that is blocked waits ($sampler)" alike $sampler signals blocked-trap
	check "sigwait for all signals ($sampler)" alike $sampler signals sigwait
	check "sigwaitinfo for all signals ($sampler)" alike $sampler signals sigwaitinfo
	check "sigtimedwait for all signals ($sampler)" alike $sampler signals sigtimedwait
	check "signalfd for all signals ($sampler)" alike $sampler signals signalfd
	check "sigwait, all blocked past libc ($sampler)" alike $sampler signals sigwait-raw
	check "signalfd, all blocked past libc ($sampler)" alike $sampler signals signalfd-raw
	check "pselect, ppoll and sigsuspend let in the signals of samples ($sampler)" alike $sampler signals pselect
	check "sigwait for the signals of samples ($sampler)" alike $sampler signals sigwait-ours
	check "a storm of signals ($sampler)" alike $sampler signals storm
	check "jumps out of handlers, calls and pauses ($sampler)" alike $sampler signals jumps
	check "jumps that leave the mask alone ($sampler)" alike $sampler signals plain-jumps
	check "coroutines ($sampler)" alike $sampler signals coroutines
done

# ---- how much of other people's stacks ---------------------------------------------------

# The kernel aligns its frames to 64 bytes, which takes up to 64 more, as the size of the environment has it; and a sample may hit
# the program's own handler.  So the least of ten counts, with environments of different sizes.
stack_use() {
	rm -f before after
	export PAD=
	for _ in $(seq 10); do
		PAD=${PAD}1234567
		exits 0 ./signals stack-use >bare 2>err
		grep -E '^[0-9]+$' err >>before
		recorded "$1" -r work -- ./signals stack-use
		test "$status" -eq 0
		grep -E '^[0-9]+$' err >>after
	done
	echo "bare $(tr '\n' ' ' <before), profiled $(tr '\n' ' ' <after)"
	test $(($(sort -n after | head -n 1) - $(sort -n before | head -n 1))) -lt 2048
	unset PAD
}
check 'the handler takes less than 2 kB beside what the kernel saves (perf)' stack_use perf
check 'the handler takes less than 2 kB beside what the kernel saves (timer)' stack_use timer

done_testing
