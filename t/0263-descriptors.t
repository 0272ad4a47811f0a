#!/bin/sh
# Programs that close, probe and take descriptors that they did not open: same output as bare, and still sampled.
. "$(dirname "$0")/lib.sh"
. "$top/t/hostile.sh"
build descriptors

for sampler in perf timer; do
	check "closes each descriptor there could be ($sampler)" alike $sampler descriptors close-all
	check "closefrom(3) ($sampler)" alike $sampler descriptors closefrom
	check "close_range(2) ($sampler)" alike $sampler descriptors close-range
	check "puts its own in every place ($sampler)" alike $sampler descriptors dup-onto
	check "asks which are open ($sampler)" alike $sampler descriptors probe
	check "a child inherits nothing of ours ($sampler)" alike $sampler descriptors fork
	check "gets as many as there are numbers ($sampler)" alike $sampler descriptors run-out
	check "waits for any there may be ($sampler)" alike $sampler descriptors select
	check "threads come while another opens and closes ($sampler)" alike $sampler descriptors race
done

# ---- and it goes on being sampled -----------------------------------------------------

goes_on() {
	# shellcheck disable=SC2034
	long=150
	recorded "$1" -r afterwards -- ./descriptors "$2"
	test "$status" -eq 0
	sees afterwards
	# Two threads of 150 ms each; the timer's samples are a little more or less.
	awk -F'\t' '$1 == "sample" && /function=afterwards/ { match($0, /count=[0-9]+/); n += substr($0, RSTART + 6, RLENGTH - 6) }
		END { print n + 0; exit n < 150 }' resolved
}
for sampler in perf timer; do
	for mode in close-all closefrom close-range dup-onto; do
		check "sampled after $mode ($sampler)" goes_on $sampler $mode
	done
done

# Threads that switch all the time pay too much for perf: they are switched to the timer, and are still sampled.
gives_its_event_back() {
	goes_on perf switches
	# Without perf, or without a timer beside it, no thread can switch its sampler.
	grep -Eq '^run	.*	sampler=perf	kernel_sampled=1' log || return 0
	grep events profiled | same - switches.want
}
printf '1 events\n0 events\n' >switches.want
check 'threads that switch all the time give their events back' gives_its_event_back

done_testing
