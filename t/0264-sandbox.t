#!/bin/sh
# Programs in a sandbox, other allocators, libraries that come and go: same output as bare, and the right warnings.
. "$(dirname "$0")/lib.sh"
. "$top/t/hostile.sh"
build sandbox signals

gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -shared -fPIC -o plugin.so "$programs/plugin.c" || exit 1

# keeps SAMPLER MODE: as alike, and what was said and logged remains
keeps() {
	alike "$1" sandbox "$2"
	cp log "log.$2.$1"
	cp err "err.$2.$1"
}

# What the timers have of their own: calls that a filter may forbid, and handlers that return.
for sampler in perf timer; do
	check "a seccomp filter that kills ($sampler)" keeps $sampler filter-kill
	check "a filter that forbids to return from handlers ($sampler)" keeps $sampler filter-tight
	check "seccomp's strict mode ($sampler)" alike $sampler sandbox strict
	if test $sampler = timer && ! is_long; then
		continue
	fi
	check "a seccomp filter that refuses ($sampler)" alike $sampler sandbox filter-errno
	check "the same for all threads ($sampler)" alike $sampler sandbox filter-tsync
	check "filters that look at arguments ($sampler)" alike $sampler sandbox filter-arguments
	check "dies of what its filter forbids ($sampler)" alike $sampler sandbox forbidden
	check "filters that the kernel refuses ($sampler)" keeps $sampler refused
	if test "$(uname -m)" = x86_64; then
		check "the processor's clock is forbidden ($sampler)" alike $sampler sandbox clockless
	fi
	check "loads and unloads a library 1,000 times ($sampler)" alike $sampler sandbox loads-again
	if test "$(id -u)" -eq 0; then
		check "chroot, and a child in there ($sampler)" alike $sampler sandbox jail
	else
		skip "chroot ($sampler)" 'not root'
	fi
done

plugin_is_seen() {
	for long in 300 1000 4000; do
		recorded "$1" -r plug -- ./sandbox loads-again
		test "$status" -eq 0
		if grep -q '^experiment	' log; then
			break
		fi
	done
	sees plug
	has '^region	.*	symbol=plug(	|$)' log
	has '^experiment	' log
}
check 'code that is loaded again and again is a region (perf)' plugin_is_seen perf

# ---- filters: what is said about them ------------------------------------------------------

says_seccomp() {
	has '^warning	run=1	what=seccomp	' "log.$1.perf"
	has '^andweorc-record: warning: the program has installed a seccomp filter' "err.$1.perf"
}
check 'a filter that takes something away is reported' says_seccomp filter-kill
check 'also one that takes all' says_seccomp filter-tight

says_nothing() {
	lacks 'what=seccomp' "log.$1.perf"
}
check 'a filter that takes nothing away is not' says_nothing refused

counts_unsampled() {
	has '^warning	run=1	what=threads-refused	' log.filter-kill.perf
	has '^end	.*	threads_refused=1(	|$)' log.filter-kill.perf
}
check 'a thread that cannot be sampled is counted' counts_unsampled

# A filter from the very start, as in containers.
under_filter() {
	run ./signals coroutines >bare
	LIFE_MS=100 run ./sandbox under errno perf_event_open -- \
		andweorc-record -q -o log -r work -s 50 --window 10 -- ./signals coroutines >profiled 2>err
	test "$status" -eq 0
	same bare profiled
	has '^run	.*	sampler=timer' log
	has 'what=perf-refused' log
	has '^sample	' log
}
check 'perf is forbidden from the start: the timer samples' under_filter

without_any() {
	run ./signals coroutines >bare
	LIFE_MS=100 run ./sandbox under errno perf_event_open timer_create -- \
		andweorc-record -q -o log -r work -s 50 --window 10 -- ./signals coroutines >profiled 2>err
	test "$status" -eq 0
	same bare profiled
	has 'what=no-sampler' log
}
check 'both are forbidden: it runs, and that is said' without_any

# ---- other allocators -------------------------------------------------------------------------

library() {
	PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | awk -v name="$1" '$1 ~ "^" name { print $NF; exit }'
}

# with_allocator NAME SAMPLER: preloaded, and linked
with_allocator() {
	path=$(library "$1")
	run ./signals storm >bare
	LD_PRELOAD=$path recorded "$2" -r work -- ./signals storm
	test "$status" -eq 0
	same bare profiled
	has '^sample	' log
	lacks 'not-preloaded' log
	test -x "linked-$1" || exits 0 gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -o "linked-$1" "$programs/signals.c" -pthread "$path"
	recorded "$2" -r work -- "./linked-$1" storm
	test "$status" -eq 0
	same bare profiled
	has '^sample	' log
}
for name in libjemalloc libtcmalloc_minimal.so; do
	for sampler in perf timer; do
		case $name-$sampler in
		libjemalloc-timer | libtcmalloc_minimal.so-perf) is_long || continue ;;
		esac
		if test -n "$(library $name)"; then
			check "$name, preloaded and linked ($sampler)" with_allocator $name $sampler
		else
			skip "$name ($sampler)" 'it is not there'
		fi
	done
done

done_testing
